#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scans the correct programs of the repository. Any possible error is a false alarm, or a bug of the program.

  sweep.py [--build DIR] [--jobs N] [--seconds N] [--json FILE] [NAME...]    NAME: a part of a file's name
  sweep.py --few                                                            the programs that CI scans

Prints a line for each program: the numbers of verdicts and the CPU time. Ends with 1 if there is an alarm.
--checks: also compiles each program with checks, and counts the checks that no launch proof removes ("remain"), and
those of them whose access gasan-scan proves ("needless")."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

import measured

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Programs and the options of their correct versions.
FOLDERS = [("bench/programs", ["-I.", "-Ibench"]), ("test/samples", []), ("test/silence", []), ("test/cpu", []),
           ("test/scan/programs", ["-DFIXED", "--partitions"]), ("test/detection", ["-DFIXED"]),
           ("test/run", ["-DFIXED"])]
FEW = ["bench/programs/dense/triad.cu", "test/silence/nothing.cu"]
TOTALS = re.compile(r"^\d+ accesses: (\d+) proven, (\d+) proven if no .*?, (\d+) possible, (\d+) unknown$",
                    re.MULTILINE)
VERDICT = re.compile(r"^(\S+:\d+:\d+): (?:read|write|atomic) in .*: (proven|possible|unknown)", re.MULTILINE)
CHECK = re.compile(r"^  (?:(\S+:\d+:\d+): )?checked: ", re.MULTILINE)


def run_options(path):
    """Returns the options of the test's first compilation that a scan needs, too."""
    for line in path.read_text().splitlines():
        if "RUN: %gasan" in line:
            found = [word for word in line.split() if word.startswith(("--offload-arch=", "-D", "-std="))]
            return found if any(word.startswith("--off") for word in found) else found + ["--offload-arch=sm_80"]
    return []


def programs(names):
    for folder, options in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.cu")):
            name = str(path.relative_to(ROOT))
            if "/inputs/" in name or (names and not any(part in name for part in names)):
                continue
            if options[:1] == ["-DFIXED"] and "FIXED" not in path.read_text():
                continue  # has no correct version, or another name for it
            yield name, options + (run_options(path) if folder == "test/cpu" else [])


def scan(tool, name, options, seconds):
    code, output, errors, used = measured.run([tool, *options, name], ROOT, seconds)
    found = TOTALS.search(output)
    counts = [int(number) for number in found.groups()] if found else [0] * 4
    verdicts = {}
    for place, verdict in VERDICT.findall(output):
        verdicts.setdefault(place_key(place), []).append(verdict)
    return {"name": name, "code": code, "seconds": used, "output": errors, "verdicts": verdicts,
            "proven": counts[0], "nowrap": counts[1], "possible": counts[2], "unknown": counts[3]}


def place_key(place):
    return place[place.rfind("/") + 1:]  # file:line:column; clang writes the folders of headers in several ways


def remaining_checks(driver, name, options):
    """Returns the places of the checks that stay in all variants of the program's kernels; "": of no line."""
    cccl = os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "include", "cccl")  # as gasan-scan does
    run = subprocess.run([driver, *options, "-idirafter", cccl, "-fsanitize=gpu-address",
                          "-fsanitize-gpu-address-print-proofs=on",
                          "-fsanitize-gpu-address-devices=cuda", "--cuda-device-only", "-S", "-g", "-O2", "-o",
                          "/dev/null", name], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, check=False)
    if run.returncode:
        sys.exit("sweep.py: %s does not compile with checks\n%s" % (name, run.stdout[-3000:]))
    return [place_key(place) for place in CHECK.findall(run.stdout)]


def add_checks(driver, one, options):
    """Adds the numbers of checks: all that stay, those of proven accesses, those that no verdict belongs to."""
    places = remaining_checks(driver, one["name"], options)
    one["remain"] = len(places)
    one["needless"] = sum(set(one["verdicts"].get(place, ["?"])) == {"proven"} for place in places)
    one["unmatched"] = sum(place not in one["verdicts"] for place in places)
    print("%-60s %d checks remain, %d of them needless, %d without a verdict" % (
        "", one["remain"], one["needless"], one["unmatched"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--few", action="store_true")
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--json")
    parser.add_argument("--checks", action="store_true")
    arguments = parser.parse_args()
    tools = pathlib.Path(arguments.build).resolve() / "bin"
    tool, driver = str(tools / "gasan-scan"), str(tools / "gasan-clang++")
    work = [item for item in programs(arguments.names) if not arguments.few or item[0] in FEW]
    if not work or (arguments.few and len(work) != len(FEW)):
        sys.exit("sweep.py: not all programs exist")
    results = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for one in pool.map(lambda item: scan(tool, *item, arguments.seconds), work):
            results.append(one)
            if one["code"] in (0, 1):
                print("%-60s proven %3d nowrap %3d unknown %3d possible %2d  %5.1f s" % (
                    one["name"], one["proven"], one["nowrap"], one["unknown"], one["possible"], one["seconds"]))
            else:
                print("%-60s %s" % (one["name"], {2: "does not compile", -24: "takes too long"}.get(
                    one["code"], "ends with %d" % one["code"])))
            if one["code"] == 1:
                print(one["output"])
            if arguments.checks and one["code"] in (0, 1):
                add_checks(driver, one, dict(work)[one["name"]])
            sys.stdout.flush()
    scanned = [one for one in results if one["code"] in (0, 1)]
    total = {key: sum(one[key] for one in scanned) for key in ("proven", "nowrap", "unknown", "possible")}
    print("%d programs scanned, %d not; %s; median %.1f s, most %.1f s" % (
        len(scanned), len(results) - len(scanned), ", ".join("%s %d" % item for item in total.items()),
        statistics.median(one["seconds"] for one in scanned), max(one["seconds"] for one in scanned)))
    if arguments.checks:
        print("%d checks remain, %d of them needless, %d without a verdict" % tuple(
            sum(one[key] for one in scanned) for key in ("remain", "needless", "unmatched")))
    alarms = sum(one["code"] == 1 for one in results)
    print("%d programs with alarms" % alarms)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(results, indent=1))
    broken = [one["name"] for one in results if one["code"] not in (0, 1, 2, -24)]
    if broken:
        print("crashed: " + ", ".join(broken))
    return 1 if broken or alarms else 0


if __name__ == "__main__":
    sys.exit(main())
