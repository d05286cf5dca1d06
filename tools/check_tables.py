#!/usr/bin/env python3
"""Checks that the README's table of options is the one that gasan_rt/options.inc gives.

  tools/check_tables.py [--write]     --write puts the right table into the README
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
README = os.path.join(ROOT, "README.md")
OPTION = re.compile(r'^GASAN_OPTION\(([\w *]+?),\s*(\w+),\s*("[^"]*"|\w+),\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\)', re.MULTILINE)
TABLE = re.compile(r"(<!-- options: [^\n]*-->\n)(.*?)(<!-- end of options -->)", re.DOTALL)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def options_table(source):
    rows = ["| option | default | meaning |", "|---|---|---|"]
    for _, name, default, description in OPTION.findall(source):
        shown = {"true": "1", "false": "0"}.get(default, default.strip('"'))
        text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', description))
        rows.append("| `%s` | %s | %s |" % (name, "`%s`" % shown if shown else "", text))
    if len(rows) - 2 != source.count("\nGASAN_OPTION(") + source.startswith("GASAN_OPTION("):
        sys.exit("tools/check_tables.py: does not understand every line of options.inc")
    return "\n".join(rows) + "\n"


def main():
    readme = read(README)
    found = TABLE.search(readme)
    if not found:
        sys.exit("README.md has no table of options between its two marks")
    table = options_table(read(os.path.join(ROOT, "gasan_rt", "options.inc")))
    if found.group(2) == table:
        return 0
    if "--write" in sys.argv[1:]:
        with open(README, "w", encoding="utf-8") as file:
            file.write(readme[:found.start(2)] + table + readme[found.end(2):])
        return 0
    print("README.md: the table of options is not that of gasan_rt/options.inc; run tools/check_tables.py --write")
    return 1


if __name__ == "__main__":
    sys.exit(main())
