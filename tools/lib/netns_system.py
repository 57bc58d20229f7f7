#!/usr/bin/env python3
"""What netns.py asks of the system: commands, the privilege check, and the guard that removes a network.

The guard is this file run as a program: `netns_system.py NAME` waits until its standard input ends, which the death
of the process that made the network brings about too, and then removes the namespaces NAME-*.
"""
import os
import re
import signal
import subprocess
import sys
import time

NETNS_FOLDER = "/run/netns"
PREFIX = "netsense-"
RATE_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}
os.environ["PATH"] += ":/usr/sbin:/sbin"  # where ip, tc and nft are, which an ordinary user's PATH may lack


class NetnsError(Exception):
    """A command that builds or changes the network failed."""


def parse_rate(rate):
    """Bits per second of "200mbit", "1gbit", "1.5G" or a plain number."""
    match = re.fullmatch(r"([0-9.]+) *([kmg]?)(bit|bit/s|bps)?", str(rate).strip().lower())
    if not match:
        raise ValueError(f"not a rate: {rate!r}; write for example 200mbit or 1gbit")
    bits = int(float(match[1]) * RATE_UNITS[match[2]])
    if bits <= 0:
        raise ValueError(f"{rate!r}: a rate must be above 0")
    return bits


def command(*words, check=True):
    """Runs a short command and returns its output; NetnsError carries what it printed on failure."""
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    if check and done.returncode != 0:
        raise NetnsError(f"{' '.join(str(word) for word in words)}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def unavailable():
    """Why namespaces cannot be made here, or None when they can."""
    for program, package in (("ip", "iproute2"), ("tc", "iproute2"), ("nft", "nftables")):
        if not any(os.access(os.path.join(folder, program), os.X_OK) for folder in os.environ["PATH"].split(":")):
            return f"the command {program} is missing (package {package}; tools/setup installs it)"
    name = f"{PREFIX}{os.getpid()}-probe"
    try:
        command("ip", "netns", "add", name)
    except NetnsError as error:
        who = "root" if os.geteuid() == 0 else "this user"
        return f"{who} may not create network namespaces here ({error})"
    try:
        command("ip", "-n", name, "link", "add", "v0", "type", "veth", "peer", "name", "v1")
        command("ip", "netns", "exec", name, "tc", "qdisc", "add", "dev", "v0", "root", "tbf", "rate", "1gbit",
                "burst", "128k", "limit", "1m")
    except NetnsError as error:
        return f"this kernel lacks what the test network needs ({error})"
    finally:
        command("ip", "netns", "del", name, check=False)
    return None


def remove(name):
    """Ends the processes inside the namespaces of one network and removes these."""
    namespaces = [entry for entry in os.listdir(NETNS_FOLDER) if entry.startswith(f"{name}-")]
    for sent in (signal.SIGTERM, signal.SIGKILL):
        # A terminated program gets 2 s to end, a killed one until the kernel is done with it.
        deadline = time.monotonic() + 2
        while time.monotonic() < deadline:
            running = [int(pid) for namespace in namespaces
                       for pid in command("ip", "netns", "pids", namespace, check=False).split()]
            if not running:
                break
            for pid in running:
                try:
                    os.kill(pid, sent)
                except ProcessLookupError:
                    pass
            time.sleep(0.05)
    for namespace in namespaces:
        command("ip", "netns", "del", namespace, check=False)


def guard(name):
    """Waits until the owner of the network closes its end of the pipe, which its death does too."""
    for sent in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(sent, signal.SIG_IGN)
    sys.stdin.buffer.read()
    remove(name)


if __name__ == "__main__":
    guard(sys.argv[1])
