#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs clang-tidy 22 with the checks of .clang-tidy on all sources but the tests' and benchmarks'.

  tools/tidy.py [--build DIR] [--jobs N] [FOLDER or FILE...]

DIR (default: build/) is a build by ninja, which has the flags. Prints the findings. The exit code is 1 if there are
any.
"""
import argparse
import concurrent.futures
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CLANG_TIDY = "clang-tidy-22"
FOLDERS = ("base", "proof", "shadow", "handles", "device", "pool", "gasan_rt", "driver", "gasan_pass")


def compilation(step):
    """Returns the compilation in a step of the build as an entry of compile_commands.json, or None."""
    for command in step["command"].split(" && "):
        if " -c " in command:
            return {"directory": step["directory"], "file": step["file"], "command": command}
    return None


def compilations(build, folders):
    """Returns one compilation for each source of the folders: that of the product, not those of tests."""
    steps = subprocess.run(["ninja", "-C", build, "-t", "compdb"], stdout=subprocess.PIPE, check=True).stdout
    chosen = tuple(os.path.join(ROOT, folder, "") for folder in folders)
    files = [os.path.join(ROOT, folder) for folder in folders]
    found = {}
    for step in json.loads(steps):
        path = step["file"]
        if not path.endswith((".c", ".cpp", ".cu")) or not (path.startswith(chosen) or path in files):
            continue
        if path not in found and not step["output"].startswith("test/"):
            found[path] = compilation(step)
    return [entry for path, entry in sorted(found.items()) if entry]


def check(database, path):
    """Returns the findings in one file, and whether clang-tidy fails."""
    done = subprocess.run([CLANG_TIDY, "-p", database, "--quiet", "--warnings-as-errors=*", path], cwd=ROOT,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout, done.returncode != 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("folders", nargs="*", default=FOLDERS)
    arguments = parser.parse_args()
    build = os.path.abspath(arguments.build)
    entries = compilations(build, [os.path.normpath(folder) for folder in arguments.folders])
    database = os.path.join(build, "tidy")
    os.makedirs(database, exist_ok=True)
    with open(os.path.join(database, "compile_commands.json"), "w", encoding="utf-8") as file:
        json.dump(entries, file, indent=1)
    failed = 0
    try:
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            for findings, failure in pool.map(lambda entry: check(database, entry["file"]), entries):
                failed += failure
                print(findings, end="", flush=True)
    except FileNotFoundError as error:
        sys.exit("tools/tidy.py: there is no %s; CONTRIBUTING.md says how to install clang-tidy" % error.filename)
    print("%d files, %d with findings" % (len(entries), failed))
    return 1 if failed or not entries else 0


if __name__ == "__main__":
    sys.exit(main())
