#!/usr/bin/env python3
"""The silence suite: correct programs that are awkward on purpose. Any report is a false alarm.

  run.py test [NAME...]     compile and run (NAME: a part of a program's name)
  run.py build [NAME...]    compile for a GPU
  run.py run [NAME...]      run the programs of `build`; needs no compiler

programs.txt lists the programs: those of this folder, and tests of other folders. lit builds and runs them by their RUN
lines, but in other modes and at other levels. Of a program with a planted bug, the correct twin runs.
Options: --modes bst,shadow, --levels 0,2, --front-end nvcc (takes one mode, bst, and one level), --build DIR,
--device cpu|cuda, --jobs N, --json FILE, -v.
The last line is "N passed, N failed"."""
import argparse
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(TESTS, "run"))
import run_lines  # noqa: E402

LIST = os.path.join(HERE, "programs.txt")
REFUSED_BY_NVCC = "clang's built-in functions"
OTHER_BY_GCC = "gcc evaluates arguments in another order, so the random numbers and the printed sums differ"
NOT_BY_NVCC = {"cpu/atomics/message-passing.cu": REFUSED_BY_NVCC, "silence/nothing.cu": REFUSED_BY_NVCC,
               "cpu/api/copy-3d.cu": OTHER_BY_GCC, "cpu/libcuxx/values.cu": OTHER_BY_GCC,
               "cpu/textures/in-graph.cu": OTHER_BY_GCC,
               "cpu/ptx/matrix.cu": "nvcc makes wmma instructions, which the CPU device does not have"}


def read_list():
    """Returns {name relative to test/: topic}. A program whose topic begins with -O2 is for that level only."""
    listed = {}
    with open(LIST, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                name, topic = line.split(None, 1)
                listed[name] = topic.strip()
    own = {"silence/" + name for name in os.listdir(HERE) if name.endswith(".cu")}
    if own - set(listed):
        sys.exit("test/silence/programs.txt: does not list %s" % ", ".join(sorted(own - set(listed))))
    for name in listed:
        if not os.path.exists(os.path.join(TESTS, name)):
            sys.exit("test/silence/programs.txt: there is no test/%s" % name)
    return listed


def run_all(arguments, build):
    """Returns [{"mode", "level", "name", "code", "output", "alarms": [line]}]."""
    listed = read_list()
    names = [name for name in listed if run_lines.matches(name, arguments.filters)]
    params = {"correct_only": 1, "device": arguments.device}
    if arguments.front_end == "nvcc":
        params["front_end"] = "nvcc"
        arguments.modes, arguments.levels = "bst", "2"
        names = [name for name in names if name not in NOT_BY_NVCC]
    if arguments.command != "test":
        params["only"] = arguments.command
    results = []
    for mode in arguments.modes.split(","):
        for level in arguments.levels.split(","):
            mine = [name for name in names if not listed[name].startswith("-O") or 
                    listed[name].startswith("-O" + level)]
            if not mine:
                continue
            tests, output = run_lines.run_lit([os.path.join(TESTS, name) for name in mine], build, arguments.jobs,
                                              mode=mode, level=level,
                                              **params)
            if len(tests) != len(mine):
                sys.exit("lit ran %d of %d programs\n%s" % (len(tests), len(mine), output))
            results += [dict(name=test["name"], code=test["code"], output=test["output"], mode=mode, level=level,
                             alarms=[line for line in test["output"].splitlines() if "ERROR: AddressSanitizer" in line]
                             if run_lines.is_failure(test) else []) for test in tests]
    return results


def show(results, verbose):
    for mode, level in dict.fromkeys((result["mode"], result["level"]) for result in results):
        mine = [result for result in results if (result["mode"], result["level"]) == (mode, level)]
        print("%s -O%s: %d programs, %d false alarms, %d otherwise wrong, %d not for this device" % (
            mode, level, len(mine), sum(bool(result["alarms"]) for result in mine),
            sum(run_lines.is_failure(result) and not result["alarms"] for result in mine),
            sum(result["code"] == "UNSUPPORTED" for result in mine)))
    for result in results:
        if run_lines.is_failure(result):
            print("FAIL %s, %s -O%s: %s  (rerun: test/silence/run.py test -v --modes %s --levels %s %s)" % (
                result["name"], result["mode"], result["level"], (result["alarms"]
                                                                  or [result["code"]])[0].strip(), result["mode"],
                result["level"], result["name"]))
            if verbose:
                print("\n".join("    " + line for line in result["output"].split("\n")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["test", "build", "run"])
    parser.add_argument("filters", nargs="*", metavar="NAME")
    parser.add_argument("--modes", default="bst,shadow")
    parser.add_argument("--levels", default="0,2")
    parser.add_argument("--front-end", choices=["clang", "nvcc"], default="clang")
    parser.add_argument("--build", default=os.path.join(run_lines.SOURCE, "build"))
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--json")
    parser.add_argument("-v", "--verbose", action="store_true")
    arguments = parser.parse_intermixed_args()
    build = os.path.abspath(arguments.build)
    results = run_all(arguments, build)
    show(results, arguments.verbose)
    if arguments.json:
        run_lines.write_text(os.path.abspath(arguments.json),
                             json.dumps({"device": arguments.device, "results": results}, indent=1))
    failed = sum(run_lines.is_failure(result) for result in results)
    skipped = sum(result["code"] == "UNSUPPORTED" for result in results)
    print("%d passed, %d failed" % (len(results) - failed - skipped, failed))
    return 1 if failed or not results else 0


if __name__ == "__main__":
    sys.exit(main())
