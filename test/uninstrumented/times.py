#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times and memory of the whole programs of run.py without their bugs: plain, under `gasan run`, and under
compute-sanitizer's memcheck.

  times.py [--gasan BUILD/bin/gasan] [--nvcc nvcc] [--sanitizer compute-sanitizer] [--rounds N] [--seconds N]
           [NAME...] OUT

OUT: a folder for binaries and times.md, a table. Programs run one at a time, the variants in turns; of the rounds, the
median counts. Memory is the greatest use of the first GPU that nvidia-smi saw, less the use before. No program is begun
after `--seconds`; the table says how many ran. A GPU that others use gives wrong numbers."""
import argparse
import concurrent.futures
import math
import os
import statistics
import subprocess
import sys
import threading
import time

import run


class Memory:
    """The greatest use of the GPU's memory since the last `start`, in MiB."""

    def __init__(self):
        command = ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits", "-i", "0", "-lms", "20"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.latest = self.greatest = self.before = 0
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.latest = int(line)
            self.greatest = max(self.greatest, self.latest)

    def start(self):
        time.sleep(0.2)  # the process before may still give its memory back
        self.before = self.greatest = self.latest

    def used(self):
        return self.greatest - self.before


def measure(variants, rounds, memory):
    """Returns for each variant its median time in seconds and its memory in MiB; None: it failed."""
    times = {name: [] for name in variants}
    used = dict.fromkeys(variants, 0)
    for _ in range(rounds):
        for name, command in variants.items():
            memory.start()
            code, _, _, seconds = run.execute(command)
            times[name].append(seconds if code == 0 else math.nan)
            used[name] = max(used[name], memory.used())
    return {name: None if any(map(math.isnan, times[name])) else (statistics.median(times[name]), used[name])
            for name in variants}


def mean(ratios):
    return math.exp(statistics.mean(map(math.log, ratios))) if ratios else math.nan


def write_table(path, rows):
    names = ["gasan", "memcheck"]
    with open(path, "w") as file:
        print("| program | plain, s | gasan run | memcheck | memory plain, MiB | gasan run | memcheck |", file=file)
        print("|---|--:|--:|--:|--:|--:|--:|", file=file)
        for title, found in rows:
            ratios = ["%.2f" % (found[name][0] / found["plain"][0]) if found.get(name) else "-" for name in names]
            memory = ["%+d" % (found[name][1] - found["plain"][1]) if found.get(name) else "-" for name in names]
            print("| `%s` | %.2f | %s | %d | %s |" % (title, found["plain"][0], " | ".join(ratios), found["plain"][1],
                                                      " | ".join(memory)), file=file)
        for what, choose in (("geometric mean", mean), ("greatest", max)):
            cells = []
            for name in names:
                ratios = [found[name][0] / found["plain"][0] for _, found in rows if found.get(name)]
                cells.append("%.2f" % choose(ratios) if ratios else "-")
            print("| **%s** of %d | | %s | | | |" % (what, len(rows), " | ".join(cells)), file=file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gasan", default=os.path.join(run.HERE, "..", "..", "build", "bin", "gasan"))
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--sanitizer")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=3600)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("out", metavar="OUT")
    settings = parser.parse_args()
    settings.gasan = os.path.abspath(settings.gasan)
    os.makedirs(settings.out, exist_ok=True)
    names = [name for name in sorted(os.listdir(run.PROGRAMS))
             if not settings.names or name.split(".")[0] in settings.names]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        programs = sum(pool.map(lambda name: list(run.builds(settings, name, run.text_of(name))), names), [])
    memory, rows, end = Memory(), [], time.monotonic() + settings.seconds
    for title, command in programs:
        variants = {"plain": command, "gasan": [settings.gasan, "run", "--"] + command}
        if settings.sanitizer:
            variants["memcheck"] = [settings.sanitizer, "--error-exitcode=9"] + command
        if title.endswith("-shared") or time.monotonic() > end:
            continue
        found = measure(variants, settings.rounds, memory)
        if found["plain"]:
            rows.append((title, found))
            write_table(os.path.join(settings.out, "times.md"), rows)
    print("%d of %d programs measured" % (len(rows), len(programs)))
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
