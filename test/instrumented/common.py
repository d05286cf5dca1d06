# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A family of programs: FILE.py NAME [bug] runs one, FILE.py all runs all and prints their times."""
import sys
import time

LAUNCHES = 30


def milliseconds(run, wait):
    """Returns the time of one launch, with the host's part."""
    for _ in range(3):
        run()
    wait()
    start = time.perf_counter()
    for _ in range(LAUNCHES):
        run()
    wait()
    return (time.perf_counter() - start) * 1000 / LAUNCHES


def main(programs, wait):
    """programs: name -> function(has_bug), which returns (launch, result); result() returns a number."""
    names = list(programs) if sys.argv[1] == "all" else [sys.argv[1]]
    has_bug = sys.argv[2:] == ["bug"]
    for name in names:
        try:
            launch, result = programs[name](has_bug)
            launch()
            wait()
            print("%s result %.6g" % (name, result()), flush=True)
            if sys.argv[1] == "all":
                print("%s ms %.5f" % (name, milliseconds(launch, wait)), flush=True)
        except Exception as error:  # the other programs of the family go on
            if has_bug or sys.argv[1] != "all":
                raise
            print("%s failed: %s: %s" % (name, type(error).__name__, str(error).splitlines()[:1]), flush=True)
