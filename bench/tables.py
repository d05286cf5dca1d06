#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the Markdown tables and the plot for one or several runs of bench/run.py.

  tables.py OUT RUN.json ...

Writes OUT.md and OUT.svg. A ratio compares times of the same run. If several runs measured a variant, the first one's
ratios count.
"""
import json
import math
import statistics
import sys

import plot
from measure import cell, origin
from variants import PLAIN, PROVEN, PROVEN_IN_PART, SETS

APART = ("empty_launch",)  # has no check, so it counts neither for a mean nor for the greatest
OTHERS_WORK = ("device_heap",)  # compares mostly gasan's allocator with CUDA's, so it counts for no mean
GOALS = {"geometric_mean": 1.05, "greatest": 1.3}  # of mode=bst
RUN_KEYS = ("command", "date", "commit", "device", "size", "rounds")  # describe a run


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values)) if values else None


def ratio_of(program, variant):
    return program["results"].get(variant, {}).get("ratio")


def means(programs, variants):
    """Returns {variant: {group or "all": geometric mean of its ratios, "programs": their number}}."""
    result = {}
    for variant in variants:
        known = [(program["group"], ratio_of(program, variant)) for name, program in programs.items()
                 if name not in APART + OTHERS_WORK and ratio_of(program, variant)]
        if not known:
            continue
        result[variant] = {group: geometric_mean([ratio for of, ratio in known if of == group])
                           for group in dict.fromkeys(of for of, _ in known)}
        result[variant]["all"] = geometric_mean([ratio for _, ratio in known])
        result[variant]["programs"] = len(known)
    return result


def merge(reports):
    """Returns one report of several runs, in which each program has the results of all."""
    merged = {"runs": [], "variants": {}, "programs": {}, "failed": []}
    for report in reports:
        merged["runs"].append({key: report[key] for key in RUN_KEYS if key in report})
        merged["failed"] += report["failed"]
        for name, what in report["variants"].items():
            merged["variants"].setdefault(name, what)
        for name, program in report["programs"].items():
            known = merged["programs"].setdefault(name, dict(program, kernels={}, results={}))
            known["kernels"].update(program["kernels"])
            for variant, result in program["results"].items():
                base = ratio_of(program, report["variants"][variant].get("base"))
                in_same_run = {"to_base": result["ratio"] / base} if base and result.get("ratio") else {}
                known["results"].setdefault(variant, dict(result, **in_same_run))
    return merged


def markdown(header, rows):
    """Returns the lines of a table whose first column is text and whose others are numbers."""
    lines = ["| %s |" % " | ".join(header), "|---|" + "--:|" * (len(header) - 1)]
    return lines + ["| %s |" % " | ".join(row) for row in rows] + [""]


def ratio_cell(result, key="ratio"):
    if not result:
        return "-"
    return cell(result.get(key), "%.2f") if "missing" not in result else "- (%s)" % result["missing"]


def time_table(programs, timed):
    rows = []
    for name, program in programs.items():
        results = program["results"]
        rows.append([name, program["group"], cell(results.get(PLAIN, {}).get("ms"), "%.3f")]
                    + [ratio_cell(results.get(variant)) for variant in timed])
    mean = means(programs, timed)
    groups = list(dict.fromkeys(program["group"] for program in programs.values()))
    for group in groups + ["all"]:
        rows.append(["**geometric mean**", group, ""]
                    + [cell(mean.get(variant, {}).get(group), "%.3f") for variant in timed])
    rows.append(["**greatest**", "all", ""] + [greatest_ratio(programs, variant) for variant in timed])
    rows.append(["**greatest spread of the rounds**, %", "all", ""] + [spread(programs, variant) for variant in timed])
    return markdown(["program", "group", "plain, ms"] + timed, rows)


def greatest_ratio(programs, variant):
    found = [ratio_of(program, variant) for name, program in programs.items()
             if name not in APART and ratio_of(program, variant)]
    return cell(max(found, default=None), "%.2f")


def spread(programs, variant):
    """Returns the percentage between the least and the greatest ratio of a program's rounds, the greatest of all
    programs."""
    results = [program["results"].get(variant, {}) for program in programs.values()]
    found = [100 * (result["greatest_ratio"] - result["least_ratio"]) / result["ratio"]
             for result in results if result.get("ratio")]
    return cell(max(found, default=None), "%.1f")


def program_table(programs, timed):
    rows = [[name, cell(program["results"].get(PLAIN, {}).get("program_ms"), "%.0f")]
            + [ratio_cell(program["results"].get(variant), "program_ratio") for variant in timed]
            for name, program in programs.items()]
    return markdown(["program", "plain, ms"] + timed, rows)


def saving_table(programs, variants):
    """Returns a table with each saving's worth: the time without it over the time with all."""
    rows = []
    for variant, what in variants.items():
        gains = {name: program["results"][variant]["to_base"] for name, program in programs.items()
                 if name not in APART + OTHERS_WORK and "to_base" in program["results"].get(variant, {})}
        if gains:
            best = max(gains, key=gains.get)
            rows.append([variant, what["base"], "%.3f" % geometric_mean(list(gains.values())),
                         "%s: %.2f" % (best, gains[best])])
    return markdown(["variant", "base", "time relative to the base, geometric mean", "greatest"], rows) if rows else []


def occupancy(registers):
    """Returns the percentage of a multiprocessor's 64 warps that can be resident if only registers limit their number.

    From sm_70 to sm_100 each of a multiprocessor's four parts has 16,384 registers for 16 warps, and a thread gets a
    multiple of 8.
    """
    return 100 * min(16, 16384 // (32 * max(8, (registers + 7) // 8 * 8))) // 16


def greatest_cell(kernels):
    greatest = {key: max(kernel[key] for kernel in kernels)
                for key in ("registers", "stack_bytes", "spill_store_bytes", "spill_load_bytes")}
    spills = greatest["spill_store_bytes"] + greatest["spill_load_bytes"]
    parts = ["%d (%d %%)" % (greatest["registers"], occupancy(greatest["registers"]))]
    parts += ["stack %d" % greatest["stack_bytes"]] * bool(greatest["stack_bytes"])
    parts += ["spills %d" % spills] * bool(spills)
    return ", ".join(parts)


def kernel_cells(kernels):
    """Returns the greatest numbers of a program's kernels. The variants for proven launches have their own."""
    marks = (PROVEN, PROVEN_IN_PART)
    kinds = {mark: [kernel for name, kernel in (kernels or {}).items() if name.startswith(mark)] for mark in marks}
    kinds[""] = [kernel for name, kernel in (kernels or {}).items() if not name.startswith(marks)]
    return "; ".join(mark + greatest_cell(found) for mark, found in kinds.items() if found) or "-"


def kernel_table(programs, coded):
    rows = [[name] + [kernel_cells(program["kernels"].get(variant)) for variant in coded]
            for name, program in programs.items()]
    return markdown(["program"] + coded, rows)


def count_table(programs, counted):
    rows = []
    for name, program in programs.items():
        row = [name]
        for result in (program["results"].get(variant, {}) for variant in counted):
            proven = "%d of %d" % (result["launches_proven"], result["launches"]) if "launches" in result else "-"
            row += [cell(result.get("accesses"), "%d"), cell(result.get("checks_per_access"), "%.3f"), proven]
        rows.append(row)
    columns = (": accesses", ": checks an access", ": launches proven")
    return markdown(["program"] + [variant + what for variant in counted for what in columns], rows)


def missed_goals(programs):
    known = {name: ratio_of(program, "bst") for name, program in programs.items()
             if name not in APART and ratio_of(program, "bst")}
    missed = []
    mean = means(programs, ["bst"]).get("bst", {}).get("all")
    if mean and mean > GOALS["geometric_mean"]:
        missed.append("the geometric mean of bst is %.3f instead of %.2f" % (mean, GOALS["geometric_mean"]))
    return missed + ["%s is %.2f instead of %.1f" % (name, ratio, GOALS["greatest"])
                     for name, ratio in sorted(known.items(), key=lambda item: -item[1]) if ratio > GOALS["greatest"]]


def section(title, lines):
    return ["## " + title, ""] + lines if lines else []


def text(report):
    programs, variants = report["programs"], report["variants"]
    timed = [name for name, what in variants.items() if name != PLAIN and not what["counts"]]
    counted = [name for name, what in variants.items() if what["counts"]]
    lines = ["# Times relative to the plain program", ""]
    for run in report["runs"]:
        lines += ["- size %s, %d rounds, %s" % (run["size"], run["rounds"], origin(run))]
    lines += [""] + ["- **%s**: %s" % (name, what["what"]) for name, what in variants.items()] + [""]
    lines += section("Kernels' time", time_table(programs, timed) if timed else [])
    missed = missed_goals(programs)
    if any(ratio_of(program, "bst") for program in programs.values()):
        lines += ["Missed: " + "; ".join(missed) + "." if missed else "No goal is missed.", ""]
    lines += section("Savings", saving_table(programs, variants))
    lines += section("Checks executed", count_table(programs, counted) if counted else [])
    lines += section("Whole programs' time, without verification", program_table(programs, timed) if timed else [])
    coded = [name for name, what in variants.items() if not what["binary"] and not what["counts"]]
    lines += section("Registers (and the occupancy that they allow), bytes of stack and of spills: "
                     "the greatest of a program's kernels", kernel_table(programs, coded) if coded else [])
    if report["failed"]:
        lines += section("Failed", ["- " + line.splitlines()[0] for line in report["failed"]])
    return "\n".join(lines).rstrip()


def write(path, reports):
    """Writes path.md and path.svg. Returns the text of path.md."""
    report = merge(reports)
    tables = text(report)
    with open(path + ".md", "w", encoding="utf-8") as file:
        file.write(tables + "\n")
    shown = [variant for variant in report["variants"]
             if variant in SETS["default"] + SETS["memcheck"] and variant != PLAIN]
    drawing = plot.draw({name: {variant: ratio_of(program, variant) for variant in shown}
                         for name, program in report["programs"].items()}, shown)
    if drawing:
        with open(path + ".svg", "w", encoding="utf-8") as file:
            file.write(drawing)
    return tables


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    reports = []
    for name in sys.argv[2:]:
        with open(name, encoding="utf-8") as file:
            reports.append(json.load(file))
    print(write(sys.argv[1], reports))


if __name__ == "__main__":
    main()
