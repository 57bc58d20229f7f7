"""Runs netsense-perf all_reduce between hosts with one plugin and its settings."""
import json
import os
import tempfile

import p2p
import ranks

LIMIT_SECONDS = 300


def all_reduce(hosts, variant, arguments):
    """One run; the time of an all-reduce in microseconds by its bytes."""
    name, plugin, settings = variant
    with tempfile.TemporaryDirectory(prefix="netsense-bench-") as folder:
        report = os.path.join(folder, "figures.json")
        words = [ranks.perf(), "all_reduce", *arguments, "--engine", "host", "--json", report]
        env = {**ranks.plugin_environment(plugin), "NCCL_SOCKET_IFNAME": "eth0", **settings}
        with ranks.Ranks(hosts, words, env) as group:
            statuses = group.wait(LIMIT_SECONDS)
            if any(status != 0 for status in statuses):
                raise p2p.BenchError(f"netsense-perf over {name} ended with {statuses}\n{group.everything()}")
        with open(report, encoding="utf-8") as file:
            results = json.load(file)["results"]
    wrong = sum(row["out_of_place"]["wrong"] or 0 for row in results)
    if wrong:
        raise p2p.BenchError(f"netsense-perf over {name}: {wrong} wrong elements")
    return {row["size_bytes"]: row["out_of_place"]["time_us"] for row in results}
