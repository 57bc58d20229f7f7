"""The parts of the trainer and of its benchmarks that need neither numpy nor a network: names, plans, verdicts, pictures."""
import argparse
import json
import pathlib
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree

import bench_results
import bench_step
import bench_train
import jobs
import learn
import methods
import netns
import replay
import replicas
import scenarios
import svg
import tables
import train

INFO = jobs.ranks.build_folder() / "bin" / "netsense-info"


class Methods(unittest.TestCase):
    def test_every_documented_name_is_taken_and_others_are_not(self):
        for name in ("dense-f32", "dense-bf16", "topk:0.1", "topk:0.01:plain", "lossless", "reference", "model", "netsenseml",
                     "fixed:lossless", "fixed:q8", "fixed:q2", "fixed:top0.01q4"):
            self.assertEqual(methods.parse(name).name, name)
        for name in ("dense", "topk", "topk:0", "topk:2", "topk:0.1:bare", "fixed:q1", "fixed:q9", "fixed:top2q4", ""):
            with self.assertRaisesRegex(ValueError, "no method"):
                methods.parse(name)

    def test_adaptive_methods_ask_for_the_adaptive_mode_and_baselines_turn_compression_off(self):
        self.assertEqual(dict(methods.parse("model").settings),
                         {"NETSENSE_MODE": "adaptive", "NCCL_COLLNET_ENABLE": "1", "NETSENSE_LOSSY_CONTROLLER": "model"})
        for name in ("dense-f32", "dense-bf16", "topk:0.1"):
            self.assertEqual(dict(methods.parse(name).settings), {"NETSENSE_MODE": "off"})
        self.assertTrue(methods.parse("topk:0.1").feedback)
        self.assertFalse(methods.parse("topk:0.1:plain").feedback)

    def test_buckets_end_with_the_parameter_that_fills_them(self):
        self.assertEqual(methods.bucket_elements([10, 10, 30, 5], 80), [20, 30, 5])
        self.assertEqual(methods.bucket_elements([100], 4), [100])

    def test_the_codec_to_learn_with_never_sends_more(self):
        self.assertEqual(methods.fixed_for(0.9), "fixed:lossless")
        self.assertEqual(methods.fixed_for(0.6), "fixed:q8")
        self.assertEqual(methods.fixed_for(4.0625 / 32), "fixed:q4")
        self.assertEqual(methods.fixed_for(4.06 / 32), "fixed:q3")
        self.assertEqual(methods.fixed_for(methods.sparse_ratio(0.05, 4)), "fixed:top0.05q4")
        self.assertEqual(methods.fixed_for(1e-6), "fixed:top0.005q4")

    def test_dense_bytes_are_those_of_a_ring(self):
        self.assertEqual(methods.dense_bytes(1000, 2), 4000)
        self.assertEqual(methods.dense_bytes(1000, 8), 7000)


class Plans(unittest.TestCase):
    def test_each_stage_is_warmed_up_and_every_step_counts_once(self):
        plan = list(replay.plan(5, 2, warmup=2))
        self.assertEqual([number for _, number in plan if number is not None], list(range(5)))
        for stage in (0, 1):
            own = [number for each, number in plan if each == stage]
            self.assertEqual(own[:2], [None, None])
            self.assertNotIn(None, own[2:])

    def test_bytes_of_a_step_are_differences_averaged_over_the_ranks(self):
        counters = [[(0, 0), (100, 0)], [(10, 1), (130, 3)], [(10, 1), (130, 3)]]
        self.assertEqual(replay.sent_per_step(counters), [(20, 2), (0, 0)])

    def test_throughput_counts_pause_and_exchange(self):
        step = {"pause": 0.05, "seconds": 0.15, "ratio": None, "cores": 1, "sent_bytes": None, "first_ratio": None}
        found = replay.summary(jobs.Job(workers=4), [step, step])
        self.assertAlmostEqual(found["samples_per_second"], 4 * 32 / 0.2)
        self.assertIsNone(found["ratio"])

    def test_the_bandwidth_follows_its_course(self):
        self.assertEqual(scenarios.static(8, 10), [(0.0, 8)])
        falling = scenarios.degrading(1000, 10)
        self.assertEqual((falling[0], falling[-1]), ((0.0, 1000), (8.0, 100)))
        course = scenarios.fluctuating(400, 20)
        self.assertEqual(course, scenarios.fluctuating(400, 20), "the same for every method")
        self.assertEqual({rate for _, rate in course}, {400, 100})
        self.assertAlmostEqual(scenarios.mean_rate([(0.0, 100), (4.0, 50)], 8), 75)


class Verdicts(unittest.TestCase):
    def test_a_diverged_rank_is_named(self):
        self.assertEqual(replicas.same(["a", "a"], "weights"), "a")
        with self.assertRaisesRegex(jobs.TrainError, r"same weights after step 7(.|\n)*rank 1: b   <- differs"):
            replicas.same(["a", "b", "a"], "weights after step 7")

    def test_model_learns_with_the_least_that_it_sent_once_settled(self):
        steps = [{"first_ratio": ratio} for ratio in (0.01, 0.9, 0.3, 0.2)]
        self.assertEqual(learn.codec_for(methods.parse("model"), steps).name, methods.fixed_for(0.2))
        self.assertEqual(learn.codec_for(methods.parse("netsenseml"), steps).name, "netsenseml")
        with self.assertRaisesRegex(jobs.TrainError, "loopback"):
            learn.codec_for(methods.parse("model"), [{"first_ratio": None}])

    def test_a_target_is_reached_at_the_first_evaluation_there(self):
        found = [{"step": 5, "accuracy": 0.5, "loss": 2}, {"step": 10, "accuracy": 0.9, "loss": 1}]
        self.assertEqual(learn.steps_to(found, accuracy=0.6), 10)
        self.assertEqual(learn.steps_to(found, loss=2), 5)
        self.assertIsNone(learn.steps_to(found, accuracy=0.95))

    @staticmethod
    def course(slow, after):
        fast = [{"ms": 20, "ratio": 0.9}] * 8
        return fast + [{"ms": each, "ratio": 0.2} for each in slow] + [{"ms": 20, "ratio": each} for each in after]

    def test_bench_step_tells_a_controller_that_follows_from_one_that_does_not(self):
        follows = self.course([300] * 5 + [90] * 3, [0.2] * 5 + [0.9] * 3)
        self.assertEqual(list(bench_step.misses(follows, 50)), [])
        idle = self.course([300] * 8, [0.9] * 8)
        miss, = bench_step.misses(idle, 50)
        self.assertIn("the drop to 200mbit (exchange in 95 ms) is not answered", miss)
        late = self.course([300] * 6 + [90] * 2, [0.2] * 8)
        self.assertEqual(len(list(bench_step.misses(late, 50))), 2)

    def test_bench_train_names_what_is_too_slow_or_loses_accuracy(self):
        def entry(rate, method, over):
            return {"rate": rate, "method": method, "model_over": over, "interval": [over, over + 0.01]}
        good = {"speed": [entry("200mbit", "dense-f32", 8), entry("200mbit", "topk:0.1", 9.84),
                          entry("10gbit", "dense-f32", 0.98), entry("10gbit", "topk:0.1", 0.1), entry("200mbit", "model", 1)],
                "codec": "fixed:q4", "accuracy": [{"learnt_with": "fixed:q4", "over_dense": -0.3}]}
        self.assertEqual(list(bench_train.misses(good)), [])
        bad = {**good, "speed": [entry("200mbit", "dense-f32", 7.9), entry("200mbit", "topk:0.1", 9.8), entry("10gbit", "dense-f32", 0.9)],
               "accuracy": [{"learnt_with": "fixed:q4", "over_dense": loss} for loss in (-0.1, -0.6)]}
        self.assertEqual(len(list(bench_train.misses(bad))), 4)
        unsure = {**good, "speed": [{**entry("10gbit", "dense-f32", 0.97), "interval": [0.9, 1.1]}]}
        miss, = bench_train.misses(unsure)
        self.assertIn("(not certain: 0.90 to 1.10)", miss)

    @unittest.skipUnless(INFO.exists(), f"{INFO} is not built")
    def test_a_setting_that_the_build_does_not_take_is_seen(self):
        unknown = methods.Method("x", settings=(("NETSENSE_NO_SUCH_SETTING", "1"),))
        self.assertEqual(len(jobs.refused(unknown)), 1)
        self.assertEqual(jobs.label(unknown), "x (acts as lossless)")
        self.assertEqual(jobs.refused(methods.parse("dense-f32")), [])
        self.assertEqual(jobs.label(methods.parse("reference")), "reference")


class Output(unittest.TestCase):
    def test_figures_that_were_not_taken_are_dashes(self):
        header, (row,) = train.table([{"method": "model", "step_seconds": 0.1, "accuracy": 0.9125}])
        shown = dict(zip(header, row, strict=True))
        self.assertEqual((shown["step ms"], shown["accuracy %"], shown["loss"]), ("100.0", "91.25", "-"))

    def test_markdown_keeps_bars_out_of_its_cells(self):
        self.assertEqual(tables.markdown_table(["a", "b"], [["x|y", 1]]), "| a | b |\n| --- | ---: |\n| x\\|y | 1 |\n")

    def test_a_picture_is_xml_with_a_line_for_each_series(self):
        picture = svg.lines("a < b", "x", "y", {"one": [(1, 1), (10, 100)], "two": [(1, 5), (0, 3)]}, True, True)
        root = xml.etree.ElementTree.fromstring(picture)
        drawn = root.findall("{http://www.w3.org/2000/svg}polyline")
        self.assertEqual([len(line.get("points").split()) for line in drawn], [2, 1], "0 has no logarithm")
        (left, low), (right, high) = [map(float, each.split(",")) for each in drawn[0].get("points").split()]
        self.assertLess(left, right)
        self.assertGreater(low, high, "larger values are further up")
        with self.assertRaisesRegex(ValueError, "nothing to draw"):
            svg.lines("t", "x", "y", {"one": [(0, 1)]}, log_x=True)

    def test_a_sweep_goes_on_where_it_was_cut_off(self):
        setting = {"plugin": "1"}
        whole = {"course": "static", "rate": "1gbit", "method": "model", "setting": setting}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "points.jsonl"
            other = {**whole, "method": "reference", "setting": {"plugin": "2"}}
            path.write_text("\n".join([json.dumps(whole), json.dumps(other), json.dumps(whole)[:20]]), encoding="utf-8")
            self.assertEqual(list(bench_results.measured_before(path, setting)), [("static", "1gbit", "model")])
            arguments = argparse.Namespace(courses="static", rates="1gbit", methods="model,reference")
            fresh = {"samples_per_second": 1}
            with unittest.mock.patch.object(bench_results, "measure", return_value=fresh) as measure:
                bench_results.sweep(None, arguments, path, setting)
                self.assertEqual([call.args[1][2] for call in measure.call_args_list], ["reference"])
                bench_results.sweep(None, arguments, path, setting)
                self.assertEqual(measure.call_count, 1, "written at once, though the line before was cut off")


if __name__ == "__main__":
    unittest.main()
