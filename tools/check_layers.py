#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that includes and calls follow the arrows of the architecture; an arrow leads to the folders that use a
folder:

    base <- document <- { gasan_rt, gasan_preload, scan }
    base <- device <- { shadow, handles } <- pool <- gasan_rt
    base <- proof <- { gasan_rt, gasan_pass }
    base <- gasan_rt/python <- gasan_rt/sanitizer <- gasan_rt
    gasan_rt: evidence <- core <- instrument <- door; evidence <- core <- report <- memory <- launch <- calls <- door

gasan_pass, driver, proof and gasan_rt/kernel see base and the address arithmetic of shadow and handles only (and, on
the compiler's side, the ABI of CPU images). gasan_pass takes the defaults of its options from the driver's table. A
file may include only the public headers of other folders, by their path from the root.

No more than three files may include each other in a cycle, nor call each other in C: a file calls the global functions
of other files that its text names, itself or by a macro or an inline function of a header. Calls follow the arrows,
too. No two headers have one name.

  tools/check_layers.py [--calls]   --calls prints the calls between C files, with the names of the called functions
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCES = (".c", ".cpp", ".cc", ".cu", ".h", ".inc", ".S")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)

# Public headers of the folders: files, or "/*" for all files directly in a folder.
BASE = {"base/*"}
DEVICE = {"device/device.h"}
DEVICE_KINDS = {"device/cpu/cpu.h", "device/cuda/cuda.h"}  # with these the runtime sets the two kinds up
CPU_IMAGE = {"device/cpu/image.h", "device/cpu/matrix.h"}
ARITHMETIC = {"shadow/bounds.h", "shadow/encoding.h", "shadow/tags.h", "handles/codec.h"}
SHADOW = {"shadow/shadow.h", "shadow/tables.h", "shadow/range_table.h", "shadow/pointer_span.h"}
HANDLES = {"handles/handle_table.h"}
POOL = {"pool/pool.h"}
DOCUMENT = {"document/*"}
PROOF = {"proof/explain.h", "proof/proof.h"}
JUDGEMENT = {"proof/plausible.h"}
SANITIZER = {"gasan_rt/sanitizer/sanitizer.h"}
PYTHON = {"gasan_rt/python/python.h"}
OPTIONS = {"gasan_rt/core/options.inc"}
DRIVER_OPTIONS = {"driver/options.inc"}
EVIDENCE = {"gasan_rt/evidence/*"}
PUBLIC = {"include/gasan/gasan.h"}  # for programs
CORE = {"gasan_rt/core/*"}
REPORT = {"gasan_rt/report/*"}
MEMORY = {"gasan_rt/memory/*"}
LAUNCH = {"gasan_rt/launch/*"}
INSTRUMENT = {"gasan_rt/instrument/*"}
CALLS_HEADERS = {"gasan_rt/calls/*"}
RUNTIME = BASE | DEVICE | DEVICE_KINDS | ARITHMETIC | SHADOW | HANDLES | POOL | SANITIZER

# Folder -> the headers of other folders that it may include. A file belongs to the longest folder that contains it.
LAYERS = {
    "base": set(),
    "document": BASE,
    "device": BASE,
    "device/cpu": BASE | DEVICE,
    "device/cuda": BASE | DEVICE,
    "shadow": BASE | DEVICE,
    "handles": BASE | DEVICE,
    "proof": BASE | ARITHMETIC,
    "pool": BASE | DEVICE | ARITHMETIC | SHADOW | HANDLES,
    "gasan_rt/evidence": {"base/coredump.h"},
    "gasan_rt/core": RUNTIME | EVIDENCE | PYTHON,
    "gasan_rt/instrument": RUNTIME | CORE,
    "gasan_rt/report": RUNTIME | EVIDENCE | CORE | DOCUMENT | PROOF,
    "gasan_rt/memory": RUNTIME | CORE | REPORT,
    "gasan_rt/launch": RUNTIME | EVIDENCE | CORE | REPORT | MEMORY | PROOF | DOCUMENT,
    "gasan_rt/calls": RUNTIME | DOCUMENT | CORE | REPORT | MEMORY | LAUNCH | PUBLIC,
    "gasan_rt/door": RUNTIME | CORE | REPORT | MEMORY | LAUNCH | CALLS_HEADERS | INSTRUMENT,
    "gasan_preload": BASE | DOCUMENT | PUBLIC | {"gasan_rt/calls/driver_calls.inc", "gasan_rt/door/door_calls.inc"},
    "gasan_rt/python": BASE,
    "gasan_rt/sanitizer": BASE | OPTIONS | ARITHMETIC | PYTHON | {"gasan_rt/report/kinds.inc"},
    "gasan_rt/symbolizer": set(),
    "gasan_rt/kernel": BASE | ARITHMETIC,
    "gasan_pass": BASE | ARITHMETIC | CPU_IMAGE | JUDGEMENT | DRIVER_OPTIONS,
    "driver": BASE | CPU_IMAGE,
    "scan": DOCUMENT | {"gasan_rt/report/kinds.inc"},
}


# Folders whose calls are checked, from the bottom up; each may call into those before it.
CALLS = ("base", "document", "device/cpu", "device/cuda", "shadow", "handles", "proof", "pool", "gasan_rt/python",
         "gasan_rt/evidence", "gasan_rt/core", "gasan_rt/instrument", "gasan_rt/report", "gasan_rt/memory",
         "gasan_rt/launch", "gasan_rt/calls", "gasan_rt/door")
MOST_IN_CYCLE = 3

NO_NAMES = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\b(?:struct|enum|union)\s+\w+', re.DOTALL)
DEFINITION = re.compile(r"^(?!static\b|typedef\b|extern\b)(?:__attribute__\(\(.*\)\)\s+)?[A-Za-z_][\w\s*]*?"
                        r"\b(gasan_\w+)\s*"
                        r"(?:\([^;{}]*\)\s*\{|(?:\[[^\]]*\])*\s*=)", re.MULTILINE)
INLINE = re.compile(r"^static inline\b[^;{}]*?\b(gasan_\w+)\([^;{}]*\)\s*\{(.*?)^\}", re.MULTILINE | re.DOTALL)
MACRO = re.compile(r"^#\s*define\s+(\w+)((?:.*\\\n)*.*)", re.MULTILINE)
NAME = re.compile(r"\b[A-Za-z_]\w*\b")


def layer_of(path):
    folders = [folder for folder in LAYERS if path.startswith(folder + "/")]
    return max(folders, key=len) if folders else None


def allowed(layer, included):
    own = included.startswith(layer + "/") and layer_of(included) == layer
    return own or included in LAYERS[layer] or os.path.dirname(included) + "/*" in LAYERS[layer]


def complaints(path, text):
    """Yields the complaints about the includes of one file, whose path is relative to the root."""
    layer = layer_of(path)
    if layer is None:
        return
    for match in INCLUDE.finditer(text):
        included = match.group(1)
        line = text.count("\n", 0, match.start()) + 1
        if os.path.exists(os.path.join(ROOT, included)):
            if not allowed(layer, included):
                yield "%s:%d: %s may not include %s" % (path, line, layer, included)
        elif os.path.exists(os.path.join(ROOT, os.path.dirname(path), included)):
            yield "%s:%d: include %s by its path from the root" % (path, line, included)


def cycles(arrows):
    """Returns the groups of more than MOST_IN_CYCLE nodes that reach each other, by Tarjan's algorithm. arrows: node
    -> its successors."""
    found, numbers, lows, path, waiting = [], {}, {}, [], []
    for root in sorted(arrows):
        if root in numbers:
            continue
        waiting.append((root, iter(sorted(arrows[root]))))
        numbers[root] = lows[root] = len(numbers)
        path.append(root)
        while waiting:
            node, successors = waiting[-1]
            for successor in successors:
                if successor not in numbers:
                    numbers[successor] = lows[successor] = len(numbers)
                    path.append(successor)
                    waiting.append((successor, iter(sorted(arrows.get(successor, ())))))
                    break
                if successor in path:
                    lows[node] = min(lows[node], numbers[successor])
            else:
                waiting.pop()
                if waiting:
                    lows[waiting[-1][0]] = min(lows[waiting[-1][0]], lows[node])
                if lows[node] == numbers[node]:
                    start = path.index(node)
                    if len(path) - start > MOST_IN_CYCLE:
                        found.append(sorted(path[start:]))
                    del path[start:]
    return found


def includes_of(path, text):
    return {included for included in INCLUDE.findall(text)
            if included != path and os.path.exists(os.path.join(ROOT, included))}


def calls_of(sources):
    """Returns {path: {called path: the names of the called functions}} of {path: text}."""
    plain = {path: NO_NAMES.sub(lambda match: "T" if match.group()[0].isalpha() else " ", text)
             for path, text in sources.items()}
    macros = {name: set(NAME.findall(body)) for path, text in plain.items() if path.endswith((".h", ".inc"))
              for name, body in MACRO.findall(text) + INLINE.findall(text)}
    definers = {name: path for path, text in plain.items() if path.endswith(".c") for name in DEFINITION.findall(text)}
    calls = {}
    for path, text in plain.items():
        if not path.endswith(".c"):
            continue
        names, seen = set(NAME.findall(text)), set()
        while names - seen:  # a macro may use other macros
            more = set().union(*(macros.get(name, ()) for name in names - seen))
            seen |= names
            names |= more
        calls[path] = {}
        for name in names & definers.keys():
            if definers[name] != path:
                calls[path].setdefault(definers[name], set()).add(name)
    return calls


def call_complaints(calls):
    for path in calls:
        for called, names in sorted(calls[path].items()):
            if CALLS.index(layer_of(called)) > CALLS.index(layer_of(path)):
                yield "%s may not call %s: %s" % (path, called, ", ".join(sorted(names)))
    for cycle in cycles(calls):
        yield "%d files call each other: %s" % (len(cycle), ", ".join(cycle))


def headers():
    """Returns the paths of all headers, those of tests and benchmarks included."""
    for top in {layer.split("/")[0] for layer in LAYERS} | {"test", "bench"}:
        for folder, _, files in os.walk(os.path.join(ROOT, top)):
            yield from (os.path.relpath(os.path.join(folder, file), ROOT) for file in files if file.endswith(".h"))


def shared_names(paths):
    """Returns a complaint for each name that several headers have."""
    found = {}
    for path in sorted(paths):
        found.setdefault(os.path.basename(path), []).append(path)
    return ["%s have one name: rename all but one" % " and ".join(same) for same in found.values() if len(same) > 1]


def main():
    found, sources = [], {}
    for layer in LAYERS:
        for folder, _, files in os.walk(os.path.join(ROOT, layer)):
            for file in sorted(files):
                path = os.path.relpath(os.path.join(folder, file), ROOT)
                if file.endswith(SOURCES) and layer_of(path) == layer:
                    with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as source:
                        sources[path] = source.read()
                    found += complaints(path, sources[path])
    found += shared_names(headers())
    for cycle in cycles({path: includes_of(path, text) for path, text in sources.items()}):
        found.append("%d files include each other: %s" % (len(cycle), ", ".join(cycle)))
    calls = calls_of({path: text for path, text in sources.items() if layer_of(path) in CALLS})
    if "--calls" in sys.argv[1:]:
        for path in sorted(calls):
            print("%s\n%s" % (path, "".join("    %s: %s\n" % (called, " ".join(sorted(names)))
                                           for called, names in sorted(calls[path].items()))), end="")
    found += call_complaints(calls)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
