"""Compares canonical traces section by section, as strictly as the case allows."""

import difflib
import re
from enum import Enum


class Mode(Enum):
    """How much of a recorded rank's trace binds the engine."""

    FULL = "every section"
    # The job was aborted while data was on its way: how much had been posted by then depends on time.
    ABORTED = "every section; of data, what both have"
    # The recorded rank hung and was killed: its trace ends early.
    CUT = "of every section, what both have"
    # The network used registered buffers of the user in place, which the engine does not do.
    COPIED = "every section but data; without the registrations of the user's buffers"


def mode_of(case, rank):
    if case.was_killed(rank):
        return Mode.CUT
    if case.uses_user_buffers:
        return Mode.COPIED
    return Mode.ABORTED if case.aborts else Mode.FULL


def compare(expected, found, mode=Mode.FULL):
    """Returns the differences as text lines; none means that the traces agree."""
    if mode is Mode.COPIED:
        expected, found = without_user_buffers(expected), without_user_buffers(found)
    report = []
    for section in sorted(set(expected) | set(found)):
        want = expected.get(section, [])
        have = found.get(section, [])
        if open_ended(section, mode):
            shared = min(len(want), len(have))
            want, have = without_progress(want[:shared]), without_progress(have[:shared])
        if want != have:
            report.append(f"## {section}: {len(want)} recorded, {len(have)} by the engine")
            report += list(difflib.unified_diff(want, have, "recorded", "engine", lineterm="", n=1))[2:]
    return report


def is_data(section):
    return section.startswith(("data ", "flushes "))


def open_ended(section, mode):
    return mode is Mode.CUT or (mode is Mode.ABORTED and is_data(section))


def without_user_buffers(sections):
    """Without data, and without registrations of the buffers that the program registered."""
    sizes = {re.search(r"size=\d+", line).group() for line in sections["main"]
             if line.startswith("app.ncclCommRegister.begin")}
    user_memory = {line.split(" size=")[0].replace("regMr", "deregMr") for lines in sections.values() for line in lines
                   if "regMr" in line and sizes.intersection(line.split())}

    def keeps(line):
        return line not in user_memory and line.split(" size=")[0].replace("regMr", "deregMr") not in user_memory

    return {section: [line for line in lines if keeps(line)] for section, lines in sections.items()
            if not is_data(section)}


def without_progress(lines):
    return [line.split(" -> ")[0] for line in lines]
