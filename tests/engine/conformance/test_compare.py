#!/usr/bin/env python3
"""Shows that the comparison sees what NCCL fixes and overlooks what only depends on time.

Works on recorded traces: changes one thing in a copy and compares it with the original.
"""

import copy
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from conformance.canonical import canonical
from conformance.cases import GROUPS, group_of, load_cases
from conformance.compare import Mode, compare
from conformance.trace import rank_files, read_lines

TRACES = Path(__file__).resolve().parent.parent.parent / "data" / "traces"


def load(case, rank=0):
    return read_lines(rank_files(TRACES / case)[rank])


def differences(original, changed, mode=Mode.FULL):
    return compare(canonical(copy.deepcopy(original)), canonical(copy.deepcopy(changed)), mode)


def position(calls, name, number=0):
    """Index of the number-th call with this name."""
    return [i for i, call in enumerate(calls) if call["call"] == name][number]


def is_poll(call):
    """A call without an answer yet: repeated as long as it takes."""
    nothing = call["out"].get("done") == 0 and call["ret"] == "ok"
    return nothing or None in call["out"].values()


class EveryCallCounts(unittest.TestCase):
    """Leaving out any one call is seen."""

    CASES = ("ar_1k_ring_simple-n2", "ar_1k_auto-n4", "gdr_ar_1k-n2", "prof_ar_1k-n2", "v8_sr_1m-n2", "two_comms-n2",
             "collnet_ar_1m-n2", "sr_16k-n4", "reg_ag_16m-n2", "isend_null3_ar_1m-n2")

    def test_each_left_out(self):
        for case in self.CASES:
            calls = load(case)
            original = canonical(copy.deepcopy(calls))
            for i, call in enumerate(calls):
                if is_poll(call) and call["call"] not in ("isend", "irecv"):
                    continue
                with self.subTest(case=case, call=call):
                    rest = copy.deepcopy(calls[:i] + calls[i + 1:])
                    try:
                        found = compare(original, canonical(rest))
                    except KeyError:  # a later call uses what this one made
                        continue
                    self.assertTrue(found or self.is_repeated_attribute(calls, i))

    @staticmethod
    def is_repeated_attribute(calls, i):
        """A second setNetAttr with the value already in force has no effect on the call that follows."""
        if calls[i]["call"] != "setNetAttr" or calls[i]["t"] != "proxy-progress":
            return False
        following = next(call for call in calls[i + 1:] if call["t"] == calls[i]["t"])
        return is_poll(following)


class ChangesAreSeen(unittest.TestCase):
    def setUp(self):
        self.calls = load("ar_1k_ring_simple-n2")

    def assert_seen(self, change, calls=None):
        calls = calls or self.calls
        changed = copy.deepcopy(calls)
        change(changed)
        self.assertTrue(differences(calls, changed))

    def set_argument(self, name, key, value, number=0):
        def change(calls):
            calls[position(calls, name, number)]["args"][key] = value
        self.assert_seen(change)

    def test_arguments(self):
        self.set_argument("regMr", "size", 1)
        self.set_argument("regMr", "type", "CUDA")
        self.set_argument("isend", "tag", 7)
        self.set_argument("isend", "phandle", None)
        self.set_argument("isend", "buf", {"mr": "m2", "off": 4, "len": 512})
        self.set_argument("isend", "buf", {"mr": "m2", "off": 0, "len": 511})
        self.set_argument("isend", "buf", {"mr": "m1", "off": 0, "len": 512})
        self.set_argument("irecv", "tags", [0])
        self.set_argument("irecv", "request_in", "OPTIONAL_RECV_COMPLETION")
        self.set_argument("connect", "handle", "rank1/l1")
        self.set_argument("getCollInfo", "nBytes", 1025)
        self.set_argument("getProperties", "dev", 1)
        self.set_argument("init", "commId", "comm1")

    def test_attributes(self):
        for key in ("op", "algo", "proto", "send", "recv"):
            with self.subTest(key):
                def change(calls, key=key):
                    value = 9 if key in ("op", "algo", "proto") else {"maxPeers": 9, "minPeers": 9, "maxFlows": 9,
                                                                     "minFlows": 9}
                    for call in calls:
                        if call["call"] == "setNetAttr" and call["t"] == "proxy-progress":
                            call["args"][key] = value
                self.assert_seen(change)

    def test_size_of_completion(self):
        def change(calls):
            done = next(call for call in calls if call["call"] == "test" and call["out"]["done"] == 1)
            done["out"]["sizes"] = [3]
        self.assert_seen(change)

    def test_order_on_a_connection(self):
        def swap_receives(calls):
            first, second = position(calls, "irecv", 0), position(calls, "irecv", 1)
            calls[first], calls[second] = calls[second], calls[first]
        self.assert_seen(swap_receives)

    def test_order_of_registration(self):
        def swap(calls):
            first, second = position(calls, "regMr", 0), position(calls, "regMr", 1)
            calls[first]["args"], calls[second]["args"] = calls[second]["args"], calls[first]["args"]
        self.assert_seen(swap)

    def test_order_of_close(self):
        def swap(calls):
            first, second = position(calls, "deregMr", 0), position(calls, "deregMr", 1)
            calls[first], calls[second] = calls[second], calls[first]
        self.assert_seen(swap)

    def test_thread(self):
        def move(calls):
            for call in calls:
                if call["call"] == "listen":
                    call["t"] = "main"
        self.assert_seen(move)

    def test_error(self):
        def fail(calls):
            calls[position(calls, "listen")]["ret"] = "systemError"
        self.assert_seen(fail)

    def test_refusals(self):
        calls = load("isend_null3_ar_1m-n2")

        def once_less(changed):
            refused = next(call for call in changed if call["call"] == "isend" and call["out"]["req"] is None)
            refused["count"] -= 1
        self.assert_seen(once_less, calls)

    def test_profiler(self):
        calls = load("prof_ar_1k-n2")
        kinds = {call["args"]["type"] for call in calls if call["call"] == "startEvent"}
        for kind in kinds - {"GroupApi", "Group"}:
            with self.subTest(kind):
                def reparent(changed, kind=kind):
                    event = next(call for call in changed if call["call"] == "startEvent"
                                 and call["args"]["type"] == kind)
                    event["args"]["parent"] = None
                self.assert_seen(reparent, calls)

    def test_profiler_event_outside_its_call(self):
        calls = load("prof_ar_1k-n2")

        def outside(changed):
            event = next(call for call in changed if "in" in call)
            del event["in"]
        self.assert_seen(outside, calls)


class TimeIsOverlooked(unittest.TestCase):
    def test_same_collective_recorded_twice(self):
        """Different runs, in which polls, threads and connections interleaved differently."""
        for one, other in (("ar_1m_auto-n2", "connect_later3-n2"), ("ar_1m_auto-n4", "connect_later3-n4")):
            for rank in range(int(one[-1])):
                with self.subTest(case=one, rank=rank):
                    self.assertNotEqual(load(one, rank), load(other, rank))
                    self.assertEqual([], differences(load(one, rank), load(other, rank)))

    def test_polls(self):
        calls = load("ar_64m_auto-n4")
        without = [call for call in calls if not is_poll(call)]
        self.assertLess(len(without), len(calls))
        self.assertEqual([], differences(calls, without))

    def test_cost_values(self):
        calls = load("ar_1k_auto-n2")
        changed = copy.deepcopy(calls)
        for row in changed[position(changed, "getCollInfo")]["args"]["cost"]:
            row[:] = [cost if cost < 0 else cost + 1 for cost in row]
        self.assertEqual([], differences(calls, changed))

    def test_names_of_objects(self):
        """Which connection was accepted first decides the recorder's names only."""
        calls = load("ar_1k_ring_simple-n2")
        renamed = copy.deepcopy(calls)
        names = {"r0": "r1", "r1": "r0"}
        for call in renamed:
            for part in (call["args"], call["out"]):
                for key in ("rc", "comm"):
                    if part.get(key) in names:
                        part[key] = names[part[key]]
        self.assertEqual([], differences(calls, renamed))


class Groups(unittest.TestCase):
    def test_every_case_is_in_a_group_and_every_group_has_cases(self):
        found = {group_of(case.name) for case in load_cases(TRACES)}
        self.assertEqual(set(GROUPS), found)


class Modes(unittest.TestCase):
    def test_cut_trace_binds_as_far_as_it_goes(self):
        calls = load("ar_1k_ring_simple-n2")
        self.assertEqual([], differences(calls[:50], calls, Mode.CUT))
        changed = copy.deepcopy(calls)
        changed[position(changed, "regMr")]["args"]["size"] = 1
        self.assertTrue(differences(calls[:50], changed, Mode.CUT))

    def test_user_buffers_bind_in_all_but_their_use(self):
        calls = load("reg_ag_16m-n2")
        registered = next(call["args"]["size"] for call in calls if call["call"] == "ncclCommRegister.begin")
        handles = {(call["args"]["comm"], call["out"]["mr"]) for call in calls if call["call"] == "regMr"
                   and call["args"]["size"] == registered}
        used = {"isend", "irecv", "iflush", "test"}
        copied = [call for call in calls if call["call"] not in used and
                  (call["args"].get("comm"), call["args"].get("mr") or call["out"].get("mr")) not in handles]
        self.assertLess(len(copied), len(calls))
        self.assertEqual([], differences(calls, copied, Mode.COPIED))
        del copied[position(copied, "regMr")]
        self.assertTrue(differences(calls, [call for call in copied if call["call"] != "deregMr"], Mode.COPIED))

    def test_aborted_data_binds_as_far_as_both_got(self):
        calls = load("abort_silent-n2")
        last_send = [i for i, call in enumerate(calls) if call["call"] == "isend"][-1]
        less = calls[:last_send] + calls[last_send + 1:]
        self.assertEqual([], differences(calls, less, Mode.ABORTED))
        self.assertTrue(differences(calls, less, Mode.FULL))


if __name__ == "__main__":
    unittest.main()
