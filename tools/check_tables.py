#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the README and docs/ against the sources:

- The tables of docs/options.md agree with the two options.inc.
- Each option of the driver that a page names exists.
- Each kind of error has a heading in docs/reports.md.
- The README has at most README_WORDS words.
- Each link has a target.

  tools/check_tables.py [--write]     --write updates the tables of docs/options.md
"""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
README = os.path.join(ROOT, "README.md")
OPTIONS_PAGE = os.path.join(ROOT, "docs", "options.md")
REPORTS_PAGE = os.path.join(ROOT, "docs", "reports.md")
README_WORDS = 1200

OPTION = re.compile(r'^GASAN_(SWITCH|NUMBER|CHOICE|LIST|TEXT)\((\w+),\s*("[^"]*"|\w+),\s*(?:(\d+, \d+|"[\w|-]*"),\s*)?'
                    r'((?:"(?:[^"\\]|\\.)*"\s*)+)\)', re.MULTILINE)
DRIVER_OPTION = re.compile(r'^GASAN_DRIVER_OPTION\(\w+, "([\w-]+)",\s*((?:"(?:[^"\\]|\\.)*"\s*)+)'
                           r',\s*"(\w+)"\)((?:\s*GASAN_DRIVER_VALUE\(\w+, "\w+"\))*)', re.MULTILINE)
KIND = re.compile(r'^GASAN_KIND\(\w+, "([\w-]+)"\)', re.MULTILINE)
NAMED = re.compile(r"-fsanitize-gpu-address-([a-z][a-z-]*)")
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")

# The groups of options in docs/options.md: heading, sentence, options.
RESEARCH = "These exist to reproduce papers. [research.md](research.md) explains them. No other page assumes them."
RUNTIME_GROUPS = [
    ("Reports and what is printed", "",
     ["halt_on_error", "on_error", "print_limit", "print_repeated", "max_reports", "report_format", "report_path",
      "print_source", "source_path",
      "wait_for_debugger", "suppressions", "kernels", "launch_skip", "launch_count", "print_stats", "report_wait_ms"]),
    ("Devices", "", ["device", "cpu_threads", "schedule", "cudart", "stack_scale"]),
    ("Memory", "", ["quarantine_size_mb", "redzone_percent", "redzone", "window_size_gb"]),
    ("Launches without checks", "", ["launch_proof", "graph_proof"]),
    ("Programs that were not built with gasan", "",
     ["guard", "guard_budget_mb", "canary", "coredump", "serialize", "instrument", "instrument_cache",
     "instrument_cache_mb", "python_frames", "print_unguarded"]),
    ("Research: at run time", RESEARCH,
     ["lookup", "strict_temporal", "pool", "handle_bits", "trace_path", "trace_blocks", "trace_buffer_mb",
      "trace_size_mb"]),
]
DRIVER_GROUPS = [
    ("What is checked and printed", "", ["mode", "recover", "print-proofs", "count-checks", "scan"]),
    ("Size and time of compiling", "For a source that compiles too slowly, or that becomes too large.",
     ["devices", "launch-proof"]),
    ("Research: when compiling", RESEARCH, ["tags", "strict-temporal", "granule", "pool", "checks", "trace"]),
]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def runtime_file(name):
    """Returns the path of the only file of this name in gasan_rt/ and its folders."""
    found = glob.glob(os.path.join(ROOT, "gasan_rt", "**", name), recursive=True)
    if len(found) != 1:
        sys.exit("tools/check_tables.py: gasan_rt has %d files %s" % (len(found), name))
    return found[0]


def text_of(literals):
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals))


def allowed(kind, limits):
    if kind == "SWITCH":
        return "0, 1"
    if kind == "LIST":
        return " and ".join(limits.strip('"').rsplit("|", 1)).replace("|", ", ") + ": one or more"
    if kind == "CHOICE":
        return limits.strip('"').replace("|", ", ")
    return limits.replace(", ", " to ")


def runtime_rows(source):
    """Returns {name: row} of the runtime's options."""
    rows = {}
    for kind, name, default, limits, description in OPTION.findall(source):
        shown = {"true": "1", "false": "0"}.get(default, default.strip('"'))
        rows[name] = "| `%s` | %s | %s | %s |" % (
            name, "`%s`" % shown if shown else "", allowed(kind, limits), text_of(description))
    if len(rows) != len(re.findall(r"^GASAN_\w+\(", source, re.MULTILINE)):
        sys.exit("tools/check_tables.py: does not understand every line of gasan_rt's options.inc")
    return rows


def table(path):
    """Returns the text of an .inc file with each entry on one line."""
    return re.sub(r"\(\s+", "(", re.sub(r"\n +", " ", read(path)))


def driver_rows(source):
    """Returns {name: row} of the compiler driver's options."""
    rows = {}
    for name, description, default, values in DRIVER_OPTION.findall(source):
        values = re.findall(r'"(\w+)"', values)
        text = text_of(description)
        rows[name] = "| `%s` | `%s` | %s | %s. |" % (
            name, default, ", ".join(values), text[0].upper() + text[1:])
    if len(rows) != len(re.findall(r"^GASAN_DRIVER_OPTION\(", source, re.MULTILINE)):
        sys.exit("tools/check_tables.py: does not understand every option of driver/options.inc")
    return rows


def grouped(groups, rows):
    """Returns the groups' tables, each under its heading. Exits if an option is in no group or in two."""
    placed = sorted(name for _, _, names in groups for name in names)
    if placed != sorted(rows):
        sys.exit("tools/check_tables.py: these options are in no group, or in a group and nowhere else: "
                 + ", ".join(sorted(set(placed) ^ set(rows))))
    lines = []
    for title, sentence, names in groups:
        lines += ["### " + title, ""] + [sentence, ""] * bool(sentence)
        lines += ["| option | default | allowed | meaning |", "|---|---|---|---|"]
        lines += [rows[name] for name in names] + [""]
    return "\n" + "\n".join(lines)


def options_page(page):
    """Returns docs/options.md, whose text is `page`, with the tables that the sources give."""
    parts = {"runtime": grouped(RUNTIME_GROUPS, runtime_rows(table(runtime_file("options.inc")))),
             "driver": grouped(DRIVER_GROUPS, driver_rows(table(os.path.join(ROOT, "driver", "options.inc"))))}
    for name, tables in parts.items():
        found = re.search(r"(<!-- %s: [^\n]*-->\n)(.*?)(<!-- end of %s -->)" % (name, name), page, re.DOTALL)
        if not found:
            sys.exit("docs/options.md has no part %s between its two marks" % name)
        page = page[:found.start(2)] + tables + "\n" + page[found.end(2):]
    return page


def unknown_options(text):
    """Returns a complaint for each option that the text names and the driver does not have."""
    names = set(driver_rows(table(os.path.join(ROOT, "driver", "options.inc"))))
    return ["there is no option -fsanitize-gpu-address-" + name for name in sorted(set(NAMED.findall(text)) - names)]


def headings(text):
    return re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)


def anchors(text):
    """Returns the anchors that GitHub makes of the headings."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings(text)}


def missing_kinds(page):
    """Returns a complaint for each kind of error that no heading of the page names."""
    return ["no heading names the kind " + kind for kind in KIND.findall(read(runtime_file("kinds.inc")))
            if not any(re.search(r"(?<![\w-])%s(?![\w-])" % re.escape(kind), heading) for heading in headings(page))]


def too_long(readme):
    words = len(readme.split())
    if words <= README_WORDS:
        return []
    return ["has %d words, at most %d are allowed: move something to docs/" % (words, README_WORDS)]


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
    """Prints the complaints about the pages' text. Returns the exit code."""
    docs = sorted(glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True))
    pages = [README, os.path.join(ROOT, "CONTRIBUTING.md")] + docs
    wrong = ["README.md and docs: " + text for text in unknown_options("".join(map(read, pages)))]
    wrong += ["README.md: " + text for text in too_long(read(README))]
    wrong += ["docs/reports.md: " + text for text in missing_kinds(read(REPORTS_PAGE))]
    wrong += ["%s: %s" % (os.path.relpath(page, ROOT), text) for page in pages for text in broken_links(page)]
    print("\n".join(wrong), end="\n" * bool(wrong))
    return 1 if wrong else 0


def main():
    page = read(OPTIONS_PAGE)
    right = options_page(page)
    if page == right:
        return check_texts()
    if "--write" in sys.argv[1:]:
        with open(OPTIONS_PAGE, "w", encoding="utf-8") as file:
            file.write(right)
        return 0
    print("docs/options.md: the tables do not agree with the two options.inc; run tools/check_tables.py --write")
    return 1


if __name__ == "__main__":
    sys.exit(main())
