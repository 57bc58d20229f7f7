"""netsense-top and netsense-exporter as a user runs them, on the statistics of a process that lives.

Usage: programs_test.py FOLDER_OF_THE_PROGRAMS PROGRAM_THAT_MAKES_STATISTICS
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest
import urllib.request

BIN, WRITER = sys.argv[1:3]

SAMPLE = re.compile(r'^[a-zA-Z_:][a-zA-Z0-9_:]*(\{([a-zA-Z_]\w*="[^"\\\n]*",?)*\})? (N[aA][nN]|[+-]?Inf|[+-]?[0-9.e+-]+)$')


def run(program, *arguments):
    return subprocess.run([os.path.join(BIN, program), *arguments], capture_output=True, text=True, timeout=60)


def samples(text):
    """The metrics of Prometheus's text format; raises AssertionError where it is not."""
    found, helped, typed = {}, set(), set()
    for line in text.splitlines():
        if line.startswith("# HELP "):
            name = line.split(" ")[2]
            assert name not in helped, f"{name} twice"
            helped.add(name)
        elif line.startswith("# TYPE "):
            typed.add(line.split(" ")[2])
        else:
            assert SAMPLE.match(line), line
            name, value = line.rsplit(" ", 1)
            assert name not in found, f"{name} twice"
            found[name] = float(value)
    for name in found:
        family = re.sub(r"(_bucket|_sum|_count)$", "", name.split("{")[0])
        assert family in helped or name.split("{")[0] in helped, f"{name} has no HELP"
    assert helped == typed
    return found


class Programs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.writer = subprocess.Popen([WRITER, self.folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.stop_writer)
        self.assertEqual(self.writer.stdout.readline(), "ready\n")

    def stop_writer(self):
        if self.writer.stdin and not self.writer.stdin.closed:
            self.writer.stdin.close()
        self.writer.wait(60)
        self.writer.stdout.close()

    def test_top_once(self):
        result = run("netsense-top", "--once", "--dir", self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("10.0.0.2:4321", result.stdout)
        self.assertIn(f"{self.writer.pid} on ", result.stdout)
        self.assertNotIn("\x1b", result.stdout)
        other = run("netsense-top", "--once", "--dir", self.folder, "--peer", "10.0.0.77")
        self.assertNotIn("10.0.0.2", other.stdout)

    def test_top_json(self):
        result = run("netsense-top", "--once", "--json", "--dir", self.folder)
        process, = json.loads(result.stdout)["processes"]
        self.assertEqual(process["pid"], self.writer.pid)
        connection, = process["connections"]
        self.assertEqual((connection["raw_bytes"], connection["wire_bytes"]), (1000, 640))
        self.assertEqual(connection["blocks"]["fast"], 1)
        self.assertEqual(connection["state"], "open")

    def test_the_dead_are_not_shown(self):
        self.writer.kill()
        self.writer.wait(60)
        self.assertEqual(len(os.listdir(self.folder)), 1)
        found = json.loads(run("netsense-top", "--once", "--json", "--dir", self.folder).stdout)
        self.assertEqual((found["processes"], found["leftovers"]), ([], 1))

    def test_an_orderly_end_leaves_nothing(self):
        self.stop_writer()
        self.assertEqual(self.writer.returncode, 0)
        self.assertEqual(os.listdir(self.folder), [])

    def test_text_file(self):
        path = os.path.join(self.folder, "out.prom")
        result = run("netsense-exporter", "--once", "--textfile", path, "--dir", self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(path, encoding="ascii") as file:
            self.check_metrics(samples(file.read()))

    def check_metrics(self, found):
        labels = f'pid="{self.writer.pid}",direction="send",peer="10.0.0.2",device="eth0"'
        self.assertEqual(found["netsense_raw_bytes_total{" + labels + "}"], 1000)
        self.assertEqual(found["netsense_wire_bytes_total{" + labels + "}"], 640)
        self.assertEqual(found["netsense_queue_delay_seconds_count{" + labels + "}"], 1)

    def test_http(self):
        command = [os.path.join(BIN, "netsense-exporter"), "--listen", "127.0.0.1:0", "--dir", self.folder]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as exporter:
            try:
                port = int(re.search(r"port (\d+)", exporter.stdout.readline()).group(1))
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
                    self.check_metrics(samples(answer.read().decode("ascii")))
            finally:
                exporter.send_signal(signal.SIGTERM)
            self.assertEqual(exporter.wait(60), 0)

    def test_wrong_usage(self):
        self.assertEqual(run("netsense-exporter", "--once").returncode, 2)
        self.assertEqual(run("netsense-top", "--sort", "colour").returncode, 2)
        missing = run("netsense-top", "--once", "--dir", self.folder + "/missing")
        self.assertEqual(missing.returncode, 1)
        self.assertIn("missing", missing.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
