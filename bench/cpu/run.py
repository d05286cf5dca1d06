#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the CPU device's speed, and compares it with the targets.

  run.py [--rounds N] [--programs DIR] OUT.json

DIR (default: this file's folder) holds speed-plain and speed-checked: bench/cpu/speed.cu without and with checks in
its kernels. `make bench-cpu` builds and runs both. Times are CPU times of one core, the best of the rounds; the
scaling's are wall times. Prints a table. Exits with 1 if a target is missed; targets are for the kernels without
checks, since this measures the device.
"""
import argparse
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import measure  # noqa: E402

TARGETS = [
    ("barrier_ns", 15, "a barrier, per thread, ns"),
    ("matmul_ratio", 1.5, "naive matmul 512 over the same loop nest by clang -O2"),
    ("one_thread_us", 0.5, "a launch of one thread, us"),
    ("launch_64x256_us", 15, "a launch of 64 x 256 threads, each a store, us"),
    ("empty_1m_ms", 5, "an empty kernel of a million threads, ms"),
]


def run(program, threads, *arguments):
    environment = dict(os.environ, GASAN_OPTIONS="device=cpu:cpu_threads=%d" % threads)
    libraries = os.path.join(os.path.dirname(os.path.dirname(HERE)), "build", "lib")
    environment["LD_LIBRARY_PATH"] = ":".join(part for part in (libraries, os.environ.get("LD_LIBRARY_PATH")) if part)
    done = subprocess.run([program] + list(arguments), env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit("bench: %s: exit code %d" % (program, done.returncode))
    return json.loads(done.stdout)


def best(program, rounds):
    results = [run(program, 1) for _ in range(rounds)]
    return {key: min(result[key] for result in results) for key in results[0]}


def scaling(program, cores):
    counts = [count for count in (1, 2, 4, 8, 16, 32, 64) if count < cores] + [cores]
    times = {count: run(program, count, "scaling")["scaling_s"] for count in counts}
    return {str(count): {"seconds": time, "speedup": times[1] / time} for count, time in times.items()}


def table(report):
    lines = ["| what | target | measured | with checks |", "|---|--:|--:|--:|"]
    lines += ["| %s | %g | %.3g | %.3g |" % (title, target, report["plain"][key], report["checked"][key])
              for key, target, title in TARGETS]
    lines += ["| 1,024 blocks on %s core%s, speedup | | %.2f | |" % (
        count, "" if count == "1" else "s", result["speedup"]) for count, result in report["scaling"].items()]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--programs", default=HERE)
    parser.add_argument("out")
    arguments = parser.parse_args()
    plain, checked = (os.path.join(arguments.programs, name) for name in ("speed-plain", "speed-checked"))
    cores = len(os.sched_getaffinity(0))
    report = measure.report("cpu", cores=cores, targets={key: target for key, target, _ in TARGETS},
                            plain=best(plain, arguments.rounds), checked=best(checked, arguments.rounds),
                            scaling=scaling(plain, cores))
    report["device"]["name"] += " on %d cores of %s" % (cores, measure.processor())
    missed = [key for key, target, _ in TARGETS if report["plain"][key] > target]
    measure.write(arguments.out, report, "Speed of the CPU device", table(report))
    print(table(report))
    if missed:
        print("missed: " + ", ".join(missed))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
