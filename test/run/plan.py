"""What a test file asks for: its RUN lines, read.

    // RUN: %gasan ...                               compiles; any number of such lines
    // RUN: [not | exit=N] %run [name=value ...] COMMAND [| CHECKS]
                                                     runs a program that was compiled
    // ONLY-ON: cpu                                  the test is for that device only
    // NEEDS-DEVICES: 2                              it is skipped, with a line that says so, where there are fewer
    // ALONE: why                                    it runs when no other test does (it takes what they need)

`not` expects exit code 1 (gasan's default), exit=N that one; without them 0 is expected. name=value is an option for
GASAN_OPTIONS, NAME=value an environment variable. CHECKS, in any order:
    %check [PREFIX]    the CHECK lines of this file hold for standard output followed by standard error
    %log=PATTERN       check the files that match instead (they are removed before the run)
    %golden            standard error equals the device's golden file
    %same              standard output equals the expected file, which is one for all devices
    %silent            standard error is empty
The checks of a report name its place, file and line (places.py). A line that ends in \\ goes on in the next RUN line. In any place:
    %s  this file   %S  its folder   %t  a file name of this test's own in the build   %examples  examples/
    %cuda  the CUDA toolkit (in RUN lines that compile)
    %gasan, %gasan_clang, %clangxx   gasan-clang++ and gasan-clang with -fsanitize=gpu-address -g; plain clang++
"""
import re

import places
from check import CheckError, read_directives

RUN = re.compile(r"\bRUN:\s*(.*?)\s*$")
DEVICE = re.compile(r"\bONLY-ON:\s*(\w+)")
DEVICES = re.compile(r"\bNEEDS-DEVICES:\s*(\d+)")
ALONE = re.compile(r"^// ALONE:", re.MULTILINE)
COMPILERS = ("%gasan", "%gasan_clang", "%clangxx")


class PlanError(Exception):
    """The RUN lines of a test make no sense."""


def read(name, source):
    """{"name", "build": [command line], "run": [step], "device": None or name, "devices": int, "alone": bool} of a test file's text."""
    test = {"name": name, "build": [], "run": [], "device": None, "devices": 1, "alone": bool(ALONE.search(source))}
    device = DEVICE.search(source)
    if device:
        test["device"] = device.group(1)
    devices = DEVICES.search(source)
    if devices:
        test["devices"] = int(devices.group(1))
    for line in run_lines(name, source):
        if line.split()[0] in COMPILERS:
            test["build"].append(line)
        else:
            test["run"].append(run_step(name, line))
    if not test["build"] or not test["run"]:
        raise PlanError("%s: needs RUN lines that compile and RUN lines that run" % name)
    refuse_without_place(name, source, test["run"])
    return test


def refuse_without_place(name, source, steps):
    """A golden file has the whole report."""
    for prefix in sorted({step["check"] for step in steps if step["check"] and not step["golden"]}):
        try:
            line = places.without_place(read_directives(source, prefix))
        except CheckError as error:
            raise PlanError("%s: %s" % (name, error)) from error
        if line:
            raise PlanError("%s: line %d: a report whose place no %s line names (places.py)" % (name, line, prefix))


def run_lines(name, source):
    pending = ""
    for line in source.splitlines():
        found = RUN.search(line)
        if not found:
            continue
        text = pending + found.group(1)
        if text.endswith("\\"):
            pending = text[:-1].rstrip() + " "
            continue
        pending = ""
        if not text:
            raise PlanError("%s: empty RUN line" % name)
        yield text
    if pending:
        raise PlanError("%s: the last RUN line ends in a backslash" % name)


def run_step(name, line):
    command, bar, checks = line.partition("|")
    words = command.split()
    step = {"exit": 0, "options": {}, "environment": {}, "check": None, "log": None, "golden": False, "silent": False,
            "same": False}
    if words[0] == "not":
        step["exit"] = 1
        words.pop(0)
    elif words[0].startswith("exit="):
        step["exit"] = int(words.pop(0)[len("exit="):])
    if not words or words.pop(0) != "%run":
        raise PlanError("%s: neither compiles nor runs: %s" % (name, line))
    while words and re.match(r"\w+=", words[0]):
        key, _, value = words.pop(0).partition("=")
        step["environment" if key.isupper() else "options"][key] = value
    if not words:
        raise PlanError("%s: no program: %s" % (name, line))
    step["command"] = words
    if bar:
        read_checks(name, line, checks.split(), step)
    return step


def read_checks(name, line, words, step):
    if not words:
        raise PlanError("%s: nothing after the bar: %s" % (name, line))
    while words:
        word = words.pop(0)
        if word == "%check":
            step["check"] = words.pop(0) if words and words[0][0] != "%" else "CHECK"
        elif word.startswith("%log="):
            step["log"] = word[len("%log="):]
        elif word in ("%golden", "%silent", "%same"):
            step[word[1:]] = True
        else:
            raise PlanError("%s: unknown check %s: %s" % (name, word, line))
