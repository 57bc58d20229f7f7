"""Cut links, partitions, damage and loss: netsense goes on, or says what happened in bounded time."""
import re

import scene

STEADY = ("all_reduce", "-b", "4M", "-e", "4M", "-w", "1", "-c", "1")
ENDLESS = (*STEADY, "-n", "1000000")


class Cut(scene.NetTest):
    def test_link_down_and_up_again(self):
        """A link without carrier for 2 s delays the job; it completes and every number is right."""
        self.network.shape_all("200mbit")
        group = self.perf(*STEADY, "-n", "20")
        self.busy_connections(group)
        self.network.cut(self.hosts[1])
        before = self.acknowledged()
        self.assertIn("NO-CARRIER", self.hosts[1].command("ip", "link", "show", "eth0"))
        scene.time.sleep(2)
        self.assertLess(self.acknowledged() - before, 1_000_000, "data flowed through a cut link")
        self.assertIsNone(group.processes[0].poll(), "the run was over before the cut could matter")
        self.network.restore(self.hosts[1])
        self.assert_completes(group)

    def acknowledged(self):
        return sum(each.bytes_acked for each in self.hosts[0].connections())


class Partition(scene.NetTest):
    def test_peer_that_vanishes_is_an_error_that_names_it(self):
        """Packets vanish for longer than NETSENSE_PEER_TIMEOUT: each side ends and names the other's address."""
        group = self.perf(*ENDLESS, env={"NETSENSE_PEER_TIMEOUT": "2"})
        self.busy_connections(group)
        self.network.partition(self.hosts[1])
        statuses = group.wait(scene.PATIENCE_SECONDS)
        for rank, other in ((0, 1), (1, 0)):
            self.assertNotIn(statuses[rank], (None, 0), f"rank {rank} hangs or noticed nothing\n{group.everything()}")
            self.assertRegex(warnings(group, rank), re.escape(self.hosts[other].address()), group.everything())


class Damage(scene.NetTest):
    def damaged_run(self, **env):
        self.network.shape_all("1gbit")  # slow enough for the damage to begin during the run
        group = self.perf("all_reduce", "-b", "16M", "-e", "16M", "-w", "1", "-n", "20", "-c", "1", env=env)
        self.busy_connections(group)
        self.network.corrupt(self.hosts[1], every=100)
        statuses = group.wait(scene.PATIENCE_SECONDS)
        self.assertGreater(self.network.fault_hits()[0], 0, "nothing was damaged")
        self.assertNotIn(None, statuses, f"a rank hangs\n{group.everything()}")
        return group, statuses

    def test_damage_is_found_and_named(self):
        """Bytes that the kernel's checksum let through damaged end the job with an error that says checksum."""
        group, statuses = self.damaged_run()
        self.assertNotIn(0, statuses, group.everything())
        self.assertRegex(warnings(group, 1).lower(), "checksum", group.everything())

    def test_damage_is_real(self):
        """The same without the checksum of the payload: nothing finds damage there, and the job still fails, on wrong
        numbers or, where a frame's header was hit, on the header's checksum, which is always on."""
        group, statuses = self.damaged_run(NETSENSE_CHECKSUM="off")
        self.assertNotEqual(statuses, [0, 0], group.everything())
        self.assertNotRegex(warnings(group, 1).lower(), "fail their checksum", group.everything())


class Loss(scene.NetTest):
    def test_one_packet_in_a_hundred_is_lost(self):
        for host in self.hosts:
            host.offload("tso", False)
            host.offload("gso", False)
            self.network.lose(host, per_mille=10)
        group = self.perf(*STEADY, "-n", "5")
        self.assert_completes(group)
        for direction in self.network.fault_hits():
            self.assertGreater(direction, 0, "nothing was lost")


def warnings(group, rank):
    """What the rank's NCCL log and netsense-perf said at level WARN or as an error."""
    text = group.output(rank) + group.errors(rank)
    return "\n".join(line for line in text.splitlines() if "WARN" in line or line.startswith("netsense-perf:"))


if __name__ == "__main__":
    scene.main()
