"""Reads the cases that the sources of this folder describe in comments:

    // CATEGORY: NAME          a row of the table
    // CASE: word word ...     a case: the words are the program's arguments; any number of such lines
    // FLAGS: ...              more flags for the compiler, with the names of further sources
    // PLAIN: none ...         clang without the sanitizer does not compile this program
A pattern for FileCheck, which the report must contain, begins with CHECK:, or with the case's words in capitals with +
between them: READ:, ARRAY+READ-NEXT:. It applies if the case has all of the words."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(TESTS, "run"))
import places  # noqa: E402

HEADER = re.compile(r"^// (CATEGORY|CASE|FLAGS|PLAIN): (.*?) *$", re.MULTILINE)
EXPECTED = re.compile(r"// ([A-Z][A-Z+-]*?)(-NEXT|-SAME|-NOT)?: ")

# The last one is for a folder made by `make dist`.
FILECHECK = (shutil.which("FileCheck-22") or shutil.which("FileCheck") or
             os.path.join(TESTS, "..", "build", "bin", "FileCheck"))
MODES = ("bst", "shadow")  # -fsanitize-gpu-address-mode=

# The rows of cuCatch's table 2: the number of tests, and how many of them each tool detects according to the paper.
PAPER_TOOLS = ("none", "Compute Sanitizer", "GMOD", "GPUShield", "cuCatch")
PAPER = {
    "global": (8, (0, 4, 4, 8, 8)),
    "local": (16, (0, 4, 0, 12, 12)),
    "shared": (12, (0, 4, 0, 0, 10)),
    "intra": (8, (0, 0, 0, 0, 0)),
    "use-after-free": (4, (0, 2, 0, 0, 2)),
    "use-after-scope": (4, (0, 2, 0, 0, 4)),
    "invalid-free": (2, (2, 2, 2, 2, 2)),
    "double-free": (2, (2, 2, 2, 2, 2)),
}
TITLES = {"global": "global memory OOB", "local": "local memory OOB", "shared": "shared memory OOB",
          "intra": "intra-allocation OOB", "invalid-free": "invalid free", "double-free": "double free",
          "device-heap": "device heap", "variables": "variables OOB", "wild": "null and wild",
          "rows": "pointers from memory"}


class Source:
    def __init__(self, path):
        self.path = path
        self.stem = os.path.splitext(os.path.basename(path))[0]
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        headers = HEADER.findall(self.text)
        values = {key: value for key, value in headers}
        self.category = values["CATEGORY"]
        self.flags = [os.path.join(HERE, flag) if flag.endswith(".cu") else flag
                      for flag in values.get("FLAGS", "").split()]
        self.has_plain = not values.get("PLAIN", "").startswith("none")
        self.cases = [Case(self, value.split()) for key, value in headers if key == "CASE"]


class Case:
    def __init__(self, source, words):
        self.source, self.words = source, words
        self.category = source.category
        self.name = "/".join((source.category, "-".join([source.stem] * (source.stem != source.category) + words)))

    def expected(self):
        """Returns the source with CHECK at the patterns for this case, and without the patterns for others."""
        chosen = {word.upper() for word in self.words} | {"CHECK"}

        def choose(found):
            return "// CHECK%s: " % (found.group(2) or "") if set(found.group(1).split("+")) <= chosen else "// other "
        return EXPECTED.sub(choose, self.source.text)

    def judge(self, report):
        """Returns None if the report is as expected, otherwise the error."""
        with tempfile.NamedTemporaryFile("w", suffix=".cu", encoding="utf-8") as file:
            file.write(self.expected())
            file.flush()
            done = subprocess.run([FILECHECK, "--allow-empty", "--dump-input=never", file.name], input=report,
                                  stderr=subprocess.PIPE,
                                  text=True, errors="replace")
            return done.stderr.replace(file.name, os.path.basename(self.source.path)) if done.returncode else None


def read_all():
    sources = [Source(path) for path in sorted(glob.glob(os.path.join(HERE, "*.cu")))]
    for category, (count, _) in PAPER.items():
        found = sum(len(source.cases) for source in sources if source.category == category)
        if found != count:
            sys.exit("test/detection: %d cases of %s; the paper has %d" % (found, category, count))
    for case in (case for source in sources for case in source.cases):
        line = places.without_place(places.read_directives(case.expected(), "CHECK"))
        if line:
            sys.exit("%s: line %d: a report whose place no line for %s names (test/run/places.py)" % (
                case.source.path, line, case.name))
    return sources
