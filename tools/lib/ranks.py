"""Starts one process per host of a test network, as torchrun would, and collects what they say."""
import os
import pathlib
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PORT = 29500


def build_folder():
    """Where the binaries are: NS_BUILD_FOLDER, which ctest sets, else the release build."""
    return pathlib.Path(os.environ.get("NS_BUILD_FOLDER", ROOT / "build" / "release"))


def perf():
    return str(build_folder() / "bin" / "netsense-perf")


def plugin_environment(plugin):
    """What a user sets to have NCCL load libnccl-net-PLUGIN.so of this build."""
    return {"NCCL_NET_PLUGIN": plugin, "LD_LIBRARY_PATH": str(build_folder() / "lib")}


def forget_settings():
    """Makes a test independent of the NCCL and netsense settings of whoever runs it."""
    for name in [each for each in os.environ if each.startswith(("NCCL_", "NETSENSE_"))]:
        del os.environ[name]


class Ranks:
    """One process per host. As a context manager it ends those still running when the block ends."""

    def __init__(self, hosts, words, env=None, env_of_rank=None, ipv6=False, show_rank_0=False,
                 words_of_rank=None, files_of_rank=None):
        """env_of_rank: {rank: {name: value}} beyond env. show_rank_0: rank 0 writes to our standard output.
        words_of_rank: {rank: [word]} behind words. files_of_rank: {rank: [descriptor]} that the rank inherits."""
        self._folder = tempfile.TemporaryDirectory(prefix="netsense-ranks-")
        self.processes = []
        for rank, host in enumerate(hosts):
            launcher = {"RANK": str(rank), "WORLD_SIZE": str(len(hosts)), "LOCAL_RANK": "0",
                        "MASTER_ADDR": hosts[0].address(ipv6=ipv6), "MASTER_PORT": str(PORT)}
            visible = show_rank_0 and rank == 0
            with self._file(rank, "out", "wb") as out, self._file(rank, "err", "wb") as err:
                self.processes.append(host.popen(
                    [*words, *(words_of_rank or {}).get(rank, [])], env={**launcher, **(env or {}), **(env_of_rank or {}).get(rank, {})},
                    stdin=subprocess.DEVNULL, stdout=None if visible else out, stderr=None if visible else err,
                    pass_fds=(files_of_rank or {}).get(rank, ())))

    def _file(self, rank, kind, mode):
        return open(os.path.join(self._folder.name, f"{rank}.{kind}"), mode)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        self._folder.cleanup()

    def stop(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
        for process in self.processes:
            process.wait()

    def wait(self, seconds):
        """The exit statuses, None for a rank that was still running after that time and has been ended."""
        deadline = time.monotonic() + seconds
        statuses = []
        for process in self.processes:
            try:
                statuses.append(process.wait(max(0, deadline - time.monotonic())))
            except subprocess.TimeoutExpired:
                statuses.append(None)
        self.stop()
        return statuses

    def output(self, rank):
        with self._file(rank, "out", "r") as file:
            return file.read()

    def errors(self, rank):
        with self._file(rank, "err", "r") as file:
            return file.read()

    def everything(self):
        """What all ranks have written, for a failure message."""
        return "\n".join(f"--- rank {rank} ---\n{self.output(rank)}{self.errors(rank)}"
                         for rank in range(len(self.processes)))
