"""Reads call traces: one JSON object a line, one file a rank, as the host engine and the recorder write them."""

import gzip
import json
from pathlib import Path


def read_lines(path):
    """The calls in a trace file, gzip or plain. A last line cut short by a killed process is dropped."""
    opener = gzip.open if str(path).endswith(".gz") else open
    calls = []
    with opener(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            try:
                calls.append(json.loads(line))
            except json.JSONDecodeError:
                if lines.readline():
                    raise
    return calls


def rank_files(folder):
    """Trace files of a case's ranks, in rank order."""
    files = list(Path(folder).glob("rank*.jsonl*"))
    return sorted(files, key=lambda path: int(path.name.split(".")[0].removeprefix("rank")))


def thread_roles(calls):
    """Names threads by what they do: the recorder names them in the order in which they first appear.

    Returns {thread name: role}; a second communicator's threads get the role with a number, "service#1".
    """
    roles = {}
    counts = {}
    for call in calls:
        name = call["t"]
        if name in roles:
            continue
        if call["call"] in ("listen", "connect", "accept"):
            role = "service"
        elif call["call"] in ("irecv", "isend", "iallreduce"):
            role = "progress"
        elif name == "main":
            role = "main"
        else:
            continue
        number = counts.get(role, 0)
        counts[role] = number + 1
        roles[name] = role if number == 0 else f"{role}#{number}"
    for call in calls:
        roles.setdefault(call["t"], call["t"])
    return roles


def merge_attributes(calls):
    """Attaches each setNetAttr to the call it was made for: the next one on its thread.

    The recorder folds repeated polls and keeps the attributes in the argument setNetAttr_before_each; a call that
    follows an unfolded setNetAttr gets the argument "attr". The setNetAttr lines themselves disappear.
    """
    pending = {}
    merged = []
    for call in calls:
        if call["api"] == "net" and call["call"] == "setNetAttr":
            attributes = {key: value for key, value in call["args"].items() if key != "ctx"}
            pending[call["t"]] = attributes
            continue
        call = {**call, "args": dict(call["args"])}
        folded = call["args"].pop("setNetAttr_before_each", None)
        attributes = pending.pop(call["t"], None) if takes_attributes(call) else None
        if folded is not None:
            attributes = {key: value for key, value in folded.items() if key != "ctx"}
        if attributes is not None:
            call["args"]["attr"] = attributes
        merged.append(call)
    return merged


def takes_attributes(call):
    return call["api"] == "net" and call["call"] in ("connect", "accept", "isend", "irecv")
