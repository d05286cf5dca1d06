#!/usr/bin/env python3
"""Lifts PTX, writes PTX again, and lets ptxas assemble it.

  round_trip.py [--build DIR] [--checks] [--jobs N] PTX...

Prints the files for which a step fails, the number of instructions that stay inline asm, and the sum. --checks puts the
checks in."""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SECONDS = 600


def convert(path, build, cuda, checks):
    """Returns the compiler's words if the file fails, else None, and gasan-ptxas's counts."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    target = re.search(r"^\s*\.target\s+(\w+)", text, re.M)
    flags = "--strict -mllvm -gasan-lift-stats" + " --no-checks" * (not checks)
    with tempfile.TemporaryDirectory() as folder:
        command = [os.path.join(build, "bin", "gasan-ptxas"), "-c", "-arch", target[1] if target else "sm_90", path,
                   "-o", os.path.join(folder, "out.cubin")]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, errors="replace", timeout=SECONDS,
                                  env=dict(os.environ, CUDA_HOME=cuda, GASAN_PTXAS_FLAGS=flags))
        except subprocess.TimeoutExpired:
            return "not done after %d s" % SECONDS, {}, 0
    counts = {name: int(count) for name, count in re.findall(r"gasan-lift: asm (\S+) (\d+)", done.stdout)}
    statements = len(re.findall(r"^\s+(?:@!?%\w+ )?[a-z][\w.:]*[\s;].*", text, re.M))
    return (done.stdout[-500:] if done.returncode else None), counts, statements


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--checks", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    with open(os.path.join(ROOT, "build", "test", "config.json"), encoding="utf-8") as file:
        cuda = json.load(file)["cuda"]
    total, failures, all_statements = collections.Counter(), 0, 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        jobs = [pool.submit(convert, path, arguments.build, cuda, arguments.checks) for path in arguments.files]
        for path, job in zip(arguments.files, jobs):
            words, counts, statements = job.result()
            total.update(counts)
            all_statements += statements
            if words:
                failures += 1
                print("FAIL %s: %s" % (path, words))
    print("%d of about %d instructions stay text: %s" % (
        sum(total.values()), all_statements, ", ".join("%s %d" % item for item in total.most_common(20))))
    print("%d passed, %d failed" % (len(arguments.files) - failures, failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
