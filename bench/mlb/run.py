#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Traces the programs, simulates GPUArmor's hardware on the traces, and writes tables and plots (docs/research-mlb.md).

  run.py [--build DIR] [--compile | --compile-only] [--device cpu|cuda] [--size small|full] [--only PATTERN] [--jobs N]
         [--programs DIR] [--simulator FILE] [--seconds N] [--deadline N] [--keep] OUT

--compile: compile the programs first. --programs: default OUT/programs. Writes OUT/results.json, OUT/results.md and
OUT/*.svg. A program that fails, or takes too long, is named at the end.
"""
import argparse
import concurrent.futures
import fnmatch
import glob
import json
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BENCH = os.path.dirname(HERE)
sys.path[:0] = [BENCH, HERE]
import mlb_tables  # noqa: E402

GROUPS = ("dense", "irregular", "shared", "awkward")
SETUP = "make_elements"  # the kernel that makes inputs
# The multiprocessors of the model. The CPU device runs small sizes, with few blocks: few multiprocessors give each as
# many blocks as those of a GPU have at full size.
SMS = {"cpu": 4, "cuda": 132}
# Of the blocks of a full-size launch on a GPU, one in so many is traced: those that begin on one multiprocessor.
SAMPLE = {"small": 1, "full": 132}
# Programs with long small traces.
SMALL_SAMPLE = {"small_chunks": 8, "particles": 16}
OPTIONS = {"cpu": "trace_buffer_mb=512:trace_size_mb=512", "cuda": "trace_buffer_mb=512:trace_size_mb=64"}
COUNTERS = {"cpu": "runtime", "cuda": "driver"}  # of the footprint programs


def programs():
    """Returns {name: (source without .cu, relative to bench/, arguments of a run by size)}."""
    found = {}
    for group in GROUPS:
        for path in sorted(glob.glob(os.path.join(BENCH, "programs", group, "*.cu"))):
            name = os.path.splitext(os.path.basename(path))[0]
            found[name] = (os.path.join("programs", group, name), {"small": ["small", "1", "0"],
                                                                   "full": ["full", "1", "0"]})
    for path in sorted(glob.glob(os.path.join(BENCH, "footprint", "*.cu"))):
        name = os.path.splitext(os.path.basename(path))[0]
        found["rodinia_" + name] = (os.path.join("footprint", name), {"small": ["tiny", "runtime"],
                                                                      "full": ["small", "runtime"]})
    for name in ("small_chunks", "particles"):
        found[name] = (os.path.join("mlb", name), {"small": ["small", "1", "0"], "full": ["full", "1", "0"]})
    return found


def compile_program(build, folder, name, source):
    """Returns "" or the compiler's output."""
    import build as bench_build
    with open(os.path.join(build, "test", "config.json"), encoding="utf-8") as file:
        config = json.load(file)
    flags = bench_build.ON_GPU + ["-fsanitize=gpu-address", "-fsanitize-gpu-address-trace"]
    job = bench_build.Job(name, source, "trace", flags)
    compiles, output = bench_build.compile_one(build, config, folder, job, list)
    return "" if compiles else output


def run_program(arguments, name, sizes):
    """Traces and simulates a program. Returns its result, or a complaint."""
    program = os.path.join(arguments.programs, name + "-trace")
    trace = os.path.join(arguments.out, name + ".trace")
    sample = SMALL_SAMPLE.get(name, 1) if arguments.size == "small" else SAMPLE[arguments.size]
    options = "device=%s:trace_path=%s:trace_blocks=%d:%s" % (arguments.device, trace, sample,
                                                              OPTIONS[arguments.device])
    begin = time.monotonic()

    def seconds_left():
        return max(min(arguments.seconds, arguments.end - time.monotonic()), 0.1)

    if begin > arguments.end - arguments.seconds / 2:
        return "%s: not run: --deadline is too near" % name
    try:
        given = [COUNTERS[arguments.device] if word == "runtime" else word for word in sizes[arguments.size]]
        done = subprocess.run([program] + given, env=dict(os.environ, GASAN_OPTIONS=options),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=seconds_left())
        if done.returncode:
            return "%s: exit status %d: %s" % (name, done.returncode, done.stderr.strip()[-300:])
        traced = time.monotonic() - begin
        size = os.path.getsize(trace)
        done = subprocess.run([arguments.simulator, "--sms", str(SMS[arguments.device]), "--skip", SETUP, trace],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=seconds_left())
        if done.returncode:
            return "%s: %s" % (name, done.stderr.strip())
    except (OSError, subprocess.TimeoutExpired) as error:
        return "%s: %s" % (name, error)
    finally:
        if os.path.exists(trace) and not arguments.keep:
            os.remove(trace)
    return dict(json.loads(done.stdout), seconds=traced, trace_bytes=size)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(os.path.dirname(BENCH), "build"))
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("--device", choices=sorted(SMS), default="cpu")
    parser.add_argument("--size", choices=sorted(SAMPLE), default="small")
    parser.add_argument("--only", default="*")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=300, help="of a program, and of its simulation")
    parser.add_argument("--deadline", type=int, default=10**6, help="seconds after which no program may run")
    parser.add_argument("--programs")
    parser.add_argument("--simulator")
    parser.add_argument("--keep", action="store_true", help="keep the traces")
    parser.add_argument("out")
    arguments = parser.parse_args()
    arguments.end = time.monotonic() + arguments.deadline
    build = os.path.abspath(arguments.build)
    arguments.programs = arguments.programs or os.path.join(arguments.out, "programs")
    arguments.simulator = arguments.simulator or os.path.join(build, "bench", "mlb", "mlb")
    os.makedirs(arguments.out, exist_ok=True)
    wanted = {name: what for name, what in programs().items() if fnmatch.fnmatch(name, arguments.only)}
    if not wanted:
        parser.error("no program's name matches --only %s; the names: %s" % (arguments.only, " ".join(programs())))
    complaints, results = [], {}
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        if arguments.compile or arguments.compile_only:
            outputs = pool.map(lambda name: compile_program(build, arguments.programs, name, wanted[name][0]), wanted)
            complaints += ["%s does not compile:\n%s" % (name, output) for name, output in zip(wanted, outputs)
                           if output]
        if not arguments.compile_only:
            for name, result in zip(wanted, pool.map(lambda name: run_program(arguments, name, wanted[name][1]),
                                                     wanted)):
                if isinstance(result, str):
                    complaints.append(result)
                else:
                    results[name] = result
                    print(name, "%.1f s" % result["seconds"], file=sys.stderr, flush=True)
    if results:
        contents = {"device": arguments.device, "size": arguments.size, "programs": results, "failed": complaints}
        with open(os.path.join(arguments.out, "results.json"), "w", encoding="utf-8") as file:
            json.dump(contents, file, indent=1)
        mlb_tables.write(contents, arguments.out)
    print("\n".join(complaints), file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
