#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the verdicts of gasan-scan with brute force. The kernels are those of test/oracle/proofs/kernels.py. Their
bodies run on the host for all inputs that main() lets through, thread by thread, and say which bytes each access
reaches. Then each access gets memory of exactly this size, or one that lacks the first or the last byte.

  differential.py [--count N] [--seed S] [--build DIR] [--jobs N] [--runs N] [--replay] [--keep DIR]

N programs (default 10) with --per-file kernels each. A failure is
  - "proven" for an access that leaves its memory, for any input, also where numbers wrap;
  - "proven, if no signed integer overflows" for one that leaves it without an overflow;
  - "possible" for one that never leaves it.
The last line is "N right, N wrong" and counts the verdicts. --replay: also runs the witnesses on the CPU device.
--runs: also builds each program with checks and runs it N times on the CPU device: with each of the 196 inputs that
main() lets through, then with them and other orders of threads. A report about a proven access is a failure, too."""
import argparse
import collections
import concurrent.futures
import itertools
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROOFS = ROOT / "test" / "oracle" / "proofs"
sys.path.insert(0, str(PROOFS))
import kernels  # noqa: E402

LIMITS = {"n": 6, "m": 6, "u": 3}  # inputs from 0 on
SHAPES = ["1", "2", "4", "8", "n + 1", "m + 1", "n * 2 + 1", "u + 1"]
DATA = [3, 0, 7, 12]
TABLE = "{1, {3, 0, 7, 12, 2, 5, 1, 9, 4, 6, 8, 10}, {5, 0, 1, 9, 2, 8, 3, 7, 4, 6, 16, 20, 1, 2, 0, 5}, 1}"
# The number of an element is always good: gasan reports others where it reads them.
ELEMENTS = ["#undef N", "#undef B", "#define N(k) table.numbers[(unsigned)(k) % 12]",
            "#define B(k) table.bytes[(unsigned)(k) % 16]"]
# gasan-scan does not check alignment.
REPORT = re.compile(r"ERROR: AddressSanitizer: (?!misaligned).*\n.*\n    #0 .*\.cu:(\d+):\d+")
VERDICTS = ["proven", "proven, if", "possible", "unknown"]
SECONDS = 1  # of CPU time for a run; some kernels loop forever for some inputs
MOST_ENDLESS = 10  # runs of a program
VERDICT = re.compile(r"^.*\.cu:(\d+):\d+: write in .*?: (proven, if|proven|unknown|possible)", re.MULTILINE)

JUDGE = """#include <limits.h>
#include <stdio.h>
#include "kernels.h"
#undef TOUCH_FIELD
#define TOUCH_FIELD(j, index) touch(j, 4, (long long)(index) + 1)
%s
int tx, ty, bx, by, bdx, bdy, gdx, n, m, data[4] = {%s}, ticks;
struct table table = %s;
unsigned u;
float s = 1.5f;
bool broken;
static long long low[10], high[10];
static struct { int argument, width; long long index; } touches[100000];
static int touched, endless, undefined;
void touch(int argument, int width, long long index) {
  if (!broken && touched < 100000) {
    touches[touched].argument = argument;
    touches[touched].width = width;
    touches[touched++].index = index;
  }
}
#define BROKEN(name) void __ubsan_handle_##name##_overflow_minimal(void) { broken = true; }
BROKEN(add) BROKEN(sub) BROKEN(mul) BROKEN(negate) BROKEN(divrem)
static void run_thread(void (*run)(void)) {
  ticks = touched = 0;
  broken = false;
  run();
  endless |= ticks > MOST_TICKS;
  undefined |= broken;
  for (int i = 0; i < touched; i++) {
    long long first = touches[i].index * touches[i].width, end = first + touches[i].width;
    long long *l = &low[touches[i].argument], *h = &high[touches[i].argument];
    *l = first < *l ? first : *l;
    *h = end > *h ? end : *h;
  }
}
"""


class Program:
    def __init__(self, seed, count, folder):
        self.choice, self.folder = random.Random(seed), folder
        self.kernels = [kernels.Kernel(seed * 1000 + i) for i in range(count)]
        self.shapes = [[self.choice.choice(SHAPES), self.choice.choice(["1", "1", "2"]), self.choice.choice(SHAPES),
                        self.choice.choice(["1", "1", "2"])] for _ in self.kernels]
        self.name = os.path.join(folder, "scan%d" % seed)

    def write_judge(self):
        text = JUDGE % ("\n".join(ELEMENTS), ", ".join(map(str, DATA)), TABLE)
        for i, kernel in enumerate(self.kernels):
            text += "static void kernel%d(void) {\n%s\n}\n" % (i, kernel.body)
        text += "int main(void) {\n"
        for i, shape in enumerate(self.shapes):
            text += "  for (int j = 0; j < 10; j++) { low[j] = LLONG_MAX; high[j] = LLONG_MIN; }\n"
            text += "  endless = undefined = 0;\n"
            for name, limit in LIMITS.items():
                text += "  for (%s = 0; %s <= %d; %s++)\n" % (name, name, limit, name)
            text += "  {\n    bdx = %s, bdy = %s, gdx = %s;\n    const int gdy = %s;\n" % tuple(shape)
            text += "    for (by = 0; by < gdy; by++) for (bx = 0; bx < gdx; bx++)\n"
            text += "      for (ty = 0; ty < bdy; ty++) for (tx = 0; tx < bdx; tx++) run_thread(kernel%d);\n  }\n" % i
            text += "  for (int j = 0; j < 10; j++)\n"
            text += "    printf(\"%%d %%d %%lld %%lld %%d %%d\\n\", %d, j, low[j], high[j], endless, undefined);\n" % i
        pathlib.Path(self.name + ".c").write_text(text + "}\n")

    def brute_force(self, clang):
        """Returns {(kernel, argument): (low, high, endless, undefined)} where numbers wrap, and without overflows."""
        self.write_judge()
        results = []
        for flags in ("-fwrapv", "-fsanitize=signed-integer-overflow -fsanitize-minimal-runtime "
                      "-fno-sanitize-link-runtime"):
            run([clang, "-O1", "-w", "-fno-finite-loops", "-D_GNU_SOURCE", *flags.split(), "-I%s" % PROOFS,
                 self.name + ".c", "-lm", "-o", self.name + ".judge"])
            lines = [list(map(int, line.split())) for line in run([self.name + ".judge"])[1].splitlines()]
            results.append({(line[0], line[1]): line[2:] for line in lines})
        return results

    def write(self, wraps, promises):
        """Writes the CUDA program. Returns {line: (leaves where numbers wrap, leaves without overflow, uncertain)}."""
        lines = kernels.HEADER.splitlines() + ELEMENTS + ["#include <cstdlib>"]
        expected = {}
        main = ["int main(int argc, char **argv) {", "  if (argc < 4) return 2;",
                "  int n = atoi(argv[1]), m = atoi(argv[2]), u = atoi(argv[3]);"]
        main += ["  if (%s < 0 || %s > %d) return 2;" % (name, name, limit) for name, limit in LIMITS.items()]
        main += ["  const int data[4] = {%s};" % ", ".join(map(str, DATA)), "  int *d;",
                 "  cudaMalloc(&d, sizeof data);",
                 "  cudaMemcpy(d, data, sizeof data, cudaMemcpyHostToDevice);",
                 "  const Table table = %s;" % TABLE]
        for i, (kernel, shape) in enumerate(zip(self.kernels, self.shapes)):
            lines += ["__global__ void kernel%d(%s) {" % (i, kernels.PARAMETERS), "  " + kernels.SHAPE]
            places, fields = {}, set()
            for line in kernel.body.splitlines():
                lines.append(line)
                found = re.search(r"TOUCH\w*\((\d+),", line)
                if found:
                    places[int(found[1])] = len(lines)
                    if "TOUCH_FIELD" in line:
                        fields.add(int(found[1]))
            lines.append("}")
            for j in range(kernels.TOUCHES):
                low, high, endless, undefined = promises[i, j]
                if low > high or high - low > 1 << 20 or abs(low) > 1 << 20:
                    low, high = 0, 16
                cut = self.choice.choice(["", "", "first", "last", "more"])
                first, end = low + (cut == "first"), high - (cut == "last") + 100 * (cut == "more")
                if first > 0 and cut != "first" and self.choice.random() < 0.7:
                    first = 0  # a pointer to the begin of its memory
                size = max(end - first, 1)
                main += ["  char *k%da%d;" % (i, j), "  cudaMalloc(&k%da%d, %d);" % (i, j, size)]
                if j in places:
                    begin, behind = first, first + size
                    if j in fields:  # of a structure that begins with another number
                        begin, behind = max(first, 4), min(first + size, 4 + 4 * kernels.FIELD_SIZE)
                    expected[places[j]] = [result[i, j][0] <= result[i, j][1] and
                                           (result[i, j][0] < begin or result[i, j][1] > behind)
                                           for result in (wraps, promises)] + [bool(endless or undefined), i, j, first]
                places[-1 - j] = first
            pointers = ", ".join("k%da%d %s %d" % (i, j, "-+"[places[-1 - j] < 0], abs(places[-1 - j]))
                                 for j in range(kernels.TOUCHES))
            main.append("  kernel%d<<<dim3(%s, %s), dim3(%s, %s)>>>(%s, d, n, m, u, 1.5f, table);" % (
                i, shape[2], shape[3], shape[0], shape[1], pointers))
        pathlib.Path(self.name + ".cu").write_text("\n".join(lines + main + ["  cudaDeviceSynchronize();", "}"]) + "\n")
        return expected


    def run_checked(self, build, count):
        """Returns the lines with reports, and the numbers of runs that ended and that did not."""
        driver = os.path.join(build, "bin", "gasan-clang++")
        run([driver, "-fsanitize=gpu-address", "-fsanitize-gpu-address-devices=cpu", "-g", "-O1", "-w",
             self.name + ".cu", "-o", self.name + ".checked"])
        inputs = list(itertools.product(*(range(limit + 1) for limit in LIMITS.values())))
        self.choice.shuffle(inputs)
        lines, ended, endless = set(), 0, 0
        for i in range(count):
            if endless == MOST_ENDLESS:
                break
            numbers = inputs[i % len(inputs)]
            order = "index" if i < len(inputs) else "random:%d" % self.choice.randint(0, 999999999)
            options = "device=cpu:halt_on_error=0:print_limit=0:exitcode=0:cpu_threads=1:schedule=" + order
            environment = dict(os.environ, GASAN_OPTIONS=options)
            done = subprocess.run([self.name + ".checked", *map(str, numbers)], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
                                  env=environment, preexec_fn=limit_time)
            if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
                endless += 1
                continue
            if done.returncode:
                sys.exit("differential.py: %s.checked %s ends with %d\n%s" % (self.name, numbers, done.returncode,
                                                                              done.stderr[:3000]))
            ended += 1
            lines.update(map(int, REPORT.findall(done.stderr)))
        return lines, ended, endless


def limit_time():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def run(command, codes=(0,)):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False)
    if done.returncode not in codes:
        sys.exit("differential.py: %s ends with %d\n%s" % (" ".join(command), done.returncode, done.stderr[:3000]))
    return done.returncode, done.stdout, done.stderr


def check(program, arguments):
    """Returns (counts of verdicts and runs, lines about wrong verdicts)."""
    expected = program.write(*program.brute_force(arguments.clang))
    options = ["--time=60", *["--replay"] * arguments.replay]
    tool = os.path.join(arguments.build, "bin", "gasan-scan")
    _, output, _ = run([tool, *options, program.name + ".cu"], codes=(0, 1))
    counts, wrong = collections.Counter(), []
    reported, counts["runs"], counts["runs without an end"] = (
        program.run_checked(arguments.build, arguments.runs) if arguments.runs else (set(), 0, 0))
    counts["reported places"] = len(reported)
    for line, verdict in VERDICT.findall(output):
        if int(line) not in expected:
            continue
        wraps, promises, uncertain, kernel, argument, first = expected[int(line)]
        counts[verdict] += 1
        if (verdict == "proven" and (wraps or promises)) or (verdict == "proven, if" and promises) or (
                verdict == "possible" and not promises and not uncertain):
            wrong.append("WRONG %s.cu:%s: %s (kernel %d, argument %d)" % (program.name, line, verdict, kernel,
                                                                         argument))
        # The program computes a pointer in front of its memory if first > 0. gasan takes it for one to other memory.
        if verdict == "proven" and first <= 0 and int(line) in reported:
            wrong.append("REPORTED %s.cu:%s: %s (kernel %d, argument %d)" % (program.name, line, verdict, kernel,
                                                                            argument))
    found = re.search(r"^(\d+) of (\d+) possible errors confirmed", output, re.MULTILINE)
    if found:
        counts["confirmed"], counts["replayed"] = map(int, found.groups())
    return counts, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--per-file", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--clang", default="clang-22")
    parser.add_argument("--replay", action="store_true")
    parser.add_argument("--runs", type=int, default=0)
    parser.add_argument("--keep")
    arguments = parser.parse_args()
    folder = arguments.keep or os.path.join(arguments.build, "test", "scan-differential")
    os.makedirs(folder, exist_ok=True)
    programs = [Program(seed, arguments.per_file, folder)
                for seed in range(arguments.seed, arguments.seed + arguments.count)]
    total, mistakes = collections.Counter(), 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for counts, wrong in pool.map(lambda item: check(item, arguments), programs):
            mistakes += len(wrong)
            total.update(counts)
            print("\n".join(wrong + [str({name: number for name, number in counts.items() if number})]), flush=True)
    verdicts = sum(total[name] for name in VERDICTS)
    if arguments.replay:
        print("%d of %d possible errors confirmed" % (total["confirmed"], total["replayed"]))
    if arguments.runs:
        print("%d runs, %d places reported, %d runs without an end" % (
            total["runs"], total["reported places"], total["runs without an end"]))
    print(", ".join("%s %d" % (name, total[name]) for name in VERDICTS))
    print("%d right, %d wrong" % (verdicts - mistakes, mistakes))
    return 1 if mistakes or not verdicts else 0


if __name__ == "__main__":
    sys.exit(main())
