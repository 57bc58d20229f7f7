"""Sweeps bandwidth and its course over the ways to average gradients, and writes docs/results: tables and pictures."""
import argparse
import json
import pathlib
import shlex
import sys

import figures
import jobs
import methods
import netns
import p2p
import ranks
import replay
import scenarios
import svg
import tables
import training

METHODS = ["reference", "dense-f32", "dense-bf16", "lossless", "topk:0.1", "topk:0.01", "netsenseml", "model"]
RATES = ["100mbit", "200mbit", "500mbit", "800mbit", "1gbit", "5gbit", "10gbit"]
QUICK_METHODS, QUICK_RATES = ["dense-f32", "lossless", "topk:0.1"], ["200mbit", "1gbit"]


def points(arguments):
    """Every (course, rate, method) that is to be measured, in order."""
    return [(course, rate, method) for course in arguments.courses.split(",") for rate in arguments.rates.split(",")
            for method in arguments.methods.split(",")]


def measured_before(path, setting):
    """What an earlier run with the same setting has left: {(course, rate, method): figures}. A line that was cut off
    when that run ended is measured again."""
    found = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            if entry["setting"] == setting:
                found[entry["course"], entry["rate"], entry["method"]] = entry
    return found


def measure(job, point, arguments):
    course, rate, name = point
    seconds = arguments.seconds
    with jobs.network(job.workers) as network:
        plan = scenarios.COURSES[course](netns.parse_rate(rate), seconds)
        with scenarios.Driver(network, plan) as driver:
            carried, steps = replay.run(network.hosts, job, methods.parse(name), arguments.compute_ms / 1e3,
                                        seconds=seconds, on_step=lambda number: number == 0 and driver.start())
    return {**replay.summary(job, steps), "network": carried}


def sweep(job, arguments, path, setting):
    """All points, measured now or before; every new one is written at once."""
    found = measured_before(path, setting)
    todo = points(arguments)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and not path.read_bytes().endswith(b"\n"):
        with open(path, "a", encoding="utf-8") as file:
            file.write("\n")  # behind a line that was cut off
    for number, point in enumerate(todo, start=1):
        if point in found:
            continue
        p2p.progress(f"{number} of {len(todo)}: {' '.join(point)}")
        found[point] = {"course": point[0], "rate": point[1], "method": point[2], "setting": setting,
                        **measure(job, point, arguments)}
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(found[point]) + "\n")
    p2p.progress("")
    return {point: found[point] for point in todo}


def page(found, arguments, job, setting):
    """The Markdown of the results."""
    names = arguments.methods.split(",")
    labels = [jobs.label(methods.parse(name)) for name in names]
    command = shlex.join(["tools/bench", "results", *sys.argv[1:]])
    parts = [f"# Results\n\nMade by `{command}`; "
             "[training.md](../training.md) says what is measured and what is modelled.\n\n"
             f"{job.model} {job.size}, {job.workers} workers, {arguments.compute_ms:g} ms of modelled computing per step, "
             f"{arguments.seconds:g} s per point, on {setting['cores']} cores for all workers together: on fast links it is "
             "the processor that limits. Each point is one run: small differences are noise.\n"]
    for course in arguments.courses.split(","):
        rows = [[rate] + [f"{found[course, rate, name]['samples_per_second']:.0f}" for name in names]
                for rate in arguments.rates.split(",")]
        parts.append(f"\n## {course.capitalize()} bandwidth: samples/s\n\n![Samples per second](throughput-{course}.svg)\n\n"
                     + tables.markdown_table(["link", *labels], rows))
        rows = [[rate] + [f"{each['ratio']:.3f}, {each['cores_busy']:.1f}" for each in
                          (found[course, rate, name] for name in names)] for rate in arguments.rates.split(",")]
        parts.append("\nSent bytes over those of dense f32, and busy cores while an exchange lasts:\n\n"
                     + tables.markdown_table(["link", *labels], rows))
    return "".join(parts)


def write(found, arguments, job, setting):
    folder = arguments.into
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "README.md").write_text(page(found, arguments, job, setting), encoding="utf-8")
    for course in arguments.courses.split(","):
        series = {jobs.label(methods.parse(name)): [(netns.parse_rate(rate) / 1e6, found[course, rate, name]["samples_per_second"])
                         for rate in arguments.rates.split(",")] for name in arguments.methods.split(",")}
        (folder / f"throughput-{course}.svg").write_text(
            svg.lines(f"Throughput, {course} bandwidth", "Mbit/s of each link", "samples/s", series, True, True),
            encoding="utf-8")


def carry_out(job, arguments):
    setting = {"model": job.model, "size": job.size, "workers": job.workers, "compute_ms": arguments.compute_ms,
               "seconds": arguments.seconds, "cores": figures.machine()["cores"], "plugin": jobs.plugin_version()}
    path = arguments.into / "points.jsonl"
    if arguments.again:
        path.unlink(missing_ok=True)
    found = sweep(job, arguments, path, setting)
    write(found, arguments, job, setting)
    print(f"Written to {arguments.into}")
    return {"outside": list(training.unmeasured(arguments.methods.split(","))), "points": [{key: value for key, value in each.items() if key != "setting"} for each in found.values()]}


def check(parser, arguments):
    training.check(parser, arguments)
    try:
        for rate in (arguments.rates or "").split(",") if arguments.rates else []:
            netns.parse_rate(rate)
        for name in arguments.methods.split(",") if arguments.methods else []:
            methods.parse(name)
    except ValueError as error:
        parser.error(str(error))
    if not set(arguments.courses.split(",") if arguments.courses else []) <= set(scenarios.COURSES):
        parser.error(f"--courses: of {', '.join(scenarios.COURSES)}")


def main():
    parser = argparse.ArgumentParser(prog="tools/bench results", description=__doc__)
    training.add_arguments(parser)
    parser.add_argument("--rates", help=f"of the links (default {','.join(RATES)}, quick: {','.join(QUICK_RATES)})")
    parser.add_argument("--courses", help=f"of the bandwidth (default {','.join(scenarios.COURSES)}, quick: static)")
    parser.add_argument("--methods", help=f"(default {','.join(METHODS)}, quick: {','.join(QUICK_METHODS)})")
    parser.add_argument("--seconds", type=float, help="of each point (default 20, quick: 4)")
    parser.add_argument("--into", type=pathlib.Path, help="folder (default docs/results, quick: build/results)")
    parser.add_argument("--again", action="store_true", help="measure anew what an interrupted run has measured")
    arguments = figures.parse_checked(parser, check)
    quick = arguments.quick
    arguments.rates = arguments.rates or ",".join(QUICK_RATES if quick else RATES)
    arguments.courses = arguments.courses or ("static" if quick else ",".join(scenarios.COURSES))
    arguments.methods = arguments.methods or ",".join(QUICK_METHODS if quick else METHODS)
    arguments.seconds = arguments.seconds or (4 if quick else 20)
    arguments.into = arguments.into or (ranks.ROOT / ("build/results" if quick else "docs/results"))
    ranks.forget_settings()
    job = training.job_of(arguments)
    return training.run("results", arguments, job, lambda: carry_out(job, arguments))


if __name__ == "__main__":
    sys.exit(main())
