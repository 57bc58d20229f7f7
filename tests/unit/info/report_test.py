#!/usr/bin/env python3
"""Runs netsense-info as a user would and checks what it says. Arguments: the program, the plugin library, the folder of
another plugin's libnccl-net.so."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM, LIBRARY, OTHER_FOLDER = sys.argv[1:4]


def run(*arguments, **environment):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("NCCL_", "NETSENSE_"))}
    # The machine's own configuration file must not decide; HOME is where the user's would be.
    clean.update({"HOME": "/nonexistent", "NCCL_SOCKET_IFNAME": "=lo"} | environment)
    return subprocess.run([PROGRAM, *arguments], env=clean, capture_output=True, text=True, timeout=120)


def report(*arguments, **environment):
    return json.loads(run("--json", *arguments, **environment).stdout)


class Text(unittest.TestCase):
    def test_everything_is_there_and_the_self_test_passes(self):
        result = run()
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        for part in ("netsense 0.", "versions 6 7 8 9 10 11 12", "versions 2 3 4 5 6\n", "versions 1 2 3 4 5 6\n",
                     "NETSENSE_TCP_STREAMS", "used     lo", "verbs", "CUDA", "memlock", "passed: "):
            self.assertIn(part, result.stdout)

    def test_a_misspelt_setting_is_named_and_so_is_the_right_one(self):
        result = run("--no-self-test", NETSENSE_TCP_STREMS="4")
        self.assertEqual(result.returncode, 0)
        self.assertIn("NETSENSE_TCP_STREMS=4 is ignored", result.stdout)
        self.assertIn("did you mean NETSENSE_TCP_STREAMS?", result.stdout)

    def test_wrong_usage_is_not_success(self):
        self.assertEqual(run("--nonsense").returncode, 2)
        self.assertEqual(run("--help").returncode, 0)

    def test_a_warning_is_shown_although_the_self_test_passes(self):
        result = run(NETSENSE_TCP_CONGESTION="nosuch", NETSENSE_TCP_STREMS="4")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("NETSENSE_TCP_CONGESTION=nosuch is ignored", result.stdout)
        self.assertEqual(result.stdout.count("NETSENSE_TCP_STREMS"), 1)  # not once more from the log


class Findings(unittest.TestCase):
    def test_library_and_self_test(self):
        found = report()
        self.assertTrue(os.path.samefile(found["library"]["path"], LIBRARY))
        self.assertEqual(found["library"]["network"], "netsense")
        self.assertEqual(found["library"]["exports"], {
            "net": [6, 7, 8, 9, 10, 11, 12], "collnet": [6, 7, 8, 9, 10, 11, 12], "tuner": [2, 3, 4, 5, 6], "profiler": [1, 2, 3, 4, 5, 6]})
        self.assertTrue(found["self_test"]["passed"], found["self_test"])
        self.assertEqual(found["self_test"]["devices"], ["lo"])
        self.assertIn(0, found["self_test"]["sizes"])

    def test_a_missing_library_is_a_problem_and_fails_the_self_test(self):
        result = run("--json", "--plugin", "/nonexistent.so")
        self.assertEqual(result.returncode, 1)
        found = json.loads(result.stdout)
        self.assertFalse(found["library"]["usable"])
        self.assertIn("/nonexistent.so", found["self_test"]["detail"])

    def test_no_interface_is_said_and_fails_the_self_test(self):
        result = run("--json", NETSENSE_IFNAME="=nosuchinterface")
        self.assertEqual(result.returncode, 1)
        found = json.loads(result.stdout)
        self.assertFalse(any(interface["used"] for interface in found["interfaces"]))
        self.assertIn("no device", found["self_test"]["detail"])
        # The plugin's own reason, as NCCL's log would have it.
        self.assertIn("no usable network interface", "\n".join(found["self_test"]["log"]))

    def test_without_an_interface_nccl_does_not_take_netsense(self):
        choice = report("--no-self-test", NETSENSE_IFNAME="=nosuchinterface", NCCL_NET_PLUGIN=LIBRARY)["nccl"]
        self.assertFalse(choice["netsense"])
        self.assertIn("offers no device", choice["verdict"])

    def test_auto_and_an_assumed_speed_are_said_to_be_so(self):
        found = report("--no-self-test", NETSENSE_TCP_THREADS="3")
        settings = {setting["name"]: setting for setting in found["settings"]}
        self.assertEqual(settings["NETSENSE_TCP_STREAMS"]["auto_is"], 3)
        self.assertIsNone(settings["NETSENSE_TCP_THREADS"]["auto_is"])
        loopback = [interface for interface in found["interfaces"] if interface["name"] == "lo"]
        self.assertEqual((loopback[0]["speed_mbps"], loopback[0]["speed_assumed"]), (10000, True))

    def test_settings_have_their_sources(self):
        with tempfile.TemporaryDirectory() as folder:
            conf = pathlib.Path(folder, "nccl.conf")
            conf.write_text("NETSENSE_BLOCK_SIZE=64K\nNETSENSE_TCP_STREAMS=2\n")
            found = report("--no-self-test", NCCL_CONF_FILE=str(conf), NETSENSE_TCP_STREAMS="3")
        settings = {setting["name"]: setting for setting in found["settings"]}
        self.assertEqual(settings["NETSENSE_BLOCK_SIZE"]["value"], "64K")
        self.assertEqual(settings["NETSENSE_BLOCK_SIZE"]["from"], str(conf))
        self.assertEqual(settings["NETSENSE_TCP_STREAMS"]["value"], "3")
        self.assertEqual(settings["NETSENSE_TCP_STREAMS"]["from"], "environment")
        self.assertEqual(settings["NETSENSE_IFNAME"]["source"], "nccl")
        self.assertEqual(settings["NETSENSE_CHECKSUM"]["source"], "default")


class NcclChoice(unittest.TestCase):
    def choice(self, **environment):
        return report("--no-self-test", **environment)["nccl"]

    def test_netsense_by_name_and_by_path(self):
        folder = os.path.dirname(LIBRARY)
        for choice in (self.choice(NCCL_NET_PLUGIN="netsense", LD_LIBRARY_PATH=folder),
                       self.choice(NCCL_NET_PLUGIN=LIBRARY),
                       self.choice(NCCL_NET_PLUGIN="missing,netsense", LD_LIBRARY_PATH=folder)):
            self.assertTrue(choice["netsense"], choice)
            self.assertIn("from this library", choice["verdict"])

    def test_without_the_variable_another_default_library_is_what_nccl_takes(self):
        choice = self.choice(LD_LIBRARY_PATH=OTHER_FOLDER)
        self.assertFalse(choice["netsense"])
        self.assertEqual(choice["default_library"]["network"], "other")
        self.assertIn('another plugin, "other"', choice["verdict"])

    def test_with_the_variable_the_other_library_does_not_matter_but_is_shown(self):
        choice = self.choice(NCCL_NET_PLUGIN="netsense",
                             LD_LIBRARY_PATH=os.path.dirname(LIBRARY) + ":" + OTHER_FOLDER)
        self.assertTrue(choice["netsense"])
        self.assertEqual(choice["default_library"]["network"], "other")

    def test_what_keeps_netsense_from_being_taken_is_said(self):
        folder = os.path.dirname(LIBRARY)
        self.assertIn(f"set NCCL_NET_PLUGIN=netsense and put {folder} on LD_LIBRARY_PATH", self.choice()["verdict"])
        self.assertTrue(self.choice(LD_LIBRARY_PATH=folder)["verdict"].endswith("; set NCCL_NET_PLUGIN=netsense"))
        self.assertIn("set NCCL_NET_PLUGIN=netsense and", self.choice(NCCL_NET_PLUGIN="netsens")["verdict"])
        self.assertNotIn("set NCCL_NET_PLUGIN=netsense and", self.choice(NCCL_NET_PLUGIN="netsense")["verdict"])
        self.assertIn("turns plugins off", self.choice(NCCL_NET_PLUGIN="none")["verdict"])
        self.assertIn("LD_LIBRARY_PATH", self.choice(NCCL_NET_PLUGIN="netsense")["verdict"])
        self.assertIn("NCCL_NET=Socket", self.choice(NCCL_NET_PLUGIN="netsense", LD_LIBRARY_PATH=folder,
                                                     NCCL_NET="Socket")["verdict"])


class OtherPlugin(unittest.TestCase):
    def test_the_self_test_fails_where_init_does(self):
        result = run("--json", "--plugin", os.path.join(OTHER_FOLDER, "libnccl-net.so"))
        self.assertEqual(result.returncode, 1)
        self.assertEqual(json.loads(result.stdout)["self_test"]["detail"], "init returns 2")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
