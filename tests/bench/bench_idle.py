"""What adaptive compression costs where the network is no bottleneck: bandwidth and latency against NETSENSE_MODE=off."""
import argparse
import statistics
import sys

import captured
import collectives
import figures
import netns
import p2p
import ranks

KIB, MIB = 1 << 10, 1 << 20
LATENCY_SIZES = [8, 1024, 16 * KIB, 64 * KIB]
BANDWIDTH_SIZES = [64 * KIB, MIB, 16 * MIB, 64 * MIB]
COLLECTIVE_SIZE = "16M"
LEAST_BANDWIDTH, MOST_LATENCY = 0.98, 1.02
OFF = ("off", "netsense", {"NETSENSE_MODE": "off"})
ON = ("adaptive", "netsense", {})
VARIANTS = [OFF, ON]


def streams(where, server, client, interface, arguments):
    """Ratios of the two modes' bandwidth and latency by size; one process pair measures both."""
    options = ["--latency", ",".join(map(str, LATENCY_SIZES)), "--round-trips", arguments.round_trips,
               "--bandwidth", ",".join(map(str, BANDWIDTH_SIZES)), "--seconds", arguments.seconds]
    results = p2p.interleave(server, client, VARIANTS, options, interface, arguments.repetitions)
    found = []
    for kind, field, sizes in (("latency", "median_us", LATENCY_SIZES), ("bandwidth", "gbit_per_s", BANDWIDTH_SIZES)):
        for size in sizes:
            off, on = (p2p.column(results[name], kind, size, field) for name, _, _ in VARIANTS)
            found.append({"where": where, "kind": kind, "bytes": size, "off": statistics.median(off),
                          "adaptive": statistics.median(on), "ratio": figures.median_ratio(on, off),
                          "interval": figures.ratio_interval(on, off)})
    return found


def reductions(count, arguments):
    """Ratio of the two modes' bandwidth in an all-reduce of real gradients."""
    times = {name: [] for name, _, _ in VARIANTS}
    with netns.Network(hosts=count, ipv6=False) as network, captured.gradients("bf16") as gradients:
        words = ["-b", COLLECTIVE_SIZE, "-e", COLLECTIVE_SIZE, "-n", "10", "-w", "2", "-d", "bfloat16",
                 "--input", gradients]
        for repetition in range(arguments.repetitions):
            for variant in VARIANTS if repetition % 2 == 0 else VARIANTS[::-1]:
                p2p.progress(f"all_reduce of {count} ranks, round {repetition + 1}: {variant[0]}")
                times[variant[0]].extend(collectives.all_reduce(network.hosts, variant, words).values())
    p2p.progress("")
    rate = {name: [figures.parse_size(COLLECTIVE_SIZE) * 8 / (us * 1e3) for us in some] for name, some in times.items()}
    return {"where": f"all_reduce of {count} ranks, veth", "kind": "bandwidth",
            "bytes": figures.parse_size(COLLECTIVE_SIZE), "off": statistics.median(rate["off"]),
            "adaptive": statistics.median(rate["adaptive"]),
            "ratio": figures.median_ratio(rate["adaptive"], rate["off"]),
            "interval": figures.ratio_interval(rate["adaptive"], rate["off"])}


def misses(found):
    """What misses a target, as text; and says so where the noise of this run leaves that open."""
    for entry in found:
        low, high = entry["interval"]
        if entry["kind"] == "bandwidth":
            missed, sure, target = entry["ratio"] < LEAST_BANDWIDTH, high < LEAST_BANDWIDTH, f"less than {LEAST_BANDWIDTH}"
        else:
            missed, sure, target = entry["ratio"] > MOST_LATENCY, low > MOST_LATENCY, f"more than {MOST_LATENCY}"
        if missed:
            yield (f"{entry['where']}, {figures.format_size(entry['bytes'])}: {entry['ratio']:.3f} of the {entry['kind']} "
                   f"without, {target}" + ("" if sure else f" (not certain: {low:.3f} to {high:.3f})"))


def carry_out(arguments):
    with netns.Network(hosts=2, ipv6=False) as network:
        found = streams("veth between two namespaces", *network.hosts, "eth0", arguments)
    found += [reductions(count, arguments) for count in (2, 4)]
    units = {"latency": "us", "bandwidth": "Gbit/s"}
    figures.print_table("Unshaped: NETSENSE_MODE=off and adaptive compression (ratio: adaptive over off)",
                        ["where", "size", "off", "adaptive", "ratio", "95 % interval"],
                        [[entry["where"], figures.format_size(entry["bytes"]),
                          f"{entry['off']:.2f} {units[entry['kind']]}",
                          f"{entry['adaptive']:.2f} {units[entry['kind']]}", f"{entry['ratio']:.3f}",
                          "{:.3f} to {:.3f}".format(*entry["interval"])] for entry in found])
    return {"idle": found, "outside": list(misses(found))}


def main():
    parser = argparse.ArgumentParser(prog="tools/bench idle", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    parser.add_argument("--repetitions", type=int, help="of both modes (default 40, quick: 6)")
    parser.add_argument("--seconds", type=float, default=0.3, help="per size of a stream (default 0.3)")
    parser.add_argument("--round-trips", type=int, default=2000, help="per size and repetition (default 2000)")
    arguments = figures.parse_checked(parser)
    arguments.repetitions = arguments.repetitions or (figures.CERTAIN_FROM if arguments.quick else 40)
    ranks.forget_settings()
    how = {**figures.machine(), "program": "bench_p2p (streams), netsense-perf (all_reduce)",
           "repetitions": arguments.repetitions, "seconds": arguments.seconds, "round_trips": arguments.round_trips,
           "order": "both modes in turn in every repetition; ratios are medians over the repetitions, intervals at 95 %"}
    return figures.run("idle", how, lambda: carry_out(arguments), namespaces=True)


if __name__ == "__main__":
    sys.exit(main())
