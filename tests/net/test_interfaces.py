"""Which interfaces and addresses carry the data."""
import ipaddress

import scene

RUN = ("all_reduce", "-b", "16M", "-e", "16M", "-w", "0", "-n", "1000000", "-c", "0")


class TwoInterfaces(scene.NetTest):
    options = {"hosts": 2, "links": 2}

    def links_used(self, **env):
        """The links (0, 1) whose addresses carry the data of a run with these settings."""
        group = self.perf(*RUN, env={"NCCL_MIN_NCHANNELS": "2", **env})
        self.busy_connections(group, megabytes=20)
        found = [each for each in self.hosts[0].connections() if each.bytes_acked > 2 * 10**6]
        group.stop()
        return {int(each.local_address.removeprefix("::ffff:").split(".")[2]) for each in found}

    def test_both_are_used(self):
        self.assertEqual(self.links_used(NCCL_NETDEVS_POLICY="ALL"), {0, 1})

    def test_nccls_choice_of_one(self):
        self.assertEqual(self.links_used(NCCL_SOCKET_IFNAME="=eth1"), {1})

    def test_nccls_exclusion(self):
        self.assertEqual(self.links_used(NCCL_SOCKET_IFNAME="^lo,eth1"), {0})

    def test_own_name_wins_over_nccls(self):
        self.assertEqual(self.links_used(NCCL_SOCKET_IFNAME="eth0", NETSENSE_IFNAME="eth1"), {1})


class OnlyIpv6(scene.NetTest):
    options = {"hosts": 2, "ipv4": False}

    def test_completes(self):
        group = self.perf("all_reduce", "-b", "8", "-e", "4M", "-f", "8", "-n", "3", ipv6=True)
        self.assert_completes(group)


class Families(scene.NetTest):
    def family_used(self, **env):
        group = self.perf(*RUN, env=env)
        found = self.busy_connections(group, megabytes=5)
        group.stop()
        versions = set()
        for each in found:
            address = ipaddress.ip_address(each.local_address)
            mapped = getattr(address, "ipv4_mapped", None)
            versions.add(4 if mapped else address.version)
        return versions

    def test_ipv6_when_asked_for(self):
        self.assertEqual(self.family_used(NETSENSE_FAMILY="ipv6"), {6})

    def test_nccls_own_setting(self):
        self.assertEqual(self.family_used(NCCL_SOCKET_FAMILY="AF_INET"), {4})


if __name__ == "__main__":
    scene.main()
