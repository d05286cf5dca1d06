#!/usr/bin/env python3
"""Turns the RUN lines of whole-program tests into lit's language, line by line:  convert.py FOLDER..."""
import os
import re
import sys

RUN = re.compile(r"^(.*?\bRUN:\s*)((?:not |exit=\d+ )?%run .*?)\s*$")


def convert(line):
    line = line.replace("BETWEENRUN", "RUNBETWEEN")
    line = re.sub(r"^(\W*)ONLY-ON: (cpu|cuda)\b", r"\1REQUIRES: \2", line)
    line = re.sub(r"^(\W*)NEEDS-DEVICES: 2\b", r"\1REQUIRES: two-devices", line)
    found = RUN.match(line)
    return found.group(1) + step(found.group(2)) if found and "2>" not in line else line


def step(text):
    command, bar, checks = text.partition("|")
    words = command.split()
    expected = words.pop(0) + " " if words[0] != "%run" else ""
    assert words.pop(0) == "%run", text
    environment, options = [], []
    while words and re.match(r"\w+=", words[0]):
        word = words.pop(0)
        (environment if word.split("=")[0].isupper() else options).append(word)
    logs = re.search(r"%log=(\S+)", checks)
    result = "rm -f %s && " % logs.group(1) if logs else ""
    result += "env %s " % " ".join(environment) if environment else ""
    result += "%%options=%s " % ":".join(options) if options else ""
    result += ("%" + expected if "=" in expected else expected + "%run ") + " ".join(words)
    return result + redirected(checks.split()) if bar else result


def redirected(words):
    check = log = None
    flags = set()
    while words:
        word = words.pop(0)
        if word == "%check":
            check = "FileCheck %s"
            if words and words[0][0] != "%":
                check += " --check-prefix=" + words.pop(0)
        elif word.startswith("%log="):
            log = word[5:]
        else:
            flags.add(word)
    if log:
        assert flags == {"%silent"} and check
        return " 2>&1 >/dev/null | %%silent && cat %s | %s" % (log, check)
    if flags == {"%same", "%silent"}:
        return " 2>&1 | %same"
    if flags == {"%same"}:
        return " | %same"
    if flags == {"%golden"}:
        return " 2>&1 >/dev/null | %golden" + (" | " + check if check else "")
    if flags == {"%silent"} and check:
        return " 2>%%t.err | %s && cat %%t.err | %%silent" % check
    if flags == {"%silent"}:
        return " 2>&1 >/dev/null | %silent"
    assert not flags and check, (flags, check)
    return " 2>&1 | " + check


def number_recorded(path, lines):
    """A test's recorded reports are numbered by the program's runs, from 0, which has no number."""
    runs = -1
    for i, line in enumerate(lines):
        if re.search(r"\bRUN:.*%(run |exit=)", line):
            runs += 1
            if runs:
                lines[i] = re.sub(r"%(golden|same)\b(?!\.)", r"%%\1.%d" % runs, line)


def wrapped(line):
    if len(line) <= 120 or line.endswith("\\") or not re.search(r"\bRUN:.*%(run|exit=)", line):
        return [line]
    end = line.rindex(" ", 0, 119)
    if end < 20:  # it is one long word
        end = line.index(" ", 20)
    return [line[:end] + " \\", re.match(r"\W*RUN:", line).group(0) + "  " + line[end:]]


# Standard error comes before standard output: {file: (prefixes of lines that move, prefix of the line that they follow then)}
MOVED = {
    "others-go-on.cu": (("// CHECK: right",), "// CHECK-NEXT: #0 work("),
    "failed-assert.cu": (("// CHECK: holds:", "// CHECK-NEXT: ", ), "// CHECK: failed-assert.cu:"),
    "late-uploads.cu": (("// RIGHT: the sum is",), "// RIGHT: launch-time proof:"),
    "entry-points.cu": (("// BST: {{^}}load1:", "// BST-NOT: report_load1:"), "// BST-NEXT: #0 direct("),
    "unchecked-kernel.cu": (("// GOES-ON: error 700", "// GOES-ON: still error 700"), "// GOES-ON-NOT: ABORTING"),
}


def moved(name, lines):
    """The lines in between move up, and [[#@LINE+n]] in them counts from there."""
    if name not in MOVED:
        return lines
    prefixes, last = MOVED[name]
    taken = [i for i, line in enumerate(lines) if line.startswith(prefixes)]
    end = next(i for i, line in enumerate(lines) if line.startswith(last))
    if not taken or taken[0] > end:
        return lines
    between = [re.sub(r"\[\[#@LINE\+(\d+)\]\]", lambda found: "[[#@LINE+%d]]" % (int(found.group(1)) + len(taken)), line)
               for i, line in enumerate(lines) if taken[0] <= i <= end and i not in taken]
    return lines[:taken[0]] + between + [lines[i] for i in taken] + lines[end + 1:]


def main():
    for folder in sys.argv[1:]:
        for where, folders, files in os.walk(folder):
            folders[:] = [name for name in folders if name not in ("inputs", "golden", "expected", "__pycache__")]
            for name in files:
                if name.endswith((".cu", ".cpp", ".test")):
                    path = os.path.join(where, name)
                    with open(path, encoding="utf-8", newline="") as file:
                        old = file.read()
                    lines = [convert(line) for line in old.split("\n")]
                    number_recorded(path, lines)
                    if not any("%golden" in line or re.search(r"\.cuh?:\d", line) for line in lines):  # whose reports have the lines' numbers
                        lines = [part for line in lines for part in wrapped(line)]
                    new = "\n".join(moved(name, lines))
                    if new != old:
                        with open(path, "w", encoding="utf-8", newline="") as file:
                            file.write(new)


main()
