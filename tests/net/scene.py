"""What the tests across network namespaces share."""
import os
import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "lib"))
import netns  # noqa: E402
import ranks  # noqa: E402

SKIPPED = 77  # what CMake knows as "skipped"
# Far beyond what any of these runs takes, even on a loaded machine: a rank that still runs then hangs.
PATIENCE_SECONDS = 90


class NetTest(unittest.TestCase):
    """A network of its own for every test; `options` are those of netns.Network."""
    options = {"hosts": 2}

    def setUp(self):
        self.network = netns.Network(**self.options)
        self.network.__enter__()
        self.addCleanup(self.network.close)
        self.hosts = self.network.hosts

    def perf(self, *words, env=None, ipv6=False):
        """Starts netsense-perf over netsense, one rank per host, and ends it with the test."""
        group = ranks.Ranks(self.hosts, [ranks.perf(), *words, "--engine", "host", "-T", "30"],
                            {**ranks.plugin_environment("netsense"), "NCCL_DEBUG": "INFO", **(env or {})}, ipv6=ipv6)
        self.addCleanup(group.__exit__)
        return group

    def wait_until(self, condition, what, group=None):
        """Returns the first true value of condition()."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            value = condition()
            if value:
                return value
            if group and any(process.poll() is not None for process in group.processes):
                break
            time.sleep(0.05)
        self.fail(f"{what} did not come about\n{group.everything() if group else ''}")

    def busy_connections(self, group, host=None, at_least=1, megabytes=1):
        """The connections that have carried that much from host (default: the first) to the others."""
        host = host or self.hosts[0]

        def busy():
            found = [each for each in host.connections() if each.bytes_acked >= megabytes * 10**6]
            return found if len(found) >= at_least else None

        return self.wait_until(busy, f"{at_least} connections with {megabytes} MB each", group)

    def assert_completes(self, group):
        """All ranks end by themselves with status 0: every number was right."""
        statuses = group.wait(PATIENCE_SECONDS)
        self.assertEqual(statuses, [0] * len(statuses), group.everything())


def main():
    reason = netns.unavailable()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    ranks.forget_settings()
    os.environ["NCCL_PROTO"] = "Simple"  # the protocol of large messages, whatever the size a test chooses
    unittest.main(verbosity=2)
