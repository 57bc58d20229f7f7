"""Brings a trace into a form in which only what NCCL fixes is left.

The result maps section names to lists of lines. Everything whose order NCCL fixes is one section: the calls of the
main thread, the set-up order of the service thread, each connection's set-up, each connection's data calls, the
close order, each profiler event. Names of objects say what the object is ("send to rank1/l0") and not when it
appeared, so they do not depend on which of two connections was accepted first.
"""

from conformance.names import Names
from conformance.profiler import ProfilerEvents
from conformance.trace import merge_attributes, thread_roles

# Where a poll that got no answer leaves no trace: how often NCCL polls depends on time.
SETUP_POLLS = {"connect": "sc", "accept": "rc"}


def canonical(calls):
    roles = thread_roles(calls)
    calls = merge_attributes(calls)
    return Builder(calls, roles).build()


class Builder:
    def __init__(self, calls, roles):
        self.calls = calls
        self.roles = roles
        self.names = Names(calls)
        self.events = ProfilerEvents(calls, self.names)
        self.sections = {}
        self.attempted = set()
        self.attributes = {}
        self.nulls = {}

    def add(self, section, line):
        self.sections.setdefault(section, []).append(line)

    def build(self):
        for call in self.calls:
            handler = getattr(self, f"{call['api']}_{call['call']}", None)
            if handler is None:
                handler = getattr(self, call["api"], self.plain)
            handler(call)
        for name, lines in self.events.sections().items():
            self.sections[name] = lines
        return self.sections

    # Calls that stand for themselves.

    def plain(self, call):
        role = self.roles[call["t"]]
        section = role if role.startswith("main") else f"{role} set-up"
        self.add(section, self.text(call))

    def text(self, call, **extra):
        parts = [f"{call['api']}.{call['call']}"]
        parts += [f"{key}={self.names.of(key, value)}" for key, value in call["args"].items()]
        parts += [f"{key}={self.names.of(key, value)}" for key, value in call["out"].items()]
        parts += [f"{key}={value}" for key, value in extra.items()]
        if call["ret"] != "ok":
            parts.append(f"ret={call['ret']}")
        return " ".join(parts)

    def prof(self, call):
        if call["call"] in ("init", "finalize"):
            self.plain(call)
        elif self.roles[call["t"]] == "main":
            self.add("main", f"prof.{call['call']} {self.events.name_in(call)}")

    def app(self, call):
        if call["call"].startswith("ncclCommAbort"):  # there the recorded program's marks and the engine's differ
            call["args"] = {}
        self.plain(call)

    def tuner_getCollInfo(self, call):
        call["args"]["cost"] = ["".join("-" if cost < 0 else "+" for cost in row) for row in call["args"]["cost"]]
        self.plain(call)

    # Set-up: the order of first attempts, then each connection for itself.

    def net_connect(self, call):
        self.attempt(call, call["args"]["handle"], "sc")

    def net_accept(self, call):
        self.attempt(call, call["args"]["lc"], "rc")

    def attempt(self, call, key, result):
        section = f"{self.roles[call['t']]} set-up"
        if (call["call"], key) not in self.attempted:
            self.attempted.add((call["call"], key))
            self.add(section, f"net.{call['call']} {self.names.of('handle', key)}")
        comm = call["out"].get(result)
        if comm is not None:
            arguments = " ".join(f"{name}={value}" for name, value in call["args"].items())
            self.add(f"set-up of {self.names.of('comm', comm)}", f"net.{call['call']} {arguments}")

    def net_closeListen(self, call):
        self.add(f"set-up of {self.names.receiver_of(call['args']['lc'])}", "net.closeListen")

    def net_regMr(self, call):
        self.add(f"set-up of {self.names.of('comm', call['args']['comm'])}", self.registration(call))

    def collnet_regMr(self, call):
        self.add(f"{self.roles[call['t']]} set-up", self.registration(call))

    def registration(self, call):
        memory = call["out"]["mr"]
        return (f"{call['api']}.regMr {self.names.of('mr', memory)} size={call['args']['size']} "
                f"type={call['args']['type']} {self.names.placement(memory)}").strip()

    # Data calls, in order on each connection; the sizes that test() told later stand with the call.

    def net_isend(self, call):
        self.data_call(call, "sc", [call["args"]["buf"]], [call["args"]["tag"]], "send")

    def net_irecv(self, call):
        self.data_call(call, "rc", call["args"]["bufs"], call["args"]["tags"], "recv")

    def net_iflush(self, call):
        self.data_call(call, "rc", call["args"]["bufs"], [], None, what="flushes")

    def collnet_iflush(self, call):
        self.data_call(call, "cc", [call["args"]["buf"]], [], None, what="flushes")

    def collnet_iallreduce(self, call):
        args = call["args"]
        extra = {"count": args["count"], "datatype": args["datatype"], "op": args["op"]}
        self.data_call(call, "cc", [args["send"], args["recv"]], [], None, extra)

    def data_call(self, call, key, buffers, tags, half, extra=None, what="data"):
        comm = call["args"][key]
        section = f"{what} on {self.names.of('comm', comm)}"
        if "attr" in call["args"]:
            self.attributes[self.names.context_of(comm)] = call["args"]["attr"]
        if call["out"]["req"] is None:
            self.nulls[section] = self.nulls.get(section, 0) + poll_count(call)
            return
        text = [f"{call['api']}.{call['call']}"]
        text += [f"{self.names.of('mr', buffer['mr'])}+{buffer['off']}:{buffer['len']}" for buffer in buffers]
        text += [f"tag={tag}" for tag in tags]
        text += [f"{name}={value}" for name, value in (extra or {}).items()]
        if call["args"].get("request_in") == "OPTIONAL_RECV_COMPLETION":
            text.append("completion-optional")
        handles = call["args"].get("phandles", [call["args"].get("phandle")])
        if any(handle is None for handle in handles) and "phandle" in str(call["args"].keys()):
            text.append("no phandle")
        text.append(self.names.completion(call["out"]["req"]))
        if section in self.nulls:
            text.append(f"after {self.nulls.pop(section)} nulls")
        if half is not None:
            text.append(self.attributes_in_force(comm, half))
        self.add(section, " ".join(part for part in text if part))

    def attributes_in_force(self, comm, half):
        now = self.attributes.get(self.names.context_of(comm))
        if now is None:
            return ""
        peers = now[half]
        return (f"attr({peers['minPeers']}-{peers['maxPeers']} peers, {peers['minFlows']}-{peers['maxFlows']} flows,"
                f" op {now['op']}, algo {now['algo']}, proto {now['proto']})")

    def net_test(self, call):
        pass

    collnet_test = net_test

    # Close: the service thread's order.

    def net_deregMr(self, call):
        section = f"{self.roles[call['t']]} close"
        self.add(section, f"{call['api']}.deregMr {self.names.of('mr', call['args']['mr'])}")

    collnet_deregMr = net_deregMr

    def net_closeSend(self, call):
        self.close(call, call["args"]["sc"])

    def net_closeRecv(self, call):
        self.close(call, call["args"]["rc"])

    def collnet_closeColl(self, call):
        self.close(call, call["args"]["cc"])

    def close(self, call, comm):
        self.add(f"{self.roles[call['t']]} close", f"{call['api']}.{call['call']} {self.names.of('comm', comm)}")


def poll_count(call):
    count = call.get("count", 1)
    return sum(count) if isinstance(count, list) else count
