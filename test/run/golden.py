#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares a test's output with the recorded output.

  golden.py --device cpu|cuda [--mode bst|shadow|tags] [--update] report|output TEST[.N]

Standard input is the text. report: golden/DEVICE/TEST.txt has the whole report with everything removed that differs
from run to run or machine to machine (addresses, process id, folders, build ids), and nothing else; the text is
printed again, for FileCheck. The files of the two devices differ in the device's name only (selftest.py checks it).
output: expected/TEST.txt has the text, for all devices. .N: the file TEST.N.txt. --mode: reports of tests that do not
choose a mode are not compared. --update writes the file."""
import argparse
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from run_lines import HERE, SOURCE, TESTS, chooses_mode, read_text, write_text  # noqa: E402

REPLACEMENTS = [
    (re.compile(r"\s*\(BuildId: [0-9a-f]+\)"), ""),
    (re.compile(r"==\d+=="), "==PID=="),
    (re.compile(r"0x[0-9a-f]+"), "0xADDR"),
    # Line numbers in the toolkit's headers differ between releases.
    (re.compile(r"\b(cuda_runtime\.h|surface_indirect_functions\.h):\d+:\d+"), r"\1"),
    # An absolute file name becomes its last part.
    (re.compile(r"(?<![\w.])/(?:[^\s/:()]+/)+([^\s/:()]+)"), r"\1"),
]


def golden_file(device, name, number=""):
    """name: the test's name, relative to test/."""
    return os.path.join(HERE, "golden", device, recorded_name(name, number))


def expected_file(name, number=""):
    return os.path.join(TESTS, name.split("/", 1)[0], "expected", recorded_name(name, number))


def recorded_name(name, number):
    return os.path.splitext(name.split("/", 1)[1])[0].replace("/", ".") + number + ".txt"


def normalise(report):
    for pattern, replacement in REPLACEMENTS:
        report = pattern.sub(replacement, report)
    return "\n".join(line.rstrip() for line in report.splitlines()) + "\n"


def difference(expected, report):
    """Describes the first line in which a report differs from its golden file. Returns None if they are equal."""
    return first_difference(expected, normalise(report))


def first_difference(expected, text):
    expected_lines, lines = expected.splitlines(), text.splitlines()
    for number in range(max(len(expected_lines), len(lines))):
        want = expected_lines[number] if number < len(expected_lines) else "(the end)"
        have = lines[number] if number < len(lines) else "(the end)"
        if want != have:
            return "line %d\n  expected: %s\n  this run: %s" % (number + 1, want, have)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=["cpu", "cuda"], required=True)
    parser.add_argument("--mode")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("kind", choices=["report", "output"])
    parser.add_argument("test", metavar="TEST")
    arguments = parser.parse_args()
    sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    test, number = re.fullmatch(r"(.*?)(\.\d+)?", arguments.test).groups(default="")
    text, name = sys.stdin.read(), os.path.relpath(os.path.realpath(test), os.path.realpath(TESTS))
    if arguments.kind == "report":
        path, found = golden_file(arguments.device, name, number), normalise(text)
        sys.stdout.write(text)
        if arguments.mode and not chooses_mode(read_text(test)):
            return 0
    else:
        path, found = expected_file(name, number), text
    if arguments.update:
        write_text(path, found)
        return 0
    shown = os.path.relpath(path, SOURCE)
    if not os.path.exists(path):
        print("there is no %s (write it with --param update_golden=1)" % shown, file=sys.stderr)
        return 1
    different = first_difference(read_text(path), found)
    if different:
        print("the %s is not %s: %s" % (arguments.kind, shown, different), file=sys.stderr)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
