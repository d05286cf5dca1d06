#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what launch proofs cost the host at each launch: runs the plain program, and the instrumented one
(BST mode) with GASAN_OPTIONS=launch_proof=0 and 1.

  run.py [--device cuda|cpu] [--launches N] [--rounds N] [--repetitions N] [--seconds S] [--programs DIR] OUT.json

Needs python3, a GPU and the two programs that `make dist` puts beside this file. Numbers are microseconds a launch,
the least of the repetitions. `proof` is the time that launch_proof=1 adds to launch_proof=0; it is below 0 where the
variant without checks is cheaper to launch. With --device cpu only the instrumented program runs, and a launch's time
contains its kernel's.
"""
import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import measure  # noqa: E402
from measure import cell  # noqa: E402

KINDS = ("known", "fresh", "churned", "bare", "graph", "graph100", "graph_churned", "graph_changed")
RUNS = {"plain": ("plain", ()), "full": ("bst", ("launch_proof=0",)), "proven": ("bst", ("launch_proof=1",))}


def least(runs):
    return {kind: min(run[kind] for run in runs) for kind in KINDS}


def run_all(arguments):
    """Returns ({name: {kind: microseconds}}, failures). The programs take turns, so that a drift affects all alike."""
    wanted = {name: what for name, what in RUNS.items() if arguments.device != "cpu" or what[0] != "plain"}
    runs, failures = {name: [] for name in wanted}, []
    for _ in range(arguments.repetitions):
        for name, (binary, options) in wanted.items():
            program = os.path.join(arguments.programs, "launch-" + binary)
            env = measure.environment(arguments.device, *options)
            try:
                runs[name].append(measure.run([program, str(arguments.launches), str(arguments.rounds)], env,
                                              arguments.seconds))
            except measure.ProgramError as error:
                failures.append("%s: %s" % (name, error))
    return {name: least(done) for name, done in runs.items() if done}, failures


def proof(results):
    """Returns {kind: microseconds that a proof costs}, or None."""
    if "full" not in results or "proven" not in results:
        return None
    return {kind: results["proven"][kind] - results["full"][kind] for kind in KINDS}


def table(results):
    lines = ["| us a launch | " + " | ".join(KINDS) + " |", "|---|" + "--:|" * len(KINDS)]
    for name, result in list(results.items()) + [("proof", proof(results))]:
        cells = [cell(result[kind] if result else None, "%.2f") for kind in KINDS]
        lines.append("| %s | %s |" % (name, " | ".join(cells)))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--launches", type=int, default=200, help="between two waits for the device")
    parser.add_argument("--rounds", type=int, default=51)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=60, help="most time of a run")
    parser.add_argument("--programs", default=HERE, help="folder of launch-plain and launch-bst")
    parser.add_argument("out")
    arguments = parser.parse_args()
    if arguments.device == "cpu":
        print("bench: the plain program needs a GPU and is skipped", file=sys.stderr)
    results, failures = run_all(arguments)
    for failure in failures:
        print("bench: " + failure, file=sys.stderr)
    report = measure.report(arguments.device, launches=arguments.launches, rounds=arguments.rounds,
                            repetitions=arguments.repetitions, results=results, proof=proof(results), failed=failures)
    measure.write(arguments.out, report, "Host time of a launch", table(results))
    print(table(results))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
