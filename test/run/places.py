"""Checks that a test names the place of each report that it expects. Otherwise a report of a wrong line would pass.

A line with `ERROR: AddressSanitizer` begins a report; without such lines, a line with the access's size does. The place
is for
    a kernel's access        #0 FUNCTION ... FILE:LINE        the device's stack; another number: frame 0 is a library's
    a call                   in FUNCTION ... FILE:LINE        the program's frame of the host's stack
    both                     SUMMARY: ... FILE:LINE           the same place again
                             #0 <unknown site>                the report has no place
FILE:LINE is written kernel.cu:[[#@LINE+1]]:, header.h:12:, for a header outside of the repository also
header.h:{{[0-9]+}}:, or kernel.cu:{{12|34}} if devices differ. Frames of the launch, the allocation and the free do not
count."""
import re

DIRECTIVE = re.compile(r"(?<![A-Za-z0-9_-])([A-Za-z][A-Za-z0-9_-]*?)(-NEXT|-SAME|-NOT|-DAG|-COUNT-(\d+))?:(?:[ "
                       r"\t]+(.*?))?[ \t]*$")

BEGIN = re.compile(r"ERROR: AddressSanitizer")
ACCESS = re.compile(r"\b(?:READ|WRITE|ATOMIC) of size\b")
CALL = re.compile(r"\bcalled by host thread|\bby cu[A-Za-z]|double-free|bad-free|attempting "
                  r"free|dealloc-mismatch|param-overlap")
ELSEWHERE = re.compile(r"is located|allocated by|freed by|launched here")
PLACE = re.compile(r"\.\w+:(?:\[\[#@LINE|\d|\{\{\d+(?:\|\d+)+\}\})|\.(?:h|hpp|cuh):\{\{\[0-9\]\+\}\}")
UNKNOWN = "#0 <unknown site>"
HOST_FRAME = re.compile(r"\bin ")
# The last alternative is for checks by the host's AddressSanitizer.
DEVICE_FRAME = re.compile(r"#(?:\d|\{\{\[0-9\]\+\}\}) (?!.*\bin )|#0 \{\{0x\S*\}\} in ")


class Directive:
    """A line of a test that FileCheck reads."""

    def __init__(self, kind, pattern, line, count=1):
        self.kind = kind  # "", "NEXT", "SAME" (after a NOT), "NOT", "DAG"
        self.pattern = pattern
        self.line = line
        self.count = count


def read_directives(source, prefix):
    """Returns the directives with this prefix. A -SAME directive is the end of the pattern before it."""
    directives = []
    for number, line in enumerate(source.splitlines(), 1):
        found = DIRECTIVE.search(line) if prefix in line else None
        if found and found.group(1) == prefix:
            kind = (found.group(2) or "").lstrip("-")
            pattern = (found.group(4) or "").replace("{{^}}", "")
            if kind == "SAME" and directives and directives[-1].kind != "NOT":
                directives[-1].pattern += " " + pattern
                continue
            directives.append(Directive("" if kind.startswith("COUNT") else kind, pattern, number,
                                        int(found.group(3) or 1)))
    return directives


def reports(directives):
    """Returns the directives of each report, in order, without -NOT directives."""
    found = []
    for directive in directives:
        if directive.kind == "NOT":
            continue
        if BEGIN.search(directive.pattern):
            found += [[directive] for _ in range(directive.count)]
        elif found:
            found[-1].append(directive)
        elif ACCESS.search(directive.pattern):
            found.append([directive])
    return found


def has_place(report):
    is_call, is_elsewhere = any(CALL.search(directive.pattern) for directive in report), False
    for pattern in (directive.pattern for directive in report):
        is_elsewhere = is_elsewhere or bool(ELSEWHERE.search(pattern))
        is_frame = DEVICE_FRAME.search(pattern) or (is_call and HOST_FRAME.search(pattern))
        if UNKNOWN in pattern or (PLACE.search(pattern) and ("SUMMARY:" in pattern or (is_frame and not is_elsewhere))):
            return True
    return False


def without_place(directives):
    """Returns the line of the first report without a place. Returns None if all have one."""
    return next((report[0].line for report in reports(directives) if not has_place(report)), None)
