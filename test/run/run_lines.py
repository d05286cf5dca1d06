# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads and runs whole-program tests for tools other than lit: the oracle, the silence suite, selftest.py."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
SOURCE = os.path.dirname(TESTS)
ROOTS = ("run", "cpu", "samples")  # the folders of test/ that hold whole programs
SUFFIXES = (".cu", ".cpp", ".test")
# A test with one of these options has to run with it, not in another mode.
MODE_CHOICES = tuple("-fsanitize-gpu-address-" + name for name in ("mode=", "tags", "granule=", "pool=", "checks="))
STEP_SECONDS = 300

RUN = re.compile(r"\bRUN:\s*(.*?)\s*$")
COMPILERS = ("%gasan ", "%gasan_clang ", "%clangxx ")
STEP = re.compile(r"(?:env (?P<environment>(?:\w+=\S* )+))?(?:%options=(?P<options>\S*) )?(?P<run>(?:not "
                  r")?%run|%exit=\d+) "
                  r"(?P<command>[^|&>]*?)(?: 2?>.*| \|.*)?$")
CHECKS = re.compile(r"FileCheck %s(?: --check-prefix=(\S+))?")


LIT_GOOD = ("PASS", "XFAIL", "FLAKYPASS")


class RunLineError(Exception):
    """The RUN lines of a test are wrong."""


def read_text(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def write_text(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def find_tests(filters):
    """Returns the tests' names, relative to test/. Files in folders named inputs are parts of other tests."""
    names = []
    for root in ROOTS:
        for folder, folders, files in os.walk(os.path.join(TESTS, root)):
            folders[:] = sorted(f for f in folders if f not in ("inputs", "golden", "expected", "__pycache__"))
            for file in sorted(files):
                name = os.path.relpath(os.path.join(folder, file), TESTS)
                if file.endswith(SUFFIXES) and matches(name, filters):
                    names.append(name)
    return names


def matches(name, filters):
    return not filters or any(part in name for part in filters)


def run_lines(source):
    """Yields the commands after RUN:, in order. After a backslash a line continues in the next one."""
    pending = ""
    for line in source.splitlines():
        found = RUN.search(line)
        if found:
            pending += found.group(1)
            if pending.endswith("\\"):
                pending = pending[:-1].rstrip() + " "
                continue
            yield pending
            pending = ""
    if pending:
        raise RunLineError("the last RUN line ends in a backslash")


def build_lines(source):
    return [line for line in run_lines(source) if line.startswith(COMPILERS)]


def chooses_mode(source):
    return any(choice in line for line in build_lines(source) for choice in MODE_CHOICES)


def steps(source):
    """Returns the runs of the programs: [{"command": words, "exit": code, "options": text, "environment": {name:
    value}, "checks": FileCheck's prefixes, "golden": whether the whole report is compared}]."""
    found = []
    for line in run_lines(source):
        if line.startswith(COMPILERS) or line.startswith("%mlb "):
            continue
        step = STEP.search(line)
        if not step:
            raise RunLineError("neither compiles nor runs: " + line)
        code = {"%run": 0, "not %run": 1}.get(step.group("run"))
        found.append({"command": step.group("command").split(), "exit": int(step.group("run")[len("%exit="):])
                      if code is None else code,
                      "options": step.group("options") or "", "golden": "%golden" in line,
                      "environment": dict(word.split("=", 1) for word in (step.group("environment") or "").split()),
                      "checks": [prefix or "CHECK" for prefix in CHECKS.findall(line)]})
    return found


def execute(command, environment=None, folder=None, seconds=STEP_SECONDS):
    """Runs a command. Returns (exit code, or a text if there is none; standard output; standard error). After
    `seconds` it kills the process and its children."""
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, errors="replace", env=environment, cwd=folder, start_new_session=True)
    except OSError as error:
        return str(error), "", ""
    try:
        output, errors = process.communicate(timeout=seconds)
        return process.returncode, output, errors
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, errors = process.communicate()
        return "none: stopped after %d s" % seconds, output, errors


def run_lit(paths, build, jobs, more=(), **params):
    """Runs lit; more: options. Returns the tests, [{"name" (relative to test/), "code", "output"}], and lit's
    output."""
    lit = shutil.which("lit-22") or os.path.join(build, "bin", "lit")
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "lit.json")
        command = [sys.executable, lit, "-q", "-v", "-j", str(jobs), "-o", report, "--param",
                   "build=" + build] + list(more)
        for name, value in params.items():
            command += ["--param", "%s=%s" % (name, value)]
        done = subprocess.run(command + list(paths), cwd=SOURCE, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace")
        tests = json.loads(read_text(report))["tests"] if os.path.exists(report) else []
    for test in tests:
        test["name"] = test["name"].replace("gasan :: ", "")
    return tests, done.stdout


def is_failure(test):
    return test["code"] not in LIT_GOOD + ("UNSUPPORTED", "EXCLUDED")
