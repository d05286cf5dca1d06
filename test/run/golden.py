"""Golden files, golden/DEVICE/TEST.txt: whole reports with everything removed that differs from run to run or machine to
machine (addresses, process id, folders, build ids), and nothing else. Those of the two devices differ in the device's
name only (selftest.py checks it)."""
import re

REPLACEMENTS = [
    (re.compile(r"\s*\(BuildId: [0-9a-f]+\)"), ""),
    (re.compile(r"==\d+=="), "==PID=="),
    (re.compile(r"0x[0-9a-f]+"), "0xADDR"),
    # The toolkit's own lines are another matter in each release.
    (re.compile(r"\b(cuda_runtime\.h):\d+:\d+"), r"\1"),
    # An absolute file name becomes its last part.
    (re.compile(r"(?<![\w.])/(?:[^\s/:()]+/)+([^\s/:()]+)"), r"\1"),
]


def normalise(report):
    for pattern, replacement in REPLACEMENTS:
        report = pattern.sub(replacement, report)
    return "\n".join(line.rstrip() for line in report.splitlines()) + "\n"


def difference(expected, report):
    """The first line in which a report differs from its golden file, in words; None if there is none."""
    return first_difference(expected, normalise(report))


def first_difference(expected, text):
    expected_lines, lines = expected.splitlines(), text.splitlines()
    for number in range(max(len(expected_lines), len(lines))):
        want = expected_lines[number] if number < len(expected_lines) else "(the end)"
        have = lines[number] if number < len(lines) else "(the end)"
        if want != have:
            return "line %d\n  expected: %s\n  this run: %s" % (number + 1, want, have)
    return None
