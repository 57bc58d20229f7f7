"""Throughput: captured gradients are exchanged again and again, with pauses of the modelled computing time between.

The plugin sees exactly the idle times of a job that computes for so long, however slow this machine computes.
"""
import itertools
import json
import statistics

import jobs
import methods
import replicas
import workers

WARMUP = 3  # uncounted exchanges of each stage: the first follows a pause in which gradients are loaded


def plan(steps, stages, warmup=WARMUP):
    """(stage, number) of every exchange: equal parts of each stage, in order; number is None where it does not count."""
    for stage in range(stages):
        begin, end = steps * stage // stages, steps * (stage + 1) // stages
        if begin < end:
            yield from [(stage, None)] * warmup
            yield from ((stage, number) for number in range(begin, end))


def endless(stage, warmup=WARMUP):
    yield from [(stage, None)] * warmup
    yield from ((stage, number) for number in itertools.count())


def sent_per_step(counters):
    """counters: each rank's (sent, sent again) bytes before every step, and once after the last. Both of each step, as the
    mean over the ranks."""
    return [tuple(statistics.fmean(after[part] - before[part] for before, after in zip(first, second, strict=True))
                  for part in range(2)) for first, second in zip(counters, counters[1:])]


def run(hosts, job, method, pause, steps=None, seconds=None, on_step=None, stages=jobs.STAGES, env=None):
    """Exchanges `steps` times, all stages in turn, or for `seconds` with the gradients of the middle one.

    pause: seconds of modelled computing. on_step: called with the number of each counted step before it.
    Returns what carried the data, and the counted steps: begin and end (CLOCK_MONOTONIC), seconds of the exchange, pause
    (seconds that there really were), late (what the last rank began late), cores (busy ones of this machine while it
    lasted), and, None on loopback: sent_bytes per worker, ratio (these over those of dense f32), and first_ratio (the
    same without what was sent again because the network had lost it).
    """
    folder = jobs.captured(job, stages)
    sizes = methods.bucket_elements(json.loads((folder / "parameters.json").read_text(encoding="utf-8")),
                                    job.bucket_bytes)
    dense = methods.dense_bytes(sum(sizes), job.workers)
    all_steps = []
    with workers.Workers(hosts, job, method, {"replay": str(folder)}, env) as group:
        network = group.ask("load", sizes)[0]
        loaded, end, first = None, 0.0, None
        for stage, number in plan(steps, len(stages)) if steps else endless(len(stages) // 2):
            if stage != loaded:
                if loaded is not None:
                    replicas.same(group.ask("received"), f"sums of stage {loaded}")
                group.ask("stage", stage)
                loaded = stage
            if number is not None:
                first = first or end
                if seconds and end - first >= seconds:
                    break
                if on_step:
                    on_step(number)
            step = group.step(end + pause)
            all_steps.append({**step, "pause": step["begin"] - end, "number": number})
            end = step["end"]
        counters = [step.pop("sent_before") for step in all_steps] + [group.ask("sent")]
        replicas.same(group.ask("received"), f"sums of stage {loaded}")
        shares_link = group.shares_link
        group.end()
    for step, (sent, again) in zip(all_steps, sent_per_step(counters), strict=True):
        step.update(sent_bytes=sent, ratio=sent / dense, first_ratio=(sent - again) / dense)
        if shares_link:
            step.update(sent_bytes=None, ratio=None, first_ratio=None)
    return network, [step for step in all_steps if step["number"] is not None]


def summary(job, steps):
    """The figures of a run. A step takes its pause as modelled computing and the time of its exchange."""
    def median(key):
        return statistics.median(step[key] for step in steps)
    whole = sum(step["pause"] + step["seconds"] for step in steps)
    sent = None if steps[0]["ratio"] is None else median("sent_bytes")
    return {"steps": len(steps), "samples_per_second": job.samples_per_step * len(steps) / whole,
            "step_seconds": whole / len(steps), "exchange_seconds": median("seconds"), "pause_seconds": median("pause"),
            "cores_busy": median("cores"), "sent_bytes": sent, "ratio": None if sent is None else median("ratio"),
            "first_ratio": None if sent is None else median("first_ratio")}
