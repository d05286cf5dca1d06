"""Builds programs for gasan and for the oracle, runs them and reads the reports.

The oracle is clang's own AddressSanitizer on the retargeted device code (-fsanitize-gpu-address-checks=host). Device
memory comes from its malloc, so that it shares neither pool nor shadow nor checks with gasan."""
import collections
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
SOURCE = os.path.dirname(TESTS)
sys.path.insert(0, os.path.join(TESTS, "run"))
from headers import Headers  # noqa: E402
from run_lines import execute  # noqa: E402

GASAN = "-fsanitize=gpu-address"
ORACLE = "-fsanitize=address,gpu-address -fsanitize-gpu-address-checks=host"
# The redzone and the quarantine are as large as gasan's. Leaks are no bugs here.
ASAN_OPTIONS = "detect_leaks=0:redzone=1024:max_redzone=2048:quarantine_size_mb=1024"
COMPILE_SECONDS, RUN_SECONDS = 900, 120

ERROR = re.compile(r"ERROR: AddressSanitizer: (\S+) on ")
ACCESS = re.compile(r"^(READ|WRITE) of size (\d+) at \S+ (?:by device )?thread", re.MULTILINE)
MORE = re.compile(r"^(?:READ|WRITE) of size .*\(and (\d+) more threads? of this kernel\)", re.MULTILINE)
FRAME = re.compile(r"^ +#\d+ .*? (/\S+?):(\d+)(?::\d+)?$", re.MULTILINE)
REGION = re.compile(r"is located (\d+) bytes (after|before|inside) (?:of )?(\d+)-byte region")

# A report's contents. `place` is "file:line" of the innermost frame in the test's own sources. It is None if there is
# no such frame: gasan shows no callers of a header's function that was not inlined. `region` is the region's size in
# bytes. The distance to the region and the number of threads depend on which thread faults first, so only the fuzzer
# compares them.
Verdict = collections.namedtuple("Verdict", "kind access size place side region distance threads")
SILENT = Verdict("silent", None, None, None, None, None, None, None)


def describe(verdict):
    if verdict.access is None:
        return verdict.kind
    return "%s %s of %s at %s, %s %s-byte region" % (
        verdict.kind, verdict.access, verdict.size, verdict.place, verdict.side, verdict.region)


def same(left, right):
    if None in (left.place, right.place):
        left, right = left._replace(place=None), right._replace(place=None)
    return left[:6] == right[:6]


def read_report(exit_code, text):
    """Returns the verdict in a program's standard error. Its kind is in brackets if it is not comparable: the program
    failed without a report, or the report is about no access of a kernel."""
    error = ERROR.search(text)
    if not error:
        return SILENT if exit_code == 0 else SILENT._replace(kind="[exit code %s]" % exit_code)
    access, region = ACCESS.search(text, error.end()), REGION.search(text, error.end())
    if not access:
        stopped = " by device thread " in text[error.end():error.end() + 300]
        where = "that stopped a kernel" if stopped else "outside kernels"
        return SILENT._replace(kind="[%s %s]" % (error.group(1), where))
    frames = text[access.end():text.find("\n\n", access.end())].split("launched here by")[0]
    place = next(("%s:%s" % (os.path.basename(path), line) for path, line in FRAME.findall(frames) if in_tests(path)),
                 None)
    more = MORE.search(text)
    distance, side, size = region.groups() if region else (None, None, None)
    return Verdict(error.group(1), access.group(1), int(access.group(2)), place, side, size and int(size),
                   distance and int(distance), 1 + int(more.group(1)) if more else 1)


def in_tests(path):
    """Says whether a file is a test's own source, not a header of CUDA or clang."""
    return path.endswith((".cu", ".cpp")) or path.startswith(TESTS)


class Builds:
    def __init__(self, build):
        self.build = os.path.abspath(build)
        with open(os.path.join(self.build, "test", "config.json")) as file:
            self.config = json.load(file)
        self.headers = Headers(self.build, self.config)

    def command(self, checks):
        compiler = os.path.join(self.build, "bin", "gasan-clang++")
        return "%s %s -g --offload-arch=%s" % (compiler, checks, self.config["arch"])

    def compile(self, line):
        """Compiles a program. Returns None, or the compiler's output."""
        line = " ".join(self.headers.included(line.split()))
        code, output, errors = execute(["/bin/sh", "-c", line], None, None, COMPILE_SECONDS)
        return None if code == 0 else "%s\n(%s) %s" % (line, code, output + errors)

    def run(self, command, environment=None):
        """Runs a program. Returns its verdict, standard output and standard error. The device has one OS thread, so
        that the first thread of the grid faults first."""
        symbolizer = os.path.join(self.config["llvm"], "bin", "llvm-symbolizer")
        variables = dict(os.environ, **(environment or {}))
        variables.update(GASAN_OPTIONS="device=cpu:cpu_threads=1", ASAN_OPTIONS=ASAN_OPTIONS,
                         ASAN_SYMBOLIZER_PATH=symbolizer)
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                                  env=variables, timeout=RUN_SECONDS)
        except subprocess.TimeoutExpired:
            return SILENT._replace(kind="[stopped after %d s]" % RUN_SECONDS), "", ""
        return read_report(done.returncode, done.stderr), done.stdout, done.stderr
