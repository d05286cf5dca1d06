#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What -fsanitize=gpu-address costs: runs the programs of programs/ plain and with checks, and compares their times.

  run.py [--variants NAME,...] [--programs NAME,...] [--seconds N] [--device cuda|cpu] [--size full|small] OUT.json

Builds nothing; needs python3, a GPU and the programs that `make dist` or `make dist-bench` puts beside this file. --variants takes names
and patterns of variants, and sets: default, levers (each optimisation off), memcheck (compute-sanitizer), all (bench/variants.py).
--programs takes names, patterns and groups. In each round every program runs in all variants, one after the other; rounds go on until
--seconds are over, the first one in any case. The ratio is the median of the rounds' ratios to the plain program in the same round.

Writes OUT.json, and beside it OUT.md (tables) and OUT.svg (a plot); `bench/tables.py` makes them of several such files together.
With --device cpu only programs with checks can run, which shows that all this works; such times say nothing.
"""
import argparse
import fnmatch
import json
import os
import re
import shutil
import statistics
import sys
import time

import measure
import tables
from measure import NotMeasured, ProgramError
from variants import PLAIN, SETS, Variant

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM_SECONDS = 60
TOOL_FAILED = 99  # compute-sanitizer's exit code when it finds an error
TOOL_LAUNCHES = ["1", "1"]  # one repetition after one warm-up
MOST_ROUNDS = 9
# What print_stats=1 prints.
CHECKS = re.compile(r"^Stats: .*?(\d+) checks executed for (\d+) accesses", re.MULTILINE)
PROVEN = re.compile(r"^Stats: .*?(\d+) of (\d+) launches proven", re.MULTILINE)


class Bench:
    def __init__(self, arguments, built):
        self.arguments = arguments
        self.variants = {name: Variant(**what) for name, what in built["variants"].items()}
        self.runs = {}      # (program, variant) -> [what one run said, or None]
        self.failed = []
        self.unfinished = {}  # (program, variant) -> why there is no time
        self.tool = shutil.which("compute-sanitizer")
        self.deadline = time.monotonic() + arguments.seconds

    def command(self, program, variant, size):
        what = self.variants[variant]
        path = os.path.join(self.arguments.folder, "%s-%s" % (program, what.binary or variant))
        if not os.path.exists(path):
            raise NotMeasured("not built")
        if not what.tool:
            return [path, size]
        if not self.tool:
            raise NotMeasured("compute-sanitizer is not on PATH")
        return [self.tool, "--tool", "memcheck", "--error-exitcode", str(TOOL_FAILED), path, size] + TOOL_LAUNCHES

    # What is counted is a matter of the code, not of the size. What two repetitions count more than one is in what is measured.
    def count(self, program, variant, env):
        counted = []
        for repetitions in ("1", "2"):
            output, errors = measure.start(self.command(program, variant, "small") + [repetitions, "0"], env, PROGRAM_SECONDS)
            counted.append(counters(output + errors))
        result = {name: number - counted[0].get(name, 0) for name, number in counted[1].items()}
        result["checks_per_access"] = result["checks"] / result["accesses"] if result["accesses"] > 0 else None
        return result

    def run_once(self, program, variant):
        what = self.variants[variant]
        if what.tool and time.monotonic() > self.deadline:
            raise NotMeasured("the %g s were over" % self.arguments.seconds)
        env = measure.environment(self.arguments.device, *([what.options] if what.options else []))
        seconds = self.arguments.tool_seconds if what.tool else PROGRAM_SECONDS
        if what.counts:
            return self.count(program, variant, env)
        began = time.monotonic()
        said = measure.run(self.command(program, variant, self.arguments.size), env, seconds)
        said["program_ms"] = 1000 * (time.monotonic() - began) - said["verify_ms"]
        return said

    def run_round(self, number, programs, variants):
        for program in programs:
            for variant in variants:
                what = self.variants[variant]
                if number > 0 and (what.tool or what.counts or (program, variant) in self.unfinished):
                    continue
                print("round %d: %s %s" % (number + 1, program, variant), file=sys.stderr)
                try:
                    self.runs.setdefault((program, variant), []).append(self.run_once(program, variant))
                except NotMeasured as error:
                    self.unfinished[program, variant] = str(error)
                except ProgramError as error:
                    self.unfinished[program, variant] = "failed"
                    self.failed.append("%s-%s: %s" % (program, variant, error))
                    print("bench: " + self.failed[-1], file=sys.stderr)


def counters(printed):
    """Nothing is printed of a program without accesses, and of proofs if the code has none."""
    checks, accesses = map(int, CHECKS.search(printed).groups()) if CHECKS.search(printed) else (0, 0)
    result = {"checks": checks, "accesses": accesses}
    if PROVEN.search(printed):
        result["launches_proven"], result["launches"] = map(int, PROVEN.search(printed).groups())
    return result


def ratios(plain_runs, runs, key):
    """The median of what each round says, and the least and the greatest."""
    found = [run[key] / plain[key] for plain, run in zip(plain_runs, runs) if plain[key] > 0]
    if not found:
        return {}
    return {"ratio": statistics.median(found), "least_ratio": min(found), "greatest_ratio": max(found)}


def compare(bench, programs, variants):
    """{program: {variant: ...}}"""
    results = {}
    for program in programs:
        plain = bench.runs.get((program, PLAIN), [])
        result = results.setdefault(program, {})
        for variant in variants:
            runs = bench.runs.get((program, variant))
            if not runs:
                result[variant] = {"missing": bench.unfinished.get((program, variant), "not run")}
            elif bench.variants[variant].counts:
                result[variant] = runs[0]
            else:
                result[variant] = dict(
                    {"ms": statistics.median(run["ms"] for run in runs),
                     "program_ms": statistics.median(run["program_ms"] for run in runs)},
                    **({} if variant == PLAIN else ratios(plain, runs, "ms")))
                if variant != PLAIN and plain:
                    result[variant]["program_ratio"] = ratios(plain, runs, "program_ms").get("ratio")
    return results



def choose(wanted, known, sets):
    """The known names that one of the wanted names, patterns or sets means, in their own order."""
    patterns = [pattern for word in wanted for pattern in sets.get(word, (word,))]
    for pattern in patterns:
        if "*" not in pattern and pattern not in known and pattern in wanted:
            sys.exit("bench: there is no '%s'; there are %s, and the sets %s" % (pattern, ", ".join(known), ", ".join(sets)))
    return [name for name in known if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words = lambda text: text.split(",")  # noqa: E731
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--size", choices=("full", "small"), help="default: full; on the CPU device small")
    parser.add_argument("--variants", type=words, default=["default"])
    parser.add_argument("--programs", type=words, default=["*"])
    parser.add_argument("--seconds", type=float, default=280, help="no round begins that would end later, and nothing under compute-sanitizer; the first round runs in any case")
    parser.add_argument("--tool-seconds", type=float, default=20, help="for one program under compute-sanitizer")
    parser.add_argument("--folder", default=os.path.join(HERE, "programs"), help="folder of triad-plain, ..., built.json")
    parser.add_argument("out")
    arguments = parser.parse_args()
    arguments.size = arguments.size or {"cuda": "full", "cpu": "small"}[arguments.device]
    return arguments


def read_built(folder):
    try:
        with open(os.path.join(folder, "built.json"), encoding="utf-8") as file:
            return json.load(file)
    except OSError as error:
        sys.exit("bench: %s; `make dist-bench` or bench/build.py makes the programs" % error)


def make_report(bench, built, programs, variants, rounds):
    arguments = bench.arguments
    results = compare(bench, programs, variants)
    described = {}
    for program in programs:
        what = built["programs"][program]
        # The tool and the options change nothing in the code.
        kernels = {variant: what["kernels"].get(bench.variants[variant].binary or variant) for variant in variants}
        described[program] = {"group": what["group"], "what": what["what"], "kernels": kernels, "results": results[program]}
    return measure.report(
        arguments.device, size=arguments.size, rounds=rounds, arch=built["arch"],
        variants={name: bench.variants[name]._asdict() for name in variants}, programs=described,
        geometric_mean=tables.means(described, variants), failed=bench.failed)


def main():
    arguments = parse_arguments()
    built = read_built(arguments.folder)
    bench = Bench(arguments, built)
    variants = choose(arguments.variants, list(built["variants"]), SETS)
    if arguments.device == "cpu":
        print("bench: what has no checks cannot run on the CPU device: there are no ratios", file=sys.stderr)
        variants = [name for name in variants if "-fsanitize=gpu-address" in bench.variants[name].flags]
    groups = {}
    for name, program in built["programs"].items():
        groups.setdefault(program["group"], []).append(name)
    programs = choose(arguments.programs, list(built["programs"]), groups)
    if not programs or not variants:
        sys.exit("bench: nothing to run")
    for number in range(MOST_ROUNDS):
        before = time.monotonic()
        bench.run_round(number, programs, variants)
        report = make_report(bench, built, programs, variants, number + 1)
        measure.write(arguments.out, report)  # each time: whoever is interrupted keeps what was measured
        now = time.monotonic()
        if now + (now - before) > bench.deadline or all(bench.variants[name].counts or bench.variants[name].tool for name in variants if name != PLAIN):
            break
    print(tables.write(os.path.splitext(arguments.out)[0], [report]))
    return 1 if bench.failed else 0


if __name__ == "__main__":
    sys.exit(main())
