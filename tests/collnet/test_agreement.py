"""Ranks whose settings differ find it out when they connect, name each other, and go on without rounding anything."""
import argparse
import os
import socket
import subprocess
import sys
import unittest

PERF = LIBRARY = ""


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def run(settings_by_rank):
    """All-reduces of 4 MiB between ranks with these settings; the exit status and output of each."""
    port, started = free_port(), []
    for rank, settings in enumerate(settings_by_rank):
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("NETSENSE_", "NCCL_"))}
        environment |= {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(len(settings_by_rank)),
                        "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "NCCL_SOCKET_IFNAME": "lo", "NCCL_DEBUG": "WARN",
                        "NCCL_NET_PLUGIN": LIBRARY, "NCCL_COLLNET_ENABLE": "1", **settings}
        started.append(subprocess.Popen([PERF, "all_reduce", "-b", "4M", "-e", "4M", "-n", "1", "-w", "0"], env=environment, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
    return [(process.communicate(timeout=120)[0], process.returncode) for process in started]


class Agreement(unittest.TestCase):
    def check_differing(self, first, second, told):
        for rank, (output, status) in enumerate(run([first, second])):
            self.assertEqual(status, 0, output)
            self.assertIn(f"CollNet: rank {1 - rank} (127.0.0.1", output)
            self.assertIn("has other settings", output)
            for text in told:
                self.assertIn(text, output)

    def test_modes_that_differ_are_named_and_the_sums_are_exact(self):
        self.check_differing({"NETSENSE_MODE": "adaptive"}, {}, ["NETSENSE_MODE=adaptive", "no lossy collectives"])

    def test_sizes_that_differ_are_named(self):
        self.check_differing({"NETSENSE_MODE": "adaptive"}, {"NETSENSE_MODE": "adaptive", "NETSENSE_LOSSY_MIN_SIZE": "2M"},
                             ["NETSENSE_LOSSY_MIN_SIZE=1048576", "NETSENSE_LOSSY_MIN_SIZE=2097152"])

    def test_settings_that_each_rank_may_choose_are_no_reason(self):
        settings = {"NETSENSE_MODE": "adaptive", "NETSENSE_LOSSY_CONTROLLER": "fixed:lossless"}
        for output, status in run([settings, settings | {"NETSENSE_QUEUE_TARGET": "1", "NETSENSE_TCP_STREAMS": "3"}]):
            self.assertEqual(status, 0, output)
            self.assertNotIn("other settings", output)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--perf", required=True)
    parser.add_argument("--library", required=True)
    arguments, rest = parser.parse_known_args()
    PERF, LIBRARY = arguments.perf, arguments.library
    unittest.main(argv=[sys.argv[0], *rest])
