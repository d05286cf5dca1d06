#!/usr/bin/env python3
"""Checks what the README and docs/ say of options and files: the README's table of options is the one that gasan_rt/core/options.inc gives,
options of the driver that are named are there and those that save something are named, links lead somewhere.

  tools/check_tables.py [--write]     --write puts the right table into the README
"""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
README = os.path.join(ROOT, "README.md")
OPTION = re.compile(r'^GASAN_(SWITCH|NUMBER|CHOICE|TEXT)\((\w+),\s*("[^"]*"|\w+),\s*(?:(\d+, \d+|"[\w|]*"),\s*)?((?:"(?:[^"\\]|\\.)*"\s*)+)\)',
                    re.MULTILINE)
TABLE = re.compile(r"(<!-- options: [^\n]*-->\n)(.*?)(<!-- end of options -->)", re.DOTALL)
DRIVER_OPTION = re.compile(r'^GASAN_DRIVER_(OPTION|SAVING)\(\w+, "([\w-]+)"', re.MULTILINE)
NAMED = re.compile(r"-fsanitize-gpu-address-([a-z][a-z-]*)")
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def allowed(kind, limits):
    if kind == "SWITCH":
        return "0, 1"
    if kind == "CHOICE":
        return limits.strip('"').replace("|", ", ")
    return limits.replace(", ", " to ")


def options_table(source):
    rows = ["| option | default | allowed | meaning |", "|---|---|---|---|"]
    for kind, name, default, limits, description in OPTION.findall(source):
        shown = {"true": "1", "false": "0"}.get(default, default.strip('"'))
        text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', description))
        rows.append("| `%s` | %s | %s | %s |" % (name, "`%s`" % shown if shown else "", allowed(kind, limits), text))
    if len(rows) - 2 != len(re.findall(r"^GASAN_\w+\(", source, re.MULTILINE)):
        sys.exit("tools/check_tables.py: does not understand every line of options.inc")
    return "\n".join(rows) + "\n"


def unknown_options(text):
    """What `text` names and the driver does not have, and savings that it does not name."""
    options = DRIVER_OPTION.findall(read(os.path.join(ROOT, "driver", "options.inc")))
    names = {name for _, name in options}
    return ["there is no option -fsanitize-gpu-address-" + name for name in sorted(set(NAMED.findall(text)) - names)] + [
        "the option -fsanitize-gpu-address-%s is not in it" % name for kind, name in options
        if kind == "SAVING" and "`%s" % name not in text and name not in NAMED.findall(text)]


def anchors(text):
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(path):
    wrong = []
    for link, anchor in LINK.findall(read(path)):
        target = os.path.normpath(os.path.join(os.path.dirname(path), link)) if link else path
        if re.match(r"\w+:", link):
            continue
        if not os.path.exists(target):
            wrong.append("there is no %s" % link)
        elif anchor and anchor not in anchors(read(target)):
            wrong.append("%s has no heading #%s" % (link or "it", anchor))
    return wrong


def check_texts():
    """Of all texts together: options named in any of them; of each: its links."""
    pages = [README, os.path.join(ROOT, "CONTRIBUTING.md")] + sorted(glob.glob(os.path.join(ROOT, "docs", "*.md")))
    wrong = ["README.md and docs: " + text for text in unknown_options("".join(map(read, pages)))]
    wrong += ["%s: %s" % (os.path.relpath(page, ROOT), text) for page in pages for text in broken_links(page)]
    print("\n".join(wrong), end="\n" * bool(wrong))
    return 1 if wrong else 0


def main():
    readme = read(README)
    found = TABLE.search(readme)
    if not found:
        sys.exit("README.md has no table of options between its two marks")
    table = options_table(read(os.path.join(ROOT, "gasan_rt", "core", "options.inc")))
    if found.group(2) == table:
        return check_texts()
    if "--write" in sys.argv[1:]:
        with open(README, "w", encoding="utf-8") as file:
            file.write(readme[:found.start(2)] + table + readme[found.end(2):])
        return 0
    print("README.md: the table of options is not that of gasan_rt/core/options.inc; run tools/check_tables.py --write")
    return 1


if __name__ == "__main__":
    sys.exit(main())
