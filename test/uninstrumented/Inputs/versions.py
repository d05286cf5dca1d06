"""Runs frames.py with each Python of the machine that has frames which gasan knows, and compares the frames of its
reports.

  versions.py GASAN     GASAN is the command gasan
"""
import glob
import os
import re
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FRAME = re.compile(r"^ +#\d+ ([^0].*) \S*/(\S+?):(\d+)$", re.MULTILINE)

# Each case's frames, without those of driver.py: (function, a text of its line).
MAIN = ("<module>", "globals()[")
CASES = {
    "lines": [("lines", "driver.fill("), MAIN, ("make", "driver.allocate"), ("lines", "Net().make"), MAIN],
    "loop": [("loop", "driver.fill("), MAIN, ("loop", "append(driver.allocate("), MAIN],
    "thread": [("work", "driver.fill(driver")] * 2,
    "many": [("many", "driver.fill("), MAIN] * 2,
    "generator": [("fill", "driver.fill("), ("generator", ".send(None)"), MAIN,
                  ("values", "yield"), ("generator", "in values()"), MAIN],
    "replaced": [("replaced", "driver.fill("), MAIN, ("replaced", "names["), MAIN],
    "traced": [("lines", "driver.fill("), ("traced", "lines()"), MAIN,
               ("make", "driver.allocate"), ("lines", "Net().make"), ("traced", "lines()"), MAIN],
    "launch": [("launch", "driver.launch"), MAIN],
    "from_c": [],
    "callback": [("lines", "driver.fill("), ("make", "driver.allocate"), ("lines", "Net().make")],
    "late": [("late", "driver.allocate"), MAIN],
    "fork": [("lines", "driver.fill("), ("fork", "lines()"), MAIN,
             ("make", "driver.allocate"), ("lines", "Net().make"), ("fork", "lines()"), MAIN],
    "handlers": [("lines", "driver.fill("), ("handlers", "lines()"), MAIN,
                 ("make", "driver.allocate"), ("lines", "Net().make"), ("handlers", "lines()"), MAIN],
    "interpreter": None,  # Python 3.12 names the thread's state of the inner interpreter, the others the outer one's
}
SILENT = ["daemon"]


def pythons():
    """Returns {version: path}."""
    found = {}
    root = os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))
    for path in glob.glob(root + "/versions/3.*/bin/python3") + ["/usr/bin/python3", sys.executable]:
        code = "import sys, ctypes; print(*sys.version_info[:2])"
        run = subprocess.run([path, "-c", code], capture_output=True, text=True) if os.path.exists(path) else None
        if run and run.returncode == 0 and (3, 9) <= tuple(map(int, run.stdout.split())) <= (3, 14):
            found[path] = run.stdout.strip().replace(" ", ".")
    return found


def frames_of(report, lines):
    """Returns the frames of frames.py in a report, as (function without its class, text of the line)."""
    return [(function.split(".")[-1], lines[int(line) - 1].strip()) for function, file, line in FRAME.findall(report)
            if file == "frames.py"]


def problem(report, code, case, lines):
    if case in SILENT:
        # CPython may crash here: a daemon thread takes the lock with a thread state that was freed.
        return None if code in (0, -signal.SIGSEGV) and not report else "exit code %d" % code
    got, wanted = frames_of(report, lines), CASES[case]
    if wanted is None:
        return None if code == 1 else "exit code %d" % code
    if code != 1 or len(got) != len(wanted) or any(g[0] != w[0] or w[1] not in g[1] for g, w in zip(got, wanted)):
        return "exit code %d, frames %s" % (code, got)
    return None


def main():
    failed = 0
    with open(os.path.join(HERE, "frames.py"), encoding="utf-8") as file:
        lines = file.read().split("\n")
    found = pythons()
    for path, version in found.items():
        for case in [*CASES, *SILENT]:
            command = [sys.argv[1], "run", "--", path, os.path.join(HERE, "frames.py"), case]
            run = subprocess.run(command, capture_output=True, text=True, timeout=300)
            wrong = problem(run.stderr, run.returncode, case, lines)
            if wrong:
                failed += 1
                print("FAILED: Python %s (%s), %s: %s\n%s" % (version, path, case, wrong, run.stderr))
    print("%d cases with Python %s: %d failed" % (len(CASES) + len(SILENT), " ".join(sorted(found.values())), failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
