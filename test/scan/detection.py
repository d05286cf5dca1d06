#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scans the programs with planted bugs of test/samples and test/detection, and prints a table of the bugs found.

  detection.py [--build DIR] [--write] [NAME...]    NAME: a part of a file's name

A bug's line is the one that the program's CHECK lines name. --write: writes the table into docs/scan.md. Ends with 1 if
a corrected version has an alarm."""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "scan.md"
BEGIN, END = "<!-- detection.py --write -->\n", "<!-- end of detection.py -->\n"
PLACE = re.compile(r"#0 .*?(?:([\w-]+\.cu):)?\[\[#@LINE\s*([+-]\s*\d+)?\]\]|#0 .*?\.cu:(\d+)")
VERDICT = re.compile(r"^.*?([\w.+-]+):(\d+):\d+: .*?: (possible [\w-]+|unknown \(.*\)|proven.*)$", re.MULTILINE)
FOLDERS = [("test/samples", ["-DBUG"], []), ("test/detection", [], ["-DFIXED"])]


def bug_lines(path):
    """Returns the lines that the CHECK lines name."""
    lines = set()
    for number, line in enumerate(path.read_text().splitlines(), 1):
        for found in PLACE.finditer(line):
            if not found[3]:
                lines.add(number + int((found[2] or "0").replace(" ", "")))
    return lines


def other_sources(path):
    """Returns the sources that the test compiles together with the program."""
    found = re.search(r"^// FLAGS:(.*)$", path.read_text(), re.MULTILINE)
    return [path.parent / word for word in found[1].split() if word.endswith(".cu")] if found else []


def scan(tool, path, options):
    """Returns {line: verdicts} of the program's own file."""
    sources = [str(source.relative_to(ROOT)) for source in [path, *other_sources(path)]]
    run = subprocess.run([tool, "--partitions", *options, *sources], cwd=ROOT, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True, check=False)
    if run.returncode not in (0, 1):
        sys.exit("detection.py: gasan-scan ends with %d for %s\n%s" % (run.returncode, path, run.stderr))
    result = {}
    for name, line, verdict in VERDICT.findall(run.stdout):
        if name == path.name:
            result.setdefault(int(line), []).append(verdict)
    return result


def reason(verdicts):
    """Returns why the access is not decided."""
    for verdict in verdicts:
        if verdict.startswith("unknown"):
            return verdict[9:-1]
    return "no access of a kernel there" if not verdicts else "proven"


def rows(tool, names):
    for folder, with_bug, fixed in FOLDERS:
        for path in sorted((ROOT / folder).glob("*.cu")):
            lines = bug_lines(path)
            if not lines or (names and not any(name in str(path) for name in names)):
                continue
            verdicts, correct = scan(tool, path, with_bug), scan(tool, path, fixed)
            found = [line for line in lines if any(text.startswith("possible") for text in verdicts.get(line, []))]
            why = sorted({reason(verdicts.get(line, [])) for line in lines if line not in found})
            alarms = sum(text.startswith("possible") for texts in correct.values() for text in texts)
            yield "%s/%s" % (path.parent.name, path.stem), len(found), len(lines), alarms, "; ".join(why)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--build", default=str(ROOT / "build"))
    arguments = parser.parse_args()
    tool = str(pathlib.Path(arguments.build).resolve() / "bin" / "gasan-scan")
    lines, total = ["| program | bugs found | false alarms, corrected | why the others are not found |",
                    "|---|---|---|---|"], [0, 0, 0]
    print("\n".join(lines))
    for name, found, bugs, alarms, why in rows(tool, arguments.names):
        total = [total[0] + found, total[1] + bugs, total[2] + alarms]
        lines.append("| %s | %d of %d | %d | %s |" % (name, found, bugs, alarms, why.replace("|", "\\|")))
        print(lines[-1], flush=True)
    lines.append("| all | %d of %d | %d | |" % tuple(total))
    print(lines[-1])
    if arguments.write:
        text = PAGE.read_text()
        before, rest = text.split(BEGIN)
        PAGE.write_text(before + BEGIN + "\n".join(lines) + "\n" + END + rest.split(END)[1])
    return 1 if total[2] else 0


if __name__ == "__main__":
    sys.exit(main())
