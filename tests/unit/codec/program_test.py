#!/usr/bin/env python3
"""Runs netsense-codec as a user would. Arguments: the program, the folder of captured data."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM, CAPTURED = sys.argv[1], pathlib.Path(sys.argv[2])


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=60)


class Program(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="netsense-codec-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_a_file_shrinks_and_comes_back(self):
        original = CAPTURED / "resnet-gradients-late-bf16.safetensors"
        packed, back = self.folder / "packed.nsc", self.folder / "packed"
        for tier in ("fast", "tight"):
            done = run("compress", original, "--tier", tier, "-o", packed, "--force")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertLess(packed.stat().st_size, 0.8 * original.stat().st_size)
            self.assertEqual(run("decompress", packed, "--force").returncode, 0)
            self.assertEqual(back.read_bytes(), original.read_bytes())

    def test_nothing_is_overwritten_unasked(self):
        (self.folder / "a").write_bytes(b"data")
        (self.folder / "a.nsc").write_bytes(b"precious")
        done = run("compress", self.folder / "a")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--force", done.stderr)
        self.assertEqual((self.folder / "a.nsc").read_bytes(), b"precious")

    def test_a_damaged_file_leaves_no_output(self):
        (self.folder / "a").write_bytes(os.urandom(1000))
        self.assertEqual(run("compress", self.folder / "a").returncode, 0)
        (self.folder / "a").unlink()
        packed = bytearray((self.folder / "a.nsc").read_bytes())
        packed[500] ^= 1
        (self.folder / "a.nsc").write_bytes(packed)
        done = run("decompress", self.folder / "a.nsc")
        self.assertEqual(done.returncode, 1)
        self.assertIn("a.nsc: its checksum is wrong", done.stderr)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["a.nsc"])

    def test_errors_name_the_file(self):
        (self.folder / "a.safetensors").write_bytes(b"short")
        (self.folder / "empty").touch()
        for path, text in ((self.folder / "none", "cannot be opened"), (self.folder, "is a folder"),
                           (self.folder / "empty", "nothing in it to measure"), (self.folder / "a.safetensors", "header is cut off")):
            done = run("bench", path)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"{path}: ", done.stderr)
            self.assertIn(text, done.stderr)

    def test_wrong_usage_is_not_success(self):
        for arguments in ((), ("bench",), ("compress", "x", "--type", "f33"), ("compress", "x", "--tier", "best")):
            self.assertEqual(run(*arguments).returncode, 2)
        self.assertEqual(run("--help").returncode, 0)

    def test_bench_as_json(self):
        path = CAPTURED / "gpt-weights-late-f32.safetensors"
        done = run("bench", path, "--milliseconds", 0, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        result, = json.loads(done.stdout)["results"]
        self.assertEqual((result["file"], result["type"]), (str(path), "f32"))
        self.assertEqual(set(result["coders"]), {"fast", "tight", "zstd-1", "lz4"})
        self.assertLess(result["coders"]["tight"]["over_bound"], 1.03)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
