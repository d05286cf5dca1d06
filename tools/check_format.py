#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the layout of the sources: C, C++ and CUDA files have the layout of clang-format 22 (.clang-format), and no
line of them, of a Python or a .test file has more than COLUMNS characters. Prints a line for each wrong file or
line, and how to correct it.

clang-format leaves RUN and CHECK lines as they are. By hand, a RUN line continues after a backslash, a CHECK line in a
CHECK-SAME line whose pattern begins with {{^}}. LLVM IR (.ll) has no limit: an instruction is one line.

  tools/check_format.py
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CLANG_FORMAT = "clang-format-22"  # another major version lays some lines out differently
LAID_OUT = (".c", ".cc", ".cpp", ".cu", ".cuh", ".h", ".inc")
LIMITED = LAID_OUT + (".py", ".test")
RECORDED = "test/oracle/replay/"  # generated kernels, as the oracle found them: their lines may be long
COLUMNS = 120
FILES_AT_ONCE = 200  # keeps the command line below the system's limit
NO_SOURCES = ("dist", "dist-bench", "__pycache__")
MISPLACED = re.compile(r"^(\S[^:\n]*):\d+:\d+: error: code should be clang-formatted", re.MULTILINE)


def sources(endings):
    """Returns the paths, relative to the root, of the files with these endings, less build folders and what `make
    dist` writes."""
    found = []
    for folder, folders, files in os.walk(ROOT):
        if "CMakeCache.txt" in files:
            folders.clear()
            continue
        folders[:] = [name for name in folders if not name.startswith(".") and name not in NO_SOURCES]
        found += [os.path.relpath(os.path.join(folder, name), ROOT) for name in files if name.endswith(endings)]
    return sorted(found)


def misplaced(paths):
    """Returns those of `paths` that clang-format would change."""
    wrong = set()
    for start in range(0, len(paths), FILES_AT_ONCE):
        command = [CLANG_FORMAT, "--dry-run", "--Werror"] + paths[start:start + FILES_AT_ONCE]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, errors="replace")
        found = MISPLACED.findall(done.stderr)
        if done.returncode and not found:
            sys.exit("tools/check_format.py: %s failed:\n%s" % (CLANG_FORMAT, done.stderr))
        wrong.update(found)
    return sorted(wrong)


def long_lines(path, text):
    """Returns a complaint for each line that is too long."""
    return ["%s:%d: %d characters, at most %d are allowed: wrap the line by hand" % (path, number, len(line), COLUMNS)
            for number, line in enumerate(text.split("\n"), 1) if len(line) > COLUMNS]


def main():
    try:
        wrong = misplaced(sources(LAID_OUT))
    except FileNotFoundError:
        sys.exit("tools/check_format.py: there is no %s: run ./setup.sh, which installs it" % CLANG_FORMAT)
    found = ["%s: not in the layout of clang-format; run %s -i %s" % (path, CLANG_FORMAT, path) for path in wrong]
    for path in sources(LIMITED):
        if path.startswith(RECORDED):
            continue
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            found += long_lines(path, file.read())
    print("\n".join(found), end="\n" * bool(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
