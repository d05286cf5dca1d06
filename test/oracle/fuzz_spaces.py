#!/usr/bin/env python3
"""Random kernels in all memory spaces, whose verdict is known by construction, in BST mode and in shadow mode.

  fuzz_spaces.py [--count N] [--seed S]     N kernels (default 120); a program of --per-file kernels has a seed: S, S + 1, ...
  fuzz_spaces.py --replay                   the programs whose seeds are in failed_seeds.txt, because they once failed

BST mode must report each bug and nothing else. Shadow mode must report those of cudaMalloc's memory that lie in its redzones; what
it cannot see but what does no damage must be silent, the rest is not run. Options: --keep DIR (where the programs are left; default:
in the build folder), --build DIR, --jobs N. The last line is "N passed, N failed"."""
import argparse
import concurrent.futures
import os
import random
import re
import subprocess
import sys

from both import GASAN, HERE, SOURCE, Builds
import spaces

LEVELS = ("-O2", "-O0", "-O3", "-O1")
FLAGS = "-fno-vectorize -fno-slp-vectorize"  # as in fuzz.py
RUN_SECONDS = 300
FAILED = os.path.join(HERE, "failed_seeds.txt")

ERROR = re.compile(r"ERROR: AddressSanitizer: (\S+) on ")
ACCESS = re.compile(r"^(READ|WRITE) of size (\d+) at .*?(?: \(and (\d+) more threads? of this kernel\))?$", re.MULTILINE)
FRAME = re.compile(r"^ +#\d+ .*/([^/]+?:\d+)(?::\d+)?$", re.MULTILINE)
DISTANCE = re.compile(r"is located (\d+) bytes (after|before|inside of) ")


class Program:
    """A file of cases, made from its seed alone."""

    def __init__(self, folder, seed, per_file):
        self.seed = seed
        choice = random.Random(seed)
        self.level = choice.choice(LEVELS)
        self.cases = [spaces.Case(choice, number) for number in range(per_file)]
        self.source = os.path.join(folder, "spaces-%d.cu" % seed)

    def check(self, builds):
        """What is wrong, one a line."""
        with open(self.source, "w", encoding="utf-8") as file:
            file.write(spaces.program(self.cases))
        wrong = []
        for mode in ("bst", "shadow"):
            binary = "%s.%s" % (self.source[:-len(".cu")], mode)
            error = builds.compile("%s %s -fsanitize-gpu-address-mode=%s %s -I%s %s -o %s" % (
                builds.command(GASAN), self.level, mode, FLAGS, os.path.join(HERE, "inputs"), self.source, binary))
            wrong += ["does not compile: " + error] if error else self.check_mode(builds, mode, binary)
        return ["seed %d, %s %s" % (self.seed, self.level, line) for line in wrong]

    def check_mode(self, builds, mode, binary):
        expected = {case.number: "as bst" if mode == "bst" else case.in_shadow_mode() for case in self.cases}
        outputs = run(builds, binary, [number for number, what in expected.items() if what])
        wrong = []
        for case in self.cases:
            if expected[case.number]:
                problem = judge(case, expected[case.number] == "silent", outputs.get(case.number), os.path.basename(self.source))
                if problem:
                    wrong.append("%s case %d (%s): %s" % (mode, case.number, case.space.name, problem))
        return wrong


def run(builds, binary, numbers):
    """{case: what it printed}, of one process; when that ends early, another goes on behind the case that ended it."""
    outputs = {}
    environment = dict(os.environ, GASAN_OPTIONS="device=cpu:cpu_threads=1:halt_on_error=0",
                       ASAN_SYMBOLIZER_PATH=os.path.join(builds.config["llvm"], "bin", "llvm-symbolizer"))
    while numbers:
        try:
            text = subprocess.run([binary] + list(map(str, numbers)), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True, errors="replace", env=environment, timeout=RUN_SECONDS).stderr
        except subprocess.TimeoutExpired as expired:
            text = (expired.stderr or b"").decode(errors="replace") + "stopped after %d s" % RUN_SECONDS
        parts = re.split(r"^case (\d+)\n", text, flags=re.MULTILINE)
        done = list(map(int, parts[1::2]))
        outputs.update(zip(done, parts[2::2]))
        if not done:
            return outputs
        numbers = numbers[numbers.index(done[-1]) + 1:]
    return outputs


def judge(case, silent, output, source):
    """None, or how what a case printed differs from what its construction says."""
    expected = case.expected
    if output is None:
        return "was not run"
    if silent or expected.access is None:
        return None if not output else "should be silent: " + (output.strip().split("\n") + [""])[min(1, output.count("\n"))]
    error, access = ERROR.search(output), ACCESS.search(output)
    if not error or not access:
        return "%s was not reported: %s" % (expected.kind, output.strip()[:200])
    frames = FRAME.findall(output[access.end():].split("launched here by")[0])
    place = next((frame for frame in frames if frame.startswith(source)), None)  # an atomic's innermost is of a header
    distance = DISTANCE.search(output)
    size, threads = int(access.group(2)), 1 + int(access.group(3) or 0)
    items = [("kind", error.group(1), error.group(1) == expected.kind),
             ("access", access.group(1), access.group(1) == expected.access),
             ("size", size, size in (case.size, case.part)),
             ("place", place, place in (None, "%s:%d" % (source, expected.line))),
             ("threads", threads, threads == expected.threads)]
    if expected.distance is not None:
        items.append(("side", distance and distance.group(2), distance and distance.group(2).split()[0] == expected.side))
        items.append(("distance", distance and distance.group(1),
                      distance and 0 <= case.beyond(int(distance.group(1))) <= max(0, case.size - size)))
    return "; ".join("wrong %s %s" % (what, found) for what, found, right in items if not right) or None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--per-file", type=int, default=60)
    parser.add_argument("--replay", action="store_true")
    parser.add_argument("--keep")
    parser.add_argument("--build", default=os.path.join(SOURCE, "build"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    builds = Builds(arguments.build)
    folder = os.path.abspath(arguments.keep or os.path.join(builds.build, "test", "fuzz-spaces"))
    os.makedirs(folder, exist_ok=True)
    seeds = range(arguments.seed, arguments.seed + -(-arguments.count // arguments.per_file))
    if arguments.replay:
        with open(FAILED, encoding="utf-8") as file:
            seeds = [int(line.split()[0]) for line in file if line.strip() and not line.startswith("#")]
    kernels = failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        programs = [Program(folder, seed, arguments.per_file) for seed in seeds]
        for program, wrong in zip(programs, pool.map(lambda program: program.check(builds), programs)):
            kernels += len(program.cases)
            failed += len({line.split(" case ")[-1] for line in wrong})
            for line in wrong:
                print("FAIL %s" % line, flush=True)
            if not wrong and not arguments.keep:
                for suffix in (".cu", ".bst", ".shadow"):
                    os.remove(program.source[:-len(".cu")] + suffix)
    print("%d passed, %d failed" % (kernels - min(failed, kernels), failed))
    return 1 if failed or not kernels else 0


if __name__ == "__main__":
    sys.exit(main())
