"""Real workers on loopback over the host engine: replicas stay equal and learn, replays count, failures are reported.

Needs the packages of tools/setup --train; ends with 77, which says skipped, where they are missing."""
import contextlib
import io
import pathlib
import subprocess
import sys
import unittest
import unittest.mock

import jobs
import learn
import methods
import netns
import ranks
import replay
import train

JOB = jobs.Job("gpt", "tiny", 2)
HOSTS = [netns.Loopback()] * 2


class Workers(unittest.TestCase):
    def learn(self, name, **options):
        return learn.run(HOSTS, JOB, methods.parse(name), 4, 2, **options)

    def test_replicas_stay_equal_and_lossless_learns_what_dense_learns(self):
        dense, lossless, top = self.learn("dense-f32"), self.learn("lossless"), self.learn("topk:0.1")
        self.assertEqual([each["step"] for each in dense], [2, 4])
        self.assertEqual([each["hash"] for each in dense], [each["hash"] for each in lossless])
        self.assertNotEqual(dense[-1]["hash"], top[-1]["hash"])
        self.assertLess(dense[-1]["loss"], dense[0]["loss"])

    def test_a_diverged_replica_ends_the_run(self):
        with self.assertRaisesRegex(jobs.TrainError, "the replicas differ: not all ranks have the same weights after step 2"):
            self.learn("dense-f32", extra={"spoil": 1})

    def test_the_program_ends_with_1_when_replicas_differ(self):
        words = ["train", "--model", "gpt", "--size", "tiny", "--workers", "2", "--only", "accuracy", "--method",
                 "dense-f32", "--steps", "1", "--rate", "none", "--spoil", "0"]
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors), unittest.mock.patch.object(sys, "argv", words), \
                unittest.mock.patch.object(netns, "unavailable", return_value="not for this test"):
            self.assertEqual(train.main(), 1)
        self.assertIn("the replicas differ", errors.getvalue())

    def test_a_replay_takes_every_method_and_counts_its_steps(self):
        for name in ("dense-f32", "dense-bf16", "topk:0.01", "reference"):
            carried, steps = replay.run(HOSTS, JOB, methods.parse(name), 0.02, 4, stages=(1, 2))
            self.assertEqual([step["number"] for step in steps], [0, 1, 2, 3])
            self.assertTrue(carried.startswith(methods.parse(name).plugin), carried)
            self.assertTrue(all(step["seconds"] > 0 and step["pause"] >= 0.02 - 1e-9 for step in steps))
            self.assertIsNone(steps[0]["ratio"], "loopback's counters are everybody's")

    def test_a_worker_that_fails_is_reported_with_its_text(self):
        with self.assertRaisesRegex(jobs.TrainError, "ended early(.|\n)*libnccl-net-absent.so"):
            replay.run(HOSTS, JOB, methods.Method("dense-f32", plugin="absent"), 0, 1, stages=(1,))

    def test_the_resnet_keeps_its_units(self):
        """Exact zeros are what dead units leave; they make every codec look better than it is."""
        folder = jobs.captured(jobs.Job("resnet", "small", 2), (30,))
        interpreter, env = jobs.python()
        count = ("import numpy, sys\nvalues = numpy.load(sys.argv[1])\nprint((values == 0).mean())")
        done = subprocess.run([interpreter, "-c", count, folder / "stage0-rank0.npy"], env={**jobs.os.environ, **env},
                              check=True, capture_output=True, text=True)
        self.assertLess(float(done.stdout), 0.1)


def main():
    reason = jobs.missing("numpy", "sklearn", "torch")
    if reason:
        print(f"skipped: {reason}")
        return 77
    ranks.forget_settings()
    # test_exchange.py needs numpy, which only the workers' Python may have.
    interpreter, env = jobs.python()
    path = ":".join([env.get("PYTHONPATH", ""), *[each for each in sys.path if each]])
    exchanges = subprocess.run([interpreter, pathlib.Path(__file__).parent / "test_exchange.py"],
                               env={**jobs.os.environ, "PYTHONPATH": path}, check=False)
    found = unittest.main(exit=False)
    return 0 if exchanges.returncode == 0 and found.result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
