#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scans programs like those of SCuBA's table 2, and prints the bugs found, missed and false beside the paper's numbers.

The lines with a bug have `// BUG`. With -DFIXED a program has none.

  test/scan/table.py [--markdown] [--only NAME] [--build DIR]

Ends with 1 if a bug is missed or an alarm is false."""
import argparse
import pathlib
import re
import sys

import measured

HERE = pathlib.Path(__file__).resolve().parent
# Program, and the bugs in the paper's row: all of them are found there, without false alarms.
ROWS = [("fluid-advection", 19), ("axhelm", 2), ("lu-decomposition", 2), ("path-compression", 3),
        ("populate-worklist", 2), ("push-node", 2), ("sosfilt", 2), ("matmul", 4), ("softmax", 3),
        ("kalman-filter", 6), ("global-oob", 1), ("local-oob", 1), ("static-shared-oob", 1), ("dynamic-shared-oob", 1),
        ("copy-upper-to-lower", 0), ("copy-lower-to-upper", 0), ("copy-from-mat", 0), ("needleman-wunsch", 0),
        ("convolution-separable", 0), ("rule110", 0)]
VERDICT = re.compile(r"^(.*):(\d+):(\d+): .*?: (proven|proven, if .*|unknown .*|possible .*)$", re.MULTILINE)


def scan(tool, source, options):
    """Returns the lines with a possible error, the numbers of verdicts, and the seconds of CPU time."""
    code, output, _, seconds = measured.run([tool, "--partitions", *options, str(source)], HERE)
    if code not in (0, 1):
        sys.exit(f"table.py: gasan-scan ended with {code} for {source}")
    found, counts = set(), {"proven": 0, "unknown": 0, "possible": 0}
    for _, line, _, verdict in VERDICT.findall(output):
        counts[re.match(r"\w+", verdict).group()] += 1
        if verdict.startswith("possible"):
            found.add(int(line))
    return found, counts, seconds


def rows(tool, only):
    """Yields a row of the table for each program."""
    for name, paper in ROWS:
        if only and name != only:
            continue
        source = HERE / "programs" / f"{name}.cu"
        bugs = {number for number, line in enumerate(source.read_text().splitlines(), 1) if line.endswith("// BUG")}
        if len(bugs) != paper:
            sys.exit(f"table.py: {source} marks {len(bugs)} bugs; the paper's row has {paper}")
        found, _, seconds = scan(tool, source, [])
        false, counts, _ = scan(tool, source, ["-DFIXED"]) if bugs else (set(), *scan(tool, source, [])[1:])
        yield {"name": name, "paper": paper, "found": len(found & bugs), "missed": sorted(bugs - found),
               "false": sorted(found - bugs), "false_fixed": sorted(false), "seconds": seconds, "fixed": counts}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--build", default=str(HERE.parent.parent / "build"))
    arguments = parser.parse_args()
    tool = str(pathlib.Path(arguments.build) / "bin" / "gasan-scan")
    lines = ["| program | paper: found | gasan-scan: found | missed | false alarms | fixed: proven | unknown | "
             "seconds |",
             "|---|---|---|---|---|---|---|---|"]
    total = {"paper": 0, "found": 0, "missed": 0, "false": 0}
    print("\n".join(lines) if arguments.markdown else "", end="\n" if arguments.markdown else "")
    for row in rows(tool, arguments.only):
        false = len(row["false"]) + len(row["false_fixed"])
        total["paper"] += row["paper"]
        total["found"] += row["found"]
        total["missed"] += len(row["missed"])
        total["false"] += false
        cells = [row["name"], f"{row['paper']} of {row['paper']}", f"{row['found']} of {row['paper']}",
                 len(row["missed"]), false, row["fixed"]["proven"], row["fixed"]["unknown"], f"{row['seconds']:.1f}"]
        print("| " + " | ".join(map(str, cells)) + " |" if arguments.markdown
              else "%-22s paper %-9s found %-9s missed %d  false %d  fixed: proven %d, unknown %d  %s s" % tuple(cells),
              flush=True)
        if not arguments.markdown:
            for key in ("missed", "false", "false_fixed"):
                if row[key]:
                    print(f"    {key}: lines {row[key]}")
    print(f"| all | {total['paper']} of {total['paper']} | {total['found']} of {total['paper']} | {total['missed']} "
          f"| {total['false']} | | | |" if arguments.markdown
          else f"found {total['found']} of {total['paper']}, missed {total['missed']}, false alarms {total['false']}")
    return 1 if total["missed"] or total["false"] else 0


if __name__ == "__main__":
    sys.exit(main())
