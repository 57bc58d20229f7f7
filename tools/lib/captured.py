"""The gradients captured from networks while they learn (tests/data/captured), for benchmarks and the demo."""
import contextlib
import pathlib
import struct
import tempfile

CAPTURED = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data" / "captured"


def tensor_bytes(path):
    """The tensors of a .safetensors file as they lie in it: behind 8 bytes of length and a header of that length."""
    content = pathlib.Path(path).read_bytes()
    (header,) = struct.unpack("<Q", content[:8])
    return content[8 + header:]


@contextlib.contextmanager
def gradients(type_name):
    """A raw file with the captured gradients of one type (bf16, f32), of all networks and moments."""
    with tempfile.NamedTemporaryFile(prefix="netsense-", suffix=f".{type_name}") as file:
        for path in sorted(CAPTURED.glob(f"*-gradients-*-{type_name}.safetensors")):
            file.write(tensor_bytes(path))
        file.flush()
        yield file.name
