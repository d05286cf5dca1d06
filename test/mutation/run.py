#!/usr/bin/env python3
"""Checks that some test fails if the checks' code is wrong. Puts each fault of faults.txt into a copy of the sources,
builds the pass, and runs tests until one fails.

  run.py [--build DIR] [--jobs N] [--only PATTERN] [--part I/N] [--list] [RECORD]

Run it by hand: a fault takes about a minute. DIR (default build/) is a finished build. The copy and its build are in
DIR/mutation. The stages run from the quickest to the slowest: the lit tests of pass and lifter, whole programs, random
kernels, the detection suite, the silence suite, random launch proofs of both front ends. The first stage that fails
ends a fault's run. A fault that no stage detects survives. It needs a test, or it changes no behaviour and must leave
faults.txt.

RECORD (test/results/mutation.md is kept) is a table that names the test that detected each fault. A fault that is in
the table is not tried again, so an interrupted run goes on; remove its line to try it again. The last line is
"N passed, N failed"; a survivor is a failure.

--part 2/8 takes every eighth fault, starting with the second. A machine with many cores runs several parts, each with
its own DIR.

A fault in faults.txt is a line "= NAME: FILE", then the old text, a line "->", and the new text. The old text must
occur in FILE exactly once.
"""
import argparse
import collections
import filecmp
import fnmatch
import glob
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
STAGE_SECONDS = 1800
Stage = collections.namedtuple("Stage", "name command")
Fault = collections.namedtuple("Fault", "name file old new")
Outcome = collections.namedtuple("Outcome", "stage test")


def read_faults(path):
    with open(path, encoding="utf-8") as file:
        parts = re.split(r"^= ", file.read(), flags=re.MULTILINE)[1:]
    faults = []
    for part in parts:
        head, body = part.split("\n", 1)
        name, source = head.split(": ")
        old, new = body.split("\n->\n")
        faults.append(Fault(name, source.strip(), old.strip("\n"), new.rstrip("\n")))
    return faults


def problem_of(fault, root):
    """Returns the reason why the fault does not apply to the sources, or None."""
    path = os.path.join(root, fault.file)
    if not os.path.exists(path):
        return "%s: there is no %s" % (fault.name, fault.file)
    with open(path, encoding="utf-8") as file:
        count = file.read().count(fault.old)
    return None if count == 1 else "%s: its text occurs %d times in %s instead of once" % (
        fault.name, count, fault.file)


class Copy:
    """A copy of the sources with a build of its own."""

    def __init__(self, build, jobs):
        self.jobs = jobs
        self.source = os.path.join(build, "mutation", "source")
        self.build = os.path.join(build, "mutation", "build")
        self.sound = set()  # the stages that pass without a fault

    def prepare(self):
        os.makedirs(self.source, exist_ok=True)
        files = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT, check=True,
                               capture_output=True).stdout
        names = [name for name in files.decode().split("\0")[:-1] if os.path.exists(os.path.join(ROOT, name))]
        self.remove_all_but({os.path.join(self.source, name) for name in names})
        for name in names:
            old, new = os.path.join(ROOT, name), os.path.join(self.source, name)
            os.makedirs(os.path.dirname(new), exist_ok=True)
            if not (os.path.exists(new) and filecmp.cmp(old, new, shallow=False)):
                shutil.copy(old, new)
        if not os.path.exists(os.path.join(self.build, "build.ninja")):
            must(["cmake", "-S", self.source, "-B", self.build, "-G", "Ninja", "-DCMAKE_C_COMPILER=clang-22",
                  "-DCMAKE_CXX_COMPILER=clang++-22",
                  "-DCMAKE_CXX_FLAGS=-Wno-error=unused"])  # a fault may leave something unused
        code, output = self.make()
        if code:
            sys.exit("mutation: the copy does not build:\n" + output[-4000:])

    def remove_all_but(self, wanted):
        for folder, _, files in os.walk(self.source):
            for path in (os.path.join(folder, name) for name in files):
                if path not in wanted and "__pycache__" not in path:
                    os.unlink(path)

    def stages(self):
        def script(name, path, *arguments):
            return Stage(name, [sys.executable, os.path.join(self.source, path)] + list(arguments) +
                         ["--build", self.build, "--jobs", str(self.jobs)])
        def lit(name, *folders):
            return Stage(name, ["lit-22", "-q", "-j", str(self.jobs), "--max-failures", "1", "--param",
                                "build=" + self.build] +
                         [os.path.join(self.source, "test", folder) for folder in folders])
        return (lit("lit", "pass"),
                lit("lifter", *(os.path.relpath(path, os.path.join(self.source, "test")) for path in sorted(glob.glob(
                    os.path.join(self.source, "test", "lift", "*.ptx"))))),
                lit("programs", *("run/" + folder for folder in (
                    "bounds", "promises", "heap-buffer-overflow", "proof", "shared-buffer-overflow",
                    "stack-buffer-overflow", "stack-use-after-scope", "intra-object-overflow", "global-buffer-overflow",
                    "inline-ptx", "device-heap", "views", "clean"))),
                script("spaces", "test/oracle/fuzz_spaces.py", "--count", "240", "--per-file", "60", "--seed", "500"),
                script("detection", "test/detection/run.py", "--levels", "0,2"),
                script("silence", "test/silence/run.py", "test", "silence/", "--modes", "bst"),
                script("proofs", "test/oracle/proofs/fuzz.py", "--count", "200"),
                script("lifted proofs", "test/oracle/proofs/fuzz.py", "--count", "600", "--front-end", "nvcc"))

    def make(self):
        return run(["ninja", "--quiet", "-C", self.build, "-j", str(self.jobs)])

    def try_fault(self, fault):
        """Returns the outcome of a fault. A stage counts only if it passes without a fault."""
        outcome = self.put_in(fault)
        for stage in self.stages():
            if stage.name == outcome.stage and stage.name not in self.sound:
                self.make()
                must(stage.command)
                self.sound.add(stage.name)
        return outcome

    def put_in(self, fault):
        path = os.path.join(self.source, fault.file)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        try:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.replace(fault.old, fault.new))
            code, output = self.make()
            if code:
                return Outcome("none: it does not compile", output[-2000:])
            for stage in self.stages():
                code, output = run(stage.command)
                if code:
                    return Outcome(stage.name, first_failure(output))
            return Outcome("survived", "")
        finally:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)


def run(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=STAGE_SECONDS)
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        return 1, "FAIL took more than %d s" % STAGE_SECONDS


def must(command):
    code, output = run(command)
    if code:
        sys.exit("mutation: this failed: %s\n%s" % (" ".join(command), output[-4000:]))


def first_failure(output):
    for line in output.splitlines():
        if re.match(r"^(FAIL|\s*gasan ::)", line):
            return re.sub(r"^(FAIL:? )?(gasan :: )?| \(\d+ of \d+\)", "", line.strip())[:120]
    return output.strip().splitlines()[-1][:200] if output.strip() else ""


ROW = re.compile(r"^\| `([\w-]+)` \| ([\w :]+) \|(?: `(.*)`)? \|$")


def read_record(path):
    if not path or not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        rows = [ROW.match(line.rstrip()) for line in file]
    return {row[1]: Outcome(row[2], row[3] or "") for row in rows if row}


def append_to_record(path, name, outcome):
    """Appends a row. Writes the table's head first if the file is new or ends without a table."""
    new = not read_record(path)
    with open(path, "a", encoding="utf-8") as file:
        if new:
            file.write("| fault | detected by | first test that fails |\n|---|---|---|\n")
        test = outcome.test.replace(ROOT + os.sep, "").replace("|", "/").replace("`", "'").replace("\n", " ")
        file.write("| `%s` | %s |%s |\n" % (name, outcome.stage, " `%s`" % test if test else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="*")
    parser.add_argument("--part", default="1/1", metavar="I/N")
    parser.add_argument("--list", action="store_true",
                        help="print the faults, and those that do not apply to the sources")
    parser.add_argument("record", nargs="?")
    arguments = parser.parse_args()
    faults = [fault for fault in read_faults(os.path.join(HERE, "faults.txt"))
              if fnmatch.fnmatch(fault.name, arguments.only)]
    part, parts = map(int, arguments.part.split("/"))
    faults = faults[part - 1::parts]
    problems = [problem for problem in (problem_of(fault, ROOT) for fault in faults) if problem]
    if problems or arguments.list:
        print("\n".join(problems or ["%s: %s" % (fault.name, fault.file) for fault in faults]))
        print("%d passed, %d failed" % (len(faults) - len(problems), len(problems)))
        return bool(problems)
    copy = Copy(os.path.abspath(arguments.build), arguments.jobs)
    copy.prepare()
    outcomes = read_record(arguments.record)
    for fault in (fault for fault in faults if fault.name not in outcomes):
        outcomes[fault.name] = copy.try_fault(fault)
        print("%-40s %s %s" % (fault.name, *outcomes[fault.name]), flush=True)
        if arguments.record:
            append_to_record(arguments.record, fault.name, outcomes[fault.name])
    survivors = [name for name, outcome in outcomes.items()
                 if outcome.stage in ("survived", "none: it does not compile")]
    print("%d passed, %d failed" % (len(outcomes) - len(survivors), len(survivors)))
    return bool(survivors)


if __name__ == "__main__":
    sys.exit(main())
