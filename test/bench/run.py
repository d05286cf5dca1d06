#!/usr/bin/env python3
"""Tests the benchmarks. Compiles them with checks and runs them at tiny sizes on the CPU device: every workload
verifies its result. Checks that the reports are well-formed, and that their ratios and means are right. Asserts
nothing about time.

  test/bench/run.py [--build DIR] [--jobs N] [--programs PATTERN]

PATTERN is a shell pattern for the names of the programs in bench/programs (default: all; CI takes those with a to c).
"""
import argparse
import fnmatch
import glob
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BENCH = os.path.join(ROOT, "bench")
sys.path.insert(0, os.path.join(ROOT, "test", "run"))
from headers import Headers  # noqa: E402
RUN_SECONDS = 120
PATTERN = "*"
BUILD = os.path.join(ROOT, "build")


def script(folder):
    """Returns bench/FOLDER/run.py as a module."""
    spec = importlib.util.spec_from_file_location("bench_" + folder, os.path.join(BENCH, folder, "run.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def require(condition, what):
    if not condition:
        raise AssertionError(what)


def program_names(*pattern):
    """Returns the names of the benchmarks' sources that match a pattern below bench/."""
    return {os.path.splitext(os.path.basename(path))[0] for path in glob.glob(os.path.join(BENCH, *pattern))}


def fake_program(folder, name, script):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n%s\n" % script)
    os.chmod(file.name, 0o755)


def run_bench(folder, programs, report, *arguments):
    command = [sys.executable, os.path.join(BENCH, folder, "run.py"), "--device", "cpu", "--programs",
               os.path.join(programs, folder)]
    done = subprocess.run(command + list(arguments) + [report], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=RUN_SECONDS)
    require(done.returncode == 0, done.stdout)
    with open(report, encoding="utf-8") as file:
        contents = json.load(file)
    require("run.py" in contents["command"] and contents["device"]["name"] and contents["date"],
            "the report lacks its command, device or date")
    return contents, done.stdout


def test_footprint_runs(programs, folder):
    report, printed = run_bench("footprint", programs, os.path.join(folder, "footprint.json"), "--sizes", "tiny",
                                "--modes", "bst", "--percent", "10,100")
    sources = program_names("footprint", "*.cu")
    require({result["workload"] for result in report["results"]} == sources, "a workload is missing")
    require(len(sources - set(script("footprint").APART)) >= 12, "too few workloads")
    for result in report["results"]:
        for run in result["gasan"]["bst"].values():
            where = "%s: %s" % (result["workload"], run)
            require(run["extra"] == run["peak"] - result["baseline"], where)
            require(abs(run["percent"] - 100 * run["extra"] / result["baseline"]) < 1e-6, where)
            # The model has a GPU's pages; the CPU device's are smaller.
            require(0 < run["requested"] <= min(run["modelled"], run["peak"]), where)
            require(run["started"] <= run["peak"] and run["end"] <= run["peak"], where)
        require("| %s | tiny |" % result["workload"] in printed, result["workload"])
    # The fixed cost may be below 0 here, since the model's pages are larger than the device's.
    empty = next(result for result in report["results"] if result["workload"] == "empty")
    require(report["summary"]["fixed_bytes"] == max(run["extra"] for run in empty["gasan"]["bst"].values()), "fixed")
    require(report["summary"]["large"] == {}, "summary")


def footprint_result(workload, baseline, extras):
    runs = {percent: {"chunks": 1, "extra": extra, "percent": 100.0 * extra / baseline}
            for percent, extra in extras.items()}
    return {"workload": workload, "size": "large", "baseline": baseline, "gasan": {"shadow128": runs}}


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
    ten, fifty = summary["large"]["shadow128"]["10"], summary["large"]["shadow128"]["50"]
    require(ten["programs"] == 2 and abs(ten["mean_percent"] - 1.5) < 1e-9, ten)
    require(ten["greatest_percent"] == {"percent": 2.0, "workload": "b"}, ten)
    require(ten["greatest_percent_without_fixed"]["percent"] == 0, ten)
    require(fifty["greatest_percent"]["workload"] == "a", fifty)
    require(abs(fifty["greatest_percent_without_fixed"]["percent"] - 2.8) < 1e-9, fifty)
    missed = footprint.missed_goals(summary)
    require(len(missed) == 2 and all("L=50" in line for line in missed), missed)
    text = footprint.table({"modes": ["shadow128"], "percent": ["10", "50"], "results": results, "summary": summary,
                            "missed": missed})
    require("| a | large | 1 | 1000.0 | 10.0 (1.0) | 40.0 (4.0) |" in text, text)


def test_footprint_goes_on(_programs, folder):
    """The report names a program that fails, and has results of the others."""
    programs = os.path.join(folder, "fake", "footprint")
    os.makedirs(programs)
    numbers = {"chunks": 1, "requested": 5, "modelled": 100, "started": 1, "peak": 150, "end": 0}
    fake_program(programs, "good-shadow128", "echo '%s'" % json.dumps(numbers))
    fake_program(programs, "bad-shadow128", "echo wrong >&2; exit 1")
    report = os.path.join(folder, "failed.json")
    done = subprocess.run([sys.executable, os.path.join(BENCH, "footprint", "run.py"),
                           "--device", "cpu", "--programs", programs, "--sizes", "tiny",
                           "--modes", "shadow128", "--percent", "50", report],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=RUN_SECONDS)
    with open(report, encoding="utf-8") as file:
        contents = json.load(file)
    require(done.returncode == 1, done.returncode)
    require(len(contents["failed"]) == 1, contents["failed"])
    require("bad-shadow128" in contents["failed"][0] and "wrong" in contents["failed"][0], contents["failed"])
    for line in ("| good | tiny | 1 | 0.0 | 0.0 (50.0) |", "| bad | tiny | - | - | failed |"):
        require(line in done.stdout, done.stdout)


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


def test_programs_run(programs, folder):
    """Each program of bench/programs verifies its results, and has no report."""
    report = os.path.join(folder, "programs.json")
    done = subprocess.run([sys.executable, os.path.join(BENCH, "run.py"), "--device", "cpu", "--seconds", "0",
                           "--folder", os.path.join(programs, "programs"), "--variants", "bst", report],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=RUN_SECONDS)
    require(done.returncode == 0, done.stdout)
    with open(report, encoding="utf-8") as file:
        contents = json.load(file)
    known = set(fnmatch.filter(program_names("programs", "*", "*.cu"), PATTERN))
    require(len(known) >= 10 and set(contents["programs"]) == known, sorted(contents["programs"]))
    for name, program in contents["programs"].items():
        require(program["results"]["bst"]["ms"] >= 0 and program["kernels"]["bst"], name)
        require("| %s |" % name in done.stdout, done.stdout)
        require(re.match(r"[A-Z]", program["what"]) and "SPDX" not in program["what"], program["what"])


PTXAS = """ptxas info    : Compiling entry function '_Z1kPfi' for 'sm_90'
ptxas info    : Function properties for _Z1kPfi
    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 40 registers, used 0 barriers
ptxas info    : Compiling entry function '_Z13make_elementsIfEvv' for 'sm_90'
ptxas info    : Function properties for _Z13make_elementsIfEvv
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 20 registers, used 0 barriers
ptxas info    : Compiling entry function '__gasan_proven__Z1kPfi' for 'sm_90'
ptxas info    : Function properties for __gasan_proven__Z1kPfi
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 33 registers, used 0 barriers
ptxas info    : Compiling entry function '__gasan_bounded__Z1kPfi' for 'sm_90'
ptxas info    : Function properties for __gasan_bounded__Z1kPfi
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 50 registers, used 0 barriers
"""


def test_resources(_programs, _folder):
    from build import resources
    found = resources(PTXAS)
    require(found == {"k": {"registers": 40, "stack_bytes": 8, "spill_store_bytes": 4, "spill_load_bytes": 12},
                      "proven k": {"registers": 33, "stack_bytes": 0, "spill_store_bytes": 0, "spill_load_bytes": 0},
                      "in part k": {"registers": 50, "stack_bytes": 0, "spill_store_bytes": 0, "spill_load_bytes": 0}},
            found)


def test_occupancy(_programs, _folder):
    """The percentages agree with NVIDIA's occupancy calculator for sm_90."""
    from tables import occupancy
    found = {registers: occupancy(registers) for registers in (4, 32, 33, 40, 64, 65, 128, 255)}
    require(found == {4: 100, 32: 100, 33: 75, 40: 75, 64: 50, 65: 43, 128: 25, 255: 12}, found)


# Milliseconds that the fake programs print, and the counters that they print if run as `counted`; $2: the repetitions.
FAKE_TIMES = {("a", "plain"): 2.0, ("a", "bst"): 3.0, ("a", "no-group-checks"): 6.0,
              ("b", "plain"): 1.0, ("b", "bst"): 1.2, ("b", "no-group-checks"): 1.2,
              ("empty_launch", "plain"): 1.0, ("empty_launch", "bst"): 50.0, ("empty_launch", "no-group-checks"): 1.0,
              ("device_heap", "plain"): 10.0, ("device_heap", "bst"): 14.0, ("device_heap", "no-group-checks"): 14.0}
FAKE_GROUPS = {"a": "dense", "b": "irregular", "empty_launch": "awkward", "device_heap": "awkward", "bad": "awkward"}
FAKE_COUNTS = """echo '{}'
echo "Stats:   checks: $((10 + 30 * $2)) checks executed for $((40 * $2)) accesses" >&2
echo "Stats: launch proof: $((3 * $2)) of $((1 + 5 * $2)) launches proven, by 1 evaluations" >&2
"""


def test_programs_compared(_programs, folder):
    """Ratios, means, failures, tables and plot are right for fake programs that only print results."""
    import variants
    programs = os.path.join(folder, "said")
    os.makedirs(programs)
    for (name, variant), ms in FAKE_TIMES.items():
        fake_program(programs, "%s-%s" % (name, variant), "echo '{\"ms\": %f, \"verify_ms\": 0}'" % ms)
        fake_program(programs, name + "-counted", FAKE_COUNTS)
    fake_program(programs, "bad-plain", "echo '{\"ms\": 1, \"verify_ms\": 0}'")
    fake_program(programs, "bad-bst", "echo wrong >&2; exit 1")
    kernels = {"bst": {"k": {"registers": 40, "stack_bytes": 0, "spill_store_bytes": 4, "spill_load_bytes": 12},
                       "proven k": {"registers": 20, "stack_bytes": 8, "spill_store_bytes": 0, "spill_load_bytes": 0}}}
    known = variants.table({"group-checks": "together"})
    with open(os.path.join(programs, "built.json"), "w", encoding="utf-8") as file:
        json.dump({"arch": "sm_90",
                   "variants": {name: known[name]._asdict() for name in ("plain", "bst", "no-group-checks", "counted")},
                   "programs": {name: {"group": group, "what": name, "kernels": kernels}
                                for name, group in FAKE_GROUPS.items()}}, file)
    out = os.path.join(folder, "compared.json")
    done = subprocess.run([sys.executable, os.path.join(BENCH, "run.py"), "--folder", programs, "--seconds", "0",
                           "--variants", "plain,bst,no-group-checks,counted", out],
                          capture_output=True, text=True, timeout=RUN_SECONDS)
    with open(out, encoding="utf-8") as file:
        contents = json.load(file)
    require(done.returncode == 1, done.stderr)
    require(len(contents["failed"]) == 1 and "wrong" in contents["failed"][0], done.stderr)
    results = contents["programs"]["a"]["results"]
    require(results["bst"]["ratio"] == 1.5 and results["no-group-checks"]["ratio"] == 3.0, results)
    require(results["counted"]["checks_per_access"] == 0.75, results)
    mean = contents["geometric_mean"]["bst"]
    require(abs(mean["all"] - 1.8 ** 0.5) < 1e-9 and mean["dense"] == 1.5 and mean["programs"] == 2, mean)
    for line in ("| a | dense | 2.000 | 1.50 | 3.00 |", "| bad | awkward | 1.000 | - (failed) | - (not built) |",
                 "| a | 40 | 0.750 | 3 of 5 |", "| a | - | proven 20 (100 %), stack 8; 40 (75 %), spills 16 | - |",
                 "a is 1.50 instead of 1.3", "device_heap is 1.40 instead of 1.3", "| 1.414 | a: 2.00 |"):
        require(line in done.stdout, "%s is not in\n%s" % (line, done.stdout))
    drawing = xml.etree.ElementTree.parse(os.path.join(folder, "compared.svg"))
    require(len(drawing.findall(".//{http://www.w3.org/2000/svg}title")) == 4, "a mark a program with bst")


def test_tables_of_several_runs(_programs, _folder):
    """An optimisation's gain compares its time with bst's in the same run."""
    import tables
    import variants
    known = variants.table({"group-checks": "together"})

    def report(ratios):
        results = {name: {"ms": 1.0, "ratio": ratio} for name, ratio in ratios.items()}
        return {"command": "x", "date": "x", "device": {"name": "x", "driver": None}, "size": "full", "rounds": 1,
                "failed": [], "variants": {name: known[name]._asdict() for name in ratios},
                "programs": {"a": {"group": "dense", "what": "x", "kernels": {}, "results": results}}}

    merged = tables.merge([report({"plain": None, "bst": 1.1}),
                           report({"plain": None, "bst": 1.2, "no-group-checks": 1.8})])
    results = merged["programs"]["a"]["results"]
    require(results["bst"]["ratio"] == 1.1 and abs(results["no-group-checks"]["to_base"] - 1.5) < 1e-9, results)
    require(list(merged["variants"]) == ["plain", "bst", "no-group-checks"], merged["variants"])


def test_savings_of_the_pass(_programs, _folder):
    """Each saving of the pass has its variants, and the pass knows the option of each."""
    import variants
    from build import savings
    found = savings()
    with open(os.path.join(ROOT, "gasan_pass", "savings.inc"), encoding="utf-8") as file:
        require(len(found) == file.read().count("\nGASAN_SAVING(") > 5, found)
    known = variants.table(found)
    for name in found:
        require(known["no-" + name].flags[-2:] == ["-mllvm", "-gasan-%s=false" % name], known["no-" + name])
        require(known["unproven-no-" + name].base == "unproven", known)


def test_lookup_runs(programs, folder):
    """The tree and the list grow by 32 bytes a chunk. The page map begins larger, and chunks of one page share an
    entry."""
    report, printed = run_bench("lookup", programs, os.path.join(folder, "lookup.json"), "--counts", "10,300",
                                "--steps", "3", "--words", "1000", "--repetitions", "1")
    require([result["chunks"] for result in report["results"]] == [10, 300] and report["failed"] == [], report)
    for result in report["results"]:
        require(set(result["lookups"]) == {"pagemap", "tree", "list"}, result)
        for run in result["lookups"].values():
            require(0 < run["used_bytes"] <= run["bytes"], run)
            require(run["chase"] >= 0 and run["ratios"]["chase"] is None, run)
    few, many = (result["lookups"] for result in report["results"])
    for lookup in ("tree", "list"):
        require(many[lookup]["used_bytes"] - few[lookup]["used_bytes"] == 290 * 32, many)
    require(many["pagemap"]["used_bytes"] >= few["pagemap"]["used_bytes"] > few["tree"]["used_bytes"], many)
    require("| 300 | list |" in printed, printed)


def test_lookup_gives_up(_programs, folder):
    """A lookup that takes too long is no failure, and is skipped for more chunks. A program that fails is a failure."""
    programs = os.path.join(folder, "fake", "lookup")
    os.makedirs(programs)
    lookup = script("lookup")
    fake_program(programs, "lookup-bst", """case $GASAN_OPTIONS in
*lookup=list*) sleep 20 ;;
*lookup=tree*) exit 1 ;;
*log_path=*) echo 'Stats:   tables of bounds: 64 bytes, of which 32 are in use' >"${GASAN_OPTIONS##*log_path=}.1" ;;
esac
echo '{"chase": 2, "stream": 3}'""")
    report = os.path.join(folder, "failed.json")
    done = subprocess.run([sys.executable, os.path.join(BENCH, "lookup", "run.py"), "--device", "cpu",
                           "--programs", programs, "--counts", "1,2", "--seconds", "2", report],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=RUN_SECONDS)
    with open(report, encoding="utf-8") as file:
        contents = json.load(file)
    first, second = (result["lookups"] for result in contents["results"])
    require(done.returncode == 1 and len(contents["failed"]) == 1, contents)
    require("lookup=tree" in contents["failed"][0], contents)
    require(first["list"] is None and "tree" not in first and set(second) == {"pagemap"}, contents)
    require(second["pagemap"]["bytes"] == 64 and second["pagemap"]["used_bytes"] == 32, contents)
    require("| 1 | list | - | - | - |" in done.stdout, done.stdout)
    run = {"chase": 3.0, "stream": 1.0}
    require(lookup.ratios(run, {"chase": 2.0, "stream": 4.0}) == {"chase": 1.5, "stream": 0.25}, run)


def test_launch_runs(programs, folder):
    report, printed = run_bench("launch", programs, os.path.join(folder, "launch.json"), "--launches", "5",
                                "--rounds", "3", "--repetitions", "1")
    require(set(report["results"]) == {"full", "proven"} and report["failed"] == [], report)
    require(set(report["proof"]) >= {"known", "fresh", "churned", "bare", "graph"}, report)
    require("| proof | " in printed, printed)


def test_mlb_runs(_programs, folder):
    """triad has three arrays: an MLB of one entry misses in turns, and one of four only at first. Tables and plots."""
    out = os.path.join(folder, "mlb")
    done = subprocess.run([sys.executable, os.path.join(BENCH, "mlb", "run.py"), "--build", BUILD, "--compile",
                           "--only", "triad", out], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=RUN_SECONDS)
    require(done.returncode == 0, done.stdout)
    with open(os.path.join(out, "results.json"), encoding="utf-8") as file:
        triad = json.load(file)["programs"]["triad"]
    require((triad["live"], triad["working_set"], triad["dropped"], triad["shared"]) == (3, 3, 0, 0), triad)
    hits = {m["entries"]: m["hits"] for m in triad["machines"]
            if (m["mode"], m["structure"], m["share"], m["policy"]) == ("compiled", "tree", 1, "lru")}
    require(hits[0] == 0 and hits[1] < hits[2] < hits[4] == hits[64] and hits[4] > 0.9, hits)
    with open(os.path.join(out, "results.md"), encoding="utf-8") as file:
        require("| triad |" in file.read(), "the table lacks the program")
    for figure in ("figure4", "figure9", "figure10", "figure12"):
        xml.etree.ElementTree.parse(os.path.join(out, figure + ".svg"))


FAKE_COMPILER = """while [ $# -gt 0 ]; do
  case $1 in --time) rows=$2 ;; -o) output=$2 ;; -fno-sanitize=gpu-address) plain=1 ;; -ptx) ptx=1 ;; esac
  shift
done
row() { echo "x.cu, $1, x.cu, x.o, , tool, 9.9, ms, $2" >>"$rows"; }
echo 'source file name, phase name, metric, unit, CPU ms' >"$rows"
if [ "$ptx" ]; then row compiling 1000; exec touch "$output"; fi
if [ "$plain" ]; then row compiling 2000; printf %100s x >"$output"; exit; fi
row 'device code' 1400; row assembling 600; row assembling 50; row 'code for the CPU device' 300; row 'host code' 500
row linking 50
printf %200s x >"$output"
"""


def test_compile_times(_programs, folder):
    build, report = os.path.join(folder, "fake"), os.path.join(folder, "compile.json")
    os.makedirs(os.path.join(build, "bin"), exist_ok=True)
    fake_program(os.path.join(build, "bin"), "gasan-nvcc", FAKE_COMPILER)
    command = [sys.executable, os.path.join(BENCH, "compile", "run.py"), "--build", build]
    done = subprocess.run(command + ["--only", "one_*", report], stdout=subprocess.PIPE, text=True, timeout=RUN_SECONDS)
    require(done.returncode == 0, done.stdout)
    require("| one_kernel | 2.0 | 2.9 | 1.45 | 1.0 | 0.4 | 0.7 | 0.3 | 0.5 | 2.0 |" in done.stdout, done.stdout)
    with open(report, encoding="utf-8") as file:
        total = json.load(file)["summary"]
    require(abs(total["mean"] - 1.45) < 1e-9 and total["largest"] == 2, total)
    compile_times = script("compile")
    fast, slow = ({"checked_s": seconds, "plain_s": 1, "checked_bytes": size, "plain_bytes": 1}
                  for seconds, size in ((1, 2), (4, 8)))
    total = compile_times.summary({"fast": fast, "slow": slow})
    require(abs(total["mean"] - 2) < 1e-9 and total["worst"] == 4 and abs(total["size"] - 4) < 1e-9, total)
    done = subprocess.run(command + ["--only", "nothing", report], stderr=subprocess.PIPE, text=True)
    require(done.returncode == 2 and "no source's name matches" in done.stderr, done.stderr)


TESTS = (test_occupancy, test_footprint_runs, test_footprint_summary, test_footprint_goes_on, test_throughput_runs,
         test_throughput_ratios, test_lookup_runs, test_lookup_gives_up, test_launch_runs, test_programs_run,
         test_resources, test_programs_compared, test_tables_of_several_runs, test_savings_of_the_pass,
         test_compile_times, test_mlb_runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--programs", default=PATTERN)
    arguments = parser.parse_args()
    globals()["PATTERN"] = arguments.programs
    sys.path.insert(0, BENCH)
    from build import compile_all
    build, failed = os.path.abspath(arguments.build), 0
    globals()["BUILD"] = build
    with open(os.path.join(build, "test", "config.json"), encoding="utf-8") as file:
        headers = Headers(build, json.load(file))
    with tempfile.TemporaryDirectory() as folder:
        for pattern in ("footprint/*-bst", "throughput/*-gasan", "lookup/*-bst", "launch/*-bst",
                        "programs/%s-bst" % PATTERN):
            for complaint in compile_all(build, folder, arguments.jobs, pattern, prepare=headers.included):
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
