"""Trains the job in one process and keeps every worker's gradients of some steps, for replay: `capture_stages.py JOB`.

The workers' gradients are computed one after the other from the same weights and averaged, which is what an exact
all-reduce does. Files: stage<i>-rank<r>.npy, flat f32 in the order of the backward pass, and parameters.json.
"""
import json
import os
import pathlib
import sys

import numpy
import tasks
import torch


def main():
    job = json.loads(sys.argv[1])
    torch.set_num_threads(os.cpu_count())
    made = [tasks.TASKS[job["model"]](job["size"], job["seed"], rank, job["workers"]) for rank in range(job["workers"])]
    generators = [torch.Generator().manual_seed(job["seed"] * 1000 + rank) for rank in range(job["workers"])]
    # One network for all: the tasks only give the batches of their shards.
    network = made[0].network
    for task in made:
        task.network = network
    optimizer = made[0].optimizer()
    schedule = tasks.schedule(optimizer, job["steps"])
    parameters = list(network.parameters())[::-1]
    folder = pathlib.Path(job["folder"])
    for step in range(1, max(job["stages"]) + 1):
        total = None
        for rank, (task, generator) in enumerate(zip(made, generators, strict=True)):
            network.zero_grad()
            tasks.loss(task, task.batch(job["batch"], generator)).backward()
            own = torch.cat([each.grad.flatten() for each in parameters])
            if step in job["stages"]:
                numpy.save(folder / f"stage{job['stages'].index(step)}-rank{rank}.npy", own.numpy())
            total = own if total is None else total + own
        begin = 0
        for each in parameters:
            each.grad = (total[begin:begin + each.numel()] / job["workers"]).view_as(each)
            begin += each.numel()
        optimizer.step()
        schedule.step()
    (folder / "parameters.json").write_text(json.dumps([each.numel() for each in parameters]), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
