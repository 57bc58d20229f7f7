"""What the sensing reports, against what is really so: queue delay and rate of shaped links."""
import argparse
import bisect
import contextlib
import dataclasses
import json
import statistics
import subprocess
import sys
import threading
import time

import figures
import netns
import ranks
from netns_system import parse_rate
from p2p import BenchError, progress

RATES = ["100mbit", "1gbit", "5gbit"]
QUEUES_MS = [1, 5, 20, 50, 100, 200]
QUICK_QUEUES_MS = [5, 50]
# Queues as congestion control makes them, by filling this much until something is dropped.
FILLED_MS = 50
# The limits that the figures are held to.
QUEUE_ERROR = 0.15
RATE_ERROR = 0.10
FOLLOW_SECONDS, FOLLOW_ROUND_TRIPS = 0.3, 10
PORT = 7000
TRUTH_EVERY = 0.02
TRUTH_GAP = 0.25  # looks further apart than this say nothing about the time between
TYPICAL = {"segment_bytes": 1448}
HEADERS = 66  # Ethernet, IPv4, and TCP with time stamps: the shaper counts them, the application does not


class NoQueue(Exception):
    """The link never had a queue that could be measured."""


@dataclasses.dataclass(frozen=True)
class Scenario:
    rate: str
    queue_ms: int
    window: bool      # the senders' windows are as large as that queue; otherwise cubic fills one of that size
    competing: bool

    def bytes_per_second(self):
        return parse_rate(self.rate) / 8

    def describe(self):
        return (f"{self.rate}, {self.queue_ms} ms {'standing' if self.window else 'filled'}, "
                f"{'with another flow' if self.competing else 'alone'}")


class Backlog(threading.Thread):
    """Follows the queue of a shaped link: (time, bytes), at the same clock as truth_flow's lines."""

    def __init__(self, network, host):
        super().__init__(daemon=True)
        self._network, self._host, self._ended = network, host, threading.Event()
        self.found = []

    def run(self):
        while not self._ended.wait(TRUTH_EVERY):
            before = time.monotonic()
            backlog = self._network.backlog(self._host)
            self.found.append(((before + time.monotonic()) / 2, backlog))

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        self.join()


def program():
    return ranks.build_folder() / "bin" / "truth_flow"


@contextlib.contextmanager
def network(window=0):
    """Two senders and a receiver whose link will be shaped. window: bytes that each sender may have in flight."""
    with netns.Network(hosts=3, ipv6=False) as made:
        for host in made.hosts:
            host.command("sysctl", "-qw", "net.ipv4.tcp_wmem=4096 16384 536870912")
            host.command("sysctl", "-qw", "net.ipv4.tcp_rmem=4096 131072 536870912")
        words = [program(), "--receive", f"0.0.0.0:{PORT}", "--window", window]
        receiver = made.hosts[2].popen(words, stdin=subprocess.DEVNULL)
        try:
            yield made
        finally:
            receiver.kill()
            receiver.wait()


def start_flow(made, host, seconds, congestion_control="cubic"):
    words = [program(), "--send", f"{made.hosts[2].address()}:{PORT}", "--seconds", seconds,
             "--congestion-control", congestion_control]
    return host.popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)


def finish_flow(process, seconds):
    try:
        output = process.communicate(timeout=seconds + 30)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise BenchError("truth_flow did not end") from None
    if process.returncode:
        raise BenchError(f"truth_flow ended with {process.returncode}")
    return [json.loads(line) for line in output.splitlines()]


def at_time(truth, at):
    """The backlog at a time, between the two looks around it; None where these are far apart."""
    index = bisect.bisect(truth, (at,))
    if index == 0 or index == len(truth) or truth[index][0] - truth[index - 1][0] > TRUTH_GAP:
        return None
    (before, first), (after, second) = truth[index - 1:index + 1]
    return first + (second - first) * (at - before) / (after - before)


def goodput(rate, line):
    """What a rate of the shaper, in bytes per second, is to the application."""
    return rate * line["segment_bytes"] / (line["segment_bytes"] + HEADERS)


def errors(lines, truth, rate):
    """Relative errors of the queue delay wherever there is a queue of at least half a millisecond."""
    found = []
    for line in lines:
        backlog = at_time(truth, line["at"])
        if backlog is not None and backlog / rate >= 0.5e-3:
            found.append((line["network_queue"] * rate / backlog) - 1)
    return found


def steady(scenario, seconds):
    rate = scenario.bytes_per_second()
    # On the wire a window's bytes are more than in the socket.
    window = goodput(rate, TYPICAL) * scenario.queue_ms / 1000 / (2 if scenario.competing else 1)
    with network(round(window) if scenario.window else 0) as made:
        sender, other, receiver = made.hosts
        # A window's queue must not overflow.
        made.shape(receiver, scenario.rate, queue_ms=2 * scenario.queue_ms + 5 if scenario.window
                   else scenario.queue_ms)
        # Reno's slow start goes on until the window is full; cubic's ends when it feels a queue.
        congestion_control = "reno" if scenario.window else "cubic"
        warm_up = 1 + scenario.queue_ms / 50
        main = start_flow(made, sender, warm_up + seconds, congestion_control)
        # The connection is made while the path is idle, as NCCL makes its connections before data flow.
        time.sleep(0.3)
        rival = start_flow(made, other, warm_up + seconds, congestion_control) if scenario.competing else None
        with Backlog(made, receiver) as watch:
            lines = finish_flow(main, warm_up + seconds)
        if rival:
            finish_flow(rival, warm_up + seconds)
    lines = [line for line in lines if line["at"] >= lines[0]["at"] + warm_up]
    off = errors(lines, watch.found, rate)
    if not off:
        raise NoQueue
    btlbw = [line["btlbw"] / goodput(rate, line) for line in lines]
    backlog = statistics.median(backlog for at, backlog in watch.found if at >= lines[0]["at"])
    return {"rate": scenario.rate, "queue_ms": scenario.queue_ms, "kind": "standing" if scenario.window else "filled",
            "competing": scenario.competing, "true_queue_ms": backlog / rate * 1e3,
            "queue_error": statistics.median(map(abs, off)), "queue_bias": statistics.median(off),
            "btlbw_ratio": statistics.median(btlbw), "btlbw_spread": figures.spread(btlbw),
            "share": statistics.median(line["delivery_rate"] / goodput(rate, line) for line in lines)}


def steady_patiently(scenario, seconds, attempts=3):
    """On a machine that is busy for a moment a sender may be too slow to make a queue."""
    for _ in range(attempts):
        with contextlib.suppress(NoQueue):
            return steady(scenario, seconds)
    raise BenchError(f"no queue was seen with {scenario.describe()}: is the machine too busy?")


def settled_after(lines, change, right):
    """Seconds from the change until the first of half a second of lines that are right, nine in ten; None if never."""
    later = [line for line in lines if line["at"] >= change]
    for line in later:
        following = [right(other) for other in later if line["at"] <= other["at"] < line["at"] + 0.5]
        if right(line) and len(following) >= 10 and sum(following) >= 0.9 * len(following):
            return line["at"] - change
    return None


def change(old, new, queue_ms, seconds):
    """queue_ms: of a full queue at the lower rate; its size in bytes stays."""
    before, after = parse_rate(old) / 8, parse_rate(new) / 8
    size = min(before, after) * queue_ms / 1000
    burst = round(max(before, after) / 1000)
    with network() as made:
        sender, _, receiver = made.hosts
        made.shape(receiver, old, queue_ms=round(size / before * 1000), burst=burst)
        flow = start_flow(made, sender, 2 * seconds)
        with Backlog(made, receiver) as watch:
            time.sleep(seconds)
            made.shape(receiver, new, queue_ms=round(size / after * 1000), burst=burst)
            at = time.monotonic()
            lines = finish_flow(flow, 2 * seconds)

    def rate_is_right(line):
        return abs(line["btlbw"] / goodput(after, line) - 1) <= RATE_ERROR

    def queue_is_right(line):
        backlog = at_time(watch.found, line["at"])
        if backlog is None:
            return True
        return abs(line["network_queue"] - backlog / after) <= max(QUEUE_ERROR * backlog / after, 1e-3)

    round_trip = statistics.median(line["rtt"] for line in lines if line["at"] > at)
    return {"from": old, "to": new, "rtt_ms": round_trip * 1e3,
            "allowed_s": max(FOLLOW_SECONDS, FOLLOW_ROUND_TRIPS * round_trip),
            "btlbw_follows_s": settled_after(lines, at, rate_is_right),
            "queue_follows_s": settled_after(lines, at, queue_is_right)}


def steady_table(found):
    figures.print_table(
        "Reported against true (queue: backlog over rate; rate: the shaper's, less headers)",
        ["rate", "queue", "flows", "true queue ms", "queue error", "BtlBw", "own share"],
        [[entry["rate"], f"{entry['queue_ms']} ms {entry['kind']}", "2" if entry["competing"] else "1",
          f"{entry['true_queue_ms']:.1f}", f"{entry['queue_error']:.1%}", f"{entry['btlbw_ratio']:.3f}",
          f"{entry['share']:.2f}"] for entry in found])


def change_table(found):
    def seconds(value):
        return "never" if value is None else f"{value * 1e3:.0f} ms"
    figures.print_table(
        "After a change of the rate, until the estimate is right and stays so",
        ["change", "round trip", "BtlBw", "queue delay", "allowed"],
        [[f"{entry['from']} -> {entry['to']}", f"{entry['rtt_ms']:.1f} ms", seconds(entry["btlbw_follows_s"]),
          seconds(entry["queue_follows_s"]), seconds(entry["allowed_s"])] for entry in found])


def scenarios(arguments):
    for rate in arguments.rates:
        for competing in (False, True):
            for queue_ms in arguments.queues:
                yield Scenario(rate, queue_ms, window=True, competing=competing)
            yield Scenario(rate, FILLED_MS, window=False, competing=competing)


def carry_out(arguments):
    found = {"steady": [], "change": []}
    for scenario in scenarios(arguments):
        progress(scenario.describe())
        found["steady"].append(steady_patiently(scenario, arguments.seconds))
    progress("")
    steady_table(found["steady"])
    for old, new in arguments.changes:
        progress(f"{old} -> {new}")
        found["change"].append(change(old, new, FILLED_MS, arguments.seconds))
    progress("")
    change_table(found["change"])
    return {**found, "outside": list(misses(found))}


def misses(found):
    """What is outside the limits, as text."""
    for entry in found["steady"]:
        flows = "2 flows" if entry["competing"] else "1 flow"
        where = f"{entry['rate']}, {entry['queue_ms']} ms {entry['kind']}, {flows}"
        if entry["queue_error"] > QUEUE_ERROR:
            yield f"{where}: queue delay off by {entry['queue_error']:.0%}"
        if abs(entry["btlbw_ratio"] - 1) > RATE_ERROR:
            yield f"{where}: BtlBw {entry['btlbw_ratio']:.2f} of the rate"
    for entry in found["change"]:
        for what in ("btlbw", "queue"):
            took = entry[f"{what}_follows_s"]
            if took is None or took > entry["allowed_s"]:
                yield f"{entry['from']} -> {entry['to']}: {what} follows after {took} s"


def main():
    parser = argparse.ArgumentParser(prog="tools/bench truth", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer queues, shorter runs")
    parser.add_argument("--seconds", type=float, help="per measurement (default 4, quick: 2)")
    parser.add_argument("--queues", type=lambda text: [int(word) for word in text.split(",")],
                        help="standing queues in ms, for example 5,50")
    parser.add_argument("--rates", type=lambda text: text.split(","), default=RATES, help="for example 100mbit,1gbit")
    arguments = figures.parse_checked(parser)
    arguments.seconds = arguments.seconds or (2 if arguments.quick else 4)
    arguments.queues = arguments.queues or (QUICK_QUEUES_MS if arguments.quick else QUEUES_MS)
    arguments.changes = [("1gbit", "100mbit"), ("100mbit", "1gbit"), ("5gbit", "1gbit"), ("1gbit", "5gbit")]
    how = {**figures.machine(), "program": "truth_flow", "seconds": arguments.seconds,
           "truth": "backlog of the shaper (tc -s qdisc) over its rate, every 20 ms",
           "limits": {"queue_error": QUEUE_ERROR, "rate_error": RATE_ERROR, "follow_s": FOLLOW_SECONDS,
                      "follow_round_trips": FOLLOW_ROUND_TRIPS}}
    return figures.run("truth", how, lambda: carry_out(arguments), namespaces=True)


if __name__ == "__main__":
    sys.exit(main())
