#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a folder with all files that the tests need on a machine with a GPU and without compilers.

  tools/make_dist.py [--build DIR] [--jobs N] [--bench-only] OUT

OUT/test, OUT/examples: the test files (for their RUN and CHECK lines and golden files) and scripts; OUT/build: the
runtime, the compiled programs, the unit tests that use a GPU, lit and FileCheck. OUT/gpu.sh runs all tests. OUT/bench:
the benchmarks, plain and instrumented, and the scripts that compare them; --bench-only makes only this folder."""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "bench"))
sys.path.insert(0, os.path.join(ROOT, "test", "run"))
import measure  # noqa: E402
import run_lines  # noqa: E402
from build import CUDA_LIBRARY_FOLDERS, compile_all  # noqa: E402


def copy(source, target):
    if os.path.isdir(source):
        shutil.copytree(source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__", "*.o",
                "*.script", "*.built.json"))
    elif os.path.exists(source):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy2(source, target)
    else:
        sys.exit("make dist: there is no %s" % source)


def copy_libraries(build, private, cuda, out):
    """Copies gasan run, libgasan_rt, NVTX's entry to it, its symbolizer, and the libcudart to which it forwards
    calls."""
    for file in ("bin/gasan", "lib/libgasan_preload.so", "lib/libgasan_rt.so", "lib/libgasan_nvtx.so"):
        copy(os.path.join(build, file), os.path.join(out, "build", file))
    symbolizer = "llvm-symbolizer-gasan"
    copy(os.path.join(private, symbolizer), os.path.join(out, "build", "lib", "gasan", symbolizer))
    for folder in CUDA_LIBRARY_FOLDERS:
        library = os.path.join(cuda, folder, "libcudart.so.13")
        if os.path.exists(library):
            copy(os.path.realpath(library), os.path.join(out, "build", "lib", "libcudart.so.13"))
            return
    sys.exit("make dist: no libcudart.so.13 in %s" % cuda)


def copy_unit_tests(build, out):
    kept = []
    with open(os.path.join(build, "test", "unit", "unit_tests.txt")) as file:
        for line in file:
            name, _, gpu_arguments = line.rstrip("\n").split("|")
            if gpu_arguments:
                copy(os.path.join(build, "test", "unit", name), os.path.join(out, "build", "test", "unit", name))
                kept.append("%s %s\n" % (name, gpu_arguments.replace(";", " ")))
    with open(os.path.join(out, "build", "test", "unit", "gpu_tests.txt"), "w") as file:
        file.writelines(kept)


def copy_bench(build, jobs, out):
    """Copies the benchmarks' scripts, and compiles their programs into the same folders."""
    bench = os.path.join(ROOT, "bench")
    for folder, _, files in os.walk(bench):
        for file in files:
            if file.endswith(".py") and file != "build.py":
                copy(os.path.join(folder, file), os.path.join(out, "bench", os.path.relpath(folder, bench), file))
    with open(os.path.join(out, "bench", "commit"), "w") as file:
        file.write(measure.commit() + "\n")
    complaints = compile_all(build, os.path.join(out, "bench"), jobs)
    if complaints:
        sys.exit("make dist: " + "\n".join(complaints))


def copy_detection(build, jobs, out):
    """Compiles the detection suite's cases, with and without gasan."""
    programs = [sys.executable, os.path.join(ROOT, "test", "detection", "programs.py"),
                "--build", build, "--jobs", str(jobs), os.path.join(out, "build", "test", "detection")]
    for mode, levels in (("bst", "0,2,3"), ("plain", "2")):
        if subprocess.run(programs + ["--mode", mode, "--levels", levels]).returncode != 0:
            sys.exit("make dist: the detection suite does not compile")


def copy_silence(build, jobs, out):
    """Compiles the silence suite's own programs in BST mode. Its programs from other folders have been copied
    already, in the mode and at the level of their tests."""
    programs = [sys.executable, os.path.join(ROOT, "test", "silence", "run.py"), "build", "silence/", "--modes", "bst"]
    if subprocess.run(programs + ["--build", build, "--jobs", str(jobs)]).returncode != 0:
        sys.exit("make dist: the silence suite does not compile")
    for level in ("0", "2"):
        copy(os.path.join(build, "test", "lit-gpu-bst-" + level), os.path.join(out, "build", "test",
                                                                               "lit-gpu-bst-" + level))


LAUNCHER = """#!/bin/sh
lib=$(cd "$(dirname "$0")/../lib/tools" && pwd)
LD_LIBRARY_PATH=$lib exec "$lib/FileCheck" "$@"
"""
LIT = """import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib", "tools"))
from lit.main import main

if __name__ == "__main__":
    main()
"""


def copy_tools(llvm, out):
    """Copies lit, and FileCheck with its libraries except the C library's."""
    tools, bin_folder = os.path.join(out, "build", "lib", "tools"), os.path.join(out, "build", "bin")
    os.makedirs(bin_folder)
    copy(os.path.join(llvm, "utils", "lit", "lit"), os.path.join(tools, "lit"))
    file_check = os.path.join(llvm, "bin", "FileCheck")
    copy(file_check, os.path.join(tools, "FileCheck"))
    needed = subprocess.run(["ldd", file_check], check=True, capture_output=True, text=True).stdout
    for name, path in re.findall(r"(\S+) => (/\S+)", needed):
        if not re.match(r"lib(c|m|dl|rt|pthread)\.so", name):
            copy(os.path.realpath(path), os.path.join(tools, name))
    for name, text in (("FileCheck", LAUNCHER), ("lit", LIT)):
        with open(os.path.join(bin_folder, name), "w") as file:
            file.write(text)
    os.chmod(os.path.join(bin_folder, "FileCheck"), 0o755)


def compile_programs(build, jobs):
    tests, output = run_lines.run_lit([os.path.join("test", folder) for folder in run_lines.ROOTS], build, jobs,
                                      only="build")
    failed = [test for test in tests if run_lines.is_failure(test)]
    for test in failed:
        print("FAIL %s\n%s" % (test["name"], test["output"]))
    if failed or not tests:
        sys.exit("make dist: some programs do not compile\n" + output * (not tests))


def copy_tests(build, jobs, out):
    """Copies the tests of whole programs, the unit tests and the suites, with gpu.sh, which runs them."""
    os.makedirs(os.path.join(out, "build", "test", "unit"))
    for name in ("run", "cpu", "samples", "detection", "silence", "lit.cfg.py", "programs.cfg.py"):
        copy(os.path.join(ROOT, "test", name), os.path.join(out, "test", name))
    copy(os.path.join(ROOT, "examples"), os.path.join(out, "examples"))
    copy(os.path.join(ROOT, "test", "gpu.sh"), os.path.join(out, "gpu.sh"))
    copy(os.path.join(build, "test", "lit-gpu"), os.path.join(out, "build", "test", "lit-gpu"))
    copy_unit_tests(build, out)
    copy_detection(build, jobs, out)
    copy_silence(build, jobs, out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--bench-only", action="store_true")
    parser.add_argument("out")
    arguments = parser.parse_args()
    build, out = os.path.abspath(arguments.build), os.path.abspath(arguments.out)

    if not arguments.bench_only:
        compile_programs(build, arguments.jobs)
    with open(os.path.join(build, "test", "config.json")) as file:
        config = json.load(file)

    shutil.rmtree(out, ignore_errors=True)
    if not arguments.bench_only:
        copy_tests(build, arguments.jobs, out)
        copy_tools(config["llvm"], out)
    copy_libraries(build, config["private"], config["cuda"], out)
    copy_bench(build, arguments.jobs, out)
    size = sum(os.path.getsize(os.path.join(folder, file)) for folder, _, files in os.walk(out) for file in files)
    print("%s: %.1f MB; on a machine with a GPU: %spython3 bench/run.py BENCH.json; "
          "the same with bench/footprint/run.py, bench/throughput/run.py, bench/lookup/run.py and bench/launch/run.py"
          % (arguments.out, size / 1e6, "" if arguments.bench_only else "bash gpu.sh [RESULTS.json]; "))


if __name__ == "__main__":
    main()
