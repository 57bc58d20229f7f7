"""Accuracy: workers compute real gradients of their own shards, exchange them, and learn from the averages.

Real computing takes longer here than on the hardware that is modelled, and a controller that reckons with the idle time of
the link would see too much of it. So no time of this run is reported, and `model` learns with the fixed codec that
bounds what it has sent in the throughput run (`codec_for`).
"""
import statistics

import jobs
import methods
import replicas
import workers


def codec_for(method, steps):
    """The method to learn with after a throughput run with these steps. The second half counts, when a controller has
    settled, and of it the step that has sent least, without what it had to send again."""
    if method.name != "model":
        return method
    ratios = [step["first_ratio"] for step in steps[len(steps) // 2:]]
    if None in ratios:
        raise jobs.TrainError("model: bytes on the wire cannot be told on loopback, so no codec can be chosen to learn "
                              "with; it needs namespaces")
    return methods.parse(methods.fixed_for(min(ratios)))


def evaluation(step, told, loss):
    right, summed, answers = (sum(each["test"][part] for each in told) for part in range(3))
    return {"step": step, "train_loss": loss, "accuracy": right / answers, "loss": summed / answers,
            "hash": replicas.same([each["hash"] for each in told], f"weights after step {step}"), "ranks": len(told)}


def run(hosts, job, method, steps, every, on_evaluation=None, extra=None, env=None):
    """The evaluations, every `every` steps and after the last."""
    found = []
    with workers.Workers(hosts, job, method, {"steps": steps, **(extra or {})}, env) as group:
        group.ask("load", None)
        for step in range(1, steps + 1):
            loss = statistics.fmean(group.ask("compute"))
            group.step(0.0)
            if step % every == 0 or step == steps:
                found.append(evaluation(step, group.ask("evaluate"), loss))
                if on_evaluation:
                    on_evaluation(found[-1])
        group.end()
    return found


def steps_to(evaluations, accuracy=None, loss=None):
    """The first evaluated step that reaches the target, or None."""
    for each in evaluations:
        if accuracy is not None and each["accuracy"] >= accuracy or loss is not None and each["loss"] <= loss:
            return each["step"]
    return None
