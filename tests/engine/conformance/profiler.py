"""Profiler events as a tree whose nodes are named by what they are."""

# How often the service thread sleeps and wakes depends on time only.
IGNORED_TYPES = {"ProxyCtrl"}
# In the other states the recorded size is a left-over of the previous step.
STATES_WITH_SIZE = {"SendWait", "RecvFlushWait", "RecvGPUWait"}
# Where the buffers lie is the program's business.
IGNORED_ARGUMENTS = {"ctx", "parent", "type", "sendBuff", "recvBuff"}


class ProfilerEvents:
    def __init__(self, calls, names):
        self.calls = calls
        self.names = names
        self.paths = {}     # "p4" -> "Group 0/Coll 0/ProxyOp ..."
        self.lines = {}     # "p4" -> lines
        self.siblings = {}  # (parent path, key) -> how many so far
        self.by_number = {call["n"]: call for call in calls}
        for call in calls:
            if call["api"] == "prof" and "type" in call["args"]:
                self.learn(call)

    def learn(self, call):
        args = call["args"]
        if args["type"] in IGNORED_TYPES:
            return
        if call["call"] == "startEvent":
            self.start(call)
        elif call["call"] == "recordEventState":
            size = f" transSize={args['transSize']}" if args["state"] in STATES_WITH_SIZE else ""
            self.lines[args["h"]].append(f"{args['state']}{size}")
        else:
            self.lines[args["h"]].append(f"stopped{self.place(call)}")

    def start(self, call):
        args = call["args"]
        parent = self.paths.get(args["parent"], args["parent"])
        base = f"{parent}/{self.key(args)}" if parent else self.key(args)
        number = self.siblings.get(base, 0)
        self.siblings[base] = number + 1
        event = call["out"]["h"]
        self.paths[event] = f"{base} {number}"
        shown = {key: value for key, value in args.items() if key not in IGNORED_ARGUMENTS}
        if "parentGroup" in shown:
            shown["parentGroup"] = self.paths.get(shown["parentGroup"], shown["parentGroup"])
        text = " ".join(f"{key}={value}" for key, value in shown.items())
        self.lines[event] = [f"started {text}{self.place(call)}"]

    @staticmethod
    def key(args):
        kind = args["type"]
        if kind == "ProxyOp":
            direction = "send" if args["isSend"] else "recv"
            return f"ProxyOp channel {args['channelId']} {direction} {args['peer']}"
        if kind == "ProxyStep":
            return f"step {args['step']}"
        if kind in ("P2p", "P2pApi"):
            return f"{kind} {args['func']} {args.get('peer', '')}".strip()
        return kind

    def place(self, call):
        """Inside which call of the plugin the event was reported."""
        outer = self.by_number.get(call.get("in"))
        if outer is None:
            return ""
        if outer["call"] == "test":
            return " inside test"
        comm = outer["args"].get("sc") or outer["args"].get("rc") or outer["args"].get("cc")
        return f" inside {outer['call']} on {self.names.of('comm', comm)}"

    def name_in(self, call):
        if call["call"] == "startEvent":
            return f"starts {self.paths.get(call['out']['h'])}"
        args = call["args"]
        return f"{args.get('state', 'stops')} {self.paths.get(args['h'])}"

    def sections(self):
        return {f"profiler event {self.paths[event]}": lines for event, lines in self.lines.items()}
