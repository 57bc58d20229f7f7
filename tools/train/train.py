"""Trains a network data-parallel over the host engine, with one or several ways to average gradients, and compares them."""
import argparse
import contextlib
import json
import pathlib
import sys

import jobs
import learn
import methods
import netns
import ranks
import replay
import tables

SIZES = {"resnet": ("small", "medium", "large"), "gpt": ("tiny", "small", "medium", "large")}


def parse_arguments():
    parser = argparse.ArgumentParser(prog="tools/train/train", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter,
                                     epilog="The methods:\n" + methods.__doc__.split("\n\n", 1)[1])
    parser.add_argument("--method", default="dense-f32,topk:0.1,model", help="one or several (default %(default)s)")
    parser.add_argument("--model", choices=SIZES, default="resnet")
    parser.add_argument("--size", default="small", help="tiny (gpt only), small, medium, large (default small)")
    parser.add_argument("--workers", type=int, default=8, help="2 to 8 (default 8)")
    parser.add_argument("--rate", default="200mbit", help="limit of each worker's link, or none (default 200mbit)")
    parser.add_argument("--congestion-control", default=jobs.CONGESTION_CONTROL,
                        help="of the workers' hosts, as the kernel names it (default %(default)s)")
    parser.add_argument("--compute-ms", type=float, default=50, help="modelled computing per step (default 50)")
    parser.add_argument("--bucket", default="25M", help="size of a gradient bucket (default 25M, as DDP)")
    parser.add_argument("--only", choices=("throughput", "accuracy"), help="leave the other part out")
    parser.add_argument("--replay-steps", type=int, default=24, help="exchanges timed for the throughput (default 24)")
    parser.add_argument("--steps", type=int, default=jobs.STEPS,
                        help="training steps for the accuracy (default %(default)s)")
    parser.add_argument("--every", type=int, default=25, help="steps between evaluations (default 25)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--target-accuracy", type=float, help="of the time to a target, in per cent")
    parser.add_argument("--target-loss", type=float, help="of the time to a target, in nats")
    parser.add_argument("--json", type=pathlib.Path, help="write every step and evaluation to this file, as JSON lines")
    parser.add_argument("--spoil", type=int, help=argparse.SUPPRESS)
    return tables.parse_checked(parser, check)


def check(parser, arguments):
    try:
        for name in arguments.method.split(","):
            methods.parse(name)
        tables.parse_size(arguments.bucket)
        if arguments.rate != "none":
            netns.parse_rate(arguments.rate)
    except ValueError as error:
        parser.error(str(error))
    if arguments.size not in SIZES[arguments.model]:
        parser.error(f"--size: {arguments.model} comes in {', '.join(SIZES[arguments.model])}")
    if not 2 <= arguments.workers <= 8:
        parser.error("--workers: 2 to 8")
    if min(arguments.replay_steps, arguments.steps, arguments.every) < 1 or arguments.compute_ms < 0:
        parser.error("steps: 1 or more; --compute-ms: 0 or more")


@contextlib.contextmanager
def hosts_of(count, rate, congestion_control):
    """Hosts with shaped links; without the privilege for namespaces, loopback, said on standard error."""
    reason = netns.unavailable()
    if reason:
        print(f"On loopback, with no limit and no count of bytes: {reason}", file=sys.stderr)
        yield [netns.Loopback()] * count, None
        return
    with jobs.network(count, congestion_control) as network:
        if rate:
            network.shape_all(rate)
        yield network.hosts, network


class Record:
    """JSON lines in a file, or nowhere."""

    def __init__(self, path):
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path and open(path, "w", encoding="utf-8")

    def write(self, kind, method, **values):
        if self._file:
            self._file.write(json.dumps({"kind": kind, "method": method, **values}) + "\n")
            self._file.flush()


def train(arguments, job, method, record):
    """The figures of one method: of replay.summary and of the last evaluation."""
    rate = None if arguments.rate == "none" else arguments.rate
    found, learner = {"method": jobs.label(method)}, method
    for message in jobs.refused(method):
        print(f"  {method.name} is not what is measured: {message}", file=sys.stderr)
    with hosts_of(job.workers, rate, arguments.congestion_control) as (hosts, _):
        # A controller that adapts learns with what it has sent, so its throughput must be known.
        if arguments.only != "accuracy" or method.name == "model":
            network, steps = replay.run(hosts, job, method, arguments.compute_ms / 1e3, arguments.replay_steps)
            for step in steps:
                record.write("step", method.name, **step)
            found.update(network=network, **replay.summary(job, steps))
            learner = learn.codec_for(method, steps) if arguments.only != "throughput" else method
    if arguments.only == "throughput":
        return found
    # netsenseml does not look at idle time: it may meet the same link while it learns.
    learnt_at = rate if method.name == "netsenseml" else None
    with hosts_of(job.workers, learnt_at, arguments.congestion_control) as (hosts, _):
        evaluations = learn.run(hosts, job, learner, arguments.steps, arguments.every,
                                lambda each: record.write("evaluation", method.name, learnt_with=learner.name, **each),
                                {} if arguments.spoil is None else {"spoil": arguments.spoil})
    reached = learn.steps_to(evaluations, arguments.target_accuracy and arguments.target_accuracy / 100,
                             arguments.target_loss)
    found.update(evaluations[-1], learnt_with=learner.name, steps_to_target=reached,
                 seconds_to_target=reached and found.get("step_seconds") and reached * found["step_seconds"])
    return found


COLUMNS = [("method", "method", "{}"), ("samples/s", "samples_per_second", "{:.0f}"),
           ("step ms", "step_seconds", "{:.1f}"), ("exchange ms", "exchange_seconds", "{:.1f}"),
           ("MB sent/step", "sent_bytes", "{:.3f}"), ("of dense", "ratio", "{:.3f}"), ("sent once", "first_ratio", "{:.3f}"),
           ("accuracy %", "accuracy", "{:.2f}"), ("loss", "loss", "{:.4f}"), ("learnt with", "learnt_with", "{}"),
           ("s to target", "seconds_to_target", "{:.1f}"), ("weights", "hash", "{:.8}")]
SCALES = {"step_seconds": 1e3, "exchange_seconds": 1e3, "sent_bytes": 1e-6, "accuracy": 100}


def table(found):
    """Header and rows; a figure that was not taken is a dash."""
    return [name for name, _, _ in COLUMNS], [
        ["-" if each.get(key) is None else form.format(each[key] * SCALES[key] if key in SCALES else each[key])
         for _, key, form in COLUMNS] for each in found]


def main():
    arguments = parse_arguments()
    ranks.forget_settings()
    job = jobs.Job(arguments.model, arguments.size, arguments.workers, arguments.seed, tables.parse_size(arguments.bucket))
    reason = jobs.missing("numpy", "sklearn", "torch")
    if reason:
        print(f"tools/train/train: {reason}", file=sys.stderr)
        return 1
    record, found = Record(arguments.json), []
    try:
        for name in arguments.method.split(","):
            print(f"  {name} ...", file=sys.stderr, flush=True)
            found.append(train(arguments, job, methods.parse(name), record))
            record.write("result", name, **{key: value for key, value in found[-1].items() if key != "method"})
    except (RuntimeError, netns.NetnsError) as error:
        print(f"tools/train/train: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    tables.print_table(f"{arguments.model} {arguments.size}, {arguments.workers} workers, links of {arguments.rate}, "
                       f"{arguments.compute_ms:g} ms of modelled computing per step", *table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
