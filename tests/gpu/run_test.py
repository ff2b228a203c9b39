#!/usr/bin/env python3
"""How run.py takes programs that fail, die and hang."""

import argparse
import contextlib
import importlib.util
import io
import os
import stat
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("run", Path(__file__).parent / "run.py")
run = importlib.util.module_from_spec(spec)
sys.modules["run"] = run  # where dataclasses look for it
spec.loader.exec_module(run)

# Behaves as a GoogleTest program whose tests S.passes, S.fails, S.dies, S.hangs do what they say.
FAKE = """#!/usr/bin/env python3
import os, sys, time
print("a line of the program's", flush=True)
excluded = os.environ["GTEST_FILTER"].partition("-")[2].split(":")
failed = False
for name in TESTS:
    if name in excluded: continue
    print(f"[ RUN      ] {name}", flush=True)
    if "dies" in name: os.abort()
    if "hangs" in name: time.sleep(60)
    failed |= "fails" in name
    result = "[  FAILED  ]" if "fails" in name else "[  SKIPPED ]" if "skips" in name else "[       OK ]"
    print(f"{result} {name} (1 ms)", flush=True)
    if "fails" in name: print(f"[  FAILED  ] {name}, where GetParam() = 3 (1 ms)", flush=True)
for name in TESTS:
    if failed and "fails" in name and name not in excluded: print(f"[  FAILED  ] {name}", flush=True)
sys.exit(failed)
"""


class GoogleTest(unittest.TestCase):
    def outcome(self, tests, limit=30):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "fake"
            program.write_text(FAKE.replace("TESTS", repr(tests)))
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
            part = run.Part("fake", [program], limit, dict(os.environ))
            return run.run_gtest(part, Path(folder) / "log.txt")

    def test_counts(self):
        outcome = self.outcome(["S.passes", "S.fails", "S.skips", "P/S.passes/0"])
        self.assertEqual((outcome.passed, outcome.failed, outcome.skipped), (2, 1, 1))
        self.assertEqual(outcome.failures, ["S.fails"])

    def test_goes_on_after_a_test_that_dies(self):
        outcome = self.outcome(["S.passes", "S.dies", "S.fails", "S.dies_too", "S.passes_too"])
        self.assertEqual((outcome.passed, outcome.failed), (2, 3))
        self.assertEqual(
            outcome.failures,
            ["S.dies (ended with status -6)", "S.fails", "S.dies_too (ended with status -6)"],
        )

    def test_ends_with_its_time(self):
        outcome = self.outcome(["S.passes", "S.hangs", "S.passes_too"], limit=3)
        self.assertEqual(outcome.passed, 1)
        self.assertEqual(outcome.failures, ["S.hangs (the time was over)"])

    def test_that_runs_nothing_has_failed(self):
        self.assertEqual(self.outcome([]).failed, 1)


class Shards(unittest.TestCase):
    def test_names(self):
        listing = "Running main() from gtest_main.cc\nS.\n  Passes\n  Fails\nAll/P.  # TypeParam = x\n  Takes/0  # GetParam() = 3\n"
        self.assertEqual(run.names_of_tests(listing), ["S.Passes", "S.Fails", "All/P.Takes/0"])

    def test_every_test_is_in_one_part(self):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "fake"
            program.write_text("#!/bin/sh\nprintf 'S.\\n  A\\n  B\\n  C\\n  D\\n  E\\n'\n")
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
            parts = run.sharded(run.Part("autograd", [program], 30, dict(os.environ)))
        filters = [part.command[-1].removeprefix("--gtest_filter=").split(":") for part in parts]
        self.assertEqual([part.name for part in parts], [f"autograd.{i}" for i in (1, 2, 3, 4)])
        self.assertEqual(filters, [["S.A", "S.E"], ["S.B"], ["S.C"], ["S.D"]])


class Cases(unittest.TestCase):
    def test_counts(self):
        text = "  relu on cuda: differs\\n  inv on cuda: cannot open LAPACK: libwick-lapack.so\\n"
        text += "linalg on cuda: 7 of 9 pass\\n7 pass, 2 fail, 0 are exceptions\\n"
        with tempfile.TemporaryDirectory() as folder:
            part = run.Part("cases", ["printf", text], 30, dict(os.environ), is_gtest=False)
            outcome = run.run_cases(part, Path(folder) / "log.txt")
        self.assertEqual((outcome.passed, outcome.failed, outcome.skipped), (7, 1, 1))
        self.assertEqual(outcome.failures, ["relu"])


class Fuzz(unittest.TestCase):
    def status_and_text(self, script):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "fuzz_graphs"
            program.write_text("#!/bin/sh\n" + script)
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
            flags = argparse.Namespace(jobs=2, seconds=1, seed=7)
            shown = io.StringIO()
            with mock.patch.object(run, "BIN", Path(folder)), contextlib.redirect_stdout(shown):
                with mock.patch.object(run, "list_devices", lambda base: "cuda:0: a GPU\n"):
                    return run.fuzz(flags, dict(os.environ), Path(folder)), shown.getvalue()

    def test_tells_what_failed(self):
        script = 'echo "seed $3: differs"\necho "3 graphs, 1 failed"\n[ $3 = 7 ]\n'
        status, text = self.status_and_text(script)
        self.assertEqual(status, 1)
        self.assertIn("seed 1000007: differs", text)
        self.assertIn("1: status 1, 3 graphs, 1 failed", text)

    def test_passes(self):
        script = 'echo "$WICK_BACKEND: 3 graphs, 0 failed"\n'
        status, text = self.status_and_text(script)
        self.assertEqual(status, 0)
        self.assertIn("0: status 0, cuda: 3 graphs, 0 failed", text)


class Devices(unittest.TestCase):
    def test_sees_a_gpu(self):
        self.assertTrue(run.has_gpu("cpu: x\ncuda:0: NVIDIA H100\n"))
        self.assertFalse(run.has_gpu("cpu: x\ncuda: none: no driver: libcuda.so.1\n"))


if __name__ == "__main__":
    unittest.main()
