#!/usr/bin/env python3
"""Compares the claims of the launch proof (base/proof_table.h) with brute force. Compiles random kernels (kernels.py)
for a GPU, and evaluates each kernel's claims for random launches. judge.c runs the same kernels' bodies on the host,
thread by thread, and checks that each access is in the claimed range.

  fuzz.py [--count N] [--seed S]   N kernels (default 160) with seeds S, S + 1, ...

A program has --per-file kernels (default 40). The programs take turns at -O2, -O0, -O3 and -O1, and with and without
-fwrapv. Without -fwrapv a signed overflow is undefined, so that judge.c skips threads with one.

With --front-end nvcc, nvcc compiles the kernels to PTX, of which the lifter makes LLVM IR (gasan_pass/lift); there are
no levels, and no -fwrapv. nvcc unrolls loops in other forms than clang.

Programs that fail stay in DIR (--keep DIR; default: the build folder). Other options: --levels -O2,-O3 (instead of
all levels), --wrap yes|no, --build DIR, --jobs N. The last line is "N passed, N failed" and counts the kernels with
claims."""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys

import kernels

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, os.path.dirname(HERE))
import both  # noqa: E402

LEVELS = "-O2,-O0,-O3,-O1"
SECONDS = 600
DEVICE = ("-fsanitize=gpu-address -fsanitize-gpu-address-mode=bst -fsanitize-gpu-address-launch-proof=on "
          "-fsanitize-gpu-address-print-proofs=on -w -fno-finite-loops --cuda-device-only -S -emit-llvm")
HOST = "-O1 -w -fno-finite-loops -D_GNU_SOURCE"
NVCC = "-std=c++17 -w --expt-relaxed-constexpr"
LIFT = ("--target=nvptx64-nvidia-cuda -march=sm_90 -Xclang -target-feature -Xclang +ptx90 -O1 -fpass-plugin={plugin} "
        "-Xclang -load -Xclang {plugin} -mllvm -gasan-instrument -mllvm -gasan-mode=bst -mllvm -gasan-launch-proof=on "
        "-mllvm -gasan-device-runtime={runtime} -mllvm -gasan-print-proofs -mllvm -gasan-lift={ptx} -S -emit-llvm "
        "-x ir /dev/null")
# Half of the programs fuse multiplications and additions on the host, as a GPU does.
PROMISES = {True: ("-fwrapv", "-fwrapv -mfma -ffp-contract=fast"),
            False: ("", "-fsanitize=signed-integer-overflow -fsanitize-minimal-runtime -fno-sanitize-link-runtime")}


def run(command):
    """Runs a command line. Returns its exit code and output."""
    try:
        done = subprocess.run(command.split(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=SECONDS)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        return 124, "stopped after %d s" % SECONDS


def table_of(module):
    """Returns the bytes of __gasan_proofs in LLVM IR, or None."""
    found = re.search(r'^@__gasan_proofs = .*? c"(.*?)", ', module, re.MULTILINE)
    if not found:
        return None
    text = re.sub(r"\\(\\|[0-9A-F]{2})", lambda part: "\\" if part[1] == "\\" else chr(int(part[1], 16)), found[1])
    return text.encode("latin-1")


def checked_anyway(proofs):
    """Returns NAME:ARGUMENT of the accesses that keep their checks, from the output of -print-proofs. Arguments are a0,
    a1, ..., or in lifted code k7_param_0, k7_param_1, ... Accesses to variables are not judged."""
    kernel, result = "", []
    for line in proofs.splitlines():
        kernel = (re.match(r"gasan: kernel (\w+):", line) or ["", kernel])[1]
        if "checked: " in line and not re.search(r"(nothing bounds|nothing shows that) (shared )?variable of ", line):
            argument = re.search(r"checked: nothing bounds (?:a|\w+_param_)(\d) ", line)
            is_field = "an array's index" in line or "shows that the index" in line
            result += ["%s:%s" % (kernel, j) for j in (
                [kernels.TOUCHES] if is_field else argument[1] if argument else range(kernels.TOUCHES))]
    return result


class Fuzzer:
    def __init__(self, builds, folder):
        self.builds, self.folder = builds, folder
        self.c = os.path.join(builds.config["llvm"], "bin", "clang")
        sources = [os.path.join(ROOT, "proof", name) for name in sorted(os.listdir(os.path.join(ROOT, "proof")))
                   if name.endswith(".c")]
        self.common = []
        for source in sources + [os.path.join(ROOT, "base", "check.c"), os.path.join(HERE, "judge.c")]:
            self.common.append(os.path.join(folder, os.path.basename(source)[:-2] + ".o"))
            code, output = run("%s %s -I%s -I%s -c %s -o %s" % (self.c, HOST, ROOT, HERE, source, self.common[-1]))
            if code:
                sys.exit(output)

    def compile(self, name, level, promises):
        """Compiles name.cu to name.ll. Returns the exit code and the output, which has the proofs."""
        if level != "nvcc":
            return run("%s %s %s %s %s.cu -o %s.ll" % (self.builds.command(""), DEVICE, level, promises, name, name))
        config = self.builds.config
        code, output = run("%s/bin/nvcc -arch=sm_90 %s -ptx %s.cu -o %s.ptx" % (config["cuda"], NVCC, name, name))
        if code:
            return code, output
        words = LIFT.format(plugin=os.path.join(config["private"], "gasan_pass.so"),
                            runtime=os.path.join(config["private"], "gasan_device.bc"), ptx=name + ".ptx")
        return run("%s %s -o %s.ll" % (self.c, words, name))

    def check(self, seeds, level, wraps):
        """Returns (lines on failures, the number of kernels that passed, the number that failed)."""
        name = os.path.join(self.folder, "kernels-%d%s%s" % (seeds[0], level, "-wrap" if wraps else ""))
        for text, suffix in zip(kernels.programs(seeds), (".cu", ".c")):
            with open(name + suffix, "w", encoding="utf-8") as file:
                file.write(text)
        device, host = PROMISES[wraps]
        code, proofs = self.compile(name, level, device)
        if code:
            return [name + ".cu does not compile: " + proofs], 0, len(seeds)
        with open(name + ".ll", encoding="latin-1") as file:
            table = table_of(file.read())
        if table is None:
            return [name + ".cu has no claims"], 0, len(seeds)
        with open(name + ".table", "wb") as file:
            file.write(table)
        code, output = run("%s %s %s -I%s -I%s %s.c %s -lpthread -o %s.judge" % (
            self.c, HOST, host, ROOT, HERE, name, " ".join(self.common + ["-lm"]), name))
        if not code:
            rules = "lifted" if level == "nvcc" else "wrap" if wraps else "promise"
            words = [name + ".judge", name + ".table", str(seeds[0]), rules]
            code, output = run(" ".join(words + checked_anyway(proofs)))
        counts = re.search(r"^(\d+) passed, (\d+) failed$", output, re.MULTILINE)
        lines = [line for line in output.splitlines() if not counts or line.startswith(("FAIL", "  "))]
        if not counts or code:
            passed, failed = (int(counts[1]), int(counts[2]) or 1) if counts else (0, len(seeds))
            return ["%s.cu (%s):" % (name, level)] + lines, passed, failed
        for suffix in (".cu", ".c", ".ll", ".ptx", ".table", ".judge"):
            if os.path.exists(name + suffix):
                os.remove(name + suffix)
        return lines, int(counts[1]), 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=160)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--per-file", type=int, default=40)
    parser.add_argument("--levels", default=LEVELS)
    parser.add_argument("--wrap", choices=("yes", "no"))
    parser.add_argument("--front-end", choices=("clang", "nvcc"), default="clang")
    parser.add_argument("--keep", metavar="DIR")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    builds = both.Builds(arguments.build)
    folder = os.path.abspath(arguments.keep or os.path.join(builds.build, "test", "fuzz-proofs"))
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    fuzzer = Fuzzer(builds, folder)
    levels, end = arguments.levels.split(","), arguments.seed + arguments.count
    if arguments.front_end == "nvcc":
        levels, arguments.wrap = ["nvcc"], "no"
    work = []
    for number, first in enumerate(range(arguments.seed, end, arguments.per_file)):
        wraps = arguments.wrap == "yes" if arguments.wrap else number // len(levels) % 2 == 0
        work.append((range(first, min(first + arguments.per_file, end)), levels[number % len(levels)], wraps))
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for lines, good, bad in pool.map(lambda item: fuzzer.check(*item), work):
            passed, failed = passed + good, failed + bad
            for line in lines:
                print("FAIL " * (line[0] == "/") + line, flush=True)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
