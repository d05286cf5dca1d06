#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs clang-tidy 22 with the checks of .clang-tidy on the folders that are clean under them.

  tools/tidy.py [--build DIR] [--jobs N] [FOLDER or FILE...]

DIR (default: build/) is a build, whose compile_commands.json has the flags. Prints the findings. The exit code is 1
if there are any.
"""
import argparse
import concurrent.futures
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CLANG_TIDY = "clang-tidy-22"
CLEAN = ("base", "shadow", "handles", "pool", "gasan_rt")  # proof has three findings of the analyzer


def sources(build, folders):
    """Returns the C and C++ files of the folders that the build compiles."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        paths = {os.path.relpath(entry["file"], ROOT) for entry in json.load(file)}
    chosen = tuple(os.path.join(folder, "") for folder in folders)
    return sorted(path for path in paths
                  if path.endswith((".c", ".cpp")) and (path.startswith(chosen) or path in folders))


def check(build, path):
    """Returns the findings in one file, and whether clang-tidy fails."""
    done = subprocess.run([CLANG_TIDY, "-p", build, "--quiet", "--warnings-as-errors=*", path], cwd=ROOT,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout, done.returncode != 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("folders", nargs="*", default=CLEAN)
    arguments = parser.parse_args()
    build = os.path.abspath(arguments.build)
    failed = 0
    try:
        paths = sources(build, arguments.folders)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            for findings, failure in pool.map(lambda path: check(build, path), paths):
                failed += failure
                print(findings, end="", flush=True)
    except FileNotFoundError as error:
        sys.exit("tools/tidy.py: there is no %s; CONTRIBUTING.md says how to install clang-tidy" % error.filename)
    print("%d files, %d with findings" % (len(paths), failed))
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
