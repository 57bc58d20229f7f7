"""The test network itself: it limits, it damages, and it leaves nothing behind. The other tests rest on this."""
import os
import signal
import subprocess
import sys
import unittest

import scene
from scene import netns

import goodput

OWNER = f"""
import sys
sys.path.insert(0, {os.path.dirname(netns.__file__)!r})
import netns, signal
with netns.Network(hosts=1) as network:
    network.hosts[0].popen(["sleep", "1000"])
    print(network.hosts[0].namespace, flush=True)
    signal.pause()
"""


class Shaping(scene.NetTest):
    def test_rate_and_change_of_rate(self):
        """The limits come out as asked, to a tenth: the ratio of two rates in one run."""
        self.network.shape_all("200mbit")
        fast = goodput.iperf3(*self.hosts, seconds=2)
        self.network.shape_all("20mbit")
        slow = goodput.iperf3(*self.hosts, seconds=2)
        self.assertAlmostEqual(fast / slow, 10, delta=2.5)


class LeftOvers(unittest.TestCase):
    def left_after(self, sent):
        owner = subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, text=True)
        namespace = owner.stdout.readline().strip()
        self.assertTrue(os.path.exists(f"/run/netns/{namespace}"))
        deadline = scene.time.monotonic() + 30
        inside = []
        while not inside and scene.time.monotonic() < deadline:  # started, but perhaps not yet in the namespace
            inside = [int(pid) for pid in netns.command("ip", "netns", "pids", namespace).split()]
        self.assertEqual(len(inside), 1)
        owner.send_signal(sent)
        owner.wait()
        owner.stdout.close()
        network = namespace.rsplit("-", 1)[0]

        def remains():
            return ([name for name in os.listdir("/run/netns") if name.startswith(network)] +
                    [pid for pid in inside if os.path.exists(f"/proc/{pid}")])

        deadline = scene.time.monotonic() + 30
        while remains() and scene.time.monotonic() < deadline:
            scene.time.sleep(0.05)
        return remains()

    def test_interrupted(self):
        self.assertEqual(self.left_after(signal.SIGINT), [])

    def test_terminated(self):
        self.assertEqual(self.left_after(signal.SIGTERM), [])

    def test_killed(self):
        self.assertEqual(self.left_after(signal.SIGKILL), [])


if __name__ == "__main__":
    scene.main()
