"""The benchmark drivers work: figures are computed as said, and a short real run ends with the promised object.

Proves nothing about speed.
"""
import contextlib
import io
import json
import subprocess
import sys
import unittest
import unittest.mock
import xml.etree.ElementTree

import bench_codec
import bench_congested
import bench_idle
import bench_latency
import bench_raw
import bench_truth
import captured
import demo
import figures
import netns
import p2p
import plot_controllers
import ranks


class Figures(unittest.TestCase):
    def test_ratio_is_the_median_of_ratios_of_neighbours(self):
        # The machine was ten times slower in the second round, for both.
        self.assertEqual(figures.median_ratio([2, 20, 3], [1, 10, 3]), 2)

    def test_interval_of_a_ratio_leaves_out_as_many_at_both_ends(self):
        # 2 (1 + 16 + 120 + 560) / 2^16 = 2.1 % are outside with three left out at each end, 7.7 % with four.
        self.assertEqual(figures.ratio_interval(range(1, 17), [1] * 16), [4, 13])
        self.assertEqual(figures.ratio_interval(range(1, figures.CERTAIN_FROM + 1), [1] * 6), [1, 6])
        self.assertEqual(figures.ratio_interval([3, 1], [1, 1]), [1, 3])

    def test_spread_of_equal_values_is_zero(self):
        self.assertEqual(figures.spread([5, 5, 5]), 0)
        self.assertEqual(figures.spread([5]), 0)
        self.assertGreater(figures.spread([1, 5, 9]), 0)


class Controllers(unittest.TestCase):
    def test_the_picture_has_a_line_per_controller_and_panel_and_its_axis_is_logarithmic(self):
        simulated = subprocess.run([str(ranks.build_folder() / "bin" / "netsense_lossy_simulation")],
                                   capture_output=True, text=True, check=True).stdout
        picture = "\n".join(plot_controllers.picture(plot_controllers.read(simulated.splitlines())))
        xml.etree.ElementTree.fromstring(picture)
        self.assertEqual(picture.count("<polyline"), 3 * 2 * 3)
        row = {"begin_seconds": "5", "wire_ratio": "0.1"}
        self.assertEqual(list(plot_controllers.points([row], "wire_ratio", 1, -2, 0, 10)),
                         [(plot_controllers.WIDTH / 2, plot_controllers.HEIGHT / 2)])


class Arguments(unittest.TestCase):
    def parse(self, parse, *words):
        """The exit status, None when the arguments were taken."""
        with contextlib.redirect_stderr(io.StringIO()), unittest.mock.patch.object(sys, "argv", ["program", *words]):
            try:
                parse()
            except SystemExit as end:
                return end.code
        return None

    def test_the_demo_refuses_what_would_fail_later(self):
        for words in (("--rate", "0"), ("--rate", "fast"), ("--max", "1X"), ("--max", "8"), ("--iterations", "0"),
                      ("--ranks", "1"), ("--rate", "0", "--check-only")):
            self.assertEqual(self.parse(demo.parse_arguments, *words), 2, words)
        self.assertIsNone(self.parse(demo.parse_arguments, "--rate", "1.5gbit", "--max", "2MiB"))

    def test_check_only_ends_before_anything_is_measured(self):
        for main in (demo.main, bench_congested.main, bench_idle.main, bench_latency.main, bench_raw.main,
                     bench_truth.main):
            self.assertEqual(self.parse(main, "--check-only"), 0)
            self.assertEqual(self.parse(main, "--check-only", "--bogus"), 2)


class Truth(unittest.TestCase):
    def test_the_backlog_at_a_time_lies_between_the_looks_around_it(self):
        looks = [(1.00, 1000), (1.02, 3000), (1.50, 0)]
        self.assertAlmostEqual(bench_truth.at_time(looks, 1.015), 2500)
        self.assertIsNone(bench_truth.at_time(looks, 0.9))
        self.assertIsNone(bench_truth.at_time(looks, 1.3), "the looks are too far apart")
        self.assertIsNone(bench_truth.at_time(looks, 1.6))

    def test_errors_are_relative_to_backlog_over_rate(self):
        looks = [(1.00, 1000), (1.02, 1000)]
        self.assertAlmostEqual(bench_truth.errors([{"at": 1.01, "network_queue": 0.012}], looks, 1e5)[0], 0.2)
        self.assertEqual(bench_truth.errors([{"at": 1.01, "network_queue": 0.012}], looks, 1e8), [], "no queue")

    def test_an_estimate_has_settled_only_when_it_stays_right(self):
        lines = [{"at": 0.02 * i, "right": i % 40 > 10} for i in range(120)]
        self.assertAlmostEqual(bench_truth.settled_after(lines, 0.1, lambda line: line["right"]), 0.02 * 11 - 0.1)
        self.assertIsNone(bench_truth.settled_after(lines, 0.1, lambda line: line["right"] and line["at"] < 0.5))

    def test_what_is_outside_the_limits_is_named(self):
        steady = {"rate": "1gbit", "queue_ms": 20, "kind": "standing", "competing": True, "queue_error": 0.14,
                  "btlbw_ratio": 0.95}
        follows = {"from": "1gbit", "to": "5gbit", "allowed_s": 0.3, "btlbw_follows_s": 0.2, "queue_follows_s": 0.1}
        self.assertEqual(list(bench_truth.misses({"steady": [steady], "change": [follows]})), [])
        bad = list(bench_truth.misses({
            "steady": [{**steady, "queue_error": 0.16}, {**steady, "btlbw_ratio": 0.89}],
            "change": [{**follows, "btlbw_follows_s": None}, {**follows, "queue_follows_s": 0.4}]}))
        self.assertEqual(len(bad), 4)
        self.assertIn("1gbit, 20 ms standing, 2 flows: queue delay off by 16%", bad[0])


class Codec(unittest.TestCase):
    @staticmethod
    def result(**changes):
        coders = {"fast": {"coded_bytes": 70, "over_bound": 1.07, "encode_gb_per_s": 4, "decode_gb_per_s": 8},
                  "tight": {"coded_bytes": 68, "over_bound": 1.02, "encode_gb_per_s": 1, "decode_gb_per_s": 2},
                  "zstd-1": {"coded_bytes": 80, "over_bound": 1.2, "encode_gb_per_s": 1, "decode_gb_per_s": 1},
                  "lz4": {"coded_bytes": 100, "over_bound": 1.5, "encode_gb_per_s": 1, "decode_gb_per_s": 5}}
        for coder, figures_of_it in changes.items():
            coders[coder.replace("_", "-")].update(figures_of_it)
        return {"file": "gpt-weights-late-f32.safetensors", "type": "f32", "raw_bytes": 100, "coders": coders}

    def test_speed_is_all_bytes_over_all_time(self):
        results = [self.result(), self.result(fast={"encode_gb_per_s": 1})]
        self.assertAlmostEqual(bench_codec.speed(results, "fast", "encode"), 200 / (100 / 4 + 100))

    def test_what_misses_a_target_is_named(self):
        self.assertEqual(list(bench_codec.misses([self.result()])), [])
        for change, text in (({"fast": {"over_bound": 1.081}}, "gpt-weights-late-f32: fast is 8.1% above the bound"),
                             ({"tight": {"over_bound": 1.031}}, "tight is 3.1% above the bound"),
                             ({"zstd_1": {"coded_bytes": 69}}, "fast is not smaller than zstd-1"),
                             ({"lz4": {"encode_gb_per_s": 1.5}}, "fast encodes at 2.7 times the speed of lz4")):
            miss, = bench_codec.misses([self.result(**change)])
            self.assertIn(text, miss)


class Compression(unittest.TestCase):
    def test_what_gains_too_little_is_named(self):
        good = {"rate": "1gbit", "type": "bf16", "over_off": 1.31, "over_reference": 1.31}
        self.assertEqual(list(bench_congested.misses([good, {**good, "type": "f32", "over_off": 1.1}])), [])
        miss, = bench_congested.misses([{**good, "over_reference": 1.29}])
        self.assertEqual(miss, "1gbit, bf16: 1.29 times as fast as reference, less than 1.3")
        self.assertEqual(len(list(bench_congested.misses([{**good, "type": "f32", "over_off": 1.09}]))), 1)

    def test_what_costs_too_much_is_named(self):
        latency = {"where": "veth", "kind": "latency", "bytes": 1024, "ratio": 1.02, "interval": [1.01, 1.03]}
        bandwidth = {**latency, "kind": "bandwidth", "ratio": 0.98, "interval": [0.97, 0.99]}
        self.assertEqual(list(bench_idle.misses([latency, bandwidth])), [])
        self.assertEqual(list(bench_idle.misses([{**latency, "ratio": 1.031, "interval": [1.025, 1.04]},
                                                 {**bandwidth, "ratio": 0.975}])),
                         ["veth, 1 KiB: 1.031 of the latency without, more than 1.02",
                          "veth, 1 KiB: 0.975 of the bandwidth without, less than 0.98 (not certain: 0.970 to 0.990)"])

    def test_the_gradients_are_the_tensors_without_their_files_headers(self):
        for type_name, width in (("bf16", 2), ("f32", 4)):
            with captured.gradients(type_name) as path, open(path, "rb") as file:
                data = file.read()
            self.assertEqual(len(data), 6 * 131072 * width)
            self.assertNotIn(b"dtype", data)

    def test_a_failed_measurement_ends_with_its_reason_and_no_figures(self):
        def fail():
            raise figures.BenchError("the reason")
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            self.assertEqual(figures.run("idle", {}, fail), 1)
        self.assertEqual(output.getvalue(), "")
        self.assertEqual(errors.getvalue(), "tools/bench idle: the reason\n")


class RealRuns(unittest.TestCase):
    def test_both_plugins_stream_and_the_data_arrive(self):
        host = netns.Loopback()
        for variant in (p2p.REFERENCE, p2p.NETSENSE_FOUR):
            result = p2p.run_pair(host, host, variant, ["--bandwidth", "65536,1048576", "--seconds", 0.05], "lo")
            self.assertEqual(result["plugin"], variant[1])
            self.assertEqual([row["bytes"] for row in result["bandwidth"]], [65536, 1048576])
            self.assertTrue(all(row["gbit_per_s"] > 0 for row in result["bandwidth"]))

    def test_a_failing_plugin_is_an_error_with_its_message(self):
        host = netns.Loopback()
        with self.assertRaisesRegex(p2p.BenchError, "libnccl-net-absent.so"):
            p2p.run_pair(host, host, ("absent", "absent", {}), ["--latency", "8"], "lo")

    def test_a_sender_prints_what_it_senses(self):
        port = p2p.free_port()
        receiver = netns.Loopback.popen([bench_truth.program(), "--receive", f"127.0.0.1:{port}"])
        try:
            words = [bench_truth.program(), "--send", f"127.0.0.1:{port}", "--seconds", 0.5]
            done = netns.Loopback.run(words, stdout=subprocess.PIPE, text=True)
        finally:
            receiver.kill()
            receiver.wait()
        self.assertEqual(done.returncode, 0)
        last = json.loads(done.stdout.splitlines()[-1])
        self.assertGreater(last["rtprop"], 0)
        self.assertGreater(last["btlbw"], 0)
        self.assertGreaterEqual(last["rtt"], last["network_queue"])

    def test_a_benchmark_ends_with_one_json_object(self):
        output = io.StringIO()
        arguments = ["bench_latency", "--quick", "--repetitions", "1", "--round-trips", "20"]
        with contextlib.redirect_stdout(output), unittest.mock.patch.object(sys, "argv", arguments):
            self.assertEqual(bench_latency.main(), 0)
        result = json.loads(output.getvalue().splitlines()[-1])
        self.assertEqual(set(result), {"name", "date", "figures", "how"})
        self.assertEqual(result["name"], "latency")
        self.assertEqual(result["how"]["repetitions"], 1)
        self.assertGreater(result["figures"]["latency"][0]["ratio"], 0)

    def test_the_captured_data_are_all_measured(self):
        output = io.StringIO()
        arguments = ["bench_codec", "--quick", "--milliseconds", "0"]
        with contextlib.redirect_stdout(output), unittest.mock.patch.object(sys, "argv", arguments):
            self.assertEqual(bench_codec.main(), 0)
        result = json.loads(output.getvalue().splitlines()[-1])
        self.assertEqual(result["name"], "codec")
        self.assertEqual(len(result["figures"]["files"]), 36)
        # Sizes do not depend on the machine, speeds do.
        self.assertEqual([miss for miss in result["figures"]["outside"] if "speed" not in miss], [])


if __name__ == "__main__":
    unittest.main()
