#!/usr/bin/env python3
"""Runs whole-program tests under gasan and under the oracle, and compares the reports' kind, access, size, source
line and region. Where both are silent, compares what the programs print.

  compare.py [--all] [NAME...]     NAME: a part of a test's name; --all: every test that fits, not only a selection

Options: --build DIR, --jobs N. Prints a table and "N passed, N failed". A disagreement is a failure unless
disagreements.txt has a reason for it. A reason that is no longer needed is a failure too."""
import argparse
import concurrent.futures
import os
import sys

from both import HERE, ORACLE, TESTS, Builds, describe, same
import plan
import run as programs

FOLDERS = ("run/heap-buffer-overflow", "run/heap-use-after-free", "run/clean", "samples")
# A selection, since compiling takes long: these differ most in their kinds of accesses.
SELECTED = ("heap-buffer-overflow/atomic", "heap-buffer-overflow/far", "heap-buffer-overflow/inline-chain",
            "heap-buffer-overflow/left-read", "heap-buffer-overflow/struct-member", "heap-buffer-overflow/template",
            "heap-buffer-overflow/widths", "heap-use-after-free/kernel", "clean/edges", "samples/scan", "samples/nbody",
            "samples/graph-bfs", "samples/lu-decomposition", "samples/conjugate-gradient")


def read_reasons():
    """Returns {"test, step": the reason why the two may disagree}."""
    reasons = {}
    with open(os.path.join(HERE, "disagreements.txt")) as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                name, _, reason = line.partition(": ")
                reasons[name] = reason.strip()
    return reasons


def unfit(test):
    """Returns the reason why a test cannot run under the oracle, or None."""
    text = programs.read_text(os.path.join(TESTS, test))
    if not test.endswith(".cu"):
        return "is no program of its own"
    if any(word in text for word in ("-fsanitize=", "-fno-sanitize=", "%clangxx", "%gasan_clang", "%cuda")):
        return "chooses how it is built"
    return None


class Comparison:
    def __init__(self, builds):
        self.builds = builds
        self.ours = programs.Builder(builds.build)
        self.oracle = programs.Builder(builds.build)
        self.oracle.commands = [("%gasan", builds.command(ORACLE))]

    def test(self, name):
        """Returns [(step's name, gasan's verdict as text, the oracle's, whether they agree)]."""
        ours = self.ours.build_test(name)
        theirs = self.build_oracle(name)
        if ours["build_error"] or theirs:
            return [(name, ours["build_error"] or "compiles", theirs or "compiles", False)]
        return [row for number, step in enumerate(ours["run"]) for row in self.step(name, number, step)]

    def build_oracle(self, name):
        """Builds a test as Builder.build_test does, in its own folder and with the oracle's flags. Returns None or an
        error."""
        for line in plan.read(name, programs.read_text(os.path.join(TESTS, name)))["build"]:
            line = self.oracle.expand(in_oracle(self.oracle.place(line, name)))
            error = self.builds.compile("mkdir -p %s && cd $_ && %s" % (self.folder(name), line))
            if error:
                return error
        return None

    def folder(self, name):
        return os.path.dirname(programs.fill(in_oracle("{build}/" + self.oracle.own_path(name)), self.builds.build,
                                             programs.SOURCE))

    def step(self, name, number, step):
        if step["options"] or step["log"] or "GASAN_OPTIONS" in step["environment"]:
            return
        verdicts = []
        for command in (step["command"], [in_oracle(word) for word in step["command"]]):
            words = [programs.fill(word, self.builds.build, programs.SOURCE) for word in command]
            verdicts.append(self.builds.run(words, step["environment"]))
        (ours, our_output, _), (theirs, their_output, _) = verdicts
        if ours.kind.endswith("outside kernels]"):
            return  # only gasan's runtime checks copies and frees
        agree = same(ours, theirs) and (ours.access is not None or our_output == their_output)
        left, right = describe(ours), describe(theirs)
        if left == right and not agree:
            right += ", but prints something else"
        yield "%s, run %d" % (name, number + 1), left, right, agree


def in_oracle(text):
    return text.replace("{build}/test/programs/", "{build}/test/oracle/")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("filters", nargs="*", metavar="NAME")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--build", default=os.path.join(programs.SOURCE, "build"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    reasons = read_reasons()
    names = [name for name in programs.find_tests(arguments.filters or ([] if arguments.all else SELECTED))
             if name.startswith(FOLDERS) and not unfit(name)]
    comparison = Comparison(Builds(arguments.build))
    rows = failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for results in pool.map(comparison.test, names):
            for row in results:
                rows += 1
                failed += show(row, reasons.pop(row[0], None))
    if arguments.all and not arguments.filters:
        for name in reasons:
            rows, failed = rows + 1, failed + 1
            print("FAIL      %s: listed in disagreements.txt, but it did not run" % name)
    print("%d passed, %d failed" % (rows - failed, failed))
    return 1 if failed or not rows else 0


def show(row, reason):
    """Prints a line of the table. Returns whether it is a failure."""
    name, ours, theirs, agree = row
    bad = agree == (reason is not None)
    if agree:
        word, words = "agree", ours + ", though disagreements.txt lists it" * bad
    else:
        word, words = "differ", "gasan: %s; oracle: %s" % (ours, theirs) + (" (%s)" % reason if reason else "")
    print("%-9s %s: %s" % ("FAIL" if bad else word, name, words), flush=True)
    return bad


if __name__ == "__main__":
    sys.exit(main())
