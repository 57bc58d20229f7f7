"""The recorded cases: what ran, with which environment, and how it translates to this project's programs."""

import json
from dataclasses import dataclass
from pathlib import Path

# Variables of the plugin that recorded the traces, and ours that ask for the same behaviour.
PLUGIN_VARIABLES = {
    "TRACE_PROFILER": "REFNET_PROFILER",
    "TRACE_PROFILER_MASK": "REFNET_PROFILER_MASK",
    "TRACE_CUDA": "REFNET_CUDA",
    "TRACE_NDEV": "REFNET_DEVICES",
    "TRACE_MAXRECVS": "REFNET_MAX_RECVS",
    "TRACE_CONNECT_LATER": "REFNET_CONNECT_LATER",
    "TRACE_ISEND_NULL": "REFNET_ISEND_NULL",
    "TRACE_IRECV_NULL": "REFNET_IRECV_NULL",
    "TRACE_EOF": "REFNET_EOF",
}

# Described the machine of the recording: there GPU-direct needed the simulated GPU's consent as well.
MACHINE_VARIABLES = {"SIMGPU_GDR"}

# The recorded library, ours, and the net version that the engine is asked for (None: the newest it exports).
PLUGINS = {
    "libnccl-net-trace.so": ("libnccl-net-tracing.so", None),
    "libnccl-net-trace8.so": ("libnccl-net-tracing.so", "8"),
    "libnccl-net-tracecoll.so": ("libnccl-net-tracing-collnet.so", None),
}

KILLED = 124

# Cases by what they are about: the tests run one group each. A case belongs to the first group that names its beginning.
GROUPS = {
    "refusals": ("connect_later", "isend_null", "irecv_null", "maxrecvs8", "ndev2", "v8_", "ll_optrecv0"),
    "abort": ("abort",),
    "collnet": ("collnet",),
    "profiler": ("prof",),
    "gpu": ("gdr", "reg"),
    "several": ("group", "two_comms", "repeat", "buffsize", "nch4"),
    "p2p": ("sr_", "a2a"),
    "other": ("ag_", "bc_", "rd_", "rs_", "init"),
    "small": ("ar_1k",),
    "ring_ll": ("ar_256k_ring_ll", "ar_1m_ring_ll", "ar_16m_ring_ll"),
    "ring_simple": ("ar_256k_ring_simple", "ar_1m_ring_simple", "ar_16m_ring_simple", "ar_64m_ring_simple"),
    "tree": ("ar_256k_tree", "ar_1m_tree", "ar_16m_tree", "ar_64m_tree"),
    "auto": ("ar_256k_auto", "ar_1m_auto", "ar_16m_auto", "ar_64m_auto"),
}


@dataclass
class Case:
    folder: Path
    name: str
    ranks: int
    script: str
    recorded_environment: dict
    plugin: str
    exit_codes: list

    @classmethod
    def load(cls, folder):
        described = json.loads((Path(folder) / "case.json").read_text(encoding="utf-8"))
        return cls(Path(folder), Path(folder).name, described["ranks"], described["script"], described["env"],
                   described["plugin"], described["rc"])

    @property
    def library(self):
        return PLUGINS[self.plugin][0]

    def environment(self):
        """Variables of the case for our programs."""
        variables = {PLUGIN_VARIABLES.get(name, name): value for name, value in self.recorded_environment.items()
                     if name not in MACHINE_VARIABLES}
        version = PLUGINS[self.plugin][1]
        if version is not None:
            variables["NS_ENGINE_NET_VERSION"] = version
        return variables

    def was_killed(self, rank):
        """Whether the recorded rank hung and was killed, so that its trace ends early."""
        return self.exit_codes[rank] == KILLED

    @property
    def uses_user_buffers(self):
        """Whether the program registered its buffers and the network could reach them on the GPU."""
        return "reg" in self.script.split(",") and "TRACE_CUDA" in self.recorded_environment

    @property
    def aborts(self):
        return "abort" in self.script


def group_of(name):
    return next((group for group, beginnings in GROUPS.items() if name.startswith(beginnings)), None)


def load_cases(data, beginnings=(), group=None):
    """The cases under the folder: all, those of a group, or those whose names begin with one of the beginnings."""
    folders = sorted(path.parent for path in Path(data).glob("*/case.json"))
    cases = [Case.load(folder) for folder in folders]
    if group is not None:
        cases = [case for case in cases if group_of(case.name) == group]
    if beginnings:
        cases = [case for case in cases if case.name.startswith(tuple(beginnings))]
    return cases
