"""Figures of a benchmark: medians, tables, and the JSON object that every benchmark ends with."""
import datetime
import json
import math
import os
import platform
import statistics
import sys

import netns
from tables import format_size, parse_checked, parse_size, print_table  # noqa: F401 (the benchmarks take them from here)


CERTAIN_FROM = 6  # repetitions: 2 / 2^6 is the first below 5 %


class BenchError(RuntimeError):
    """A measurement failed; the text says which and shows what the processes wrote."""


def median_ratio(ours, theirs):
    """Median over the repetitions of ours/theirs: each ratio is of two runs next to each other in time, so that what
    slows the machine down for a while changes both."""
    return statistics.median(our / their for our, their in zip(ours, theirs, strict=True))


def ratio_interval(ours, theirs):
    """Where the true median_ratio lies at 95 %, whatever the distribution: between two of the ordered ratios, chosen by
    the binomial distribution of how many lie below the median (Conover, Practical Nonparametric Statistics, 3.2). Of
    fewer than CERTAIN_FROM ratios it is the whole range, which is less sure."""
    ratios = sorted(our / their for our, their in zip(ours, theirs, strict=True))
    out = 0
    # Outside [ratios[out], ratios[-1 - out]] if at most `out` ratios lie on one side of the median.
    while 2 * sum(math.comb(len(ratios), below) for below in range(out + 2)) <= 0.05 * 2 ** len(ratios):
        out += 1
    return [ratios[out], ratios[-1 - out]]


def spread(values):
    """Half the distance between the quartiles over the median: how noisy the figure was."""
    if len(values) < 2:
        return 0.0
    first, _, third = statistics.quantiles(values, n=4, method="inclusive")
    return (third - first) / 2 / statistics.median(values)


def machine():
    return {"cores": os.cpu_count(), "kernel": platform.release(), "load_at_start": round(os.getloadavg()[0], 2)}


def print_result(name, figures, how):
    """The last line of a benchmark's output."""
    date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    print(json.dumps({"name": name, "date": date, "figures": figures, "how": how}), flush=True)


def run(name, how, carry_out, namespaces=False):
    """The whole of a benchmark behind its command line; returns what to exit with.

    carry_out: measures, prints its tables and returns the figures; those under "outside" are texts, each of which names
    a target that was missed, and are printed. namespaces: whether nothing can be measured without them.
    """
    reason = namespaces and netns.unavailable()
    if reason:
        print(f"tools/bench {name}: needs network namespaces: {reason}", file=sys.stderr)
        return 1
    try:
        found = carry_out()
    except RuntimeError as error:
        print(f"tools/bench {name}: {error}", file=sys.stderr)
        return 1
    for miss in found.get("outside", []):
        print(f"Misses its target: {miss}")
    print_result(name, found, how)
    return 0
