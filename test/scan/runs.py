#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the verdicts of gasan-scan with runs of the same program on the CPU device, for all of its inputs. The
programs of scenes.py are random: fields, parts of shared memory, freed memory, pointers and indices from memory,
loops over launches.

  runs.py [--count N] [--minutes N] [--seed S] [--scenes N] [--orders N] [--build DIR] [--jobs N] [--keep DIR]

A failure ("WRONG") is an access that is proven and that gasan reports for some input, or one that is possible, that no
run reports and that --replay does not confirm. --orders: runs each input so often with other orders of threads.
--minutes: begins no other program after so long. The last lines count verdicts, runs and confirmed witnesses."""
import argparse
import collections
import concurrent.futures
import itertools
import os
import pathlib
import re
import subprocess
import sys
import time

import scenes

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERDICT = re.compile(r"^\S+\.cu:(\d+:\d+): (?:read|write|atomic) in .*?: (proven, if|proven|unknown|possible)",
                     re.MULTILINE)
BLOCK = re.compile(r"^=====+$", re.MULTILINE)
FRAME = re.compile(r"^    #\d+ .*\.cu:(\d+:\d+)", re.MULTILINE)
SECONDS = 20


def run(command, environment=None):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False, env=environment, timeout=300)


def reported_places(text):
    """Returns the line and column of each report's access."""
    places = set()
    for block in BLOCK.split(text):
        if "ERROR: AddressSanitizer" in block:
            places.update(FRAME.findall(block)[:1])
    return places


def run_all(program, orders):
    """Returns the reported places of all inputs, and the number of runs."""
    places, count = set(), 0
    for numbers in itertools.product(*(range(limit + 1) for limit in scenes.LIMITS)):
        for order in range(orders + 1):
            options = "device=cpu:halt_on_error=0:on_error=continue:print_limit=0:exitcode=0:cpu_threads=1:schedule="
            options += "random:%d" % order if order else "index"
            done = run(["timeout", str(SECONDS), program, *map(str, numbers)], dict(os.environ, GASAN_OPTIONS=options))
            count += 1
            if done.returncode:
                sys.exit("runs.py: %s %s ends with %d\n%s" % (program, numbers, done.returncode, done.stderr[-2000:]))
            places |= reported_places(done.stderr)
    return places, count


def check(seed, arguments):
    """Returns (counts, lines about wrong verdicts)."""
    tools, folder = os.path.join(arguments.build, "bin"), arguments.folder
    name = os.path.join(folder, "runs%d" % seed)
    text, kinds = scenes.program(seed, arguments.scenes)
    pathlib.Path(name + ".cu").write_text(text)
    scan = run([os.path.join(tools, "gasan-scan"), "--time=30", "--replay", name + ".cu"])
    if scan.returncode not in (0, 1):
        sys.exit("runs.py: gasan-scan ends with %d for %s.cu\n%s" % (scan.returncode, name, scan.stderr[-2000:]))
    built = run([os.path.join(tools, "gasan-clang++"), "-fsanitize=gpu-address", "-fsanitize-gpu-address-recover",
                 "-fsanitize-gpu-address-devices=cpu", "-g", "-O1", "-w", name + ".cu", "-o", name])
    if built.returncode:
        sys.exit("runs.py: %s.cu does not compile\n%s" % (name, built.stderr[-2000:]))
    reported, count = run_all(name, arguments.orders)
    counts, wrong = collections.Counter(runs=count, reported=len(reported)), []
    confirmed = set()
    for part in scan.stderr.split("==gasan-scan==ERROR")[1:]:
        if "\nReplayed on the CPU device" in part:
            confirmed.update(FRAME.findall(part)[:1])
    for place, verdict in VERDICT.findall(scan.stdout):
        kind = kinds.get(int(place.split(":")[0]))
        counts[verdict] += 1
        counts["%s: %s" % (kind, verdict)] += 1
        if verdict == "possible":
            counts["confirmed"] += place in confirmed
            counts["seen"] += place in reported
        if (verdict.startswith("proven") and place in reported) or (
                verdict == "possible" and place not in reported and place not in confirmed):
            wrong.append("WRONG %s.cu:%s: %s (%s)" % (name, place, verdict, kind))
    missed = reported - {place for place, verdict in VERDICT.findall(scan.stdout) if verdict == "possible"}
    counts["reported, not possible"] = len(missed)
    return counts, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scenes", type=int, default=6)
    parser.add_argument("--minutes", type=float, default=1e6)
    parser.add_argument("--orders", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--keep")
    arguments = parser.parse_args()
    arguments.folder = arguments.keep or os.path.join(arguments.build, "test", "scan-runs")
    os.makedirs(arguments.folder, exist_ok=True)
    total, mistakes, end = collections.Counter(), 0, time.monotonic() + arguments.minutes * 60
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for counts, wrong in pool.map(lambda seed: check(seed, arguments),
                                      range(arguments.seed, arguments.seed + arguments.count)):
            total.update(counts)
            mistakes += len(wrong)
            for line in wrong:
                print(line, flush=True)
            print("%d runs so far" % total["runs"], flush=True)
            if time.monotonic() > end:
                pool.shutdown(wait=False, cancel_futures=True)
                break
    for name in sorted(name for name in total if ": " in name):
        print("%-40s %d" % (name, total[name]))
    print("%d runs, %d places reported, %d of them proven or unknown" % (
        total["runs"], total["reported"], total["reported, not possible"]))
    print("%d of %d possible errors confirmed by replay, %d seen in the runs" % (
        total["confirmed"], total["possible"], total["seen"]))
    verdicts = sum(total[name] for name in ("proven", "proven, if", "possible", "unknown"))
    print("%s; %d verdicts, %d wrong" % (", ".join("%s %d" % (name, total[name]) for name in (
        "proven", "proven, if", "possible", "unknown")), verdicts, mistakes))
    return 1 if mistakes or not verdicts else 0


if __name__ == "__main__":
    sys.exit(main())
