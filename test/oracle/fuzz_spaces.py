#!/usr/bin/env python3
"""Random kernels in all memory spaces, whose verdict is known by construction, in BST mode and in shadow mode.

  fuzz_spaces.py [--count N] [--seed S]    N kernels (default 120); a program of --per-file kernels has a seed: S, S + 1, ...
  fuzz_spaces.py --replay                  the programs in replay/, each a kernel that once failed
  fuzz_spaces.py --build-only DIR ...      compile only, for a GPU too; DIR has all that the next line needs on another machine
  fuzz_spaces.py --run DIR [--device D]    run what DIR has: no compiler needed

BST mode must report each bug and nothing else. Shadow mode must report those of cudaMalloc's memory that lie in its redzones; what
it cannot see but what does no damage must be silent, the rest is not run. --switch FLAG (repeated) adds a build in BST mode with that
driver flag: its verdicts must be the same, and its reports those of the build without.

A failing kernel is left as a program of its own in DIR/failed, with the run's switches: once mended, it belongs in replay/.
Options: --keep DIR (where the programs are left; default: in the build folder, removed), --json FILE (what was run, and counts),
--ptxas (for the CPU device, cubins are not made otherwise), --build DIR, --jobs N. The last line is "N passed, N failed"."""
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
FLAGS = "-fno-vectorize -fno-slp-vectorize -Xarch_host -O0 -Xarch_host -g0"  # as in fuzz.py; the host's code is not what is tested
RUN_SECONDS = 300
# All kernels end, however busy the machine is; only then is it certain which thread is the first.
RUN_OPTIONS = "halt_on_error=0:report_wait_ms=60000"
REPLAY = os.path.join(HERE, "replay")
SCRIPTS = ("fuzz_spaces.py", "spaces.py", "routes.py", "generate.py", "judge.py")
KEPT = "// kept: "  # before the JSON of a replay file

# A way of building: its name, the mode whose verdict it has, and the driver's flags.
Variant = collections.namedtuple("Variant", "name mode flags")


def variants(switches):
    modes = [Variant("bst", "bst", "-fsanitize-gpu-address-mode=bst"),
             Variant("shadow", "shadow", "-fsanitize-gpu-address-mode=shadow -DSHADOW_MODE")]
    return modes + [Variant("bst" + flag, "bst", "-fsanitize-gpu-address-mode=bst " + flag) for flag in switches]


def ways_of(entry, ways):
    """A kept kernel is also built as it was when it failed."""
    return ways + [variant for variant in variants(entry.get("switches", ())) if variant not in ways]


class Compiler:
    """Compiles programs in one folder."""

    def __init__(self, builds, folder, with_ptxas):
        self.builds, self.folder = builds, folder
        self.command = builds.command("-fsanitize=gpu-address")
        if not with_ptxas:
            self.command += " --cuda-path=" + cuda_without_ptxas(builds, os.path.join(folder, "cuda"))

    def compile(self, source, level, variant):
        """None, or what is wrong."""
        return self.builds.compile("%s %s %s %s -I%s %s -o %s" % (
            self.command, level, variant.flags, FLAGS, os.path.join(HERE, "inputs"), source, binary(source, variant)))


def binary(source, variant):
    return "%s.%s" % (source[:-len(".cu")], re.sub(r"[^\w.]+", "-", variant.name))


def cuda_without_ptxas(builds, folder):
    """A CUDA folder whose ptxas makes the same empty cubin of everything: the CPU device has no use for any, and to make them takes
    as long as all the rest."""
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
    subprocess.run([os.path.join(cuda, "bin", "ptxas"), "--gpu-name", arch, empty + ".ptx", "-o", empty + ".cubin"], check=True)
    with open(os.path.join(folder, "bin", "ptxas"), "w", encoding="utf-8") as file:
        file.write('#!/bin/sh\nwhile [ $# -gt 1 ]; do\n  [ "$1" = -o ] && exec cp "%s.cubin" "$2"\n  shift\ndone\n' % empty)
    os.chmod(file.name, 0o755)
    return folder


class Program:
    """A file of kernels; as the manifest has it: "source" (name), "level", "cases" with what each mode must say (null: not run),
    of a kept one "switches"."""

    def __init__(self, folder, entry):
        self.folder, self.entry = folder, entry
        self.source = os.path.join(folder, entry["source"])

    def check(self, compiler, device, ways):
        """([how a kernel failed: (number, text)], {(case number, variant): outcome}); `compiler`: None if all is compiled."""
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
                    problem = differences(reports[number, variant.mode], reports[number, variant.name], "loose" in expected)
                outcomes[number, variant.name] = "wrong" if problem else "silent" if expected["kind"] == "silent" else "reported"
                if problem:
                    failures.append((number, "%s case %d (%s): %s" % (variant.name, number, case["what"], problem)))
        return [(number, "%s %s %s" % (self.entry["source"], self.entry["level"], text)) for number, text in failures], outcomes

    def numbers(self, mode):
        return [case["number"] for case in self.entry["cases"] if case[mode] is not None]

    def remove(self, ways):
        for path in [self.source] + [binary(self.source, variant) for variant in ways_of(self.entry, ways)]:
            if os.path.exists(path):
                os.remove(path)


def cases_of(seed, per_file):
    """Of a program: all from its seed."""
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
    """Each failing kernel as a program of its own, with what it must say in its last line."""
    failed = os.path.join(folder, "failed")
    os.makedirs(failed, exist_ok=True)
    _, cases = cases_of(entry["seed"], per_file)
    for case in cases:
        if case.number in numbers:
            text = spaces.program([case])
            kept = {"level": entry["level"], "switches": switches, "cases": [case.manifest()]}
            write(os.path.join(failed, "%d-%d.cu" % (entry["seed"], case.number)), text + KEPT + json.dumps(kept) + "\n")


def read_kept(folder):
    entries = []
    for name in sorted(os.listdir(REPLAY)):
        with open(os.path.join(REPLAY, name), encoding="utf-8") as file:
            text = file.read()
        write(os.path.join(folder, name), text)
        entries.append(dict(json.loads(text.rstrip().split(KEPT)[1]), source=name))
    return entries


def run(program, numbers, device):
    """{case: what it printed}, of one process; when that ends early, another goes on behind the case that ended it."""
    outputs = {}
    environment = dict(os.environ, GASAN_OPTIONS="device=%s:%s%s" % (device, RUN_OPTIONS, ":cpu_threads=1" * (device == "cpu")))
    while numbers:
        try:
            done = subprocess.run([program] + list(map(str, numbers)), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True, errors="replace", env=environment, timeout=RUN_SECONDS)
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
    """Compiles everything, with real cubins, and puts the rest of what a run needs beside it."""
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
          '#!/bin/sh\n# sh run.sh [cuda|cpu]: the kernels on this machine; results in results.json. On a GPU, libcudart.so.13 is needed, too.\n'
          'cd "$(dirname "$0")" && LD_LIBRARY_PATH=$PWD/lib:$LD_LIBRARY_PATH exec python3 fuzz_spaces.py --run . '
          '--device "${1:-cuda}" --json results.json\n')
    for error in errors:
        print("FAIL " + error)
    print("%d passed, %d failed" % (len(pairs) - len(errors), len(errors)))
    return 1 if errors else 0


class Counts:
    """Of kernels by space, bug, variant and outcome."""

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
        write(path, json.dumps({
            "command": "test/oracle/fuzz_spaces.py " + " ".join(arguments), "kernels": self.kernels, "failed": self.failed,
            "failures": self.failures, "seeds": [min(self.seeds), max(self.seeds)] if self.seeds else [],
            "levels": dict(sorted(self.levels.items())), "kernels by space, bug, build and outcome": self.table}, indent=1) + "\n")


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
        import both  # not on a machine that only runs
        builds = both.Builds(arguments.build)
        folder = os.path.abspath(arguments.build_only or arguments.keep or os.path.join(builds.build, "test", "fuzz-spaces"))
        os.makedirs(folder, exist_ok=True)
        seeds = range(arguments.seed, arguments.seed + -(-arguments.count // arguments.per_file))
        entries = read_kept(folder) if arguments.replay else [generate_program(folder, seed, arguments.per_file) for seed in seeds]
        compiler = Compiler(builds, folder, arguments.ptxas or arguments.build_only)
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
