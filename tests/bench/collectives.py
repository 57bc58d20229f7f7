"""Runs netsense-perf all_reduce between hosts with one plugin and its settings."""
import contextlib
import json
import os
import pathlib
import struct
import tempfile

import p2p
import ranks

LIMIT_SECONDS = 300
CAPTURED = pathlib.Path(__file__).parent.parent / "data" / "captured"


def all_reduce(hosts, variant, arguments):
    """One run; the time of an all-reduce in microseconds by its bytes."""
    name, plugin, settings = variant
    with tempfile.TemporaryDirectory(prefix="netsense-bench-") as folder:
        report = os.path.join(folder, "figures.json")
        words = [ranks.perf(), "all_reduce", *arguments, "--engine", "host", "--json", report]
        env = {**ranks.plugin_environment(plugin), "NCCL_SOCKET_IFNAME": "eth0", **settings}
        with ranks.Ranks(hosts, words, env) as group:
            statuses = group.wait(LIMIT_SECONDS)
            if any(status != 0 for status in statuses):
                raise p2p.BenchError(f"netsense-perf over {name} ended with {statuses}\n{group.everything()}")
        with open(report, encoding="utf-8") as file:
            results = json.load(file)["results"]
    wrong = sum(row["out_of_place"]["wrong"] or 0 for row in results)
    if wrong:
        raise p2p.BenchError(f"netsense-perf over {name}: {wrong} wrong elements")
    return {row["size_bytes"]: row["out_of_place"]["time_us"] for row in results}


def tensor_bytes(path):
    """The tensors of a .safetensors file as they lie in it: behind 8 bytes of length and a header of that length."""
    content = pathlib.Path(path).read_bytes()
    (header,) = struct.unpack("<Q", content[:8])
    return content[8 + header:]


@contextlib.contextmanager
def captured_gradients(type_name):
    """A raw file with the captured gradients of one type (bf16, f32), of all networks and moments."""
    with tempfile.NamedTemporaryFile(prefix="netsense-bench-", suffix=f".{type_name}") as file:
        for path in sorted(CAPTURED.glob(f"*-gradients-*-{type_name}.safetensors")):
            file.write(tensor_bytes(path))
        file.flush()
        yield file.name
