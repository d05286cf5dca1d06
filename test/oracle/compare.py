#!/usr/bin/env python3
"""Runs whole-program tests under gasan and under the oracle, and compares the reports' kind, access, size, source
line and region. Where both are silent, compares the programs' output.

  compare.py [--all] [NAME...]     NAME: a part of a test's name; --all: every test that fits, not only a selection

Options: --build DIR, --jobs N. Prints a table and "N passed, N failed". A disagreement is a failure unless
disagreements.txt has a reason for it. A reason that is no longer needed is a failure too."""
import argparse
import concurrent.futures
import os
import sys

from both import COMPILE_SECONDS, HERE, ORACLE, SOURCE, TESTS, Builds, describe, same
import run_lines

FOLDERS = ("run/heap-buffer-overflow", "run/heap-use-after-free", "run/clean", "samples")
# A selection, since compiling takes long: tests with many different kinds of accesses.
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
    text = run_lines.read_text(os.path.join(TESTS, test))
    if not test.endswith(".cu"):
        return "is no program of its own"
    if any(word in text for word in ("-fsanitize=", "-fno-sanitize=", "%clangxx", "%gasan_clang", "%cuda")):
        return "chooses how it is built"
    return None


class Comparison:
    def __init__(self, builds):
        self.builds = builds

    def test(self, name):
        """Returns [(step's name, gasan's verdict as text, the oracle's, whether they agree)]."""
        source = run_lines.read_text(os.path.join(TESTS, name))
        lines = run_lines.build_lines(source)
        ours, theirs = self.build(name, lines, self.gasan_command), self.build(name, lines, self.oracle_command)
        if ours or theirs:
            return [(name, ours or "compiles", theirs or "compiles", False)]
        return [row for number, step in enumerate(run_lines.steps(source)) for row in self.step(name, number, step)]

    def build(self, name, lines, command):
        """Compiles the program. Returns None, or the error."""
        for line in lines:
            error = command(name, line)
            if error:
                return error
        return None

    def gasan_command(self, name, line):
        """Compiles as lit does, to the same output."""
        words = [self.place(word, name, "lit") for word in line.split()]
        compiler = [sys.executable, os.path.join(TESTS, "run", "compile.py"), "--build", self.builds.build,
                    os.path.join(TESTS, name)]
        os.makedirs(os.path.dirname(self.place("%t", name, "lit")), exist_ok=True)
        code, output, errors = run_lines.execute(compiler + [words[0][1:]] + words[1:], seconds=COMPILE_SECONDS)
        return None if code == 0 else output + errors

    def oracle_command(self, name, line):
        os.makedirs(os.path.dirname(self.place("%t", name, "oracle")), exist_ok=True)
        return self.builds.compile(self.place(line.replace("%gasan", self.builds.command(ORACLE)), name, "oracle"))

    def place(self, text, name, folder):
        """Returns a RUN line's text with lit's file names. `folder` is the build's folder of tests."""
        output = os.path.join(self.builds.build, "test", folder, os.path.dirname(name), "Output",
                              os.path.basename(name) + ".tmp")
        for short, long in (("%examples", os.path.join(SOURCE, "examples")), ("%s", os.path.join(TESTS, name)),
                            ("%S", os.path.dirname(os.path.join(TESTS, name))), ("%t", output)):
            text = text.replace(short, long)
        return text

    def step(self, name, number, step):
        if step["options"] or "GASAN_OPTIONS" in step["environment"]:
            return
        verdicts = [self.builds.run([self.place(word, name, folder) for word in step["command"]], step["environment"])
                    for folder in ("lit", "oracle")]
        (ours, our_output, _), (theirs, their_output, _) = verdicts
        if ours.kind.endswith("outside kernels]"):
            return  # only gasan's runtime checks copies and frees
        agree = same(ours, theirs) and (ours.access is not None or our_output == their_output)
        left, right = describe(ours), describe(theirs)
        if left == right and not agree:
            right += ", but prints something else"
        yield "%s, run %d" % (name, number + 1), left, right, agree


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("filters", nargs="*", metavar="NAME")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--build", default=os.path.join(SOURCE, "build"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    reasons = read_reasons()
    names = [name for name in run_lines.find_tests(arguments.filters or ([] if arguments.all else SELECTED))
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
