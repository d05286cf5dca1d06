#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the speed of cudaMalloc and cudaFree under -fsanitize=gpu-address: runs the plain and the instrumented
program alternately.

  run.py [--device cuda|cpu] [--rounds N] [--most-bytes N] [--seconds S] [--threads N] [--programs DIR] OUT.json

Needs python3, a GPU and the two programs that `make dist` puts beside this file. A ratio is the time that a pair of
calls takes with the sanitizer over the time without, each the median of the rounds. Prints a table and the missed
goals. With --device cpu only the instrumented program can run. Such a run tests this script.
"""
import argparse
import os
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import measure  # noqa: E402
from measure import cell  # noqa: E402

PROGRAM_SECONDS = 180
LARGE_FROM = 1 << 20  # bytes; CUDA gives chunks of about this size and more pages of their own
GOALS = {"small": 1.0, "large": 1.5}  # ratios
UNITS = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B"))


def describe_size(size):
    return next("%d %s" % (size // unit, name) for unit, name in UNITS if size >= unit)


def run_alternately(arguments, programs):
    """Returns {program: {pattern: pairs a second, one for each round}}, and the failures. Stops at the first
    failure."""
    rates, failures = {name: {} for name in programs}, []
    options = [str(arguments.most_bytes), str(arguments.seconds), str(arguments.threads)]
    for index in range(arguments.rounds):
        for name, program in programs.items():
            print("round %d of %d: %s" % (index + 1, arguments.rounds, name), file=sys.stderr)
            try:
                printed = measure.run([program] + options, measure.environment(arguments.device), PROGRAM_SECONDS)
            except measure.ProgramError as error:
                failures.append("%s: %s" % (name, error))
                print("bench: " + failures[-1], file=sys.stderr)
                return rates, failures
            for pattern, rate in printed.items():
                rates[name].setdefault(pattern, []).append(rate)
    return rates, failures


def compare(rates):
    results = []
    for pattern, gasan in rates["gasan"].items():
        kind, size, threads = pattern.split("/")
        plain = rates.get("plain", {}).get(pattern)
        result = {"pattern": kind, "bytes": int(size), "threads": int(threads),
                  "plain_pairs_per_s": statistics.median(plain) if plain else None,
                  "gasan_pairs_per_s": statistics.median(gasan),
                  "rounds": {"plain": plain, "gasan": gasan}}
        result["ratio"] = result["plain_pairs_per_s"] / result["gasan_pairs_per_s"] if plain else None
        result["goal"] = GOALS["large" if result["bytes"] >= LARGE_FROM else "small"]
        results.append(result)
    return results


def missed_goals(results):
    return ["%s, %s, %d threads: %.2f instead of %g" % (describe_size(result["bytes"]), result["pattern"],
                                                        result["threads"], result["ratio"], result["goal"])
            for result in results if result["ratio"] and result["ratio"] > result["goal"]]


def table(results):
    lines = ["| size | threads | pattern | plain, pairs/s | gasan, pairs/s | time, gasan / plain | goal |",
             "|---|--:|---|--:|--:|--:|--:|"]
    for result in results:
        lines.append("| %s | %d | %s | %s | %s | %s | %g |" % (
            describe_size(result["bytes"]), result["threads"], result["pattern"],
            cell(result["plain_pairs_per_s"], "%.0f"), cell(result["gasan_pairs_per_s"], "%.0f"),
            cell(result["ratio"], "%.2f"), result["goal"]))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--most-bytes", type=int, default=1 << 30, help="the largest size to measure")
    parser.add_argument("--seconds", type=float, default=0.15, help="for each size, pattern and number of threads")
    parser.add_argument("--threads", type=int, default=8, help="besides one")
    parser.add_argument("--programs", default=HERE, help="folder of throughput-plain and throughput-gasan")
    parser.add_argument("out")
    arguments = parser.parse_args()
    programs = {name: os.path.join(arguments.programs, "throughput-" + name) for name in ("plain", "gasan")}
    if arguments.device == "cpu":
        print("bench: the plain program needs a GPU and is skipped: there are no ratios", file=sys.stderr)
        del programs["plain"]
    rates, failures = run_alternately(arguments, programs)
    results = compare(rates)
    missed = missed_goals(results)
    report = measure.report(arguments.device, rounds=arguments.rounds, seconds=arguments.seconds,
                            large_from_bytes=LARGE_FROM, goals=GOALS, results=results, missed=missed, failed=failures)
    measure.write(arguments.out, report, "Pairs of cudaMalloc and cudaFree", table(results))
    print(table(results))
    if programs.keys() == {"plain", "gasan"}:
        print("\nMissed: " + "; ".join(missed) if missed else "\nNo goal is missed.")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
