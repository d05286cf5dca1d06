#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what GASAN_OPTIONS=lookup=pagemap, tree and list cost in space and time, by the number of live chunks:
runs the plain and the instrumented program (BST mode) for each. This is the comparison of section 5 of the GPUArmor
paper.

  run.py [--device cuda|cpu] [--counts N,N,...] [--steps N] [--words N] [--repetitions N] [--seconds S]
         [--programs DIR] OUT.json

Needs python3, a GPU and the two programs that `make dist` puts beside this file. A ratio is the time of a kernel with
checks over the time without. Bytes are those of the tables: those in use, and those of the whole device pages. A run
that takes longer than --seconds is abandoned; so are the same lookup's runs with more chunks, since a list's time
grows with their number. With --device cpu only the instrumented program runs. Such a run tests this script.
"""
import argparse
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import measure  # noqa: E402
from measure import cell  # noqa: E402

LOOKUPS = ("pagemap", "tree", "list")
KERNELS = ("chase", "stream")
COUNTS = "10,100,1000,10000,100000"
TABLES = re.compile(r"tables of bounds: (\d+) bytes, of which (\d+) are in use")


def tables_of(printed):
    """Returns {"bytes", "used_bytes"} from the output of print_stats=1."""
    found = TABLES.search(printed)
    if not found:
        raise measure.ProgramError("print_stats=1 says nothing of tables:\n" + printed[-2000:])
    return {"bytes": int(found.group(1)), "used_bytes": int(found.group(2))}


def measure_lookup(program, options, arguments, lookup):
    """Returns the times of a run without statistics, which cost time, and the tables' bytes of a run with them."""
    env = measure.environment(arguments.device, "lookup=" + lookup)
    result = measure.run([program] + options, env, arguments.seconds)
    with tempfile.TemporaryDirectory() as folder:
        env = measure.environment(arguments.device, "lookup=" + lookup, "print_stats=1",
                                  "log_path=" + os.path.join(folder, "log"))
        measure.run([program] + options[:1] + ["1", "1024", "1"], env, arguments.seconds)
        printed = ""
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                printed += file.read()
    return dict(result, **tables_of(printed))


def ratios(run, plain):
    return {kernel: run[kernel] / plain[kernel] if plain and plain[kernel] else None for kernel in KERNELS}


def run_all(arguments, programs):
    """Returns the results, one for each number of chunks, and the failures."""
    results, failures, given_up = [], [], set()
    for count in arguments.counts:
        options = [str(count), str(arguments.steps), str(arguments.words), str(arguments.repetitions)]
        result = {"chunks": count, "plain": None, "lookups": {}}
        results.append(result)
        print("%d chunks" % count, file=sys.stderr)
        try:
            if "plain" in programs:
                result["plain"] = measure.run([programs["plain"]] + options, measure.environment(arguments.device),
                                              arguments.seconds)
        except measure.ProgramError as error:
            failures.append("plain, %d chunks: %s" % (count, error))
        for lookup in LOOKUPS:
            if lookup in given_up:
                continue
            try:
                run = measure_lookup(programs["bst"], options, arguments, lookup)
                result["lookups"][lookup] = dict(run, ratios=ratios(run, result["plain"]))
            except measure.ProgramError as error:
                given_up.add(lookup)
                if "not done after" in str(error):
                    result["lookups"][lookup] = None
                    print("bench: lookup=%s is given up: %s" % (lookup, error), file=sys.stderr)
                else:
                    failures.append("lookup=%s, %d chunks: %s" % (lookup, count, error))
    return results, failures


def kib(run, key):
    return cell(run[key] / 1024 if run else None, "%.1f")


def table(results):
    lines = ["| live chunks | lookup | tables in use, KiB | with whole pages, KiB | chase, ms | stream, ms "
             "| chase, x plain | stream, x plain |",
             "|--:|---|--:|--:|--:|--:|--:|--:|"]
    for result in results:
        for lookup, run in result["lookups"].items():
            values = [kib(run, "used_bytes"), kib(run, "bytes")]
            values += [cell(run[kernel] if run else None, "%.4f") for kernel in KERNELS]
            values += [cell(run["ratios"][kernel] if run else None, "%.2f") for kernel in KERNELS]
            lines.append("| %d | %s | %s |" % (result["chunks"], lookup, " | ".join(values)))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--counts", type=lambda text: [int(count) for count in text.split(",")], default=COUNTS)
    parser.add_argument("--steps", type=int, default=200, help="pointers that a thread follows")
    parser.add_argument("--words", type=int, default=32 << 20, help="of each array of the streaming kernel")
    parser.add_argument("--repetitions", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=60, help="most time of a run")
    parser.add_argument("--programs", default=HERE, help="folder of lookup-plain and lookup-bst")
    parser.add_argument("out")
    arguments = parser.parse_args()
    programs = {name: os.path.join(arguments.programs, "lookup-" + name) for name in ("plain", "bst")}
    if arguments.device == "cpu":
        print("bench: the plain program needs a GPU and is skipped: there are no ratios", file=sys.stderr)
        del programs["plain"]
    results, failures = run_all(arguments, programs)
    for failure in failures:
        print("bench: " + failure, file=sys.stderr)
    report = measure.report(arguments.device, steps=arguments.steps, words=arguments.words,
                            repetitions=arguments.repetitions, seconds=arguments.seconds,
                            results=results, failed=failures)
    measure.write(arguments.out, report, "Ways to find the bounds of a pointer", table(results))
    print(table(results))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
