"""What iperf3 moves through a link: the limit that a benchmark is compared with."""
import json
import subprocess
import time


def iperf3(sender, receiver, seconds=3, streams=1):
    """Goodput from host to host in bytes per second."""
    with receiver.popen(["iperf3", "-s", "-1"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL) as server:
        try:
            return _measure(sender, receiver.address(), seconds, streams)
        finally:
            server.kill()


def _measure(sender, address, seconds, streams):
    deadline = time.monotonic() + 10
    while True:
        done = sender.run(["iperf3", "-c", address, "-t", seconds, "-P", streams, "-J"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        result = json.loads(done.stdout) if done.stdout.strip().startswith("{") else {}
        if "sum_received" in result.get("end", {}):
            return result["end"]["sum_received"]["bits_per_second"] / 8
        # The server may not be listening yet.
        if "refused" not in result.get("error", "") or time.monotonic() > deadline:
            raise RuntimeError(f"iperf3 failed: {result.get('error') or done.stderr.strip()}")
        time.sleep(0.05)
