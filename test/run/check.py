"""A small FileCheck: the part of LLVM's FileCheck that the whole-program tests use, in plain Python, so that the same
checks run on a GPU machine that has no LLVM.

PREFIX: PREFIX-NEXT: PREFIX-SAME: PREFIX-NOT: PREFIX-COUNT-n:   with {{regex}}, [[NAME:regex]], [[NAME]], [[#@LINE]],
[[#@LINE+n]] and [[#@LINE-n]]. Runs of blanks match any run of blanks, as in FileCheck.
"""
import re

DIRECTIVE = re.compile(r"(?<![A-Za-z0-9_-])([A-Za-z][A-Za-z0-9_-]*?)(-NEXT|-SAME|-NOT|-COUNT-(\d+))?:(?:[ \t]+(.*))?$")
PATTERN_PART = re.compile(r"\{\{(.*?)\}\}(?!\})|\[\[#@LINE\s*([+-]\s*\d+)?\]\]|\[\[([A-Za-z_]\w*)(?::(.*?))?\]\](?!\])")


class CheckError(Exception):
    """The text does not match, or the directives are no good."""


class Directive:
    def __init__(self, kind, pattern, line, count=1):
        self.kind = kind  # "", "NEXT", "SAME", "NOT"
        self.pattern = pattern
        self.line = line
        self.count = count

    def compile(self, variables):
        """The pattern as a regular expression; a variable defined earlier stands for its text."""
        result, end, defined_here = [], 0, set()
        for part in PATTERN_PART.finditer(self.pattern):
            result.append(literal(self.pattern[end:part.start()]))
            end = part.end()
            regex, offset, name, definition = part.groups()
            if regex is not None:
                result.append("(?:%s)" % regex)
            elif name is None:
                result.append(str(self.line + int((offset or "0").replace(" ", ""))))
            elif definition is not None:
                defined_here.add(name)
                result.append("(?P<%s>%s)" % (name, definition))
            elif name in defined_here:
                result.append("(?P=%s)" % name)
            elif name in variables:
                result.append(re.escape(variables[name]))
            else:
                raise CheckError("line %d: variable %s was never defined" % (self.line, name))
        result.append(literal(self.pattern[end:]))
        return re.compile("".join(result))


def literal(text):
    return "".join("[ \t]+" if piece.isspace() else re.escape(piece) for piece in re.split(r"([ \t]+)", text) if piece)


def read_directives(source, prefix):
    directives = []
    for number, line in enumerate(source.splitlines(), 1):
        found = DIRECTIVE.search(line) if prefix in line else None
        if not found or found.group(1) != prefix:
            continue
        kind = (found.group(2) or "").lstrip("-")
        pattern = (found.group(4) or "").strip()
        if not pattern:
            raise CheckError("line %d: empty %s" % (number, prefix))
        count = int(found.group(3) or 1)
        directives.append(Directive("" if kind.startswith("COUNT") else kind, pattern, number, count))
    if not directives:
        raise CheckError("no line begins with %s:" % prefix)
    if directives[0].kind in ("NEXT", "SAME"):
        raise CheckError("line %d: nothing comes before this %s" % (directives[0].line, directives[0].kind))
    return directives


def check(source, text, prefix="CHECK"):
    """Raises CheckError unless text (a program's output) has what the directives in source ask for."""
    position, variables, forbidden = 0, {}, []
    for directive in read_directives(source, prefix):
        if directive.kind == "NOT":
            forbidden.append(directive)
            continue
        for _ in range(directive.count):
            found = find(directive, text, position, variables)
            refuse(forbidden, text, position, found.start(), variables)
            forbidden = []
            variables.update(found.groupdict())
            position = found.end()
    refuse(forbidden, text, position, len(text), variables)


def find(directive, text, position, variables):
    pattern = directive.compile(variables)
    if directive.kind == "":
        start, end = position, len(text)
    elif directive.kind == "SAME":
        start, end = position, line_end(text, position)
    else:  # NEXT
        start = min(line_end(text, position) + 1, len(text))
        end = line_end(text, start)
    # A line at a time: a pattern never matches across lines.
    while start <= end:
        stop = min(line_end(text, start), end)
        found = pattern.search(text, start, stop)
        if found:
            return found
        start = stop + 1
    raise CheckError("line %d: not found: %s\n  looked from here on: %s" %
                     (directive.line, directive.pattern, text[position:position + 200].strip().split("\n")[0]))


def line_end(text, position):
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def refuse(forbidden, text, start, end, variables):
    for directive in forbidden:
        found = directive.compile(variables).search(text, start, end)
        if found:
            raise CheckError("line %d: must not be there, but is: %s" % (directive.line, found.group(0)))
