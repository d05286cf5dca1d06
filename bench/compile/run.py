#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the CPU time that the sources in this folder take to compile, and the size of their objects, plain and with
checks.

  run.py [--build DIR] [--only PATTERN] [--rounds N] OUT.json

Compiles one source after the other for sm_90 by gasan-nvcc of the build in DIR (default: build/), at -O3, and needs no
GPU. Prints a table of the phases (gasan-nvcc --time): clang's part of the device code is what the plain source's takes,
and the pass's is the rest. The least times of the rounds count. Exits with 1 if a target is missed.
"""
import argparse
import csv
import fnmatch
import glob
import math
import os
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import measure  # noqa: E402

MEAN, WORST, SIZE = 1.5, 2.5, 3.0
PHASES = ["device code", "assembling", "code for the CPU device", "host code"]
DRIVER = "gasan-nvcc"
FLAGS = ["-O3", "-arch=sm_90", "-std=c++17", "-w", "-Xptxas", "-w"]
PLAIN = ["-fno-sanitize=gpu-address"]


def child_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def compile_source(compiler, source, flags, folder):
    """Returns {phase: CPU seconds}, with DRIVER for gasan-nvcc itself, and the output's size in bytes."""
    rows, output = os.path.join(folder, "rows.csv"), os.path.join(folder, "output")
    if os.path.exists(rows):
        os.unlink(rows)
    before = child_seconds()
    done = subprocess.run([compiler] + FLAGS + flags + ["--time", rows, source, "-o", output], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit("bench: %s: exit code %d\n%s" % (source, done.returncode, done.stdout[-2000:]))
    phases = {}
    with open(rows, encoding="utf-8") as file:
        for row in list(csv.reader(file))[1:]:
            phases[row[1].strip()] = phases.get(row[1].strip(), 0) + float(row[-1]) / 1000
    phases[DRIVER] = max(0.0, child_seconds() - before - sum(phases.values()))
    return phases, os.path.getsize(output)


def least(results):
    """Returns the round with the least time, and the size, which all rounds have."""
    return min(results, key=lambda result: sum(result[0].values()))


def measure_source(compiler, source, rounds):
    with tempfile.TemporaryDirectory() as folder:
        plain, device, checked = (least([compile_source(compiler, source, flags, folder) for _ in range(rounds)])
                                  for flags in (PLAIN + ["-c"], PLAIN + ["-ptx"], ["-c"]))
    phases = checked[0]
    return {"plain_s": sum(plain[0].values()), "checked_s": sum(phases.values()), "plain_bytes": plain[1],
            "checked_bytes": checked[1], "clang_s": sum(device[0].values()), "phases_s": phases}


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def summary(sources):
    times = [result["checked_s"] / result["plain_s"] for result in sources.values()]
    sizes = [result["checked_bytes"] / result["plain_bytes"] for result in sources.values()]
    return {"mean": mean(times), "worst": max(times), "size": mean(sizes), "largest": max(sizes)}


def table(report):
    lines = ["CPU seconds of each phase with checks, and ratios to the plain compilation. **clang** and **pass** make "
             "the device code, **ptxas** includes nvlink, fatbinary and gasan-nvcc itself, **CPU** is the code for the "
             "CPU device.", "",
             "| source | plain, s | checked, s | ratio | clang | pass | ptxas | CPU | host | size |",
             "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"]
    for name, result in report["sources"].items():
        phases = result["phases_s"]
        clang = min(result["clang_s"], phases.get(PHASES[0], 0))
        rest = result["checked_s"] - sum(phases.get(phase, 0) for phase in PHASES)
        lines.append("| %s | %.1f | %.1f | %.2f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |" % (
            name, result["plain_s"], result["checked_s"], result["checked_s"] / result["plain_s"], clang,
            phases.get(PHASES[0], 0) - clang, phases.get(PHASES[1], 0) + rest, phases.get(PHASES[2], 0),
            phases.get(PHASES[3], 0), result["checked_bytes"] / result["plain_bytes"]))
    total = report["summary"]
    lines += ["| **geometric mean** (target %g; size %g) | | | **%.2f** | | | | | | **%.1f** |" % (
        MEAN, SIZE, total["mean"], total["size"]),
        "| **greatest** (target %g) | | | **%.2f** | | | | | | **%.1f** |" % (WORST, total["worst"], total["largest"])]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(measure.ROOT, "build"))
    parser.add_argument("--only", default="*")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("out")
    arguments = parser.parse_args()
    compiler = os.path.join(arguments.build, "bin", "gasan-nvcc")
    paths = [path for path in sorted(glob.glob(os.path.join(HERE, "*.cu")))
             if fnmatch.fnmatch(os.path.splitext(os.path.basename(path))[0], arguments.only)]
    if not paths:
        parser.error("no source's name matches --only %s" % arguments.only)
    if not os.path.exists(compiler):
        parser.error("there is no %s; build gasan first, or name its folder by --build" % compiler)
    sources = {}
    for path in paths:
        name = os.path.splitext(os.path.basename(path))[0]
        sources[name] = measure_source(compiler, path, arguments.rounds)
        print("%s: %.2f" % (name, sources[name]["checked_s"] / sources[name]["plain_s"]), flush=True)
    report = measure.report("cpu", sources=sources, summary=summary(sources))
    report["device"]["name"] = "%d cores of %s" % (len(os.sched_getaffinity(0)), measure.processor())
    text = table(report)
    measure.write(arguments.out, report, "Compile times", text)
    print(text)
    total = report["summary"]
    missed = total["mean"] > MEAN or total["worst"] > WORST or total["size"] > SIZE
    if missed:
        print("Missed: a target", file=sys.stderr)
    return missed


if __name__ == "__main__":
    sys.exit(main())
