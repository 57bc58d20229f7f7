#!/usr/bin/env python3
"""Hosts on one machine: network namespaces joined by a switch whose ports can be slowed, cut or made to lose and
damage packets. The demo, tests/net and tests/bench share this one.

    with Network(hosts=4) as network:
        network.shape(network.hosts[1], "1gbit")
        network.hosts[0].run(["iperf3", "-c", network.hosts[1].address()])

Every host has the interfaces eth0, eth1, ... (`links` of them); interface ethJ of host I has the addresses
10.77.J.I/24 and fd77:J::I/64 and leads to switch J. Everything is removed when the block ends, and also when this
process dies in whatever way: a guard process waits for that and then ends the processes inside these namespaces,
and only those, and removes them.

As a program: `netns.py check` says whether namespaces can be made, `netns.py up` makes a network to try things in.
Needs Python's standard library, iproute2, nftables, and root (CAP_SYS_ADMIN and CAP_NET_ADMIN).
"""
import argparse
import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
import time

import netns_system
from netns_system import PREFIX, NetnsError, command, parse_rate, unavailable


@dataclasses.dataclass(frozen=True)
class Connection:
    """An established TCP connection of a host, seen from its side. Bytes count since it was opened."""
    local_address: str
    local_port: int
    remote_address: str
    remote_port: int
    bytes_acked: int
    bytes_received: int


class Host:
    """A namespace with its own interfaces and addresses."""

    def __init__(self, namespace, number, links):
        self.namespace = namespace
        self.number = number  # from 1; the last part of its addresses
        self.links = links

    def address(self, link=0, ipv6=False):
        return f"fd77:{link}::{self.number}" if ipv6 else f"10.77.{link}.{self.number}"

    def command(self, *words, check=True):
        return command("ip", "netns", "exec", self.namespace, *words, check=check)

    def popen(self, words, env=None, **options):
        """Starts a program in this host; env is added to this process's environment."""
        return subprocess.Popen(["ip", "netns", "exec", self.namespace, *map(str, words)],
                                env={**os.environ, **(env or {})}, **options)

    def run(self, words, env=None, **options):
        return subprocess.run(["ip", "netns", "exec", self.namespace, *map(str, words)],
                              env={**os.environ, **(env or {})}, check=False, **options)

    def offload(self, feature, on, link=0):
        """ethtool -K. tso and gso off: packets are as they would be on a wire, so loss and damage hit single ones."""
        self.command("ethtool", "-K", f"eth{link}", feature, "on" if on else "off")

    def connections(self):
        """The established TCP connections, with their byte counters."""
        found = []
        lines = self.command("ss", "-tinOH", "state", "established").splitlines()
        for line in lines:
            ends = re.match(r"\d+ +\d+ +(\S+):(\d+) +(\S+):(\d+)", line.strip())
            if ends:
                acked = re.search(r"bytes_acked:(\d+)", line)
                received = re.search(r"bytes_received:(\d+)", line)
                found.append(Connection(ends[1].strip("[]"), int(ends[2]), ends[3].strip("[]"), int(ends[4]),
                                        int(acked[1]) if acked else 0, int(received[1]) if received else 0))
        return found


class Loopback:
    """Stands in for a host where no namespaces are wanted or possible: what it runs, runs here and meets on 127.0.0.1."""

    @staticmethod
    def address(**_):
        return "127.0.0.1"

    @staticmethod
    def popen(words, env=None, **options):
        return subprocess.Popen([str(word) for word in words], env={**os.environ, **(env or {})}, **options)

    @staticmethod
    def run(words, **options):
        return subprocess.run([str(word) for word in words], check=False, **options)


class Network:
    """Hosts joined by one switch per link. Use as a context manager."""

    def __init__(self, hosts=4, links=1, ipv4=True, ipv6=True, congestion_control=None):
        """congestion_control: for example "cubic"; None keeps the system's default."""
        self._name = f"{PREFIX}{os.getpid()}-{time.monotonic_ns() % 10**6}"
        self._switch = f"{self._name}-switch"
        self.hosts = [Host(f"{self._name}-h{number}", number, links) for number in range(1, hosts + 1)]
        self._links, self._ipv4, self._ipv6 = links, ipv4, ipv6
        self._congestion_control = congestion_control
        self._limited_ports = {}
        self._guard = None

    def __enter__(self):
        self._guard = subprocess.Popen([sys.executable, netns_system.__file__, self._name],
                                       stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True)
        try:
            self._build()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends what runs in the hosts and removes them."""
        if self._guard:
            self._guard.stdin.close()
            self._guard.wait()
            self._guard = None

    def _build(self):
        self._add_namespace(self._switch)
        for link in range(self._links):
            command("ip", "-n", self._switch, "link", "add", f"br{link}", "up", "type", "bridge", "stp_state", "0",
                    "forward_delay", "0")
        for host in self.hosts:
            self._add_namespace(host.namespace)
            if self._congestion_control:
                host.command("sysctl", "-qw", f"net.ipv4.tcp_congestion_control={self._congestion_control}")
            for link in range(self._links):
                self._plug(host, link)
        self.nft("add table bridge faults")
        self.nft("add chain bridge faults forwarding { type filter hook forward priority 0; policy accept; }")

    @staticmethod
    def _add_namespace(name):
        command("ip", "netns", "add", name)
        command("ip", "-n", name, "link", "set", "lo", "up")

    def _plug(self, host, link):
        port = self._port(host, link)
        command("ip", "link", "add", f"eth{link}", "netns", host.namespace, "type", "veth", "peer", "name", port,
                "netns", self._switch)
        if self._ipv4:
            command("ip", "-n", host.namespace, "addr", "add", f"{host.address(link)}/24", "dev", f"eth{link}")
        if self._ipv6:
            # nodad: usable at once instead of after a second of looking for duplicates.
            command("ip", "-n", host.namespace, "addr", "add", f"{host.address(link, ipv6=True)}/64", "dev",
                    f"eth{link}", "nodad")
        else:
            host.command("sysctl", "-qw", f"net.ipv6.conf.eth{link}.disable_ipv6=1")
        command("ip", "-n", host.namespace, "link", "set", f"eth{link}", "up")
        command("ip", "-n", self._switch, "link", "set", port, "master", f"br{link}", "up")

    @staticmethod
    def _port(host, link):
        return f"p{host.number}x{link}"

    def _tc(self, *words):
        return command("ip", "netns", "exec", self._switch, "tc", *words)

    def nft(self, rule):
        """Changes the packet filter of the switch."""
        return command("ip", "netns", "exec", self._switch, "nft", rule)

    def shape(self, host, rate, queue_ms=20, link=0, burst=None):
        """Limits what the switch sends to the host; again with another rate changes it without a gap.

        The shaper sits at the switch, not at the sender: there data would wait in the sender's socket instead of in
        a queue of the network. queue_ms: how long a full queue holds a packet. burst: bytes that may pass at once;
        to be given when the rate of a queue with data is lowered to less than 1 Gbit/s, with room for what is in it:
        a frame that is larger than the burst waits forever.
        """
        bits = parse_rate(rate)
        # 1 ms of data keeps the rate exact with the kernel's 4 ms tick; less than 64 KiB would split large frames.
        burst = burst or max(bits // 8 // 1000, 65536)
        limit = bits // 8 * queue_ms // 1000 + burst
        self._tc("qdisc", "replace", "dev", self._port(host, link), "root", "tbf", "rate", f"{bits}bit", "burst",
                 burst, "limit", limit)

    def shape_all(self, rate, queue_ms=20):
        for host in self.hosts:
            for link in range(self._links):
                self.shape(host, rate, queue_ms, link)

    def limit_source_port(self, host, source_port, rate, queue_ms=20, link=0):
        """Limits one flow towards the host, known by its IPv4 source port. Other flows are not limited.

        queue_ms: as for shape(), at the first rate that the flow is given; its queue keeps that size.
        """
        port = self._port(host, link)
        known = self._limited_ports.setdefault(port, {})
        if not known:
            self._tc("qdisc", "replace", "dev", port, "root", "handle", "1:", "htb", "default", "fff")
            self._tc("class", "add", "dev", port, "parent", "1:", "classid", "1:fff", "htb", "rate", "100gbit",
                     "quantum", "60000")
        new = source_port not in known
        number = known.setdefault(source_port, len(known) + 1)
        bits = parse_rate(rate)
        self._tc("class", "replace", "dev", port, "parent", "1:", "classid", f"1:{number:x}", "htb", "rate",
                 f"{bits}bit", "ceil", f"{bits}bit", "burst", 65536, "cburst", 65536, "quantum", "60000")
        if new:
            self._tc("qdisc", "add", "dev", port, "parent", f"1:{number:x}", "bfifo", "limit",
                     bits // 8 * queue_ms // 1000 + 65536)
            self._tc("filter", "add", "dev", port, "parent", "1:", "protocol", "ip", "u32", "match", "ip", "sport",
                     source_port, "0xffff", "flowid", f"1:{number:x}")

    def backlog(self, host, link=0):
        """Bytes that wait in the switch for the host's link, which must be shaped."""
        return json.loads(self._tc("-s", "-j", "qdisc", "show", "dev", self._port(host, link)))[0]["backlog"]

    def unshape(self, host, link=0):
        self._tc("qdisc", "del", "dev", self._port(host, link), "root")
        self._limited_ports.pop(self._port(host, link), None)

    def cut(self, host, link=0):
        """Pulls the cable out of the switch: the host sees no carrier."""
        command("ip", "-n", self._switch, "link", "set", self._port(host, link), "down")

    def restore(self, host, link=0):
        command("ip", "-n", self._switch, "link", "set", self._port(host, link), "up")

    def partition(self, host, link=0):
        """Silently drops everything from and to the host."""
        self._fault(f'iifname "{self._port(host, link)}" counter drop')
        self._fault(f'oifname "{self._port(host, link)}" counter drop')

    def lose(self, host, per_mille, link=0):
        """Drops packets towards the host at random. With offloads on, a packet may be up to 64 KiB of data."""
        self._fault(f'oifname "{self._port(host, link)}" numgen random mod 1000 < {per_mille} counter drop')

    def corrupt(self, host, every, link=0):
        """Damages 4 bytes of every n-th large TCP packet towards the host, some 70 bytes into its payload.

        With transmit checksum offload on (the default between namespaces) the kernel does not notice, as happens
        with a faulty switch or card that computes the checksum anew; only an end-to-end check finds it.
        """
        self._fault(f'oifname "{self._port(host, link)}" meta l4proto tcp meta length > 1000 '
                    f"numgen inc mod {every} == {every - 1} counter @th,832,32 set 0xdeadbeef")

    def heal(self):
        """Ends partition, loss and corruption everywhere."""
        self.nft("flush chain bridge faults forwarding")

    def fault_hits(self):
        """How many packets each fault has hit so far, in the order in which they were added."""
        return [int(count) for count in
                re.findall(r"counter packets (\d+)", self.nft("list chain bridge faults forwarding"))]

    def _fault(self, rule):
        self.nft(f"add rule bridge faults forwarding {rule}")


def up(arguments):
    with Network(hosts=arguments.hosts, links=arguments.links) as network:
        if arguments.rate:
            network.shape_all(arguments.rate)
        for host in network.hosts:
            print(f"{host.address():12} ip netns exec {host.namespace} bash")
        print("Ctrl-C removes them.", flush=True)
        signal.pause()


def main():
    parser = argparse.ArgumentParser(description="A network of namespaces to try things in.")
    commands = parser.add_subparsers(dest="action", required=True)
    commands.add_parser("check", help="say whether namespaces can be made here")
    making = commands.add_parser("up", help="make a network, show how to enter its hosts, wait for Ctrl-C")
    making.add_argument("--hosts", type=int, default=4)
    making.add_argument("--links", type=int, default=1, help="interfaces of each host")
    making.add_argument("--rate", help="limit of each link, for example 1gbit")
    arguments = parser.parse_args()
    reason = unavailable()
    if arguments.action == "check" or reason:
        print(f"No network namespaces: {reason}" if reason else "Network namespaces can be made here.")
        return 1 if reason else 0
    try:
        up(arguments)
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
