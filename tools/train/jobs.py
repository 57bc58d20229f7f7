"""What is to be trained, and where its workers' Python and captured gradients are."""
import dataclasses
import hashlib
import json
import os
import pathlib
import subprocess
import sys

import netns
import ranks

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = ranks.ROOT / ".deps" / "train"
BATCH = {"resnet": 32, "gpt": 8}  # samples of a worker and step
STAGES = (2, 20, 60)  # steps whose gradients are replayed
STEPS = 300  # of a training
MIB = 1 << 20


# Of the hosts of a training, whatever this machine's is: the one that every kernel allows in a namespace. BBR's first
# version lets a connection send next to nothing for 0.2 s every 10 s (PROBE_RTT), and an exchange waits for the slowest of
# all its connections.
CONGESTION_CONTROL = "reno"


def network(hosts, congestion_control=CONGESTION_CONTROL):
    return netns.Network(hosts=hosts, ipv6=False, congestion_control=congestion_control)


class TrainError(RuntimeError):
    """A job could not be carried out; the text is for the user."""


@dataclasses.dataclass(frozen=True)
class Job:
    model: str = "resnet"
    size: str = "small"
    workers: int = 8
    seed: int = 1
    bucket_bytes: int = 25 * MIB  # DDP's default

    @property
    def batch(self):
        return BATCH[self.model]

    @property
    def samples_per_step(self):
        return self.batch * self.workers


def python():
    """The interpreter of the workers and what it needs in its environment. NS_TRAIN_PYTHON names another one, which
    must have the packages itself."""
    own = os.environ.get("NS_TRAIN_PYTHON")
    if own:
        return own, {}
    return sys.executable, {"PYTHONPATH": str(PACKAGES)}


def missing(*packages):
    """Why workers cannot run here, or None when they can."""
    interpreter, env = python()
    done = subprocess.run([interpreter, "-c", f"import {', '.join(packages)}"], env={**os.environ, **env}, check=False,
                          capture_output=True, text=True)
    if done.returncode == 0:
        return None
    last = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
    return (f"{interpreter} cannot import {', '.join(packages)} ({last}); run tools/setup --train, or set NS_TRAIN_PYTHON "
            "to a Python that has them")


def refused(method):
    """What this build of netsense does not take of the method's settings, as its own messages. It then goes on without
    them, so that a method's name on its figures would be wrong."""
    if method.plugin != "netsense" or not method.settings:
        return []
    done = subprocess.run([ranks.build_folder() / "bin" / "netsense-info", "--json", "--no-self-test"],
                          env={**os.environ, **dict(method.settings)}, check=False, capture_output=True, text=True)
    try:
        problems = json.loads(done.stdout)["problems"]
    except (ValueError, KeyError):
        raise TrainError(f"netsense-info does not say which settings it takes: {done.stderr.strip()}") from None
    asked = dict(method.settings)
    return [each["message"] for each in problems if each["variable"] in asked]


def label(method):
    """The method's name for a table: with what it really was where this build refused its settings."""
    return f"{method.name} (acts as lossless)" if refused(method) else method.name


def plugin_version():
    """Of the plugin that was measured: figures of another build are others."""
    return hashlib.sha256((ranks.build_folder() / "lib" / "libnccl-net-netsense.so").read_bytes()).hexdigest()[:12]


def _version():
    """Captured gradients are those of these sources."""
    digest = hashlib.sha256()
    for name in ("models.py", "tasks.py", "capture_stages.py"):
        digest.update((HERE / name).read_bytes())
    return digest.hexdigest()[:12]


def captured(job, stages=STAGES):
    """The folder with the job's gradients at these steps, made when it is not there yet."""
    name = f"{job.model}-{job.size}-{job.workers}x{job.batch}-seed{job.seed}-{'_'.join(map(str, stages))}-{_version()}"
    folder = ranks.ROOT / "build" / "train" / "stages" / name
    if (folder / "parameters.json").exists():  # written last
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    asked = {"model": job.model, "size": job.size, "workers": job.workers, "seed": job.seed, "batch": job.batch,
             "stages": list(stages), "steps": STEPS, "folder": str(folder)}
    interpreter, env = python()
    done = subprocess.run([interpreter, HERE / "capture_stages.py", json.dumps(asked)], env={**os.environ, **env},
                          check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise TrainError(f"the gradients of {name} could not be captured\n{done.stderr}")
    return folder
