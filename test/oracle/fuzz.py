#!/usr/bin/env python3
"""Compares four verdicts on random kernels: by construction, of gasan in shadow mode and in BST mode, and of the
oracle.

  fuzz.py [--count N] [--seed S]     N kernels (default 40)

Options: --per-file N (kernels in a program), --keep DIR (write the programs there; default: the build folder),
--build DIR, --jobs N, -v (print each verdict). The last line is "N passed, N failed". A failure names the program and
its argument."""
import argparse
import concurrent.futures
import os
import random
import shutil
import sys

from both import GASAN, HERE, ORACLE, SOURCE, Builds, describe, same
import generate

LEVELS = ("-O2", "-O2", "-O1", "-O3", "-O0")
TOOLS = (("shadow", GASAN + " -fsanitize-gpu-address-mode=shadow"), ("bst", GASAN + " -fsanitize-gpu-address-mode=bst"),
         ("oracle", ORACLE))
# A vectorizer would merge accesses to neighbouring elements, and the construction does not know which.
FLAGS = "-fno-vectorize -fno-slp-vectorize"


class Program:
    def __init__(self, folder, cases, level):
        self.cases, self.level = cases, level
        self.source = os.path.join(folder, "fuzz-%d.cu" % cases[0].number)
        with open(self.source, "w") as file:
            file.write(generate.program(cases))

    def binary(self, name):
        return self.source[:-len(".cu")] + "." + name

    def check(self, builds):
        """Compiles and runs the program. Returns [(case, None or what is wrong, gasan's verdict as text)]."""
        for name, checks in TOOLS:
            error = builds.compile("%s %s %s -I%s %s -o %s" % (
                builds.command(checks), self.level, FLAGS, os.path.join(HERE, "inputs"), self.source,
                self.binary(name)))
            if error:
                return [(case, "does not compile: " + error, "") for case in self.cases]
        return [self.check_case(builds, case) for case in self.cases]

    def check_case(self, builds, case):
        verdicts = {name: builds.run([self.binary(name), str(case.number)])[0] for name, _ in TOOLS}
        wrong = [problem for name, verdict in verdicts.items()
                 for problem in differences(name, verdict, case, os.path.basename(self.source))]
        for name in ("shadow", "bst"):
            oracle = verdicts["oracle"]
            if oracle.size == case.part and verdicts[name].size == case.size:  # the optimiser had split the vector
                oracle = oracle._replace(size=case.size)
            if not same(verdicts[name], oracle):
                wrong.append("%s: %s, oracle: %s" % (name, describe(verdicts[name]), describe(oracle)))
        return case, "; ".join(wrong) or None, describe(verdicts["bst"])


def differences(name, verdict, case, source):
    """Returns how a verdict differs from the case's construction. Each item is (name, found value, whether it is
    right)."""
    expected = case.expected
    items = [("kind", verdict.kind, verdict.kind == expected.kind)]
    if expected.access is not None and verdict.access is not None:
        items += [("access", verdict.access, verdict.access == expected.access),
                  ("size", verdict.size, verdict.size in (case.size, case.part)),
                  ("place", verdict.place, verdict.place in (None, "%s:%d" % (source, expected.line))),
                  ("side", verdict.side, verdict.side == expected.side),
                  ("region", verdict.region, verdict.region == expected.region)]
        # The oracle reports the thread that faults first, which after a barrier may be any. gasan reports the first
        # one.
        if name != "oracle" or not case.barrier:
            most = max(0, case.size - verdict.size)
            items.append(("distance", verdict.distance, 0 <= case.beyond(verdict.distance) <= most))
        if name != "oracle":
            items.append(("threads", verdict.threads, verdict.threads == expected.threads))
    return ["%s: wrong %s %s" % (name, what, found) for what, found, right in items if not right]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--per-file", type=int, default=10)
    parser.add_argument("--keep")
    parser.add_argument("--build", default=os.path.join(SOURCE, "build"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("-v", "--verbose", action="store_true")
    arguments = parser.parse_args()
    builds = Builds(arguments.build)
    folder = os.path.abspath(arguments.keep or os.path.join(builds.build, "test", "fuzz"))
    if not arguments.keep:
        shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder, exist_ok=True)
    source = random.Random(arguments.seed)
    cases = [generate.Case(source, number) for number in range(arguments.count)]
    size = arguments.per_file
    programs = [Program(folder, cases[first:first + size], LEVELS[first // size % len(LEVELS)])
                for first in range(0, len(cases), size)]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for program, results in zip(programs, pool.map(lambda one: one.check(builds), programs)):
            for case, problem, words in results:
                failed += problem is not None
                if problem:
                    print("FAIL %s %d (%s; %s): %s" % (
                        program.source, case.number, program.level, case.title(), problem))
                elif arguments.verbose:
                    print("agree %s %d: %s" % (program.source, case.number, words))
    print("%d passed, %d failed" % (len(cases) - failed, failed))
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
