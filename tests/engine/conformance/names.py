"""Names for the objects in a trace that do not depend on the order in which they came to be."""


class Names:
    def __init__(self, calls):
        self._comms = {}       # "s0" -> "send to rank1/l0"
        self._contexts = {}    # "s0" -> "c0"
        self._receivers = {}   # "l0" -> "receive at l0"
        self._memory = {}      # "m3" -> "receive at l0 #0"
        self._memory_comm = {}
        self._buffers = {}     # "m3" -> "b3"
        self._ends_at = {}     # "m4" -> "b3": the buffer right before
        self._registered = {}  # comm -> handles registered so far
        self._completions = {}
        self._folded_tests = {}
        for call in calls:
            self._learn(call)
        self._first_user = self._first_users()

    def _learn(self, call):
        args, out = call["args"], call["out"]
        name = f"{call['api']}.{call['call']}"
        if name == "net.listen":
            self._receivers[out["lc"]] = f"receive at {out['lc']}"
            self._contexts[out["lc"]] = args.get("ctx")
        elif name == "net.connect" and out["sc"] is not None:
            self._comms[out["sc"]] = f"send to {args['handle']}"
            self._contexts[out["sc"]] = args.get("ctx")
        elif name == "net.accept" and out["rc"] is not None:
            self._comms[out["rc"]] = self._receivers[args["lc"]]
            self._contexts[out["rc"]] = self._contexts[args["lc"]]
        elif name == "collnet.connect":
            self._comms[out["cc"]] = f"collnet {out['cc']}"
        elif call["call"] == "regMr":
            handles = self._registered.setdefault(args["comm"], [])
            self._memory[out["mr"]] = f"[{len(handles)}]"
            self._memory_comm[out["mr"]] = args["comm"]
            handles.append(out["mr"])
            self._buffers[out["mr"]] = args["buf"]
            self._ends_at[out["mr"]] = args.get("starts_at_end_of")
        elif call["call"] == "test":
            self._learn_test(call)

    def _learn_test(self, call):
        out = call["out"]
        if call["ret"] != "ok":
            self._completions[call["args"]["req"]] = f"-> {call['ret']}"
        elif out["done"] == 1:
            sizes = "" if call["args"].get("sizes") is None else f" {out['sizes']}"
            self._completions[call["args"]["req"]] = f"-> done{sizes}"

    def _first_users(self):
        users = {}
        for memory, buffer in self._buffers.items():
            users.setdefault(buffer, []).append(self._qualified(memory))
        return {buffer: min(names) for buffer, names in users.items()}

    def _qualified(self, memory):
        comm = self._memory_comm[memory]
        return f"{self._comms.get(comm, comm)} {self._memory[memory]}"

    def placement(self, memory):
        """Whether the memory is another connection's, or begins where this connection's previous buffer ends."""
        words = []
        first = self._first_user[self._buffers[memory]]
        if first != self._qualified(memory):
            words.append(f"same as {first}")
        handles = self._registered[self._memory_comm[memory]]
        position = handles.index(memory)
        if position > 0 and self._ends_at[memory] == self._buffers[handles[position - 1]]:
            words.append("follows the previous")
        return " ".join(words)

    def receiver_of(self, listener):
        return self._receivers[listener]

    def context_of(self, comm):
        return self._contexts.get(comm)

    def completion(self, request):
        """What test() said of a request in the end."""
        return self._completions.get(request, "-> unfinished")

    def request_comm(self, request):
        return self._request_comms.get(request)

    def of(self, key, value):
        if key in ("comm", "sc", "rc", "cc"):
            return self._comms.get(value, value)
        if key == "mr":
            return f"{self._qualified(value)}" if value in self._memory else value
        return value
