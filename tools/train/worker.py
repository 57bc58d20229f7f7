"""One worker of a job, started by workers.py: `worker.py FD JOB`, with a pipe to the driver and the job as JSON.

The driver leads: it sends ("replay", stage, begin) or ("learn", begin) and so on, and every worker answers. The pipe goes
outside the job's network, so what meets there does not load the links.
"""
import hashlib
import json
import os
import resource
import sys
import time
from multiprocessing.connection import Connection

import engine
import exchange
import methods
import numpy


FRAME_BYTES = 1514


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


class Worker:
    def __init__(self, pipe, job):
        self.pipe, self.job, self.rank = pipe, job, job["rank"]
        self.method = methods.parse(job["method"])
        library = engine.Library(job["engine"])
        self.pipe.send(library.unique_id() if self.rank == 0 else None)
        self.comm = engine.Communicator(library, self.pipe.recv(), self.rank, job["workers"])

    def sent(self):
        """What the worker's link has sent in all, and how much of it again since the network had lost it, in bytes. On
        loopback that is everybody's. The kernel counts lost segments; each is taken as a full one of Ethernet."""
        with open(f"/sys/class/net/{self.job['interface']}/statistics/tx_bytes", encoding="ascii") as file:
            sent = int(file.read())
        with open("/proc/self/net/snmp", encoding="ascii") as file:
            names, values = [line.split() for line in file if line.startswith("Tcp:")]
        return sent, FRAME_BYTES * int(values[names.index("RetransSegs")])

    def communicate(self, begin):
        """Waits until the common time `begin` (CLOCK_MONOTONIC) and exchanges; what the driver is to know of it."""
        time.sleep(max(0, begin - time.monotonic()))
        sent, cpu, begun = self.sent(), cpu_seconds(), time.monotonic()
        self.exchange.exchange(self.comm)
        return {"begun": begun, "end": time.monotonic(), "sent_before": sent, "cpu": cpu_seconds() - cpu}

    def make_exchange(self, sizes):
        self.buckets = [numpy.zeros(size, numpy.float32) for size in sizes]
        self.exchange = exchange.make(self.method, self.buckets, self.job["workers"])

    def serve(self):
        """Answers the driver until it says end."""
        while True:
            what, *arguments = self.pipe.recv()
            if what == "end":
                break
            self.pipe.send(getattr(self, f"on_{what}")(*arguments))
        self.comm.close()

    def on_sent(self):
        return self.sent()


class Replayer(Worker):
    """Sends gradients that were captured before, so that the pauses between exchanges are as long as is said."""

    def on_load(self, sizes):
        self.make_exchange(sizes)
        return self.comm.network

    def on_stage(self, stage):
        """Puts the captured gradients of a stage into the buckets."""
        gradients = numpy.load(os.path.join(self.job["replay"], f"stage{stage}-rank{self.rank}.npy"), mmap_mode="r")
        begin = 0
        for bucket in self.buckets:
            bucket[:] = gradients[begin:begin + bucket.size]
            begin += bucket.size
        self.exchange.prepare()

    on_step = Worker.communicate

    def on_received(self):
        """SHA-256 of what the last exchange has brought."""
        digest = hashlib.sha256()
        for array in self.exchange.received():
            digest.update(array)
        return digest.hexdigest()


class Learner(Worker):
    """Computes real gradients and learns from their averages."""

    def on_load(self, _):
        import tasks  # PyTorch: nothing else here needs it
        import torch
        torch.set_num_threads(1)
        self.tasks, job = tasks, self.job
        self.task = tasks.TASKS[job["model"]](job["size"], job["seed"], self.rank, job["workers"])
        self.generator = torch.Generator().manual_seed(job["seed"] * 1000 + self.rank)
        self.optimizer = self.task.optimizer()
        self.schedule = tasks.schedule(self.optimizer, job["steps"])
        parameters = list(self.task.network.parameters())[::-1]
        self.make_exchange(methods.bucket_elements([each.numel() for each in parameters], job["bucket_bytes"]))
        # A parameter's gradient is a view of its bucket for good: the backward pass writes where the network reads.
        flat = [torch.from_numpy(bucket) for bucket in self.buckets]
        number = begin = 0
        for parameter in parameters:
            if begin == len(flat[number]):
                number, begin = number + 1, 0
            parameter.grad = flat[number][begin:begin + parameter.numel()].view_as(parameter)
            begin += parameter.numel()
        return self.comm.network

    def on_compute(self):
        for bucket in self.buckets:
            bucket[:] = 0
        loss = self.tasks.loss(self.task, self.task.batch(self.job["batch"], self.generator))
        loss.backward()
        self.exchange.prepare()
        return loss.item()

    def on_step(self, begin):
        told = self.communicate(begin)
        self.exchange.finish()
        self.optimizer.step()
        self.schedule.step()
        return told

    def on_evaluate(self):
        return {"test": self.tasks.evaluate(self.task), "hash": self.hash()}

    def hash(self):
        """SHA-256 of all that the network is made of."""
        digest = hashlib.sha256()
        for name, tensor in self.task.network.state_dict().items():
            digest.update(name.encode())
            digest.update(tensor.numpy().tobytes())
        if self.job.get("spoil") == self.rank:
            digest.update(b"spoilt")  # for the test that a diverged replica is found
        return digest.hexdigest()


def main():
    job = json.loads(sys.argv[2])
    pipe = Connection(int(sys.argv[1]))
    (Replayer if "replay" in job else Learner)(pipe, job).serve()
    return 0


if __name__ == "__main__":
    sys.exit(main())
