"""The demo: all-reduce of gradients between hosts on a shaped network, over the reference plugin and over netsense."""
import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile

import captured
import goodput
import netns
import ranks
import svg
import tables

PLUGINS = (("reference", "the reference plugin: plain TCP, one stream per connection"), ("netsense", "netsense"))
ADAPTIVE = ("adaptive", "netsense with NETSENSE_MODE=adaptive: sums rounded as far as the link asks for it, the same on all ranks")
ADAPTIVE_SETTINGS = {"NETSENSE_MODE": "adaptive", "NCCL_COLLNET_ENABLE": "1"}
# Of the root-mean-square error of one sum. With error feedback it may exceed the sum itself: what earlier ones have lost
# comes with it.
TOLERANCE = "4"
# Lines of NCCL's log that tell a user which plugin carries the data.
TELLING = re.compile(r"Loaded net plugin|NET/\w+ ?: \w+ \S+ on|Using network")
SMALLEST = 1024
PICTURES = ranks.ROOT / "build" / "demo"
RANK_LIMIT_SECONDS = 900


class DemoError(Exception):
    """The demo could not be carried out; the text is for the user."""


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="tools/demo", description="Makes hosts out of network namespaces, joins them by slow links, and runs an "
        "all-reduce of gradients between them over a plain reference plugin and over netsense. Needs root; without, it runs on "
        "loopback.")
    parser.add_argument("--rate", default="1gbit", help="limit of each link (default 1gbit)")
    parser.add_argument("--ranks", type=int, default=4, help="hosts, one rank each (default 4)")
    parser.add_argument("--max", default="64M", help="largest message (default 64M)")
    parser.add_argument("--iterations", type=int, default=5, help="timed all-reduces per size (default 5)")
    parser.add_argument("--adaptive", action="store_true", help="also the adaptive all-reduce, which rounds what a slow link "
                        "cannot carry")
    parser.add_argument("--loopback", action="store_true", help="do not make namespaces even where possible")
    return tables.parse_checked(parser, check)


def check(parser, arguments):
    for option, parse in (("rate", netns.parse_rate), ("max", tables.parse_size)):
        try:
            parse(getattr(arguments, option))
        except ValueError as error:
            parser.error(f"--{option}: {error}")
    if tables.parse_size(arguments.max) < SMALLEST:
        parser.error("--max: 1K or more")
    if not 2 <= arguments.ranks <= 64:
        parser.error("--ranks: 2 to 64")
    if not 1 <= arguments.iterations <= 10**6:
        parser.error("--iterations: 1 to 1000000")


def print_log(path):
    """The lines of rank 0's NCCL log that name the plugin."""
    with open(path, encoding="utf-8", errors="replace") as log:
        for line in log:
            if TELLING.search(line):
                print(f"    {line.rstrip()}")


def environment_of(plugin):
    if plugin == ADAPTIVE[0]:
        return {**ranks.plugin_environment("netsense"), **ADAPTIVE_SETTINGS}
    return ranks.plugin_environment(plugin)


def measure(plugin, hosts, arguments, env):
    """Runs netsense-perf on all hosts, its table going to the terminal; returns {bytes: measurement of the row}."""
    with tempfile.TemporaryDirectory(prefix="netsense-demo-") as folder:
        figures, log = os.path.join(folder, "figures.json"), os.path.join(folder, "nccl.log")
        words = [ranks.perf(), "all_reduce", "-b", SMALLEST, "-e", arguments.max, "-f", "4", "-w", "1",
                 "-n", arguments.iterations, "-d", "bfloat16", "--input", arguments.gradients, "--engine", "host",
                 *(["--tolerance", TOLERANCE] if plugin == ADAPTIVE[0] else [])]
        with ranks.Ranks(hosts, [*words, "--json", figures], {**env, **environment_of(plugin)},
                         env_of_rank={0: {"NCCL_DEBUG": "INFO", "NCCL_DEBUG_FILE": log}}, show_rank_0=True) as group:
            statuses = group.wait(RANK_LIMIT_SECONDS)
            if any(statuses):
                raise DemoError(f"netsense-perf ended with the statuses {statuses}\n{group.everything()}")
        print("  The log, as NCCL would write it:")
        print_log(log)
        with open(figures, encoding="utf-8") as file:
            results = json.load(file)["results"]
    return {row["size_bytes"]: row["out_of_place"] for row in results}


def print_comparison(results, limit):
    """limit: goodput of one link in bytes per second, or None where there is no shaped link."""
    ours = [plugin for plugin in ("netsense", "adaptive") if plugin in results]
    header = ["size", "reference", *ours, *[f"{plugin}/reference" for plugin in ours],
              *([f"{plugin} of iperf3" for plugin in ours] if limit else [])]
    rows = []
    for size, reference in results["reference"].items():
        theirs = reference["busbw_gb_per_s"]
        reached = [results[plugin][size]["busbw_gb_per_s"] for plugin in ours]
        rows.append([tables.format_size(size), f"{theirs:.4f}", *[f"{each:.4f}" for each in reached],
                     *[f"{each / theirs:.2f}" for each in reached],
                     *([f"{each * 1e9 / limit:.1%}" for each in reached] if limit else [])])
    tables.print_table("Bus bandwidth: what each link carries in each direction, in GB/s (10^9 bytes)", header, rows)
    print("  Small sizes vary from run to run; read the last rows.")
    wrong = sum(row["wrong"] or 0 for result in results.values() for row in result.values())
    print(f"\nThe results of every size were checked against a reference in double precision: {wrong} wrong.")
    if "adaptive" in results:
        print("Those of the adaptive all-reduce may be rounded and are the same bytes on every rank. What one sum loses comes "
              "with the next ones (docs/all-reduce.md):\none alone is off by up to "
              f"{max(row['error'] for row in results['adaptive'].values()):.2f} times the sum here (root mean square).")
    if limit:
        largest = max(results["netsense"])
        share = results["netsense"][largest]["busbw_gb_per_s"] * 1e9 / limit
        print(f"At {tables.format_size(largest)} netsense moves {share:.1%} of what iperf3 gets through one link, "
              "because it compresses what it sends." if share > 1 else
              f"At {tables.format_size(largest)} netsense fills {share:.1%} of what iperf3 gets through one link.")


def draw_comparison(results):
    PICTURES.mkdir(parents=True, exist_ok=True)
    path = PICTURES / "adaptive.svg"
    path.write_text(svg.lines("All-reduce of gradients: bus bandwidth", "size in bytes", "GB/s", {
        plugin: [(size, row["busbw_gb_per_s"]) for size, row in rows.items()] for plugin, rows in results.items()},
        log_x=True, log_y=True), encoding="utf-8")
    print(f"\nThe comparison as a picture: {path}")


def print_decisions(traces):
    """What the ranks' traces say, in words and as pictures."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    page, picture = PICTURES / "report.html", PICTURES / "plot.svg"
    done = subprocess.run([str(ranks.build_folder() / "bin" / "netsense-report"), traces, "--json", "-o", str(page),
                           "--svg", str(picture)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise DemoError(f"netsense-report failed: {done.stderr}")
    found = json.loads(done.stdout)
    sent = [path for path in found["paths"] if path["direction"] == "send"]
    most = max((path["raw_bytes"] for path in sent), default=0)
    rows = []
    # Only what carried the large messages; trees of small ones use other links too.
    for path in [each for each in sent if each["raw_bytes"] >= most / 2]:
        parts = [path["codecs"].get(codec, {}).get("raw_bytes", 0) / max(path["raw_bytes"], 1)
                 for codec in ("raw", "fast", "tight")]
        rank = found["traces"][path["trace"]].get("rank", "?")
        rows.append([f"rank {rank} to {path['peer']}", f"{path['mean_queue_seconds'] * 1e3:.1f} ms",
                     f"{path['longest_queue_seconds'] * 1e3:.1f} ms",
                     f"{path['congested_looks'] / max(path['looks'], 1):.0%}", *[f"{part:.0%}" for part in parts],
                     f"{path['raw_bytes'] / max(path['wire_bytes'], 1):.2f}"])
    tables.print_table("What netsense sensed and decided, per link (all sizes together)",
                       ["link", "queue delay", "longest", "congested", "sent raw", "fast codec", "tight codec", "ratio"],
                       rows)
    print(f"\nPictures of queue delay, bandwidth and decisions over time: {picture}\n"
          f"and, for every connection, {page}")


def carry_out(hosts, arguments, limit, env):
    with tempfile.TemporaryDirectory(prefix="netsense-demo-") as traces, captured.gradients("bf16") as gradients:
        arguments.gradients = gradients
        compare(hosts, arguments, limit, {**env, "NETSENSE_TRACE": traces})


def compare(hosts, arguments, limit, env):
    results = {}
    plugins = [*PLUGINS, *([ADAPTIVE] if arguments.adaptive else [])]
    for number, (plugin, description) in enumerate(plugins, start=1):
        print(f"\n[{number}/{len(plugins)}] all_reduce over {description}\n", flush=True)
        results[plugin] = measure(plugin, hosts, arguments, env)
    print_comparison(results, limit)
    if arguments.adaptive:
        draw_comparison(results)
    print_decisions(env["NETSENSE_TRACE"])


def on_network(arguments):
    print(f"{arguments.ranks} hosts (network namespaces) on one switch; each link is limited to {arguments.rate}.")
    with netns.Network(hosts=arguments.ranks, ipv6=False) as network:
        first, last = network.hosts[0], network.hosts[-1]
        print(f"Rank 0 ... {arguments.ranks - 1} run in {first.namespace} ... {last.namespace}, "
              f"{first.address()} ... {last.address()}.", flush=True)
        network.shape_all(arguments.rate)
        limit = goodput.iperf3(network.hosts[0], network.hosts[1])
        print(f"iperf3 gets {limit / 1e9:.4f} GB/s ({limit * 8 / 1e6:.0f} Mbit/s) of payload through one link.")
        carry_out(network.hosts, arguments, limit, {})


def on_loopback(arguments, reason):
    print(f"Running on loopback, without link limits: {reason}.")
    carry_out([netns.Loopback] * arguments.ranks, arguments, None,
              {"NCCL_SOCKET_IFNAME": "lo", "NCCL_SOCKET_FAMILY": "AF_INET"})


def stop(*_):
    raise KeyboardInterrupt


def main():
    arguments = parse_arguments()
    for sent in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(sent, stop)
    try:
        reason = "asked for by --loopback" if arguments.loopback else netns.unavailable()
        if reason:
            on_loopback(arguments, reason)
        else:
            on_network(arguments)
    except KeyboardInterrupt:
        print("\nInterrupted; the hosts are removed.", file=sys.stderr)
        return 130
    except (DemoError, RuntimeError, netns.NetnsError) as error:
        print(f"tools/demo: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
