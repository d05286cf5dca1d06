#!/usr/bin/env python3
"""Compiles the cases: for each source and level the program with the bugs, and its correct twin.

  programs.py [--build DIR] [--jobs N] [--levels 0,2,3] [--mode bst|shadow|plain] OUT

Writes OUT/global-bst-O2, OUT/global-bst-O2-fixed, OUT/global-plain-O2, and so on. If a program does not compile,
OUT/NAME.error has the compiler's output."""
import argparse
import concurrent.futures
import json
import os
import subprocess
import sys

import cases

ROOT = os.path.dirname(cases.TESTS)
sys.path.insert(0, os.path.join(cases.TESTS, "run"))
from headers import Headers  # noqa: E402

CUDA_LIBRARY_FOLDERS = ("lib64", "lib", "targets/x86_64-linux/lib")
COMPILE_SECONDS = 300


def name_of(source, mode, level, fixed):
    return "%s-%s-O%s%s" % (source.stem, mode, level, "-fixed" * fixed)


def flags_of(source, mode, level, fixed):
    """Returns the compiler's flags. Plain programs get none of gasan's, and shadow mode none of those for BST mode."""
    sanitizer = [] if mode == "plain" else ["-fsanitize=gpu-address", "-fsanitize-gpu-address-mode=" + mode]
    own = [flag for flag in source.flags if mode == "bst" or not flag.startswith("-fsanitize")]
    return sanitizer + own + ["-g", "-O%s" % level] + ["-DFIXED"] * fixed


def command_of_nvcc(build, config, source, fixed):
    """Returns the command and the environment for nvcc's own front end, whose PTX gets the checks."""
    own = [flag for flag in source.flags if flag.startswith("-fsanitize")]
    others = ["-rdc=true" if flag == "-fgpu-rdc" else flag for flag in source.flags if flag not in own]
    command = [os.path.join(build, "bin", "gasan-nvcc"), "--front-end=nvcc", "-arch=" + config["arch"], "-std=c++17"]
    environment = dict(os.environ, CUDA_HOME=config["cuda"], GASAN_PTXAS_FLAGS=" ".join(["--strict"] + own))
    return command + others + ["-DFIXED"] * fixed + [source.path], environment


def compile_one(build, config, headers, out, source, mode, level, fixed, front_end="clang"):
    program = os.path.join(out, name_of(source, mode, level, fixed))
    command = [os.path.join(build, "bin", "gasan-clang++")] + flags_of(source, mode, level, fixed)
    command += ["-Wno-unknown-cuda-version", "--offload-arch=" + config["arch"], "--cuda-path=" + config["cuda"]]
    command += [source.path] + ["-L" + os.path.join(config["cuda"], folder) for folder in CUDA_LIBRARY_FOLDERS]
    command += ["-lcudart", "-o", program]
    if headers:
        command = headers.included(command)
    environment = None
    if front_end == "nvcc":
        command, environment = command_of_nvcc(build, config, source, fixed)
        command += ["-o", program]
    for old in (program, program + ".error"):
        if os.path.exists(old):
            os.remove(old)
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", timeout=COMPILE_SECONDS, env=environment)
        words = done.stdout if done.returncode != 0 else None
    except subprocess.TimeoutExpired:
        words = "error: not compiled after %d s" % COMPILE_SECONDS
    if words is not None:
        with open(program + ".error", "w", encoding="utf-8") as file:
            file.write(words)


def compile_all(build, out, jobs, levels, mode, stems=None, for_gpu=False, front_end="clang"):
    with open(os.path.join(build, "test", "config.json"), encoding="utf-8") as file:
        config = json.load(file)
    os.makedirs(out, exist_ok=True)
    headers = None if for_gpu else Headers(build, config)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        waiting = [pool.submit(compile_one, build, config, headers, out, source, mode, level, fixed, front_end)
                   for source in cases.read_all() if stems is None or source.stem in stems for level in levels
                   for fixed in (False, True) if mode != "plain" or source.has_plain]
        for one in waiting:
            one.result()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--levels", default="0,2,3")
    parser.add_argument("--mode", choices=cases.MODES + ("plain",), default="bst")
    parser.add_argument("out")
    parser.add_argument("--front-end", choices=("clang", "nvcc"), default="clang")
    arguments = parser.parse_args()
    compile_all(os.path.abspath(arguments.build), os.path.abspath(arguments.out), arguments.jobs,
                arguments.levels.split(","), arguments.mode, for_gpu=True, front_end=arguments.front_end)
    return 0


if __name__ == "__main__":
    sys.exit(main())
