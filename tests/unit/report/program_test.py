"""netsense-report as a user runs it, on the traces of a real all-reduce between two processes on loopback."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

import netns
import ranks

SVG = "{http://www.w3.org/2000/svg}"


def report(*arguments):
    return subprocess.run([str(ranks.build_folder() / "bin" / "netsense-report"), *map(str, arguments)],
                          capture_output=True, text=True, timeout=60, check=False)


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        ranks.forget_settings()
        cls.folder = tempfile.TemporaryDirectory()
        env = {**ranks.plugin_environment("netsense"), "NCCL_SOCKET_IFNAME": "lo", "NETSENSE_CODEC": "fast",
               "NETSENSE_TRACE": cls.folder.name}
        words = [ranks.perf(), "all_reduce", "-b", "4M", "-e", "4M", "-n", "3", "-w", "1", "--engine", "host"]
        with ranks.Ranks([netns.Loopback] * 2, words, env) as group:
            statuses = group.wait(120)
            if any(statuses):
                raise AssertionError(f"{statuses}\n{group.everything()}")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_what_one_rank_sent_the_other_received(self):
        done = report(self.folder.name, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual(sorted(trace["rank"] for trace in found["traces"]), [0, 1])
        self.assertTrue(all(trace["complete"] for trace in found["traces"]))
        for field in ("raw_bytes", "wire_bytes", "blocks"):
            sent, received = (sum(path[field] for path in found["paths"] if path["direction"] == direction)
                              for direction in ("send", "receive"))
            self.assertGreater(sent, 0)
            self.assertEqual(sent, received, field)
        sender = next(path for path in found["paths"] if path["direction"] == "send")
        self.assertEqual(sender["raw_bytes"], sum(codec["raw_bytes"] for codec in sender["codecs"].values()))
        self.assertEqual(sender["blocks"], sum(codec["blocks"] for codec in sender["codecs"].values()))

    def test_the_page_and_the_picture_are_whole_and_need_nothing_else(self):
        page, picture = (os.path.join(self.folder.name, name) for name in ("report.html", "plot.svg"))
        done = report(self.folder.name, "-o", page, "--svg", picture)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("rank 0 to 127.0.0.1", done.stdout)
        root = xml.etree.ElementTree.parse(picture).getroot()
        self.assertEqual(root.tag, f"{SVG}svg")
        text = " ".join("".join(element.itertext()) for element in root.iter(f"{SVG}text"))
        for panel in ("Queue delay", "Bandwidth", "Sent as"):
            self.assertIn(panel, text)
        html = pathlib.Path(page).read_text(encoding="utf-8")
        self.assertLess(len(html), 2 << 20)
        for section in ("Summary", "Queue delay", "Bandwidth", "Decisions", "rank 1 to"):
            self.assertIn(section, html)
        for foreign in ("src=", "<script", "url(", "@import", "<link"):
            self.assertNotIn(foreign, html)

    def test_a_cut_trace_is_named_and_shown_as_far_as_it_goes(self):
        whole = next(pathlib.Path(self.folder.name).glob("*.trace"))
        with tempfile.TemporaryDirectory() as folder:
            cut = pathlib.Path(folder) / "cut.trace"
            cut.write_bytes(whole.read_bytes()[:-3])
            done = report(cut, "--json")
        found = json.loads(done.stdout)
        self.assertFalse(found["traces"][0]["complete"])
        self.assertIn("at byte", found["traces"][0]["remarks"][0])
        self.assertGreater(found["paths"][0]["raw_bytes"], 0)

    def test_what_is_no_trace_is_an_error_that_names_it(self):
        done = report(__file__)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("program_test.py", done.stderr + done.stdout)
        missing = report("/nonexistent.trace")
        self.assertNotEqual(missing.returncode, 0)
        self.assertIn("/nonexistent.trace", missing.stderr)


if __name__ == "__main__":
    unittest.main()
