#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the tables and plots of bench/mlb/run.py, beside the figures of GPUArmor's paper.

  mlb_tables.py RESULTS.json OUT
"""
import json
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import plot  # noqa: E402

SIZES = (0, 1, 2, 4, 8, 16, 32, 64)
STRUCTURES = ("table", "tree", "list")


def machine(result, mode, structure, entries, share=1, policy="lru"):
    """Returns the results of one configuration."""
    return next(m for m in result["machines"]
                if (m["mode"], m["structure"], m["entries"], m["share"], m["policy"]) ==
                (mode, structure, entries, share, policy))


def mean_added(results, *key):
    """Returns the geometric mean of the times, less 1, and the greatest."""
    ratios = [1 + machine(result, *key)["added"] for result in results.values()]
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) - 1, max(ratios) - 1


def percent(share):
    return "%.1f %%" % (100 * share)


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def added_cell(results, *key):
    return "%s (%s)" % tuple(map(percent, mean_added(results, *key)))


def bytes_text(size):
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return "%.4g %s" % (size, unit)
        size /= 1024
    return "%.4g GiB" % size


def share_of_instructions(result, member):
    return result[member] / max(1, result["instructions"])


def mean_coverage(results, member):
    """Returns the mean share of the accesses whose latest root pointer is of this kind."""
    shares = [r["coverage"][member] / sum(r["coverage"].values()) for r in results.values()
              if sum(r["coverage"].values())]
    return sum(shares) / len(shares)


def mean_bloat(results):
    """Returns the mean and the greatest number of LOADMETA and MEMCHECK instructions, relative to all others."""
    shares = [(r["lookups"] + r["global"] + r["shared"] + r["local"]) / max(1, r["instructions"])
              for r in results.values()]
    return sum(shares) / len(shares), max(shares)


def median(values):
    values = sorted(values)
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2


def summary_rows(results):
    """Returns the rows: (figure, question, the paper's number, ours)."""
    means = {member: sum(share_of_instructions(r, member) for r in results.values()) / len(results)
             for member in ("global", "shared", "local")}
    live = [r["live"] for r in results.values()]
    medians = sorted(r["median"] for r in results.values() if r["live"])
    sets = [r["working_set_99"] for r in results.values()]
    l1 = [machine(r, "compiled", "tree", 0)["l1_hits"] for r in results.values()
          if machine(r, "compiled", "tree", 0)["loads"]]
    rows = [
        ("2", "global accesses, of all instructions", "6 %", percent(means["global"])),
        ("2", "shared accesses", "about 6 %", percent(means["shared"])),
        ("2", "local accesses", "none", percent(means["local"])),
        ("3", "median object", "256 B to 236 MB", "%s to %s" % tuple(map(bytes_text, (medians[0], medians[-1])))),
        ("3", "programs whose median object is below 4 KiB", "about 25 %",
         percent(sum(size < 4096 for size in medians) / len(medians))),
        ("4", "programs with more than 1,000 live objects", "3 of 28", "%d of %d" % (
            sum(count > 1000 for count in live), len(live))),
        ("4", "programs whose working set is below 8", "all", "%d of %d" % (sum(s < 8 for s in sets), len(sets))),
    ]
    rows += [("7", "executed instructions that are added", "plot only", "%s (%s)" % tuple(map(percent,
                                                                                         mean_bloat(results))))]
    rows += [("8", "accesses by a root that is " + what, number, percent(mean_coverage(results, member)))
             for what, number, member in (("the object's base", "55.5 %", "base"),
                                          ("inside of the object", "36 %", "inside"),
                                          ("the accessed address", "8.5 %", "address"),
                                          ("not among the lane's lookups", "-", "none"))]
    papers = {("9", 0): ("1.4 %", "10 % (80 %)", "100 % (2,100 %)"), ("10", 8): ("-", "2.3 %", "below 10 %")}
    for (figure, entries), numbers in papers.items():
        size = "%d entries" % entries if entries else "no MLB"
        rows += [(figure, "added time, %s, %s" % (structure, size), number,
                  added_cell(results, "compiled", structure, entries))
                 for structure, number in zip(STRUCTURES, numbers)]
    rows += [("9", "metadata found in the L1 cache", "over 95 %", percent(median(l1)) + " (median)")]
    rows += [("11", "added time, tree, %d entries" % entries, "as with 8" if entries > 8 else "-",
              added_cell(results, "compiled", "tree", entries)) for entries in (1, 2, 4, 16, 32, 64)]
    rows += [("12, 13", "hardware only, tree, 8 entries", "2.2 % (18.1 %); 6 %",
              added_cell(results, "hardware", "tree", 8)),
             ("13", "hardware only, tree, 16 entries", "below 4 %", added_cell(results, "hardware", "tree", 16))]
    return rows


def hit_rows(results):
    """Returns rows of the mean hit rates by entries."""
    def mean(*key):
        return percent(sum(machine(r, *key)["hits"] for r in results.values()) / len(results))
    return [(size, mean("compiled", "tree", size), mean("compiled", "tree", size, 1, "random"),
             mean("compiled", "tree", size, 4), mean("hardware", "tree", size),
             mean("hardware", "tree", size, 1, "random"), mean("hardware", "tree", size, 4)) for size in SIZES[1:]]


def program_rows(results):
    rows = []
    for name, r in results.items():
        compiled, hardware = (machine(r, mode, "tree", 8) for mode in ("compiled", "hardware"))
        rows.append((name, percent(share_of_instructions(r, "global")), percent(share_of_instructions(r, "shared")),
                     r["live"], bytes_text(r["median"]), r["most_distinct"], r["working_set_99"], r["working_set"],
                     percent(compiled["hits"]), percent(hardware["hits"]),
                     percent(machine(r, "hardware", "tree", 16)["hits"]), percent(hardware["loads_per_data_request"]),
                     percent(machine(r, "compiled", "tree", 0)["added"]), percent(compiled["added"]),
                     percent(machine(r, "compiled", "list", 8)["added"]), percent(hardware["added"]), r["dropped"]))
    return rows


def software_rows(results):
    names = ("warp1", "warp2", "warp4", "warp8", "block8", "block16", "block32", "block64")
    return [(name, r["software"]["lookups"]) + tuple(percent(r["software"][cache]) for cache in names)
            for name, r in results.items()]


def write_plots(results, out):
    figures = {
        "figure4": ("Objects: live, and the working set of a multiprocessor",
                    {name: {"live": r["live"] or None, "working set": r["working_set_99"] or None}
                     for name, r in results.items()}, ("live", "working set"))}
    for figure, mode, entries, title in (("figure9", "compiled", 0, "no MLB"), ("figure10", "compiled", 8, "MLB of 8"),
                                         ("figure12", "hardware", 8, "hardware only, MLB of 8")):
        figures[figure] = ("Modelled time relative to the plain program: " + title,
                           {name: {s: 1 + machine(r, mode, s, entries)["added"] for s in STRUCTURES}
                            for name, r in results.items()}, STRUCTURES)
    for figure, (title, rows, variants) in figures.items():
        with open(os.path.join(out, figure + ".svg"), "w", encoding="utf-8") as file:
            file.write(plot.draw(rows, variants, title) or "")


def write(contents, out):
    """Writes OUT/results.md and OUT/figure*.svg."""
    results = contents["programs"]
    sections = [
        "# GPUArmor's hardware on our traces: %s, size %s" % (contents["device"], contents["size"]),
        "%d programs. Means of times are geometric; the greatest is in parentheses.\n" % len(results),
        table(("figure", "question", "paper", "here"), summary_rows(results)),
        "## Hit rates (means of the programs)\n",
        table(("entries", "compiled, LRU", "random", "shared by 4", "hardware only, LRU", "random", "shared by 4"),
              hit_rows(results)),
        "## Programs (tree; MLB of 8 entries if not said)\n",
        table(("program", "global", "shared", "live", "median object", "objects of a launch", "working set, 99 %",
               "all", "hits, compiled", "hits, hardware", "16 entries", "metadata loads / data requests",
               "added, no MLB", "added, compiled", "added, list", "added, hardware", "records dropped"),
              program_rows(results)),
        "## Root lookups that a software cache would serve\n",
        table(("program", "lookups", "warp 1", "2", "4", "8", "block 8", "16", "32", "64"), software_rows(results))]
    if contents["failed"]:
        sections.append("Failed: " + "; ".join(contents["failed"]) + "\n")
    with open(os.path.join(out, "results.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(sections))
    write_plots(results, out)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as results_file:
        write(json.load(results_file), sys.argv[2])
