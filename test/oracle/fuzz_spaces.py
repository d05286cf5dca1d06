#!/usr/bin/env python3
"""Tests gasan with random kernels in all memory spaces. Their verdicts in BST mode and in shadow mode are known by
construction.

  fuzz_spaces.py [--count N] [--seed S]    N kernels (default 120), --per-file of them in a program; the programs'
                                           seeds are S, S + 1, ...
  fuzz_spaces.py --replay                  the programs in replay/, each a kernel that once failed
  fuzz_spaces.py --build-only DIR ...      only compile, for a GPU too; DIR is complete for --run on another machine
  fuzz_spaces.py --run DIR [--device D]    run the programs of DIR; needs no compiler

BST mode must report each bug and nothing else. Shadow mode must report the bugs in cudaMalloc's memory whose accesses
are in redzones. It must be silent on bugs that it cannot see and that do no damage; the other kernels are not run.
--switch FLAG (repeated) adds a build in BST mode with this driver flag. Its verdicts and reports must be the same.

Writes each failing kernel as a program of its own, with the run's switches, to DIR/failed. Once gasan is mended, the
program belongs in replay/.

Options: --keep DIR (write the programs there and keep them; default: the build folder), --json FILE (the run's
command and counts), --ptxas (make cubins for the CPU device, too), --build DIR, --jobs N. The last line is "N passed,
N failed"."""
import argparse
import collections
import concurrent.futures
import json
import os
import random
import re
import shutil
import subprocess
import sys

from judge import differences, judge, read
import spaces

HERE = os.path.dirname(os.path.abspath(__file__))
LEVELS = ("-O2", "-O0", "-O3", "-O1")
# As in fuzz.py. The tests are not about the host's code.
FLAGS = "-fno-vectorize -fno-slp-vectorize -Xarch_host -O0 -Xarch_host -g0"
RUN_SECONDS = 300
# The wait is so long that all kernels end, even on a busy machine. Only then is the first thread certain.
RUN_OPTIONS = "halt_on_error=0:print_repeated=1:print_limit=0:report_wait_ms=60000"
REPLAY = os.path.join(HERE, "replay")
SCRIPTS = ("fuzz_spaces.py", "spaces.py", "routes.py", "generate.py", "judge.py")
KEPT = "// kept: "  # before the JSON of a replay file

# A build of the programs: its name, the mode whose verdict it must have, and the driver's flags.
Variant = collections.namedtuple("Variant", "name mode flags")


def variants(switches):
    modes = [Variant("bst", "bst", "-fsanitize-gpu-address-mode=bst"),
             Variant("shadow", "shadow", "-fsanitize-gpu-address-mode=shadow -DSHADOW_MODE")]
    return modes + [Variant("bst" + flag, "bst", "-fsanitize-gpu-address-mode=bst " + flag) for flag in switches]


def ways_of(entry, ways):
    """Returns the builds of a program. A program of replay/ is also built with the switches with which it failed."""
    return ways + [variant for variant in variants(entry.get("switches", ())) if variant not in ways]


class Compiler:
    """Compiles programs in one folder."""

    def __init__(self, builds, folder, with_ptxas):
        self.builds, self.folder = builds, folder
        self.command = builds.command("-fsanitize=gpu-address")
        if not with_ptxas:
            self.command += " --cuda-path=" + cuda_without_ptxas(builds, os.path.join(folder, "cuda"))

    def compile(self, source, level, variant):
        """Compiles a program. Returns None, or the compiler's output."""
        return self.builds.compile("%s %s %s %s -I%s %s -o %s" % (
            self.command, level, variant.flags, FLAGS, os.path.join(HERE, "inputs"), source, binary(source, variant)))


def binary(source, variant):
    return "%s.%s" % (source[:-len(".cu")], re.sub(r"[^\w.]+", "-", variant.name))


def cuda_without_ptxas(builds, folder):
    """Makes a CUDA folder whose ptxas writes an empty cubin for each input. The CPU device does not use cubins, and
    ptxas takes as long as the rest of the compilation."""
    cuda, arch = builds.config["cuda"], builds.config["arch"]
    os.makedirs(os.path.join(folder, "bin"), exist_ok=True)
    for name in os.listdir(cuda):
        if name != "bin" and not os.path.lexists(os.path.join(folder, name)):
            os.symlink(os.path.realpath(os.path.join(cuda, name)), os.path.join(folder, name))
    for name in os.listdir(os.path.join(cuda, "bin")):
        if name != "ptxas" and not os.path.lexists(os.path.join(folder, "bin", name)):
            os.symlink(os.path.realpath(os.path.join(cuda, "bin", name)), os.path.join(folder, "bin", name))
    empty = os.path.join(folder, "empty")
    with open(empty + ".ptx", "w", encoding="utf-8") as file:
        file.write(".version 8.0\n.target %s\n.address_size 64\n.visible .entry empty() { ret; }\n" % arch)
    ptxas = os.path.join(cuda, "bin", "ptxas")
    subprocess.run([ptxas, "--gpu-name", arch, empty + ".ptx", "-o", empty + ".cubin"], check=True)
    with open(os.path.join(folder, "bin", "ptxas"), "w", encoding="utf-8") as file:
        file.write('#!/bin/sh\nwhile [ $# -gt 1 ]; do\n  [ "$1" = -o ] && exec cp "%s.cubin" "$2"\n  shift\ndone\n' %
                   empty)
    os.chmod(file.name, 0o755)
    return folder


class Program:
    """A source file of kernels. Its entry in the manifest has "source" (the file's name), "level", "cases" with each
    mode's expected verdict (null: not run), and for a program of replay/ "switches"."""

    def __init__(self, folder, entry):
        self.folder, self.entry = folder, entry
        self.source = os.path.join(folder, entry["source"])

    def check(self, compiler, device, ways):
        """Compiles the program, unless `compiler` is None, and runs it. Returns ([(number of a failed kernel, text)],
        {(case number, variant): outcome})."""
        failures, outcomes, reports = [], {}, {}
        for variant in ways_of(self.entry, ways):
            error = compiler and compiler.compile(self.source, self.entry["level"], variant)
            if error:
                failures.append((None, "%s does not compile: %s" % (variant.name, error)))
                continue
            outputs = run(binary(self.source, variant), self.numbers(variant.mode), device)
            for case in self.entry["cases"]:
                number, expected = case["number"], case[variant.mode]
                if expected is None:
                    outcomes[number, variant.name] = "not run"
                    continue
                problem = judge(expected, outputs.get(number), self.entry["source"])
                reports[number, variant.name] = read(outputs.get(number) or "", self.entry["source"])
                if not problem and variant.name != variant.mode and (number, variant.mode) in reports:
                    problem = differences(reports[number, variant.mode], reports[number, variant.name],
                                          "loose" in expected)
                right = "silent" if expected["kind"] == "silent" else "reported"
                outcomes[number, variant.name] = "wrong" if problem else right
                if problem:
                    failures.append((number, "%s case %d (%s): %s" % (variant.name, number, case["what"], problem)))
        name = "%s %s " % (self.entry["source"], self.entry["level"])
        return [(number, name + text) for number, text in failures], outcomes

    def numbers(self, mode):
        return [case["number"] for case in self.entry["cases"] if case[mode] is not None]

    def remove(self, ways):
        for path in [self.source] + [binary(self.source, variant) for variant in ways_of(self.entry, ways)]:
            if os.path.exists(path):
                os.remove(path)


def cases_of(seed, per_file):
    """Returns a program's level and cases, which depend on the seed only."""
    choice = random.Random(seed)
    return LEVELS[seed % len(LEVELS)], [spaces.Case(choice, number) for number in range(per_file)]


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def generate_program(folder, seed, per_file):
    level, cases = cases_of(seed, per_file)
    name = "spaces-%d.cu" % seed
    write(os.path.join(folder, name), spaces.program(cases))
    return {"source": name, "seed": seed, "level": level, "cases": [case.manifest() for case in cases]}


def keep_failed(folder, entry, per_file, numbers, switches):
    """Writes each failing kernel as a program of its own, whose last line has the expected verdict."""
    failed = os.path.join(folder, "failed")
    os.makedirs(failed, exist_ok=True)
    _, cases = cases_of(entry["seed"], per_file)
    for case in cases:
        if case.number in numbers:
            text = spaces.program([case])
            kept = {"level": entry["level"], "switches": switches, "cases": [case.manifest()]}
            write(os.path.join(failed, "%d-%d.cu" % (entry["seed"], case.number)),
                  text + KEPT + json.dumps(kept) + "\n")


def read_kept(folder):
    entries = []
    for name in sorted(name for name in os.listdir(REPLAY) if name.endswith(".cu")):
        with open(os.path.join(REPLAY, name), encoding="utf-8") as file:
            text = file.read()
        write(os.path.join(folder, name), text)
        entries.append(dict(json.loads(text.rstrip().split(KEPT)[1]), source=name))
    return entries


def run(program, numbers, device):
    """Runs the cases in one process. Returns {case: its output}. If a case ends the process, another one runs the
    cases after it."""
    outputs = {}
    options = "device=%s:%s%s" % (device, RUN_OPTIONS, ":cpu_threads=1" * (device == "cpu"))
    environment = dict(os.environ, GASAN_OPTIONS=options)
    while numbers:
        try:
            done = subprocess.run([program] + list(map(str, numbers)), stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
                                  env=environment, timeout=RUN_SECONDS)
            text = done.stderr + ("ended with %d\n" % done.returncode if done.returncode not in (0, 1) else "")
        except subprocess.TimeoutExpired as expired:
            text = (expired.stderr or b"").decode(errors="replace") + "stopped after %d s" % RUN_SECONDS
        parts = re.split(r"^case (\d+)\n", text, flags=re.MULTILINE)
        done = list(map(int, parts[1::2]))
        outputs.update(zip(done, parts[2::2]))
        if not done:
            return outputs
        numbers = numbers[numbers.index(done[-1]) + 1:]
    return outputs


def build_only(compiler, folder, entries, ways, jobs):
    """Compiles all programs, with real cubins, and copies the runtime and the scripts that --run needs."""
    pairs = [(entry, variant) for entry in entries for variant in ways_of(entry, ways)]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        errors = [error for error in pool.map(lambda pair: compiler.compile(
            os.path.join(folder, pair[0]["source"]), pair[0]["level"], pair[1]), pairs) if error]
    write(os.path.join(folder, "manifest.json"), json.dumps({"programs": entries, "ways": ways}))
    os.makedirs(os.path.join(folder, "lib", "gasan"), exist_ok=True)
    for name in ("libgasan_rt.so", os.path.join("gasan", "llvm-symbolizer-gasan")):
        shutil.copy2(os.path.join(compiler.builds.build, "lib", name), os.path.join(folder, "lib", name))
    for name in SCRIPTS:
        shutil.copy2(os.path.join(HERE, name), folder)
    write(os.path.join(folder, "run.sh"),
          '#!/bin/sh\n'
          '# sh run.sh [cuda|cpu]: runs the kernels and writes results.json. A GPU needs libcudart.so.13, too.\n'
          'cd "$(dirname "$0")" && LD_LIBRARY_PATH=$PWD/lib:$LD_LIBRARY_PATH exec python3 fuzz_spaces.py --run . '
          '--device "${1:-cuda}" --json results.json\n')
    for error in errors:
        print("FAIL " + error)
    print("%d passed, %d failed" % (len(pairs) - len(errors), len(errors)))
    return 1 if errors else 0


class Counts:
    """Counts kernels by space, bug, variant and outcome."""

    def __init__(self):
        self.table, self.failures, self.kernels, self.failed = {}, [], 0, 0
        self.seeds, self.levels = [], collections.Counter()

    def add(self, entry, failures, outcomes):
        self.kernels += len(entry["cases"])
        self.seeds += [entry["seed"]] if "seed" in entry else []
        self.levels[entry["level"]] += len(entry["cases"])
        numbers = {number for number, _ in failures}
        self.failed += len(entry["cases"]) if None in numbers else len(numbers)
        self.failures += [text for _, text in failures]
        for case in entry["cases"]:
            row = self.table.setdefault(case["space"], {}).setdefault(case["bst"]["kind"], {})
            for (number, variant), outcome in outcomes.items():
                if number == case["number"]:
                    counts = row.setdefault(variant, {})
                    counts[outcome] = counts.get(outcome, 0) + 1

    def write(self, path, arguments):
        contents = {"command": "test/oracle/fuzz_spaces.py " + " ".join(arguments),
                    "kernels": self.kernels, "failed": self.failed, "failures": self.failures,
                    "seeds": [min(self.seeds), max(self.seeds)] if self.seeds else [],
                    "levels": dict(sorted(self.levels.items())),
                    "kernels by space, bug, build and outcome": self.table}
        write(path, json.dumps(contents, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--per-file", type=int, default=240)
    parser.add_argument("--replay", action="store_true")
    parser.add_argument("--switch", action="append", default=[], metavar="FLAG")
    parser.add_argument("--build-only", metavar="DIR")
    parser.add_argument("--run", metavar="DIR")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--keep", metavar="DIR")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--ptxas", action="store_true")
    parser.add_argument("--build", default=os.path.join(HERE, "..", "..", "build"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    ways, compiler = variants(arguments.switch), None
    if arguments.run:
        folder = os.path.abspath(arguments.run)
        with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
            manifest = json.load(file)
        entries, ways = manifest["programs"], [Variant(*way) for way in manifest["ways"]]
    else:
        import both  # --run does not need it
        builds = both.Builds(arguments.build)
        folder = os.path.abspath(arguments.build_only or arguments.keep
                                 or os.path.join(builds.build, "test", "fuzz-spaces"))
        os.makedirs(folder, exist_ok=True)
        seeds = range(arguments.seed, arguments.seed + -(-arguments.count // arguments.per_file))
        if arguments.replay:
            entries = read_kept(folder)
        else:
            entries = [generate_program(folder, seed, arguments.per_file) for seed in seeds]
        compiler = Compiler(builds, folder, arguments.ptxas or arguments.build_only or arguments.device == "cuda")
        os.environ["ASAN_SYMBOLIZER_PATH"] = os.path.join(builds.config["llvm"], "bin", "llvm-symbolizer")
    if arguments.build_only:
        return build_only(compiler, folder, entries, ways, arguments.jobs)

    def check(entry):
        return Program(folder, entry).check(compiler, arguments.device, ways)
    counts = Counts()
    with concurrent.futures.ThreadPoolExecutor(1 if arguments.device == "cuda" else arguments.jobs) as pool:
        for entry, (failures, outcomes) in zip(entries, pool.map(check, entries)):
            counts.add(entry, failures, outcomes)
            if arguments.json:
                counts.write(arguments.json, sys.argv[1:])
            for _, text in failures:
                print("FAIL %s" % text, flush=True)
            if failures and compiler and "seed" in entry:
                keep_failed(folder, entry, arguments.per_file, {number for number, _ in failures}, arguments.switch)
            elif compiler and not failures and not arguments.keep:
                Program(folder, entry).remove(ways)
    print("%d passed, %d failed" % (counts.kernels - counts.failed, counts.failed))
    return 1 if counts.failed or not counts.kernels else 0


if __name__ == "__main__":
    sys.exit(main())
