#!/usr/bin/env python3
"""The silence suite: correct programs that are awkward on purpose. Any report is a false alarm.

  run.py test [NAME...]     compile and run (NAME: a part of a program's name)
  run.py build [NAME...]    compile, and write the manifest
  run.py run [NAME...]      run the programs of the manifest; needs no compiler

programs.txt lists the programs: those of this folder, and tests of other folders. The latter are built and run by
their RUN lines, but in this suite's modes and at its levels; for a test with a planted bug, only the correct twin.

Options: --modes bst,shadow, --levels 0,2, --build DIR, --device cpu|cuda, --jobs N, --json FILE, -v.
The last line is "N passed, N failed"."""
import argparse
import concurrent.futures
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(TESTS, "run"))
import plan  # noqa: E402
import run as programs  # noqa: E402

LIST = os.path.join(HERE, "programs.txt")
LEVEL = re.compile(r" -O[0-3s]\b")


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


class Builder(programs.Builder):
    """Builds a test's correct programs in one mode at one level."""

    def __init__(self, build, mode, level, for_gpu):
        super().__init__(build, mode, for_gpu)
        self.folder = "silence/%s-O%s" % (mode, level)
        self.commands = [(name, "%s -O%s" % (command, level) if name in plan.COMPILERS[:2] else command)
                         for name, command in self.commands]

    def read(self, name, source):
        test = plan.read(name, source)
        test["run"] = [step for step in test["run"] if step["exit"] == 0]
        used = {word for step in test["run"] for word in step["command"]}
        test["build"] = [LEVEL.sub("", line) for line in test["build"] if not links_unused(line, used)]
        return test


def links_unused(line, used):
    """Says whether a build line only links a program that no step runs. Objects and libraries are inputs of other
    lines."""
    made = re.search(r" -o (%t\S*)", line)
    return made and made.group(1) not in used and not re.search(r" (-c|-shared)\b|\.(o|so|a)$", line)


def build_all(build, modes, levels, filters, jobs, for_gpu):
    """Returns the manifest, whose tests are {"mode", "level", "test"}."""
    builders = [(mode, level, Builder(build, mode, level, for_gpu)) for mode in modes for level in levels]
    listed = read_list()
    names = [name for name in listed if programs.matches(name, filters)]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        waiting = [(mode, level, pool.submit(builder.build_test, name))
                   for name in names for mode, level, builder in builders
                   if not listed[name].startswith("-O") or listed[name].startswith("-O" + level)]
        return {"build": build,
                "tests": [{"mode": mode, "level": level, "test": one.result()} for mode, level, one in waiting]}


def run_all(build, manifest, device, filters, jobs):
    runner = programs.Runner(build, manifest, device, False)
    entries = [entry for entry in manifest["tests"] if programs.matches(entry["test"]["name"], filters)]

    def run_one(entry):
        result = runner.run_test(entry["test"])
        alarms = [line for step in result["steps"] for line in step["stderr"].splitlines()
                  if "ERROR: AddressSanitizer" in line]
        return dict(result, mode=entry["mode"], level=entry["level"], alarms=alarms)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(run_one, entries))


def show(results, verbose):
    for mode, level in dict.fromkeys((result["mode"], result["level"]) for result in results):
        mine = [result for result in results if (result["mode"], result["level"]) == (mode, level)]
        print("%s -O%s: %d programs, %d false alarms, %d otherwise wrong, %d not for this device" % (
            mode, level, len(mine), sum(bool(result["alarms"]) for result in mine),
            sum(not result["ok"] and not result["alarms"] for result in mine),
            sum(result["skipped"] for result in mine)))
    for result in results:
        if not result["ok"]:
            lines = result["detail"].split("\n")
            rerun = "test/silence/run.py test -v --modes %s --levels %s %s" % (
                result["mode"], result["level"], result["name"])
            print("FAIL %s, %s -O%s: %s  (rerun: %s)" % (
                result["name"], result["mode"], result["level"], (result["alarms"] or lines)[0], rerun))
            if verbose:
                print("\n".join("    " + line for line in lines[1:]))
                for step in result["steps"][-1:]:
                    print("    ---- standard error\n%s" % step["stderr"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["test", "build", "run"])
    parser.add_argument("filters", nargs="*", metavar="NAME")
    parser.add_argument("--modes", default="bst,shadow")
    parser.add_argument("--levels", default="0,2")
    parser.add_argument("--build", default=os.path.join(programs.SOURCE, "build"))
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--json")
    parser.add_argument("-v", "--verbose", action="store_true")
    arguments = parser.parse_intermixed_args()
    build = os.path.abspath(arguments.build)
    path = os.path.join(build, "test", "silence", "manifest.json")

    if arguments.command == "run":
        manifest = json.loads(programs.read_text(path))
    else:
        manifest = build_all(build, arguments.modes.split(","), arguments.levels.split(","), arguments.filters,
                             arguments.jobs, programs.is_for_gpu(arguments.command, arguments.device))
    if arguments.command == "build":
        programs.write_text(path, json.dumps(manifest, indent=1) + "\n")
        results = [dict(name=entry["test"]["name"], mode=entry["mode"], level=entry["level"],
                        ok=not entry["test"]["build_error"], detail=entry["test"]["build_error"] or "",
                        alarms=[], skipped=False, steps=[])
                   for entry in manifest["tests"]]
    else:
        results = run_all(build, manifest, arguments.device, arguments.filters, arguments.jobs)
    show(results, arguments.verbose)
    if arguments.json:
        programs.write_text(os.path.abspath(arguments.json),
                            json.dumps({"device": arguments.device, "results": results}, indent=1))
    failed = sum(not result["ok"] for result in results)
    skipped = sum(result["skipped"] for result in results)
    print("%d passed, %d failed" % (len(results) - failed - skipped, failed))
    return 1 if failed or not results else 0


if __name__ == "__main__":
    sys.exit(main())
