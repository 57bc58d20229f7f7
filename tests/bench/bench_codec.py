"""Ratio and speed of the codecs on captured tensors, against the entropy bound, zstd -1 and lz4."""
import argparse
import json
import pathlib
import subprocess
import sys

import captured
import figures
import ranks

CODERS = ["fast", "tight", "zstd-1", "lz4"]
RIVALS = ["zstd-1", "lz4"]
MOST_OVER_BOUND = {"fast": 1.08, "tight": 1.03}
LEAST_SPEED_RATIO = 3
MILLISECONDS, QUICK_MILLISECONDS = 300, 40


def program():
    return str(ranks.build_folder() / "bin" / "netsense-codec")


def name_of(result):
    return pathlib.Path(result["file"]).stem


def speed(results, coder, way):
    """GB/s over all results: all bytes over all time."""
    seconds = sum(result["raw_bytes"] / result["coders"][coder][f"{way}_gb_per_s"] for result in results)
    return sum(result["raw_bytes"] for result in results) / seconds


def ratio(results, coder):
    return sum(result["raw_bytes"] for result in results) / sum(
        result["coders"][coder]["coded_bytes"] for result in results)


def misses(results):
    """What misses a target, as text. Sizes are judged file by file, speeds over all files."""
    for result in results:
        coders = result["coders"]
        for tier, most in MOST_OVER_BOUND.items():
            if coders[tier]["over_bound"] > most:
                yield f"{name_of(result)}: {tier} is {coders[tier]['over_bound'] - 1:.1%} above the bound"
            for rival in RIVALS:
                if coders[tier]["coded_bytes"] >= coders[rival]["coded_bytes"]:
                    yield f"{name_of(result)}: {tier} is not smaller than {rival}"
    for rival in RIVALS:
        times = speed(results, "fast", "encode") / speed(results, rival, "encode")
        if times < LEAST_SPEED_RATIO:
            yield f"fast encodes at {times:.1f} times the speed of {rival}"


def kinds(results):
    """The results by network, kind of tensor and type; early, middle and late together."""
    found = {}
    for result in results:
        network, kind, _, type_name = name_of(result).split("-")
        found.setdefault(f"{network} {kind} {type_name}", []).append(result)
    return found


def show(results):
    def over(some, tier):
        return f"{max(result['coders'][tier]['over_bound'] for result in some) - 1:+.1%}"
    groups = {**kinds(results), "all": results}
    figures.print_table("Ratio, and the largest size of a file relative to the entropy bound",
                        ["data", *CODERS, "fast/bound", "tight/bound"],
                        [[name, *[f"{ratio(some, coder):.3f}" for coder in CODERS], over(some, "fast"),
                          over(some, "tight")] for name, some in groups.items()])
    figures.print_table("GB/s on one core, encoding / decoding", ["data", *CODERS],
                        [[name, *[f"{speed(some, coder, 'encode'):.2f} / {speed(some, coder, 'decode'):.2f}"
                                  for coder in CODERS]] for name, some in groups.items()])


def measure(milliseconds):
    files = sorted(captured.CAPTURED.glob("*.safetensors"))
    words = [program(), "bench", "--json", "--milliseconds", str(milliseconds), *map(str, files)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise figures.BenchError(done.stderr.strip())
    return json.loads(done.stdout)


def carry_out(milliseconds, how):
    report = measure(milliseconds)
    how.update(block_bytes=report["block_bytes"], instruction_set=report["instruction_set"])
    results = report["results"]
    show(results)
    ratios = {rival: {way: speed(results, "fast", way) / speed(results, rival, way) for way in ("encode", "decode")}
              for rival in RIVALS}
    print()
    for rival, ways in ratios.items():
        print(f"fast against {rival}: {ways['encode']:.1f} times its speed encoding, {ways['decode']:.1f} decoding")
    return {"files": [{**result, "file": name_of(result)} for result in results], "speed_ratios": ratios,
            "outside": list(misses(results))}


def main():
    parser = argparse.ArgumentParser(prog="tools/bench codec", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="shorter measurements")
    parser.add_argument("--milliseconds", type=int,
                        help=f"per file (default {MILLISECONDS}, quick: {QUICK_MILLISECONDS})")
    arguments = figures.parse_checked(parser)
    if arguments.milliseconds is None:
        arguments.milliseconds = QUICK_MILLISECONDS if arguments.quick else MILLISECONDS
    how = {**figures.machine(), "program": "netsense-codec bench", "milliseconds": arguments.milliseconds,
           "data": "tests/data/captured", "order": "all coders in turn in every round; median processor time",
           "targets": {"over_bound": MOST_OVER_BOUND, "encode_speed_ratio": LEAST_SPEED_RATIO}}
    return figures.run("codec", how, lambda: carry_out(arguments.milliseconds, how))


if __name__ == "__main__":
    sys.exit(main())
