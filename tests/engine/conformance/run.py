#!/usr/bin/env python3
"""Runs recorded cases on the host engine and compares its traces with the recorded ones.

Writes OUT/CASE.txt with the differences of each case, and OUT/summary.txt.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from conformance.canonical import canonical
from conformance.cases import load_cases
from conformance.compare import compare, mode_of
from conformance.trace import rank_files, read_lines

# A case takes seconds; this only ends one that hangs.
TIME_LIMIT_S = 60
# Settings of the caller must not leak into a case.
FOREIGN_PREFIXES = ("NCCL_", "NETSENSE_", "NS_ENGINE_", "REFNET_")


def main():
    options = parse_options()
    cases = load_cases(options.data, options.cases, options.group)
    if not cases:
        sys.exit("no such case")
    options.out.mkdir(parents=True, exist_ok=True)
    summary = []
    for case in cases:
        started = time.monotonic()
        report = check(case, options)
        (options.out / f"{case.name}.txt").write_text("\n".join(report + [""]), encoding="utf-8")
        verdict = "agrees" if not report else f"DIFFERS ({len(report)} lines)"
        summary.append(f"{case.name:32} {verdict:24} {time.monotonic() - started:6.1f} s")
        print(summary[-1], flush=True)
        if report and options.verbose:
            print("\n".join(report[:options.verbose]), flush=True)
    agreeing = sum(" agrees " in line for line in summary)
    summary.append(f"{agreeing} of {len(cases)} cases agree")
    print(summary[-1])
    if not options.cases and options.group is None:
        (options.out / "summary.txt").write_text("\n".join(summary + [""]), encoding="utf-8")
    return 0 if agreeing == len(cases) else 1


def parse_options():
    here = Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", help="beginnings of case names; none: all")
    parser.add_argument("--group", help="only the cases of this group (cases.py)")
    parser.add_argument("--build", type=Path, required=True, help="build folder, with bin/ and lib/")
    parser.add_argument("--data", type=Path, default=here.parent.parent / "data" / "traces")
    parser.add_argument("--out", type=Path, required=True, help="where reports go")
    parser.add_argument("--verbose", type=int, default=0, metavar="LINES", help="lines of each report to print")
    return parser.parse_args()


def check(case, options):
    """Runs one case. Returns the differences, or why it could not run."""
    folder = options.out / "traces" / case.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    problems = run_ranks(case, folder, options.build.resolve())
    recorded = rank_files(case.folder)
    for rank, path in enumerate(recorded):
        ours = folder / f"rank{rank}.jsonl"
        if not ours.exists():
            problems.append(f"# rank {rank}: no trace")
            continue
        try:
            found = canonical(read_lines(ours))
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            problems.append(f"# rank {rank}: not a consistent trace: {type(error).__name__} {error}")
            continue
        difference = compare(canonical(read_lines(path)), found, mode_of(case, rank))
        if difference:
            problems += [f"# rank {rank}", *difference]
    return problems


def run_ranks(case, folder, build):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN_PREFIXES)}
    environment |= case.environment()
    environment |= {"NCCL_NET_PLUGIN": str(build / "lib" / case.library), "NCCL_SOCKET_IFNAME": "lo"}
    processes = []
    for rank in range(case.ranks):
        command = [build / "bin" / "engine-run-script", "--ranks", str(case.ranks), "--rank", str(rank),
                   "--id-file", folder / "id", case.script]
        with open(folder / f"rank{rank}.log", "wb") as log:
            processes.append(subprocess.Popen(
                command, stdout=log, stderr=subprocess.STDOUT,
                env=environment | {"NS_ENGINE_TRACE": str(folder / f"rank{rank}.jsonl")}))
    deadline = time.monotonic() + TIME_LIMIT_S
    return [problem for rank, process in enumerate(processes)
            for problem in wait_for(process, rank, folder, deadline)]


def wait_for(process, rank, folder, deadline):
    try:
        code = process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        code = "killed at the time limit"
    if code == 0:
        return []
    log = (folder / f"rank{rank}.log").read_text(encoding="utf-8", errors="replace").splitlines()
    return [f"# rank {rank} ended with {code}", *log[-5:]]


if __name__ == "__main__":
    sys.exit(main())
