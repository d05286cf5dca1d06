#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the tests that need no GPU: checks of includes and tables, the tests of the test tools, unit tests, lit
suites, whole programs on the CPU device, the benchmarks' scripts, and the comparison with the oracle. Prints a
line for each failing test, with the command to run it again, and the time; the last line has the sums.

  tools/run_tests.py [--build DIR] [--jobs N] [--quick | --all] [-v]

--all also runs parts that take long and rarely fail: six more minutes of two cores.
"""
import argparse
import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "test", "run"))
import run_lines  # noqa: E402

UNIT_SECONDS = 600
GREATEST_SUM = re.compile(r"^Pass: (\d+), fail: (\d+), skip: (\d+)\.", re.MULTILINE)
GREATEST_FAIL = re.compile(r"^FAIL (\S+): (.*)", re.MULTILINE)
# Tests of whole programs that run in shadow mode, too.
SHADOW_TESTS = ("run/api-copy", "run/heap-buffer-overflow", "run/heap-use-after-free", "run/inline-ptx/[a-f]*",
                "run/printf", "run/stream-ordered", "run/clean/edges*", "run/clean/rdc*", "run/clean/two-units*",
                "run/options/halt*", "cpu/atomics/[a-f]*", "samples/scan*")

# Of `make check`: one or two programs of a kind, and the lit tests that do not compile hundreds of times.
QUICK_PROGRAMS = ("run/heap-buffer-overflow/write.cu", "run/heap-buffer-overflow/inline-chain.cu",
                  "run/heap-buffer-overflow/graph.cu",
                  "run/heap-use-after-free/kernel.cu", "run/api-copy/memcpy.cu", "run/double-free/twice.cu",
                  "run/bounds/loops.cu",
                  "run/clean/matmul.cu", "run/clean/edges.cu", "run/device-heap/overflow.cu", "run/examples",
                  "run/foreign/frees.cu",
                  "run/global-buffer-overflow/variables.cu", "run/inline-ptx/load.cu", "run/leaks/at-exit.cu",
                  "run/options/halt-on-error.cu",
                  "run/segv/on-cpu.cu", "run/shared-buffer-overflow/tiles.cu", "run/stack-buffer-overflow/array.cu",
                  "run/stack-use-after-scope/loop.cu", "run/stream-ordered/frees.cu", "run/proof/not-proven.cu",
                  "cpu/simt/cg-grid-sync.cu",
                  "cpu/api/errors.cu", "samples/scan.cu")
SLOW_LIT_TESTS = r"random-programs|ptx-census|ptxas\.cu|driver/(registers|attempts|granule|diagnostics|cmake)"
# Only with --all: each compiles a library's algorithm for a minute of one core. Its neighbours run always.
SLOW_PROGRAMS = r"cub/(segmented-sort|select|segments|histogram)|thrust/(ranges|sets|keys)"
BENCH_PROGRAMS = "[a-c]*"


class Sum:
    """Counts passed and failed tests of all stages, and the stages' time."""

    def __init__(self, verbose):
        self.passed = 0
        self.failed = 0
        self.verbose = verbose
        self.began = time.monotonic()

    def stage(self, name, passed, failed):
        self.passed += passed
        self.failed += failed
        now = time.monotonic()
        print("%-10s %d passed, %d failed, %d s" % (name, passed, failed, round(now - self.began)), flush=True)
        self.began = now

    def failure(self, name, why, rerun, output=""):
        print("FAIL %s: %s  (rerun: %s)" % (name, why, rerun), flush=True)
        if self.verbose and output:
            print("\n".join("    " + line for line in output.rstrip().split("\n")[-60:]), flush=True)


def run(command, seconds=None):
    """Returns (exit code, or None if it took too long; output)."""
    try:
        done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=seconds)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired as expired:
        output = expired.stdout or ""
        return None, output if isinstance(output, str) else output.decode(errors="replace")


def run_tools(total):
    """Runs the checks of the sources. Each counts as one test."""
    broken = 0
    checks = ("tools/check_format.py", "tools/check_layers.py", "tools/check_tables.py", "tools/cpu_device_page.py",
              "test/mutation/run.py --list")
    for check in checks:
        code, output = run([sys.executable] + check.split())
        if code != 0:
            broken += 1
            total.failure(check, output.split("\n")[0], check, output)
    total.stage("checks", len(checks) - broken, broken)

    code, output = run([sys.executable, "test/run/selftest.py", "-v"])
    passed = len(re.findall(r"\.\.\. ok$", output, re.MULTILINE))
    failed = len(re.findall(r"\.\.\. (?:FAIL|ERROR)$", output, re.MULTILINE)) or int(code != 0)
    if code != 0:
        total.failure("test tools", "see its output", "test/run/selftest.py", output)
    total.stage("tools", passed, failed)


def run_unit(total, build, jobs):
    passed = failed = 0
    folder = os.path.join(build, "test", "unit")
    with open(os.path.join(folder, "unit_tests.txt")) as file:
        tests = [line.rstrip("\n").split("|") for line in file]
    commands = [[os.path.join(folder, name)] + arguments.split(";") * bool(arguments) for name, arguments, _ in tests]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(lambda command: run(command, UNIT_SECONDS), commands))
    for (name, _, _), command, (code, output) in zip(tests, commands, results):
        rerun = " ".join(os.path.relpath(word, ROOT) if os.path.isabs(word) else word for word in command)
        good, bad = unit_counts(code, output)
        for test, why in GREATEST_FAIL.findall(output):
            total.failure("unit/%s %s" % (name, test), why, "%s -t %s" % (rerun, test), output)
        if bad and not GREATEST_FAIL.search(output):
            total.failure("unit/" + name, "took too long" if code is None else "ended with %s" % code, rerun, output)
        passed, failed = passed + good, failed + bad
    total.stage("unit", passed, failed)


def unit_counts(code, output):
    found = GREATEST_SUM.search(output)
    if not found:
        return 0, 1  # it crashed, or it tests nothing
    passed, failed = int(found.group(1)), int(found.group(2))
    return passed, failed if failed or code == 0 else 1


def run_lit(total, name, paths, build, jobs, more=(), **params):
    tests, output = run_lines.run_lit(paths, build, jobs, more, **params)
    if not tests:
        total.failure(name, "found no tests", "lit-22 -v " + " ".join(paths), output)
    failed = [test for test in tests if run_lines.is_failure(test)]
    shown = "".join("--param %s=%s " % pair for pair in dict(params, build=os.path.relpath(build, ROOT)).items())
    for test in failed:
        total.failure(test["name"], test["code"], "lit-22 -v %stest/%s" % (shown, test["name"]), test["output"])
    total.stage(name, sum(test["code"] in run_lines.LIT_GOOD for test in tests), len(failed) if tests else 1)


def run_script(total, name, command, hidden="$^"):
    """For scripts that print their own failure lines and end with a sum; lines that match `hidden` are left out."""
    _, output = run([sys.executable] + command)
    lines = output.rstrip().split("\n")
    found = re.match(r"(\d+) passed, (\d+) failed", lines[-1])
    for line in lines[:-1] if found else lines:
        if not re.match(hidden, line):
            print(line, flush=True)
    if not found:
        total.failure(name, "%s broke" % command[0], " ".join(command))
    total.stage(name, *(map(int, found.groups()) if found else (0, 1)))


def run_programs(total, build, jobs, is_all):
    where = ["--build", build, "--jobs", str(jobs)]
    run_lit(total, "programs", ["test/run", "test/reports", "test/scan", "test/cpu", "test/samples"], build, jobs,
            [] if is_all else ["--filter-out", SLOW_PROGRAMS])
    run_lit(total, "shadow", [path for part in SHADOW_TESTS for path in sorted(glob.glob(os.path.join(ROOT, "test",
            part)))], build, jobs,
            mode="shadow")
    run_script(total, "detection", ["test/detection/run.py", "--levels", "0,2"] + where + ["-v"] * total.verbose)
    run_script(total, "silence", ["test/silence/run.py", "test", "silence/", "--modes",
                                  "bst"] + where + ["-v"] * total.verbose,
               hidden="bst -O")
    run_script(total, "bench", ["test/bench/run.py", "--programs", "*" if is_all else BENCH_PROGRAMS] + where)
    run_script(total, "oracle", ["test/oracle/compare.py"] + where, hidden="agree |differ ")
    run_script(total, "fuzz", ["test/oracle/fuzz.py", "--count", "40"] + where)
    run_script(total, "spaces", ["test/oracle/fuzz_spaces.py", "--count", "240", "--per-file", "60"] + where)
    run_script(total, "proofs", ["test/oracle/proofs/fuzz.py", "--count", "160"] + where)
    run_script(total, "replay", ["test/oracle/fuzz_spaces.py", "--replay"] + where)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--quick", action="store_true", help="the subset of `make check`")
    parser.add_argument("--all", action="store_true", help="the slow parts, too")
    parser.add_argument("-v", "--verbose", action="store_true", default=bool(os.environ.get("CI")),
                        help="show what failing tests printed (CI=true does so too)")
    arguments = parser.parse_args()
    build, start = os.path.abspath(arguments.build), time.monotonic()

    total = Sum(arguments.verbose)
    run_tools(total)
    run_unit(total, build, arguments.jobs)
    suites = ["test/pass", "test/lift", "test/driver", "test/uninstrumented"]
    if arguments.quick:
        run_lit(total, "lit", suites, build, arguments.jobs, ["--filter-out", SLOW_LIT_TESTS])
        run_lit(total, "programs", ["test/" + name for name in QUICK_PROGRAMS], build, arguments.jobs)
    else:
        run_lit(total, "lit", suites, build, arguments.jobs)
        code, output = run(["bash", "setup.sh", "tests"])
        if code:
            total.failure("projects", "the set-up failed", "./setup.sh tests", output)
        run_lit(total, "projects", ["test/projects", "test/packages"], build, arguments.jobs)
        run_programs(total, build, arguments.jobs, arguments.all)
    seconds = round(time.monotonic() - start)
    print("took %d min %d s" % (seconds // 60, seconds % 60))
    print("%d passed, %d failed" % (total.passed, total.failed))
    return 1 if total.failed or not total.passed else 0


if __name__ == "__main__":
    sys.exit(main())
