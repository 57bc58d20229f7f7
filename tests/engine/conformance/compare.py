"""Compares canonical traces section by section, as strictly as the case allows."""

import difflib
from enum import Enum


class Mode(Enum):
    """How much of a recorded rank's trace binds the engine."""

    FULL = "every section"
    # The job was aborted while data was on its way: how much had been posted by then depends on time.
    ABORTED = "every section; of data, what both have"
    # The recorded rank hung and was killed: its trace ends early.
    CUT = "of every section, what both have"


def mode_of(case, rank):
    if case.was_killed(rank):
        return Mode.CUT
    return Mode.ABORTED if case.aborts else Mode.FULL


def compare(expected, found, mode=Mode.FULL):
    """Returns the differences as text lines; none means that the traces agree."""
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


def open_ended(section, mode):
    return mode is Mode.CUT or (mode is Mode.ABORTED and section.split(" ")[0] in ("data", "flushes"))


def without_progress(lines):
    return [line.split(" -> ")[0] for line in lines]
