"""Starts the workers of a job, each on its host, and leads them step by step."""
import json
import multiprocessing
import multiprocessing.connection
import time

import jobs
import netns
import ranks

LIMIT_SECONDS = 600  # for any one answer
MARGIN_SECONDS = 0.002  # from a worker's hearing of a step to its begin


class Workers:
    """As a context manager: started and joined when the block begins, ended when it ends."""

    def __init__(self, hosts, job, method, extra, env=None):
        """extra: what the kind of worker needs beyond the job (worker.py); env: settings beyond the method's."""
        self.job, self._hosts = job, hosts
        self._interface = "lo" if isinstance(hosts[0], netns.Loopback) else "eth0"
        interpreter, packages = jobs.python()
        self._words = [interpreter, str(jobs.HERE / "worker.py")]
        self._env = {**packages, **ranks.plugin_environment(method.plugin), "NCCL_SOCKET_IFNAME": self._interface,
                     "NCCL_SOCKET_FAMILY": "AF_INET", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
                     **dict(method.settings), **(env or {})}
        self._task = {"model": job.model, "size": job.size, "seed": job.seed, "batch": job.batch, "workers": job.workers,
                      "bucket_bytes": job.bucket_bytes, "method": method.name, "interface": self._interface,
                      "engine": str(ranks.build_folder() / "lib" / "libns_engine.so"), **extra}
        self._group, self._pipes = None, []

    def __enter__(self):
        pairs = [multiprocessing.Pipe() for _ in self._hosts]
        self._pipes = [ours for ours, _ in pairs]
        words = {rank: [str(theirs.fileno()), json.dumps({**self._task, "rank": rank})]
                 for rank, (_, theirs) in enumerate(pairs)}
        self._group = ranks.Ranks(self._hosts, self._words, self._env, words_of_rank=words,
                                  files_of_rank={rank: [theirs.fileno()] for rank, (_, theirs) in enumerate(pairs)})
        for _, theirs in pairs:
            theirs.close()
        try:
            self._tell(self._answers()[0])
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self._group.__exit__()
        for pipe in self._pipes:
            pipe.close()

    @property
    def shares_link(self):
        """On loopback the interface's counters are everybody's."""
        return self._interface == "lo"

    def _tell(self, message):
        for pipe in self._pipes:
            try:
                pipe.send(message)
            except OSError:
                pass  # a worker that is gone: the next answers say so

    def _answers(self):
        answers, waiting = {}, dict(zip(self._pipes, range(len(self._pipes)), strict=True))
        deadline = time.monotonic() + LIMIT_SECONDS
        while waiting:
            ready = multiprocessing.connection.wait(list(waiting), max(0, deadline - time.monotonic()))
            if not ready:
                raise jobs.TrainError(f"ranks {sorted(waiting.values())} have not answered for {LIMIT_SECONDS} s\n"
                                      f"{self._group.everything()}")
            for pipe in ready:
                try:
                    answers[waiting.pop(pipe)] = pipe.recv()
                except (EOFError, OSError):
                    raise jobs.TrainError(f"a worker has ended early\n{self._group.everything()}") from None
        return [answers[rank] for rank in sorted(answers)]

    def ask(self, what, *arguments):
        """Every rank's answer."""
        self._tell((what, *arguments))
        return self._answers()

    def step(self, not_before):
        """An exchange that all ranks begin at the same time, not before that one (CLOCK_MONOTONIC). Seconds from that
        time until the last rank has its sums."""
        begin = max(not_before, time.monotonic() + MARGIN_SECONDS)
        told = self.ask("step", begin)
        end = max(each["end"] for each in told)
        return {"begin": begin, "end": end, "seconds": end - begin, "late": max(each["begun"] for each in told) - begin,
                "cores": sum(each["cpu"] for each in told) / (end - begin),
                "sent_before": [each["sent_before"] for each in told]}

    def end(self):
        """Lets all close their communicators together."""
        self._tell(("end",))
        statuses = self._group.wait(60)
        if any(status != 0 for status in statuses):
            raise jobs.TrainError(f"the workers ended with {statuses}\n{self._group.everything()}")
