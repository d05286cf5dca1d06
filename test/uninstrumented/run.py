#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that gasan did not build, under `gasan run`, on a machine with a GPU.

  run.py [--gasan BUILD/bin/gasan] [--nvcc nvcc] [--jobs N] [--sanitizer compute-sanitizer] [NAME...] OUT

OUT: a folder for binaries and outputs, results.json, and results.md, a table for test/results/uninstrumented.md. A
program is a .cu file, which nvcc builds with its static and its shared cudart, or a .py file. Each runs plain and
under `gasan run`, whose output must be equal and whose exit code must be 0. With an argument, a program with lines
`BUG: REGEX` has its bug; `gasan run` must then exit with 1, and each line must match its output. `FLAGS:` are nvcc's,
`OPTIONS:` are options of `gasan run`. Prints a line for each program; the exit code is 1 if one failed."""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "programs")
SECONDS = 300


def execute(command, environment=None):
    """Returns exit code, standard output, both outputs, and seconds."""
    start = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, env=environment,
                              errors="replace")
    except subprocess.TimeoutExpired as error:
        return 124, "", "%s took more than %d s\n%s" % (command, SECONDS, error.stderr or ""), SECONDS
    return done.returncode, done.stdout, done.stdout + done.stderr, time.monotonic() - start


def text_of(name):
    with open(os.path.join(PROGRAMS, name)) as file:
        return file.read()


def builds(settings, name, text):
    """Yields (title, command to run) for each way to build the program."""
    source = os.path.join(PROGRAMS, name)
    if name.endswith(".py"):
        yield name[:-3], [sys.executable, source]
        return
    flags = " ".join(re.findall(r"^// FLAGS: (.*)$", text, re.MULTILINE)).split()
    architecture = [] if any(flag.startswith("-arch") for flag in flags) else ["-arch=native"]  # adds no PTX
    for kind in ("static", "shared"):
        program = os.path.join(settings.out, "%s-%s" % (name[:-3], kind))
        command = [settings.nvcc, *architecture, "-lineinfo", "-cudart", kind, source, "-o", program]
        code, _, output, _ = execute(command + flags)
        yield "%s-%s" % (name[:-3], kind), [program] if code == 0 else ["/bin/sh", "-c", "echo nvcc failed; exit 99"]
        if code:
            print(output, file=sys.stderr)


def examine(settings, name, devices):
    """Returns a list of results, one for each build; none if the machine has too few GPUs (`DEVICES:`)."""
    text = text_of(name)
    if any(devices < int(wanted) for wanted in re.findall(r"^(?://|#) DEVICES: (\d+)$", text, re.MULTILINE)):
        return []
    bugs = re.findall(r"^(?://|#) BUG: (.*)$", text, re.MULTILINE)
    lines = re.findall(r"^(?://|#) OPTIONS: (.*)$", text, re.MULTILINE)
    options = [word for option in " ".join(lines).split() for word in ("-o", option)]
    results = []
    for title, command in builds(settings, name, text):
        wrapped = [settings.gasan, "run"] + options + ["--"] + command
        code, expected, _, plain_seconds = execute(command)
        result = {"name": title, "plain_s": plain_seconds, "wrong": []}
        if code:
            result["wrong"].append("plain: exit code %d" % code)
        code, output, both, result["checked_s"] = execute(wrapped)
        if code or output != expected:
            result["wrong"].append("correct: exit code %d, expected output %r\n%s" % (code, expected, both[-1500:]))
        if bugs:
            code, _, both, _ = execute(wrapped + ["bug"])
            result["report"] = both
            missing = [line for line in bugs if not re.search(line, both, re.MULTILINE)]
            if code != 1 or missing:
                result["wrong"].append("bug: exit code %d, missing %s\n%s" % (code, missing, both[-1500:]))
        if bugs and settings.sanitizer:
            code, _, both, _ = execute([settings.sanitizer, "--error-exitcode=9"] + command + ["bug"])
            result["sanitizer"] = "found" if code == 9 or "ERROR SUMMARY: 0 errors" not in both else "missed"
        results.append(result)
    return results


# Texts of reports, and the way in which their bugs were found.
FINDERS = [
    (" by device thread ", "a check"),
    ("The device has stopped a kernel", "guard"),
    ("found between launches", "canary, between launches"),
    ("found while kernels ran", "canary, by the guard kernel"),
    ("found when the memory was freed", "canary, at the free"),
    ("found at the end", "canary, at the end"),
    ("double-free", "free"),
    (" by cu", "copy or set"),
]


def row_of(name, results):
    """Returns a line of the table for the builds of one program."""
    reports = [result["report"] for result in results if "report" in result]
    if any(result["wrong"] for result in results):
        return "| `%s` | failed | | | |" % name
    if not reports:
        return "| `%s` | no bug, silent, same output | | | |" % name
    kind = re.search(r"AddressSanitizer: (?:attempting )?([a-z-]+|SEGV)", reports[0]).group(1)
    finder = next(what for text, what in FINDERS if text in reports[0])
    several = "kernels" if "These kernels" in reports[0] else "the call"
    named = "the only kernel" if re.search("Only this kernel|only this one", reports[0]) else several
    named = "thread and line" if finder == "a check" else named
    return "| `%s` | %s | %s | %s | %s |" % (name, kind, finder, named, results[0].get("sanitizer", "not run"))


def write_table(path, results):
    programs = {}
    for result in results:
        programs.setdefault(re.sub("-(static|shared)$", "", result["name"]), []).append(result)
    with open(path, "w") as file:
        print("| program | reported as | found by | names | compute-sanitizer's memcheck |", file=file)
        print("|---|---|---|---|---|", file=file)
        for name in sorted(programs):
            print(row_of(name, programs[name]), file=file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gasan", default=os.path.join(HERE, "..", "..", "build", "bin", "gasan"))
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--sanitizer")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("out", metavar="OUT")
    settings = parser.parse_args()
    settings.gasan = os.path.abspath(settings.gasan)
    os.makedirs(settings.out, exist_ok=True)
    devices = len(subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True).stdout.splitlines())
    names = [name for name in sorted(os.listdir(PROGRAMS))
             if not settings.names or name.split(".")[0] in settings.names]
    results = []
    with concurrent.futures.ThreadPoolExecutor(settings.jobs) as pool:
        for found in pool.map(lambda name: examine(settings, name, devices), names):
            for result in found:
                print("%s: %s%s" % ("FAIL" if result["wrong"] else "ok", result["name"],
                                    ", compute-sanitizer: " + result["sanitizer"] if "sanitizer" in result else ""))
                for wrong in result["wrong"]:
                    print("  " + wrong.replace("\n", "\n  "))
            results += found
    with open(os.path.join(settings.out, "results.json"), "w") as file:
        json.dump(results, file, indent=1)
    write_table(os.path.join(settings.out, "results.md"), results)
    failed = sum(bool(result["wrong"]) for result in results)
    print("%d passed, %d failed" % (len(results) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
