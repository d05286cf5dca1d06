#!/usr/bin/env python3
"""Do the benchmarks of memory and of allocations work? Compiles them with checks and runs them at tiny sizes on the CPU device:
every workload verifies its result, the report is well-formed, and what it computes from the runs is right.
Nothing is asserted about time.

  test/bench/run.py [--build DIR] [--jobs N]
"""
import argparse
import glob
import importlib.util
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BENCH = os.path.join(ROOT, "bench")
RUN_SECONDS = 120


def script(folder):
    """bench/FOLDER/run.py as a module."""
    spec = importlib.util.spec_from_file_location("bench_" + folder, os.path.join(BENCH, folder, "run.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def require(condition, what):
    if not condition:
        raise AssertionError(what)


def run_bench(folder, programs, report, *arguments):
    command = [sys.executable, os.path.join(BENCH, folder, "run.py"), "--device", "cpu", "--programs",
               os.path.join(programs, folder)]
    done = subprocess.run(command + list(arguments) + [report], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=RUN_SECONDS)
    require(done.returncode == 0, done.stdout)
    with open(report, encoding="utf-8") as file:
        contents = json.load(file)
    require("run.py" in contents["command"] and contents["device"]["name"] and contents["date"], "who, when, how")
    return contents, done.stdout


def test_footprint_runs(programs, folder):
    report, printed = run_bench("footprint", programs, os.path.join(folder, "footprint.json"), "--sizes", "tiny",
                                "--encodings", "128", "--percent", "10,100")
    sources = {os.path.splitext(os.path.basename(path))[0] for path in glob.glob(os.path.join(BENCH, "footprint", "*.cu"))}
    require({result["workload"] for result in report["results"]} == sources, "a workload is missing")
    require(len(sources - set(script("footprint").APART)) >= 12, "too few workloads")
    for result in report["results"]:
        for run in result["gasan"]["128"].values():
            where = "%s: %s" % (result["workload"], run)
            require(run["extra"] == run["peak"] - result["baseline"], where)
            require(abs(run["percent"] - 100 * run["extra"] / result["baseline"]) < 1e-6, where)
            # The CPU device has smaller pages than the model, which is that of a GPU.
            require(0 < run["requested"] <= min(run["modelled"], run["peak"]), where)
            require(run["started"] <= run["peak"] and run["end"] <= run["peak"], where)
        require("| %s | tiny |" % result["workload"] in printed, result["workload"])
    # Less than nothing where the model's pages are larger than the device's.
    empty = next(result for result in report["results"] if result["workload"] == "empty")
    require(report["summary"]["fixed_bytes"] == max(run["extra"] for run in empty["gasan"]["128"].values()), "fixed")
    require(report["summary"]["large"] == {}, "summary")


def footprint_result(workload, baseline, extras):
    return {"workload": workload, "size": "large", "baseline": baseline, "gasan": {"128": {
        percent: {"chunks": 1, "extra": extra, "percent": 100.0 * extra / baseline} for percent, extra in extras.items()}}}


def test_footprint_summary(_programs, _folder):
    footprint = script("footprint")
    mib = footprint.MIB
    results = [footprint_result("empty", 2 * mib, {"10": 10 * mib, "50": 12 * mib}),
               footprint_result("chunks", 400 * mib, {"10": 900 * mib, "50": 900 * mib}),
               footprint_result("small", 20 * mib, {"10": 900 * mib, "50": 900 * mib}),
               footprint_result("a", 1000 * mib, {"10": 10 * mib, "50": 40 * mib}),
               footprint_result("b", 500 * mib, {"10": 10 * mib, "50": 12 * mib})]
    summary = footprint.summarize(results)
    require(summary["fixed_bytes"] == 12 * mib, summary)
    ten, fifty = summary["large"]["128"]["10"], summary["large"]["128"]["50"]
    require(ten["programs"] == 2 and abs(ten["mean_percent"] - 1.5) < 1e-9, ten)
    require(ten["greatest_percent"] == {"percent": 2.0, "workload": "b"}, ten)
    require(ten["greatest_percent_without_fixed"]["percent"] == 0, ten)
    require(fifty["greatest_percent"]["workload"] == "a", fifty)
    require(abs(fifty["greatest_percent_without_fixed"]["percent"] - 2.8) < 1e-9, fifty)
    missed = footprint.missed_goals(summary)
    require(len(missed) == 2 and all("L=50" in line for line in missed), missed)
    text = footprint.table({"encodings": ["128"], "percent": ["10", "50"], "results": results, "summary": summary,
                            "missed": missed})
    require("| a | large | 1 | 1000.0 | 10.0 (1.0) | 40.0 (4.0) |" in text, text)


def test_footprint_goes_on(_programs, folder):
    """A program that fails is named, the others are measured."""
    programs = os.path.join(folder, "fake", "footprint")
    os.makedirs(programs)
    numbers = {"chunks": 1, "requested": 5, "modelled": 100, "started": 1, "peak": 150, "end": 0}
    for name, text in (("good", "echo '%s'" % json.dumps(numbers)), ("bad", "echo wrong >&2; exit 1")):
        with open(os.path.join(programs, name + "-shadow128"), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n%s\n" % text)
        os.chmod(file.name, 0o755)
    report = os.path.join(folder, "failed.json")
    done = subprocess.run([sys.executable, os.path.join(BENCH, "footprint", "run.py"), "--device", "cpu", "--programs", programs,
                           "--sizes", "tiny", "--encodings", "128", "--percent", "50", report],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=RUN_SECONDS)
    with open(report, encoding="utf-8") as file:
        contents = json.load(file)
    require(done.returncode == 1, done.returncode)
    require(len(contents["failed"]) == 1 and "bad-shadow128" in contents["failed"][0] and "wrong" in contents["failed"][0],
            contents["failed"])
    require("| good | tiny | 1 | 0.0 | 0.0 (50.0) |" in done.stdout and "| bad | tiny | - | - | failed |" in done.stdout,
            done.stdout)


def test_throughput_runs(programs, folder):
    report, printed = run_bench("throughput", programs, os.path.join(folder, "throughput.json"), "--rounds", "1",
                                "--seconds", "0.001", "--most-bytes", "65536", "--threads", "3")
    patterns = [(result["pattern"], result["bytes"], result["threads"]) for result in report["results"]]
    require(sorted(patterns) == sorted((pattern, size, threads) for pattern in ("fresh", "churned")
                                       for size in (256, 4096, 65536) for threads in (1, 3)), patterns)
    require(all(result["gasan_pairs_per_s"] > 0 and result["ratio"] is None for result in report["results"]), report)
    require("| 64 KiB | 3 | churned | - |" in printed, printed)


def test_throughput_ratios(_programs, _folder):
    throughput = script("throughput")
    results = throughput.compare({"plain": {"fresh/256/1": [90.0, 100.0, 800.0], "churned/2097152/8": [30.0]},
                                  "gasan": {"fresh/256/1": [50.0, 10.0, 90.0], "churned/2097152/8": [25.0]}})
    require([result["ratio"] for result in results] == [2.0, 1.2], results)
    require([result["goal"] for result in results] == [1.0, 1.5], results)
    require(throughput.missed_goals(results) == ["256 B, fresh, 1 threads: 2.00 instead of 1"], results)
    require("| 2 MiB | 8 | churned | 30 | 25 | 1.20 | 1.5 |" in throughput.table(results), throughput.table(results))


TESTS = (test_footprint_runs, test_footprint_summary, test_footprint_goes_on, test_throughput_runs, test_throughput_ratios)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    sys.path.insert(0, BENCH)
    from build import compile_all
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for pattern in ("footprint/*-shadow128", "throughput/*-gasan"):
            for complaint in compile_all(os.path.abspath(arguments.build), folder, arguments.jobs, pattern):
                failed += 1
                print("FAIL bench: %s  (rerun: test/bench/run.py)" % complaint)
        passed = 0
        for test in () if failed else TESTS:
            try:
                test(folder, folder)
                passed += 1
            except (AssertionError, OSError, ValueError, KeyError, subprocess.TimeoutExpired) as error:
                failed += 1
                print("FAIL bench/%s: %s  (rerun: test/bench/run.py)" % (test.__name__, error))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
