#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of Triton, CuPy, NVRTC, Numba and PyTorch under `gasan run -o instrument=on`, on a machine with a GPU.

  run.py [--gasan BUILD/bin/gasan] [--jobs N] [--sanitizer compute-sanitizer] [--seconds N] [FAMILY...] OUT

OUT: a folder for outputs, results.json and table.md. Of each program, the correct version must be silent and give the
plain result, and the one with a bug must end with a report that names the line marked BUG. Times are those of one
launch, with the host's part, of all programs of a family in one process: plain, with checks, under compute-sanitizer.
A family whose package is missing is left out, with a line. The exit code is 1 if a program failed."""
import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import time

import cuda_sources

HERE = os.path.dirname(os.path.abspath(__file__))
FAMILIES = {"triton": "add softmax matmul layer_norm attention dropout grouped_matmul gather histogram transpose",
            "cupy": "scale stencil sum permute window", "nvrtc": "scale stencil sum permute window",
            "numba": "saxpy smooth scatter", "torch": "clip running_mean"}
MARKED = {"triton": "triton_kernels.py", "numba": "numba_programs.py", "torch": "torch_extension.cu"}


def execute(command, seconds, environment=None):
    """Returns exit code, output, errors and seconds."""
    start = time.monotonic()
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds,
                              errors="replace", cwd=HERE, env=environment)
        return done.returncode, done.stdout, done.stderr, time.monotonic() - start
    except subprocess.TimeoutExpired as error:
        text = error.stdout or b""
        return 124, text.decode(errors="replace") if isinstance(text, bytes) else text, "took too long", seconds


def line_of(family, name):
    if family not in MARKED:
        return cuda_sources.line_of(name)
    with open(os.path.join(HERE, MARKED[family])) as file:
        return next(i for i, line in enumerate(file, 1) if line.rstrip().endswith("BUG " + name))


class Runner:
    def __init__(self, settings):
        self.settings, self.results, self.failed = settings, {}, 0
        self.environment = dict(os.environ, TRITON_CACHE_DIR=os.path.join(settings.out, "triton"))
        options = "instrument=on:instrument_cache=" + os.path.join(settings.out, "cache")
        self.checked = [settings.gasan, "run", "-o", options, "-o", "verbosity=1", "--"]

    def program(self, family, *arguments):
        return [sys.executable, os.path.join(HERE, family + "_programs.py")] + list(arguments)

    def save(self, name, text):
        with open(os.path.join(self.settings.out, name + ".txt"), "w") as file:
            file.write(text)

    def find_bug(self, family, name):
        row = {}
        code, output, errors, row["bug_s"] = execute(self.checked + self.program(family, name, "bug"),
                                                     self.settings.seconds, self.environment)
        self.save("%s-%s-bug" % (family, name), output + errors)
        kind = re.search(r"ERROR: AddressSanitizer: ([\w-]+)", errors)
        frame = re.search(r"^    #0 (.*)$", errors, re.MULTILINE)
        found = re.search(r":(\d+)(?::\d+)?$", frame.group(1)) if frame else None
        row["report"] = kind.group(1) if kind else "no report (exit code %d)" % code
        row["line"] = int(found.group(1)) if found else None
        row["expected"] = line_of(family, name)
        if self.settings.sanitizer:
            code, output, errors, row["sanitizer_bug_s"] = execute(
                [self.settings.sanitizer, "--error-exitcode=9"] + self.program(family, name, "bug"),
                self.settings.seconds, self.environment)
            self.save("%s-%s-sanitizer" % (family, name), output + errors)
            both = output + errors
            row["sanitizer"] = ("found" if re.search("Invalid .* (read|write|load|store)|Invalid __", both, re.I)
                                else "error" if code not in (0, 124) else "missed" if code == 0 else "time over")
        return family, name, row

    def measure(self, family, title, before, seconds):
        """Runs all correct programs of a family. Returns {name: (result, ms)}."""
        code, output, errors, taken = execute(before + self.program(family, "all"), seconds, self.environment)
        self.save("%s-all-%s" % (family, title), output + errors)
        values = {"seconds": taken, "code": code, "silent": "ERROR" not in errors, "errors": errors}
        for name in FAMILIES[family].split():
            result = re.search(r"^%s result (.*)$" % name, output, re.MULTILINE)
            time_of = re.search(r"^%s ms (.*)$" % name, output, re.MULTILINE)
            values[name] = (result.group(1) if result else None, float(time_of.group(1)) if time_of else None)
        return values

    def run(self, families):
        jobs = []
        with concurrent.futures.ThreadPoolExecutor(self.settings.jobs) as pool:
            for family in families:
                # PyTorch's extension is compiled here, for all further runs.
                code, output, errors, _ = execute(self.program(family, "none"), max(self.settings.seconds, 240),
                                                  self.environment)
                if "KeyError" not in errors:
                    print("left out: %s: %s" % (family, (errors.strip().splitlines() or ["?"])[-1][:200]))
                    continue
                self.results[family] = {}
                jobs += [pool.submit(self.find_bug, family, name) for name in FAMILIES[family].split()]
            for job in concurrent.futures.as_completed(jobs):
                family, name, row = job.result()
                self.results[family][name] = row
        others = {}
        for family, rows in self.results.items():
            plain = self.measure(family, "plain", [], self.settings.seconds)
            first = self.measure(family, "checked", self.checked, self.settings.seconds)
            again = self.measure(family, "again", self.checked, self.settings.seconds)
            for name, row in rows.items():
                row.update(plain=plain[name], checked=again[name], silent=first["silent"] and again["silent"])
                row["good"] = (row["silent"] and plain[name][0] is not None and plain[name][0] == again[name][0] and
                               row["line"] == row["expected"] and not row["report"].startswith("no "))
                self.failed += not row["good"]
            rows["all"] = {"plain_s": plain["seconds"], "first_s": first["seconds"], "again_s": again["seconds"],
                           "kernels": re.findall(r"\d+ of \d+ launched kernels had checks", again["errors"])}

        if self.settings.sanitizer:  # all at once, because the tool takes long
            with concurrent.futures.ThreadPoolExecutor(self.settings.jobs) as pool:
                others = {family: pool.submit(self.measure, family, "sanitizer", [self.settings.sanitizer],
                                              min(self.settings.seconds, 40)) for family in self.results}
        for family, rows in self.results.items():
            other = others[family].result() if family in others else {}
            for name in FAMILIES[family].split():
                rows[name]["sanitizer_ms"] = other.get(name, (None, None))[1]

    def table(self):
        def number(value, format="%.3f"):
            return format % value if value is not None else "-"

        yield "| program | bug reported as | line | correct: silent, equal | ms plain | with checks | ratio | " \
              "compute-sanitizer | its ratio |"
        yield "|---|---|---|---|--:|--:|--:|---|--:|"
        for family, rows in self.results.items():
            for name in FAMILIES[family].split():
                row = rows[name]
                plain, checked, other = row["plain"][1], row["checked"][1], row["sanitizer_ms"]
                line = "right" if row["line"] == row["expected"] else "%s, not %s" % (row["line"], row["expected"])
                equal = "yes" if row["silent"] and row["plain"][0] == row["checked"][0] and row["plain"][0] else "NO"
                yield "| %s %s | %s | %s | %s | %s | %s | %s | %s | %s |" % (
                    family, name, row["report"], line, equal, number(plain), number(checked),
                    number(checked / plain if plain and checked else None, "%.2f"), row.get("sanitizer", "not run"),
                    number(other / plain if plain and other else None, "%.1f"))
        yield ""
        for family, rows in self.results.items():
            yield "%s: all programs in one process: %.1f s plain, %.1f s checked, %.1f s checked again; %s" % (
                family, rows["all"]["plain_s"], rows["all"]["first_s"], rows["all"]["again_s"],
                ", ".join(rows["all"]["kernels"]) or "no count of kernels")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gasan", default=os.path.join(HERE, "..", "..", "build", "bin", "gasan"))
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--sanitizer", default=shutil.which("compute-sanitizer"))
    parser.add_argument("--seconds", type=int, default=60, help="time limit of one process")
    parser.add_argument("families", nargs="*", metavar="FAMILY")
    parser.add_argument("out", metavar="OUT")
    settings = parser.parse_args()
    settings.gasan, settings.out = os.path.abspath(settings.gasan), os.path.abspath(settings.out)
    os.makedirs(settings.out, exist_ok=True)
    runner = Runner(settings)
    runner.run(settings.families or list(FAMILIES))
    table = "\n".join(runner.table())
    print(table)
    with open(os.path.join(settings.out, "table.md"), "w") as file:
        file.write(table + "\n")
    with open(os.path.join(settings.out, "results.json"), "w") as file:
        json.dump(runner.results, file, indent=1)
    print("%d programs failed" % runner.failed)
    return 1 if runner.failed or not runner.results else 0


if __name__ == "__main__":
    sys.exit(main())
