#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the quick tests, for use while writing code: the checks of the sources, the unit tests, the pass's lit tests,
and some whole programs. `make test` runs all tests.

  tools/quick_check.py [--build DIR] [--jobs N]

Prints a line for each stage, and the output of a stage that fails. The exit code is 1 if one fails.
"""
import argparse
import os
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CHECKS = ("tools/check_format.py", "tools/check_layers.py", "tools/check_tables.py", "tools/cpu_device_page.py",
          "test/mutation/run.py --list")
# A program of each kind of report, and correct ones.
PROGRAMS = ("run/heap-buffer-overflow/atomic", "run/heap-use-after-free/kernel", "run/clean/edges", "samples/scan")
SLOW_LIT = "random|headers|census|damaged|values"  # tests that compile many programs, or CUDA's headers
SLOW_UNIT = "pool_random_test|pool_failures_test|pool_test|interval_test"


def stages(build, jobs):
    """Returns {name: command}."""
    python = [sys.executable]
    found = {check: python + check.split() for check in CHECKS}
    found["unit tests"] = ["ctest", "--test-dir", build, "-j", jobs, "--output-on-failure", "-E", "^(%s)$" % SLOW_UNIT]
    found["lit tests of the pass"] = ["lit-22", "-q", "-j", jobs, "--param", "build=" + build,
                                      "--filter-out", SLOW_LIT, "test/pass"]
    found["programs"] = python + ["test/run/run.py", "test", "--build", build, "--jobs", jobs] + list(PROGRAMS)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--jobs", default=str(os.cpu_count()))
    arguments = parser.parse_args()
    failed = 0
    for name, command in stages(os.path.abspath(arguments.build), arguments.jobs).items():
        start = time.monotonic()
        done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace")
        failed += done.returncode != 0
        print("%s %s (%d s)" % ("FAIL" if done.returncode else "ok  ", name, time.monotonic() - start), flush=True)
        if done.returncode:
            print(done.stdout)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
