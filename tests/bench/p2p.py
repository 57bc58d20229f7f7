"""Runs bench_p2p between two hosts, once per plugin under comparison, in turn."""
import json
import socket
import subprocess
import sys

import ranks
from figures import BenchError

LIMIT_SECONDS = 300

# What is compared: name in the tables, plugin, and its settings.
REFERENCE = ("reference", "reference", {})
NETSENSE = ("netsense", "netsense", {})
NETSENSE_ONE = ("netsense, 1 stream", "netsense", {"NETSENSE_TCP_STREAMS": "1"})
NETSENSE_FOUR = ("netsense, 4 streams", "netsense", {"NETSENSE_TCP_STREAMS": "4"})


def free_port():
    """A port that nobody on loopback uses now; in a fresh namespace any is free."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def run_pair(server, client, variant, arguments, interface):
    """One run of bench_p2p: the client's JSON object."""
    name, plugin, settings = variant
    build = ranks.build_folder()
    words = [build / "bin" / "bench_p2p", "--plugin", build / "lib" / f"libnccl-net-{plugin}.so",
             "--address", f"{server.address()}:{free_port()}", *arguments]
    env = {"NCCL_SOCKET_IFNAME": interface, **settings}
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    # The server waits for its client, so the client's own patience covers the server's start.
    processes = [host.popen([*words, "--role", role], env=env, **pipes)
                 for role, host in (("server", server), ("client", client))]
    try:
        outputs = [process.communicate(timeout=LIMIT_SECONDS)[0] for process in reversed(processes)]
    except subprocess.TimeoutExpired:
        raise BenchError(f"bench_p2p with {name} did not end in {LIMIT_SECONDS} s") from None
    finally:
        for process in processes:
            process.kill()
            process.wait()
    if any(process.returncode for process in processes):
        raise BenchError(f"bench_p2p with {name} failed:\n" + "\n".join(outputs))
    return json.loads(outputs[0].splitlines()[-1])


def interleave(server, client, variants, arguments, interface, repetitions):
    """All variants in turn, again and again, each time starting with another one: {name: [result of each round]}."""
    results = {name: [] for name, _, _ in variants}
    for repetition in range(repetitions):
        shift = repetition % len(variants)
        for variant in variants[shift:] + variants[:shift]:
            progress(f"round {repetition + 1} of {repetitions}: {variant[0]}")
            results[variant[0]].append(run_pair(server, client, variant, arguments, interface))
    progress("")
    return results


def column(results, kind, size, field):
    """One figure of one size from every repetition."""
    return [next(row[field] for row in result[kind] if row["bytes"] == size) for result in results]


def progress(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
