"""Latency of small messages, 8 B to 64 KiB, against the plain reference plugin."""
import argparse
import statistics
import sys

import figures
import netns
import p2p
import ranks
from netns import Loopback

SIZES = [8, 64, 512, 1024, 4096, 16384, 65536]
QUICK_SIZES = [8, 1024, 65536]
VARIANTS = [p2p.REFERENCE, p2p.NETSENSE]


def measure(where, server, client, interface, arguments):
    """Ratios by size, after printing the table."""
    sizes = QUICK_SIZES if arguments.quick else SIZES
    options = ["--latency", ",".join(map(str, sizes)), "--round-trips", arguments.round_trips]
    results = p2p.interleave(server, client, VARIANTS, options, interface, arguments.repetitions)
    rows, found = [], []
    for size in sizes:
        theirs, ours = (p2p.column(results[name], "latency", size, "median_us") for name, _, _ in VARIANTS)
        their_p99, our_p99 = (statistics.median(p2p.column(results[name], "latency", size, "p99_us"))
                              for name, _, _ in VARIANTS)
        entry = {"where": where, "bytes": size, "reference_us": statistics.median(theirs),
                 "netsense_us": statistics.median(ours), "ratio": figures.median_ratio(ours, theirs),
                 "reference_p99_us": their_p99, "netsense_p99_us": our_p99}
        found.append(entry)
        rows.append([figures.format_size(size), f"{entry['reference_us']:.2f}", f"{entry['netsense_us']:.2f}",
                     f"{entry['ratio']:.3f}", f"{their_p99:.1f}", f"{our_p99:.1f}"])
    figures.print_table(f"One-way latency, {where} (us; half of a round trip)\n"
                        "(ratio: netsense's time over the reference's, median of the repetitions; below 1 is faster)",
                        ["size", "reference", "netsense", "ratio", "reference p99", "netsense p99"], rows)
    return found


def carry_out(arguments):
    found = measure("loopback", Loopback(), Loopback(), "lo", arguments)
    reason = netns.unavailable()
    if reason:
        print(f"\nNo measurement between network namespaces: {reason}")
    else:
        with netns.Network(hosts=2, ipv6=False) as network:
            found += measure("veth between two namespaces", *network.hosts, "eth0", arguments)
    return {"latency": found}


def main():
    parser = argparse.ArgumentParser(prog="tools/bench latency", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer sizes and repetitions")
    parser.add_argument("--repetitions", type=int, help="of each plugin (default 9, quick: 3)")
    parser.add_argument("--round-trips", type=int, default=2000, help="per size and repetition (default 2000)")
    arguments = figures.parse_checked(parser)
    arguments.repetitions = arguments.repetitions or (3 if arguments.quick else 9)
    ranks.forget_settings()
    how = {**figures.machine(), "program": "bench_p2p: two processes drive the plugin as NCCL's proxy thread does",
           "repetitions": arguments.repetitions, "round_trips": arguments.round_trips,
           "ratio": "median over repetitions of netsense's median latency over the reference's, runs alternating"}
    return figures.run("latency", how, lambda: carry_out(arguments))


if __name__ == "__main__":
    sys.exit(main())
