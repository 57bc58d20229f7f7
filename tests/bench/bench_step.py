"""How fast the adaptive all-reduce follows a change of bandwidth: 10 Gbit/s, then 200 Mbit/s, then 10 Gbit/s again."""
import argparse
import statistics
import sys

import figures
import jobs
import methods
import netns
import p2p
import ranks
import replay
import svg
import training

METHODS = ["model", "netsenseml"]
FAST, SLOW = "10gbit", "200mbit"
WITHIN = 5  # collectives until a change is answered
# Sent bytes over dense f32 of a step that was mostly lossless: the finest lossy level is at 0.25.
MOSTLY_LOSSLESS = 0.5
# Room for the largest frame of a queue that is slowed down (netns.Network.shape).
BURST = 128 << 10


def rate_of(number, part):
    """The rate of the links at a step: fast, slow, fast, each for `part` steps."""
    return SLOW if part <= number < 2 * part else FAST


def measure(network, job, name, arguments):
    """The steps of one method, each with the rate of the links."""
    def change(number):
        if number % arguments.part == 0 and number > 0:
            for host in network.hosts:
                network.shape(host, rate_of(number, arguments.part), burst=max(netns.parse_rate(
                    rate_of(number, arguments.part)) // 8000, BURST))

    p2p.progress(name)
    network.shape_all(FAST)
    # Gradients of one stage: what changes is the network alone.
    _, steps = replay.run(network.hosts, job, methods.parse(name), arguments.compute_ms / 1e3, 3 * arguments.part,
                          on_step=change, stages=(20,))
    p2p.progress("")
    return [{"number": step["number"], "rate": rate_of(step["number"], arguments.part), "ms": step["seconds"] * 1e3,
             "sent_bytes": step["sent_bytes"], "ratio": step["ratio"]} for step in steps]


def answered(steps, good):
    """How many steps of a phase go by before those that are good to its end; None when the last is not."""
    bad = [number for number, step in enumerate(steps) if not good(step)]
    if not bad:
        return 0
    return None if bad[-1] == len(steps) - 1 else bad[-1] + 1


def misses(steps, compute_ms):
    """What of the steps of `model` misses a target, as text.

    On the slow link an exchange may take as long as the computing beside it, by half more, on top of what it takes on the
    fast link (coding included); nothing that goes on sending all bytes can. Back on the fast link it is lossless again.
    """
    part = len(steps) // 3
    before, slow, after = steps[:part], steps[part:2 * part], steps[2 * part:]
    allowed = 1.5 * compute_ms + statistics.median(step["ms"] for step in before)
    for what, phase, good in ((f"the drop to {SLOW} (exchange in {allowed:.0f} ms)", slow, lambda step: step["ms"] <= allowed),
                              (f"the return to {FAST} (mostly lossless)", after,
                               lambda step: step["ratio"] > MOSTLY_LOSSLESS)):
        taken = answered(phase, good)
        if taken is None:
            yield f"model: {what} is not answered within {part} collectives"
        elif taken > WITHIN:
            yield f"model: {what} is answered after {taken} collectives, more than {WITHIN}"


def carry_out(arguments, job):
    found = {}
    with jobs.network(job.workers) as network:
        for name in METHODS:
            found[name] = measure(network, job, name, arguments)
    figures.print_table(f"Each all-reduce of {job.model} {job.size}, {job.workers} workers: ms, MB sent by a worker, of dense",
                        ["step", "link"] + [f"{jobs.label(methods.parse(name))} {what}" for name in METHODS for what in ("ms", "MB", "ratio")],
                        [[step["number"], step["rate"]] + [text for name in METHODS for text in (
                            f"{found[name][row]['ms']:.1f}", f"{found[name][row]['sent_bytes'] / 1e6:.2f}",
                            f"{found[name][row]['ratio']:.3f}")] for row, step in enumerate(found[METHODS[0]])])
    folder = ranks.ROOT / "build" / "step"
    folder.mkdir(parents=True, exist_ok=True)
    for key, name in (("ms", "exchange, ms"), ("ratio", "sent bytes over dense f32")):
        picture = svg.lines(f"{FAST}, {SLOW} from step {arguments.part}, {FAST} from step {2 * arguments.part}", "step", name,
                            {jobs.label(methods.parse(method)): [(step["number"], step[key]) for step in found[method]]
                             for method in METHODS},
                            log_y=True)
        (folder / f"{key}.svg").write_text(picture, encoding="utf-8")
    print(f"\nPictures: {folder}/ms.svg and {folder}/ratio.svg")
    outside = [*training.unmeasured(METHODS), *misses(found["model"], arguments.compute_ms)]
    if not outside:
        print("Meets its targets.")
    return {**found, "outside": outside}


def check(parser, arguments):
    training.check(parser, arguments)
    if arguments.part is not None and arguments.part <= WITHIN + 1:
        parser.error(f"--part: more than {WITHIN + 1}, or a late answer could not be told from none")


def main():
    parser = argparse.ArgumentParser(prog="tools/bench step", description=__doc__)
    training.add_arguments(parser, workers=4)
    parser.add_argument("--part", type=int, help="all-reduces at each bandwidth (default 20, quick: 8)")
    arguments = figures.parse_checked(parser, check)
    arguments.part = arguments.part or (8 if arguments.quick else 20)
    ranks.forget_settings()
    job = training.job_of(arguments)
    return training.run("step", arguments, job, lambda: carry_out(arguments, job))


if __name__ == "__main__":
    sys.exit(main())
