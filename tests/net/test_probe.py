"""netsense-probe across hosts whose links differ: what it measures, what it says, and how it ends when a host dies."""
import json
import os
import tempfile
import subprocess
import time

import scene
from scene import ranks

PROBE = str(ranks.build_folder() / "bin" / "netsense-probe")
FAST, SLOW = "200mbit", "20mbit"  # the second a tenth of the first


class ProbeTest(scene.NetTest):
    options = {"hosts": 3}

    def probe(self, *words, ipv6=False, env=None):
        group = ranks.Ranks(self.hosts, [PROBE, *words], env or {}, ipv6=ipv6)
        self.addCleanup(group.__exit__)
        return group

    def measured(self, *words, **how):
        """The JSON of a run in which all went well, its pairs by (from, to)."""
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "mesh.json")
            group = self.probe("--json", file, *words, **how)
            self.assert_completes(group)
            with open(file, encoding="utf-8") as text:
                result = json.load(text)
        result["pairs"] = {(pair["from"], pair["to"]): pair for pair in result["pairs"]}
        return result


class Rates(ProbeTest):
    def test_one_slow_way(self):
        """Only the way towards the last host is slow: its pairs show the ratio, and the words name it."""
        self.network.shape_all(FAST)
        self.network.shape(self.hosts[2], SLOW)
        result = self.measured("--step", "1000")
        pairs = result["pairs"]
        for other in (0, 1):
            for quantity in ("bandwidth", "btlbw"):
                ratio = pairs[2, other][quantity] / pairs[other, 2][quantity]
                self.assertGreater(ratio, 4, f"{quantity} from and to {other}")
                self.assertLess(ratio, 25, f"{quantity} from and to {other}")
        # The queue of a shaped link holds 20 ms and more; without load there is none.
        self.assertGreater(pairs[0, 2]["loaded_rtt_median"], 5 * pairs[0, 2]["rtt_median"])
        self.assertGreater(pairs[0, 2]["queue_delay"], pairs[0, 2]["rtprop"])
        # Two load the slow link at once, and share it.
        shared = pairs[0, 2]["all_bandwidth"] + pairs[1, 2]["all_bandwidth"]
        self.assertLess(shared, 2 * pairs[0, 2]["bandwidth"])
        words = "\n".join(result["findings"])
        self.assertIn("Everything towards rank 2", words)
        self.assertRegex(words, r"Rank 0 .* and rank 2 .* are asymmetric")


class Families(ProbeTest):
    options = {"hosts": 3, "links": 2}

    def test_ipv6_and_choice_of_interface(self):
        result = self.measured("--step", "100", "-6", "--interface", "=eth1", ipv6=True)
        for number, host in enumerate(self.hosts):
            self.assertEqual(result["hosts"][number]["interface"], "eth1")
            self.assertEqual(result["hosts"][number]["address"], host.address(1, ipv6=True))

    def test_nccls_setting(self):
        result = self.measured("--step", "100", env={"NCCL_SOCKET_IFNAME": "=eth1"})
        self.assertEqual({host["interface"] for host in result["hosts"]}, {"eth1"})

    def test_by_hand(self):
        hosts = ",".join(host.address() for host in self.hosts)
        started = [host.popen([PROBE, "--hosts", hosts, "--rank", number, "--step", 100],
                              stdout=subprocess.DEVNULL)
                   for number, host in enumerate(self.hosts)]
        self.assertEqual([process.wait(scene.PATIENCE_SECONDS) for process in started], [0, 0, 0])


class Deaths(ProbeTest):
    def assert_all_name_rank_2(self, group, of):
        statuses = group.wait(scene.PATIENCE_SECONDS)
        for rank in of:
            self.assertEqual(statuses[rank], 3, group.everything())
            self.assertRegex(group.errors(rank), r"rank(\(s\))? 2", group.everything())

    def started(self, *words):
        """A long run, in the middle of its first steps."""
        group = self.probe("--step", "5000", "-T", "5", *words)
        self.busy_connections(group, host=self.hosts[0], at_least=2, megabytes=0.001)
        time.sleep(1)
        return group

    def test_killed(self):
        group = self.started()
        group.processes[2].kill()
        self.assert_all_name_rank_2(group, of=(0, 1))

    def test_cut_off(self):
        group = self.started()
        self.network.partition(self.hosts[2])
        self.assert_all_name_rank_2(group, of=(0, 1))

    def test_never_started(self):
        self.hosts, everyone = self.hosts[:2], self.hosts
        group = ranks.Ranks(self.hosts, [PROBE, "-T", "2"], {"WORLD_SIZE": str(len(everyone))})
        self.addCleanup(group.__exit__)
        self.assert_all_name_rank_2(group, of=(0,))


if __name__ == "__main__":
    scene.main()
