#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what checks in PTX cost when code is compiled: CPU seconds of nvcc and ptxas, without checks and with.

  compile_times.py [--build DIR] [--only TEXT] OUT.md

For each source of bench/compile: the object by nvcc and by gasan-nvcc --front-end=nvcc; the cubin of its PTX by ptxas
and by gasan-ptxas, as `gasan run -o instrument=on` calls it; and the milliseconds in which a program gets kept code, in
a process beside the fake driver. By hand: it takes about ten minutes on two cores."""
import argparse
import glob
import json
import math
import os
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Loads code by the driver API, and prints the milliseconds of the fastest of five loads.
LOAD = """
import ctypes, sys, time
cuda = ctypes.CDLL("libcuda.so.1")
handle, text = ctypes.c_void_p(), open(sys.argv[1], "rb").read() + bytes(1)
assert not cuda.cuInit(0) and not cuda.cuDevicePrimaryCtxRetain(ctypes.byref(handle), 0)
assert not cuda.cuCtxSetCurrent(handle)
best = 1e9
for _ in range(5):
    start = time.perf_counter()
    assert not cuda.cuModuleLoadData(ctypes.byref(handle), text)
    best = min(best, time.perf_counter() - start)
print(best * 1000)
"""


def seconds(command, environment=None):
    """Runs the command; returns its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", env=dict(os.environ, **(environment or {})))
    if done.returncode:
        raise RuntimeError("%s\n%s" % (" ".join(command), done.stdout[-2000:]))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def load_times(build, ptx, cache):
    """Returns the milliseconds of a load of the program's code, and of a load that finds kept code."""
    environment = dict(os.environ, LD_LIBRARY_PATH=os.path.join(build, "test", "unit", "fake_driver"))
    times = []
    for options in ("instrument=off", "instrument=on:instrument_cache=" + cache):
        command = [os.path.join(build, "bin", "gasan"), "run", "-o", options, "--", sys.executable, "-c", LOAD, ptx]
        for _ in range(2 if options.startswith("instrument=on") else 1):  # the first run fills the folder
            done = subprocess.run(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if done.returncode:
                sys.exit(done.stdout + done.stderr)
        times.append(float(done.stdout))
    return times


def measure(build, cuda, source, folder):
    nvcc, arch = os.path.join(cuda, "bin", "nvcc"), ["-arch=sm_90", "-std=c++17", "-lineinfo",
                                                     "--expt-relaxed-constexpr"]
    ptx, cubin = os.path.join(folder, "code.ptx"), os.path.join(folder, "code.cubin")
    ours = {"CUDA_HOME": cuda, "GASAN_PTXAS_FLAGS": "--strict"}
    cache = os.path.join(folder, "cache")
    shutil.rmtree(cache, ignore_errors=True)
    row = {"nvcc": seconds([nvcc, *arch, "-c", source, "-o", cubin]),
           "gasan-nvcc": seconds([os.path.join(build, "bin", "gasan-nvcc"), "--front-end=nvcc", *arch, "-c", source,
                                  "-o", cubin], ours)}
    seconds([nvcc, *arch, "-ptx", source, "-o", ptx])
    row["ptxas"] = seconds([os.path.join(cuda, "bin", "ptxas"), "-arch=sm_90", ptx, "-o", cubin])
    row["gasan-ptxas"] = seconds([os.path.join(build, "bin", "gasan-ptxas"), "--gasan-load", "-arch", "sm_90", ptx,
                                  "-o", cubin], ours)
    row["plain load"], row["kept load"] = load_times(build, ptx, cache)
    return row


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--only", default="")
    parser.add_argument("out")
    arguments = parser.parse_args()
    build = os.path.abspath(arguments.build)
    with open(os.path.join(build, "test", "config.json"), encoding="utf-8") as file:
        cuda = json.load(file)["cuda"]
    lines = ["| source | nvcc, s | gasan-nvcc, s | ratio | ptxas, s | gasan-ptxas, s | ratio | kept, ms |",
             "|---|--:|--:|--:|--:|--:|--:|--:|"]
    nvcc, ptxas = [], []
    for source in sorted(glob.glob(os.path.join(ROOT, "bench", "compile", "**", "*.cu"), recursive=True)):
        stem = os.path.splitext(os.path.basename(source))[0]
        if arguments.only not in stem:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                row = measure(build, cuda, source, folder)
            except RuntimeError as error:  # nvcc refuses some sources that clang takes
                print("%s: %s" % (stem, error))
                continue
        nvcc.append(row["gasan-nvcc"] / row["nvcc"])
        ptxas.append(row["gasan-ptxas"] / row["ptxas"])
        lines.append("| %s | %.1f | %.1f | %.2f | %.2f | %.2f | %.1f | %.2f |" % (
            stem, row["nvcc"], row["gasan-nvcc"], nvcc[-1], row["ptxas"], row["gasan-ptxas"], ptxas[-1],
            row["kept load"] - row["plain load"]))
        print(lines[-1], flush=True)
    lines.append("| **geometric mean** | | | **%.2f** | | | **%.1f** | |" % (mean(nvcc), mean(ptxas)))
    lines.append("| **greatest** | | | **%.2f** | | | **%.1f** | |" % (max(nvcc), max(ptxas)))
    with open(arguments.out, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
