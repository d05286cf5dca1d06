#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the cost of -fsanitize=gpu-address: runs the programs of programs/ plain and with checks, and compares
their times.

  run.py [--variants NAME,...] [--programs NAME,...] [--seconds N] [--device cuda|cpu] [--size full|small] OUT.json

Needs python3, a GPU and the programs that `make dist` or `make dist-bench` puts beside this file; builds nothing.

--variants takes names and patterns of variants, and sets of bench/variants.py: default, savings (each saving off),
unproven (each saving off, without launch proof), memcheck (compute-sanitizer), all. --programs takes names,
patterns and groups.

Each round runs every program in all variants, one after the other. Rounds repeat until --seconds are over; the first
round always completes. A variant's ratio is the median over the rounds of its time over the plain program's in the
same round.

Writes OUT.json, OUT.md (tables) and OUT.svg (a plot). `bench/tables.py` writes the latter two for several such JSON
files together. With --device cpu only programs with checks can run. Such a run tests this script; its times mean
nothing.
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
        self.runs = {}  # (program, variant) -> [results of one run]
        self.failed = []
        self.unfinished = {}  # (program, variant) -> the reason why it has no time
        self.tool = shutil.which("compute-sanitizer")
        self.deadline = time.monotonic() + arguments.seconds

    def command(self, program, variant, size):
        what = self.variants[variant]
        path = os.path.join(self.arguments.folder, "%s-%s" % (program, what.binary or variant))
        if not os.path.exists(path):
            raise NotMeasured("not built")
        if what.guarded:
            return [self.arguments.gasan, "run", "--", path, size]
        if not what.tool:
            return [path, size]
        if not self.tool:
            raise NotMeasured("compute-sanitizer is not on PATH")
        return [self.tool, "--tool", "memcheck", "--error-exitcode", str(TOOL_FAILED), path, size] + TOOL_LAUNCHES

    def count(self, program, variant, env):
        """Returns the checks and accesses of one repetition of the measured kernels: the difference between a run
        with two repetitions and a run with one. Uses the small size, since checks per access depend on the code
        only."""
        counted = []
        for repetitions in ("1", "2"):
            command = self.command(program, variant, "small") + [repetitions, "0"]
            output, errors = measure.start(command, env, PROGRAM_SECONDS)
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
        results = measure.run(self.command(program, variant, self.arguments.size), env, seconds)
        results["program_ms"] = 1000 * (time.monotonic() - began) - results["verify_ms"]
        return results

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
    """Returns the numbers in the output of print_stats=1, which has no line on checks if the program makes no access,
    and none on proofs if no kernel has any."""
    checks, accesses = map(int, CHECKS.search(printed).groups()) if CHECKS.search(printed) else (0, 0)
    result = {"checks": checks, "accesses": accesses}
    if PROVEN.search(printed):
        result["launches_proven"], result["launches"] = map(int, PROVEN.search(printed).groups())
    return result


def ratios(plain_runs, runs, key):
    """Returns the median, the least and the greatest of the rounds' ratios to the plain program."""
    found = [run[key] / plain[key] for plain, run in zip(plain_runs, runs) if plain[key] > 0]
    if not found:
        return {}
    return {"ratio": statistics.median(found), "least_ratio": min(found), "greatest_ratio": max(found)}


def compare(bench, programs, variants):
    """Returns {program: {variant: its times and ratios, its counts, or {"missing": the reason}}}."""
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
    """Returns the known names, in their order, that one of the wanted names, patterns or sets matches."""
    patterns = [pattern for word in wanted for pattern in sets.get(word, (word,))]
    for pattern in patterns:
        if "*" not in pattern and pattern not in known and pattern in wanted:
            sys.exit("bench: there is no '%s'; there are %s, and the sets %s" % (
                pattern, ", ".join(known), ", ".join(sets)))
    return [name for name in known if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words = lambda text: text.split(",")  # noqa: E731
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--size", choices=("full", "small"), help="default: full; on the CPU device small")
    parser.add_argument("--variants", type=words, default=["default"])
    parser.add_argument("--programs", type=words, default=["*"])
    parser.add_argument("--seconds", type=float, default=280,
                        help="begin no round that would end later, and no run under compute-sanitizer; "
                             "the first round always completes")
    parser.add_argument("--tool-seconds", type=float, default=20, help="for one program under compute-sanitizer")
    parser.add_argument("--folder", default=os.path.join(HERE, "programs"),
                        help="folder of triad-plain, ..., built.json")
    parser.add_argument("--gasan", default=os.path.join(HERE, "..", "build", "bin", "gasan"),
                        help="the command, for the variant guarded")
    parser.add_argument("out")
    arguments = parser.parse_args()
    arguments.size = arguments.size or {"cuda": "full", "cpu": "small"}[arguments.device]
    return arguments


def read_built(folder):
    try:
        with open(os.path.join(folder, "built.json"), encoding="utf-8") as file:
            return json.load(file)
    except OSError as error:
        sys.exit("bench: %s; build the programs with `make dist-bench` or bench/build.py" % error)


def make_report(bench, built, programs, variants, rounds):
    arguments = bench.arguments
    results = compare(bench, programs, variants)
    described = {}
    for program in programs:
        what = built["programs"][program]
        # A variant that runs another one's executable has the same kernels.
        kernels = {variant: what["kernels"].get(bench.variants[variant].binary or variant) for variant in variants}
        described[program] = {"group": what["group"], "what": what["what"], "kernels": kernels,
                              "results": results[program]}
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
        print("bench: programs without checks cannot run on the CPU device: there are no ratios", file=sys.stderr)
        variants = [name for name in variants if "-fsanitize=gpu-address" in bench.variants[name].flags]
    groups = {}
    for name, program in built["programs"].items():
        groups.setdefault(program["group"], []).append(name)
    programs = choose(arguments.programs, list(built["programs"]), groups)
    if not programs or not variants:
        sys.exit("bench: nothing to run")
    repeated = [name for name in variants
                if name != PLAIN and not bench.variants[name].counts and not bench.variants[name].tool]
    for number in range(MOST_ROUNDS):
        before = time.monotonic()
        bench.run_round(number, programs, variants)
        report = make_report(bench, built, programs, variants, number + 1)
        measure.write(arguments.out, report)  # after each round, so that an interrupted run keeps its results
        now = time.monotonic()
        if now + (now - before) > bench.deadline or not repeated:
            break
    print(tables.write(os.path.splitext(arguments.out)[0], [report]))
    return 1 if bench.failed else 0


if __name__ == "__main__":
    sys.exit(main())
