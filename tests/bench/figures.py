"""Figures of a benchmark: medians, tables, and the JSON object that every benchmark ends with."""
import datetime
import json
import os
import platform
import statistics

from tables import format_size, parse_checked, parse_size, print_table  # noqa: F401 (the benchmarks take them from here)


def median_ratio(ours, theirs):
    """Median over the repetitions of ours/theirs: each ratio is of two runs next to each other in time, so that what
    slows the machine down for a while changes both."""
    return statistics.median(our / their for our, their in zip(ours, theirs, strict=True))


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
