"""All-reduce of real gradients between 4 hosts on slow links: adaptive compression against none and the reference."""
import argparse
import statistics
import sys

import captured
import collectives
import figures
import netns
import p2p
import ranks

RATES = ["200mbit", "1gbit"]
TYPES = {"bf16": "bfloat16", "f32": "float"}
LEAST_SPEEDUP = {"bf16": 1.3, "f32": 1.1}
SIZE, QUICK_SIZE = "16M", "8M"
OFF = ("netsense off", "netsense", {"NETSENSE_MODE": "off"})
VARIANTS = [p2p.REFERENCE, OFF, p2p.NETSENSE]


def measure(hosts, rate, type_name, gradients, arguments):
    words = ["-b", arguments.size, "-e", arguments.size, "-n", arguments.iterations, "-w", "2",
             "-d", TYPES[type_name], "--input", gradients]
    times = {name: [] for name, _, _ in VARIANTS}
    for repetition in range(arguments.repetitions):
        for variant in VARIANTS if repetition % 2 == 0 else VARIANTS[::-1]:
            p2p.progress(f"{rate}, {type_name}, round {repetition + 1} of {arguments.repetitions}: {variant[0]}")
            (time_us,) = collectives.all_reduce(hosts, variant, words).values()
            times[variant[0]].append(time_us)
    p2p.progress("")
    ours = times["netsense"]
    return {"rate": rate, "type": type_name, "bytes": figures.parse_size(arguments.size),
            **{f"{name.replace(' ', '_')}_us": statistics.median(times[name]) for name in times},
            "over_off": figures.median_ratio(times["netsense off"], ours),
            "over_reference": figures.median_ratio(times["reference"], ours), "spread": figures.spread(ours)}


def misses(found):
    """What misses a target, as text."""
    for entry in found:
        least = LEAST_SPEEDUP[entry["type"]]
        for rival in ("off", "reference"):
            if entry[f"over_{rival}"] < least:
                yield (f"{entry['rate']}, {entry['type']}: {entry[f'over_{rival}']:.2f} times as fast as {rival}, "
                       f"less than {least}")


def carry_out(arguments):
    found = []
    with netns.Network(hosts=arguments.ranks, ipv6=False) as network:
        for rate in arguments.rates.split(","):
            network.shape_all(rate)
            for type_name in TYPES:
                with captured.gradients(type_name) as gradients:
                    found.append(measure(network.hosts, rate, type_name, gradients, arguments))
    figures.print_table(f"all_reduce of captured gradients, {arguments.size}B, {arguments.ranks} hosts, each link limited",
                        ["link", "type", "reference ms", "off ms", "adaptive ms", "over off", "over reference"],
                        [[entry["rate"], entry["type"], f"{entry['reference_us'] / 1e3:.0f}",
                          f"{entry['netsense_off_us'] / 1e3:.0f}", f"{entry['netsense_us'] / 1e3:.0f}",
                          f"{entry['over_off']:.2f}", f"{entry['over_reference']:.2f}"] for entry in found])
    return {"congested": found, "outside": list(misses(found))}


def check(parser, arguments):
    try:
        figures.parse_size(arguments.size or SIZE)
        for rate in arguments.rates.split(","):
            netns.parse_rate(rate)
    except ValueError as error:
        parser.error(str(error))


def main():
    parser = argparse.ArgumentParser(prog="tools/bench congested", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller and fewer repetitions")
    parser.add_argument("--rates", default=",".join(RATES), help="of the links (default 200mbit,1gbit)")
    parser.add_argument("--ranks", type=int, default=4, help="hosts (default 4)")
    parser.add_argument("--size", help=f"of the all-reduce (default {SIZE}, quick: {QUICK_SIZE})")
    parser.add_argument("--iterations", type=int, default=4, help="timed all-reduces per run (default 4)")
    parser.add_argument("--repetitions", type=int, help="of every variant (default 5, quick: 1)")
    arguments = figures.parse_checked(parser, check)
    arguments.size = arguments.size or (QUICK_SIZE if arguments.quick else SIZE)
    arguments.repetitions = arguments.repetitions or (1 if arguments.quick else 5)
    ranks.forget_settings()
    how = {**figures.machine(), "program": "netsense-perf all_reduce, host engine, data: tests/data/captured gradients",
           "ranks": arguments.ranks, "repetitions": arguments.repetitions, "iterations": arguments.iterations,
           "order": "all variants in turn in every repetition; ratios are medians over the repetitions"}
    return figures.run("congested", how, lambda: carry_out(arguments), namespaces=True)


if __name__ == "__main__":
    sys.exit(main())
