"""Bandwidth of large messages: against a shaped link's goodput, and against the plain reference plugin."""
import argparse
import statistics
import sys

import collectives
import figures
import goodput
import netns
import p2p
import ranks
from netns import Loopback

MIB = 1 << 20
RATES = ["1gbit", "5gbit"]
SHAPED_SIZES = [MIB, 16 * MIB, 64 * MIB]
SIZES = [64 << 10, 256 << 10, MIB, 4 * MIB, 16 * MIB, 64 * MIB]
QUICK_SIZES = [MIB, 16 * MIB]
WIDE = [p2p.REFERENCE, p2p.NETSENSE, p2p.NETSENSE_ONE, p2p.NETSENSE_FOUR]


def stream_options(sizes, seconds):
    return ["--bandwidth", ",".join(map(str, sizes)), "--seconds", seconds]


def rates_of(results, name, size):
    return p2p.column(results[name], "bandwidth", size, "gbit_per_s")


def shaped(rate, arguments):
    """Share of iperf3's goodput, measured on the same link in every round."""
    sizes = QUICK_SIZES if arguments.quick else SHAPED_SIZES
    variants = [p2p.REFERENCE, p2p.NETSENSE]
    results, limits = {name: [] for name, _, _ in variants}, []
    with netns.Network(hosts=2, ipv6=False) as network:
        network.shape_all(rate)
        server, client = network.hosts
        for repetition in range(arguments.repetitions):
            p2p.progress(f"{rate}, round {repetition + 1} of {arguments.repetitions}")
            limits.append(goodput.iperf3(client, server, seconds=2) * 8 / 1e9)
            for variant in variants if repetition % 2 == 0 else reversed(variants):
                results[variant[0]].append(
                    p2p.run_pair(server, client, variant, stream_options(sizes, arguments.seconds), "eth0"))
    p2p.progress("")
    found = [{"where": f"link shaped to {rate}", "bytes": size, "iperf3_gbit_per_s": statistics.median(limits),
              **{f"{name}_share": figures.median_ratio(rates_of(results, name, size), limits) for name in results}}
             for size in sizes]
    figures.print_table(f"Share of iperf3's goodput ({statistics.median(limits):.3f} Gbit/s), link shaped to {rate}",
                        ["message", "reference", "netsense"],
                        [[figures.format_size(entry["bytes"]), f"{entry['reference_share']:.1%}",
                          f"{entry['netsense_share']:.1%}"] for entry in found])
    return found


def unshaped(where, server, client, interface, arguments):
    """Every variant's rate, and the ratio to the reference's."""
    sizes = QUICK_SIZES if arguments.quick else SIZES
    results = p2p.interleave(server, client, WIDE, stream_options(sizes, arguments.seconds), interface,
                             arguments.repetitions)
    rows, found = [], []
    for size in sizes:
        theirs = rates_of(results, "reference", size)
        row = [figures.format_size(size)]
        for name in results:
            ours = rates_of(results, name, size)
            entry = {"where": where, "bytes": size, "plugin": name, "gbit_per_s": statistics.median(ours),
                     "ratio": figures.median_ratio(ours, theirs), "spread": figures.spread(ours),
                     **{field: statistics.median(p2p.column(results[name], "bandwidth", size, field))
                        for field in ("sender_cores", "receiver_cores")}}
            found.append(entry)
            row.append(f"{entry['gbit_per_s']:.2f} ({entry['ratio']:.2f})")
        rows.append(row)
    figures.print_table(f"Gbit/s, {where} (in brackets: over the reference's; above 1 is faster)",
                        ["message", *results], rows)
    return found


def reductions(count, arguments):
    times = {"reference": [], "netsense": []}
    words = ["-b", "16M", "-e", "16M" if arguments.quick else "64M", "-f", "4", "-n", "5", "-w", "1"]
    with netns.Network(hosts=count, ipv6=False) as network:
        for repetition in range(arguments.repetitions):
            for plugin in list(times) if repetition % 2 == 0 else list(times)[::-1]:
                p2p.progress(f"all_reduce over {plugin}, {count} ranks, round {repetition + 1}")
                times[plugin].append(collectives.all_reduce(network.hosts, (plugin, plugin, {}), words))
    p2p.progress("")
    found = []
    for size in times["reference"][0]:
        theirs, ours = ([figure[size] for figure in times[plugin]] for plugin in times)
        found.append({"where": f"all_reduce of {count} ranks, unshaped veth", "bytes": size,
                      "reference_us": statistics.median(theirs), "netsense_us": statistics.median(ours),
                      "ratio": figures.median_ratio(theirs, ours)})
    figures.print_table(f"all_reduce of {count} ranks in namespaces, unshaped\n"
                        "(ratio: reference's time over netsense's; above 1 is faster)",
                        ["size", "reference us", "netsense us", "ratio"],
                        [[figures.format_size(entry["bytes"]), f"{entry['reference_us']:.0f}",
                          f"{entry['netsense_us']:.0f}", f"{entry['ratio']:.2f}"] for entry in found])
    return found


def carry_out(arguments):
    found = {"unshaped": unshaped("loopback", Loopback(), Loopback(), "lo", arguments)}
    reason = netns.unavailable()
    if reason:
        print(f"\nNo measurement between network namespaces: {reason}")
        return found
    with netns.Network(hosts=2, ipv6=False) as network:
        found["unshaped"] += unshaped("veth between two namespaces", *network.hosts, "eth0", arguments)
    found["shaped"] = [entry for rate in RATES for entry in shaped(rate, arguments)]
    found["all_reduce"] = [entry for count in (2, 4) for entry in reductions(count, arguments)]
    return found


def main():
    parser = argparse.ArgumentParser(prog="tools/bench raw", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer sizes and repetitions")
    parser.add_argument("--repetitions", type=int, help="of everything (default 5, quick: 3)")
    parser.add_argument("--seconds", type=float, default=0.5, help="per size of a stream (default 0.5)")
    arguments = figures.parse_checked(parser)
    arguments.repetitions = arguments.repetitions or (3 if arguments.quick else 5)
    ranks.forget_settings()
    how = {**figures.machine(), "program": "bench_p2p (streams), netsense-perf (all_reduce), iperf3 (goodput)",
           "repetitions": arguments.repetitions, "seconds": arguments.seconds,
           "order": "all variants in turn in every repetition; ratios are medians over the repetitions"}
    return figures.run("raw", how, lambda: carry_out(arguments))


if __name__ == "__main__":
    sys.exit(main())
