#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes docs/comparison.md: the texts of four tools about the same ten bugs. The texts are those of runs; a tool that
the machine lacks keeps the text that the page has.

  comparison.py [--build BUILD]                 gasan on the CPU device, the host's ASan, rustc
  comparison.py --sanitizer COMPUTE_SANITIZER   on a machine with a GPU: only that tool's texts. The program is
                                                BUILD/comparison/plain, which --build compiles"""
import argparse
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PAGE = os.path.join(ROOT, "docs", "comparison.md")
BUGS = ["one element behind the end", "one element before the start", "a use after free", "a double free",
        "a local array", "a global variable", "a null pointer", "a copy that is too long", "a misaligned address",
        "an index that overflows 32 bits"]
TOOLS = ["gasan", "compute-sanitizer", "AddressSanitizer (host)", "Rust"]
PENDING = "(not run: needs a GPU)"
INTRODUCTION = """# Ten bugs, four tools

The same ten bugs in CUDA ([ten-bugs.cu](../test/reports/inputs/ten-bugs.cu)), in C++ for the host's AddressSanitizer
([ten-bugs.cpp](../test/reports/inputs/ten-bugs.cpp)) and in safe Rust
([ten-bugs.rs](../test/reports/inputs/ten-bugs.rs)). `test/reports/comparison.py` makes this page from runs.
Each text ends before the stacks of allocations; addresses are the runs'.
"""


def run(command, **keywords):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          timeout=300, **keywords)
    return done.stdout


def shorten(text, begin, end):
    """Returns the lines from one that matches `begin` up to one that matches `end`, without absolute folders."""
    lines, found = text.replace(HERE + "/inputs/", "").replace(ROOT + "/", "").splitlines(), []
    for line in lines:
        if found or re.search(begin, line):
            found.append(line.rstrip())
            if len(found) > 1 and re.search(end, line):
                break
    found = [line for line in found if not re.search(r"__libc_start| in _start ", line)]
    while found and not found[-1]:
        found.pop()
    return "\n".join(re.sub(r" \(BuildId: \w+\)", "", line) for line in found[:24])


def texts_of_gasan(build, folder):
    source = os.path.join(HERE, "inputs", "ten-bugs.cu")
    program = os.path.join(folder, "gasan")
    compiler = os.path.join(build, "bin", "gasan-clang++")
    run([compiler, "-fsanitize=gpu-address", "-fsanitize-gpu-address-devices=cpu", "-g", "-O2", source, "-o", program],
        check=True)
    run([os.path.join(build, "bin", "gasan-nvcc"), "-fno-sanitize=gpu-address", "-g", "-O2",
         "-gencode=arch=compute_80,code=sm_80", "-gencode=arch=compute_90,code=sm_90", source, "-o",
         os.path.join(folder, "plain")], check=True)
    environment = dict(os.environ, GASAN_OPTIONS="device=cpu")
    return [shorten(run([program, str(bug)], env=environment), "ERROR: ", r"is (located|no address|not a multiple)")
            for bug in range(1, 11)]


def texts_of_asan(folder):
    program = os.path.join(folder, "asan")
    run(["clang++-22", "-fsanitize=address,alignment", "-g", "-O1", os.path.join(HERE, "inputs", "ten-bugs.cpp"), "-o",
         program], check=True)
    return [shorten(run([program, str(bug)]), "ERROR: |runtime error", "is located|Hint: |SUMMARY|note: ") or
            "(no report)" for bug in range(1, 11)]


def texts_of_rust(folder):
    source, program = os.path.join(HERE, "inputs", "ten-bugs.rs"), os.path.join(folder, "rust")
    run(["rustc", "-g", source, "-o", program], check=True)
    texts = []
    for bug in range(1, 11):
        if bug in (3, 4):
            text = run(["rustc", "--cfg", "bug%d" % bug, source, "-o", os.path.join(folder, "refused")])
            texts.append(shorten(text, r"^error\[", "^error: aborting|^For more"))
        elif bug in (7, 9):
            texts.append("(safe Rust has no null pointers and no misaligned references)")
        else:
            environment = dict(os.environ, RUST_BACKTRACE="0")
            texts.append(shorten(run([program, str(bug)], env=environment), "panicked", "^note"))
    return texts


def texts_of_sanitizer(tool, folder):
    program = os.path.join(folder, "plain")
    if not os.path.exists(program):
        sys.exit("comparison.py: error: no %s; run comparison.py without --sanitizer where the compiler is, and copy it"
                 % program)
    return [shorten(run([tool, program, str(bug)]), "=========", "ERROR SUMMARY") for bug in range(1, 11)]


def read_page():
    """Returns {tool: texts} of the page."""
    found = {tool: [PENDING] * 10 for tool in TOOLS}
    if os.path.exists(PAGE):
        with open(PAGE, encoding="utf-8") as file:
            for bug, section in enumerate(re.split(r"^## ", file.read(), flags=re.MULTILINE)[1:]):
                for tool, text in re.findall(r"^\*\*(.*?)\*\*\n\n```\n(.*?)\n```$", section, re.MULTILINE | re.DOTALL):
                    found[tool][bug] = text
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--sanitizer")
    arguments = parser.parse_args()
    folder = os.path.join(arguments.build, "comparison")
    os.makedirs(folder, exist_ok=True)
    texts = read_page()
    if arguments.sanitizer:
        texts["compute-sanitizer"] = texts_of_sanitizer(arguments.sanitizer, folder)
    else:
        texts["gasan"] = texts_of_gasan(arguments.build, folder)
        texts["AddressSanitizer (host)"] = texts_of_asan(folder)
        if shutil.which("rustc"):
            texts["Rust"] = texts_of_rust(folder)
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(INTRODUCTION)
        for bug, title in enumerate(BUGS):
            file.write("\n## %d. %s\n" % (bug + 1, title))
            for tool in TOOLS:
                file.write("\n**%s**\n\n```\n%s\n```\n" % (tool, texts[tool][bug]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
