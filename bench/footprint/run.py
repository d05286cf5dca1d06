#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures how much device memory -fsanitize=gpu-address takes: each workload's peak, plain and instrumented.

  run.py [--device cuda|cpu] [--sizes SIZE,...] [--workloads NAME,...] [--percent L,...] [--programs DIR] OUT.json

Needs python3, a GPU that no other process uses meanwhile, and the programs that `make dist` puts beside this file.
Each workload runs plain, and in each mode (bst; shadow with 128 or 256 bytes a shadow byte) with each L (the redzone
in percent of a chunk). The device's driver reports the memory in use (footprint.h). Prints a table and the missed
goals.

With --device cpu the plain program cannot run; the pages that it would need are the baseline. Such a run tests this
script.
"""
import argparse
import glob
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import measure  # noqa: E402
from measure import cell  # noqa: E402

PROGRAM_SECONDS = 120
TITLE = "Device memory at the peak"
MIB = 1 << 20
COUNTERS = {"cuda": "driver", "cpu": "runtime"}
FIXED = "empty"  # the workload whose extra memory is the fixed cost
APART = (FIXED, "chunks", "turnover")  # not like Rodinia's programs, and left out of the sums
GOALS = {"large_from_bytes": 256 * MIB, "greatest_percent": 2.0, "fixed_bytes_below": 64 * MIB}


def run(arguments, failures, workload, size, variant, *options):
    """Runs the program. Returns its results, or None."""
    program = os.path.join(arguments.programs, "%s-%s" % (workload, variant))
    print("%s %s %s %s" % (workload, size, variant, " ".join(options)), file=sys.stderr)
    try:
        return measure.run([program, size, COUNTERS[arguments.device]],
                           measure.environment(arguments.device, *options), PROGRAM_SECONDS)
    except measure.ProgramError as error:
        failures.append("%s-%s %s %s: %s" % (workload, variant, size, " ".join(options), error))
        print("bench: " + failures[-1], file=sys.stderr)
        return None


def measure_workload(arguments, failures, workload, size):
    """Returns {"plain": results or None, "baseline": bytes, "gasan": {mode: {L: results, with "extra" and
    "percent"}}}."""
    plain = run(arguments, failures, workload, size, "plain") if arguments.device == "cuda" else None
    result = {"workload": workload, "size": size, "plain": plain, "gasan": {}}
    if arguments.device == "cuda" and not plain:
        return result
    for mode in arguments.modes:
        for percent in arguments.percent:
            printed = run(arguments, failures, workload, size, mode, "redzone_percent=" + percent)
            if not printed:
                continue
            baseline = result.setdefault("baseline", plain["peak"] if plain else printed["modelled"])
            printed["extra"] = printed["peak"] - baseline
            printed["percent"] = 100.0 * printed["extra"] / baseline
            result["gasan"].setdefault(mode, {})[percent] = printed
    return result


def each_run(results):
    """Returns a list of (workload's result, mode, L, results of the program in this mode with this L)."""
    return [(result, mode, percent, printed) for result in results
            for mode, percents in result["gasan"].items() for percent, printed in percents.items()]


def summarize(results):
    """Returns the fixed cost, and for each mode and L the large programs' extra memory, with and without the fixed
    cost."""
    fixed = {(mode, percent): printed["extra"] for result, mode, percent, printed in each_run(results)
             if result["workload"] == FIXED}
    summary = {"fixed_bytes": max(fixed.values(), default=None), "large": {}}
    for result, mode, percent, printed in each_run(results):
        if result["workload"] in APART or result["baseline"] < GOALS["large_from_bytes"]:
            continue
        entry = summary["large"].setdefault(mode, {}).setdefault(percent, {"programs": 0, "mean_percent": 0.0})
        entry["programs"] += 1
        entry["mean_percent"] += printed["percent"]
        beyond = 100.0 * (printed["extra"] - fixed.get((mode, percent), 0)) / result["baseline"]
        for key, value in (("greatest_percent", printed["percent"]), ("greatest_percent_without_fixed", beyond)):
            if value > entry.get(key, {"percent": float("-inf")})["percent"]:
                entry[key] = {"percent": value, "workload": result["workload"]}
    for percents in summary["large"].values():
        for entry in percents.values():
            entry["mean_percent"] /= entry["programs"]
    return summary


def missed_goals(summary):
    missed = []
    if summary["fixed_bytes"] is not None and summary["fixed_bytes"] >= GOALS["fixed_bytes_below"]:
        missed.append("the fixed cost is %.1f MiB" % (summary["fixed_bytes"] / MIB))
    for mode, percents in summary["large"].items():
        for percent, entry in percents.items():
            for key, what in (("greatest_percent", ""), ("greatest_percent_without_fixed", " without the fixed cost")):
                if entry[key]["percent"] > GOALS["greatest_percent"]:
                    missed.append("%s, L=%s: %.2f %%%s of %s" % (mode, percent, entry[key]["percent"], what,
                                                                         entry[key]["workload"]))
    return missed


def table(report):
    columns = [(mode, percent) for mode in report["modes"] for percent in report["percent"]]
    lines = ["| workload | size | chunks | baseline, MiB | "
             + " | ".join("%s, L=%s: more, MiB (%%)" % column for column in columns) + " |",
             "|---|---|--:|--:|" + "--:|" * len(columns)]
    for result in report["results"]:
        runs = [result["gasan"].get(mode, {}).get(percent) for mode, percent in columns]
        chunks = next((printed["chunks"] for printed in runs if printed), None)
        lines.append("| %s | %s | %s | %s | %s |" % (
            result["workload"], result["size"], cell(chunks, "%d"),
            cell("baseline" in result and result["baseline"] / MIB or None, "%.1f"),
            " | ".join("%.1f (%.1f)" % (printed["extra"] / MIB, printed["percent"]) if printed else "failed"
                       for printed in runs)))
    for key, title in (("mean_percent", "mean"), ("greatest_percent", "greatest"),
                       ("greatest_percent_without_fixed", "greatest without the fixed cost")):
        values = []
        for mode, percent in columns:
            value = report["summary"]["large"].get(mode, {}).get(percent, {}).get(key)
            values.append(cell(value["percent"] if isinstance(value, dict) else value, "%.2f %%"))
        lines.append("| programs above 256 MiB, %s | | | | %s |" % (title, " | ".join(values)))
    fixed = report["summary"]["fixed_bytes"]
    lines.append("\nFixed cost: %s MiB." % cell(fixed and fixed / MIB, "%.1f"))
    if not report["summary"]["large"]:
        lines.append("No program took more than 256 MiB.")
    lines.append("Missed: " + "; ".join(report["missed"]) if report["missed"] else "No goal is missed.")
    return "\n".join(lines)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words = lambda text: text.split(",")  # noqa: E731
    parser.add_argument("--device", choices=tuple(COUNTERS), default="cuda")
    parser.add_argument("--sizes", type=words, default=["small", "large"], help="of tiny, small and large")
    parser.add_argument("--workloads", type=words, help="default: all there are")
    parser.add_argument("--percent", type=words, default=["10", "50", "100"])
    parser.add_argument("--modes", type=words, default=["bst", "shadow128", "shadow256"])
    parser.add_argument("--programs", default=HERE, help="folder of WORKLOAD-plain, WORKLOAD-bst, ...")
    parser.add_argument("out")
    arguments = parser.parse_args()
    if not arguments.workloads:
        programs = glob.glob(os.path.join(arguments.programs, "*-" + arguments.modes[0]))
        arguments.workloads = sorted(os.path.basename(program).rsplit("-", 1)[0] for program in programs)
    if not arguments.workloads:
        sys.exit("bench: no programs in %s" % arguments.programs)
    return arguments


def make_report(arguments, results, failures):
    summary = summarize(results)
    return measure.report(
        arguments.device, counter=COUNTERS[arguments.device],
        baseline="plain program" if arguments.device == "cuda" else "pages of the requested bytes",
        modes=arguments.modes, percent=arguments.percent, goals=GOALS, summary=summary,
        missed=missed_goals(summary), failed=failures, results=results)


def main():
    arguments = parse_arguments()
    results, failures = [], []
    for size in arguments.sizes:
        for workload in arguments.workloads:
            if workload == FIXED and size != arguments.sizes[0]:
                continue  # it has one size only
            results.append(measure_workload(arguments, failures, workload, size))
            report = make_report(arguments, results, failures)
            # After each workload, so that an interrupted run keeps its results.
            measure.write(arguments.out, report, TITLE, table(report))
    print(table(report))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
