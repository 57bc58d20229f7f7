"""What the benchmarks of training share: jobs on shaped links, methods in turn."""
import statistics
import sys

import figures
import jobs
import learn
import methods
import p2p
import replay


def add_arguments(parser, workers=8):
    parser.add_argument("--quick", action="store_true", help="a smaller network, fewer repetitions and steps")
    parser.add_argument("--model", choices=("resnet", "gpt"), default="resnet")
    parser.add_argument("--size", help="tiny (gpt only), small, medium, large (default medium, quick: small)")
    parser.add_argument("--workers", type=int, default=workers, help=f"2 to 8 (default {workers})")
    parser.add_argument("--compute-ms", type=float, default=50, help="modelled computing per step (default 50)")


def check(parser, arguments):
    if not 2 <= arguments.workers <= 8:
        parser.error("--workers: 2 to 8")
    if arguments.compute_ms < 0:
        parser.error("--compute-ms: 0 or more")
    sizes = ("tiny", "small", "medium", "large") if arguments.model == "gpt" else ("small", "medium", "large")
    if arguments.size and arguments.size not in sizes:
        parser.error(f"--size: {arguments.model} comes in {', '.join(sizes)}")


def job_of(arguments, seed=1):
    return jobs.Job(arguments.model, arguments.size or ("small" if arguments.quick else "medium"), arguments.workers, seed)


def how(arguments, job):
    return {**figures.machine(), "program": "host engine, replayed gradients (docs/training.md)", "model": job.model,
            "size": job.size, "workers": job.workers, "compute_ms": arguments.compute_ms}


def require(*packages):
    reason = jobs.missing(*packages)
    if reason:
        raise figures.BenchError(reason)


def unmeasured(names):
    """As misses: the methods whose settings this build refused, so that nothing of them was measured."""
    for name in names:
        for message in jobs.refused(methods.parse(name)):
            yield f"{name} was not measured, what stands under its name is lossless: {message}"


def throughput(network, job, names, pause, repetitions, steps, label):
    """{method: [(summary, steps) of each repetition]}, all methods in turn in every repetition."""
    found = {name: [] for name in names}
    for repetition in range(repetitions):
        for name in names if repetition % 2 == 0 else names[::-1]:
            p2p.progress(f"{label}, round {repetition + 1} of {repetitions}: {name}")
            _, measured = replay.run(network.hosts, job, methods.parse(name), pause, steps)
            found[name].append((replay.summary(job, measured), measured))
    p2p.progress("")
    return found


def rates(runs):
    return [summary["samples_per_second"] for summary, _ in runs]


def middle(runs, key):
    return statistics.median(summary[key] for summary, _ in runs)


def accuracy(job, method, steps, rate=None):
    """The last evaluation of real training. rate: of the links, where what is sent depends on them; else not limited."""
    with jobs.network(job.workers) as network:
        if rate:
            network.shape_all(rate)
        return learn.run(network.hosts, job, method, steps, steps)[-1]


def run(name, arguments, job, carry_out):
    """figures.run with the trainer's needs checked first."""
    def checked():
        require("numpy", "sklearn", "torch")
        try:
            return carry_out()
        except jobs.TrainError as error:
            raise figures.BenchError(str(error)) from None
    print(f"  {name}: {job.model} {job.size}, {job.workers} workers", file=sys.stderr)
    return figures.run(name, how(arguments, job), checked, namespaces=True)
