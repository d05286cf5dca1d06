#!/usr/bin/env python3
"""Tests that random programs which compile without checks also compile with checks, in any mode, at any level.

  random_programs.py [--count N] [--seed S]   N programs (default 40) with seeds S, S + 1, ...; the levels take turns
  random_programs.py --all-levels ...         each program at -O0, -O1, -O2 and -O3

The seed chooses the generator: bst/Inputs/random_ir.py (pointer arithmetic), proof/Inputs/random_loops.py (control
flow with loops and atomics), or ../oracle/proofs/kernels.py (kernels in CUDA C). It also chooses the pass's switches.
Failures are crashes and errors of clang and ptxas, functions that the pass breaks, and steps that take more than
SECONDS of CPU time.

Programs that fail stay in DIR (--keep DIR; default: the build folder). Other options: --build DIR, --jobs N, --json
FILE (the run's command and counts). The last line is "N passed, N failed"."""
import argparse
import collections
import concurrent.futures
import json
import os
import random
import resource
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LEVELS = ("-O2", "-O1", "-O3", "-O0")
SECONDS = 300
IR = ("bst/Inputs/random_ir.py", "proof/Inputs/random_loops.py")
KERNELS = 3  # in a program of kernels.py
WITH_PROOF = "-gasan-mode=bst -gasan-launch-proof=on"
SWITCHES = [WITH_PROOF] * 4 + [WITH_PROOF + " -gasan-%s=false" % name for name in (
    "partial-proof", "index-checks", "batch-checks", "loop-checks", "hoist-checks", "group-checks", "dominated-checks",
    "merged-lookups", "lookup-checks", "callee-lookups", "inline-reports", "static-proof",
    "hidden-arguments")] + [
        "-gasan-mode=bst -gasan-launch-proof=off",
        "-gasan-mode=bst -gasan-tags=on",
        "-gasan-mode=bst -gasan-strict-temporal", "-gasan-mode=shadow", "-gasan-mode=shadow -gasan-granule=8",
        "-gasan-mode=shadow -gasan-pool=handles"]


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(command):
    """Runs a step. Returns what is wrong, or None."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True, errors="replace", preexec_fn=limit)
    if done.returncode == 0:
        return None
    return "%s ended with %d: %s" % (os.path.basename(command[0]), done.returncode, done.stderr[:2000])


class Programs:
    def __init__(self, build, folder):
        with open(os.path.join(build, "test", "config.json"), encoding="utf-8") as file:
            self.config = json.load(file)
        self.folder = folder
        sys.path.insert(0, os.path.join(HERE, "..", "oracle", "proofs"))
        import kernels
        self.kernels = kernels

    def generate(self, seed):
        """Writes a program. Returns the generator's name and the program's path."""
        which = seed % (len(IR) + 1)
        if which == len(IR):
            name, suffix = "kernels.py", ".cu"
            text = self.kernels.programs(range(seed * KERNELS, (seed + 1) * KERNELS))[0]
        else:
            name, suffix = os.path.basename(IR[which]), ".ll"
            text = subprocess.run([sys.executable, os.path.join(HERE, IR[which]), str(seed), "compiles"], check=True,
                                  stdout=subprocess.PIPE, text=True).stdout
        path = os.path.join(self.folder, "program-%d%s" % (seed, suffix))
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return name, path

    def compile(self, path, level, switches):
        """Compiles a program. Returns what is wrong, or None. `switches` is None for a program without checks."""
        cuda, arch, private = self.config["cuda"], self.config["arch"], self.config["private"]
        command = [os.path.join(self.config["llvm"], "bin", "clang++"), "-w", "-fno-crash-diagnostics", level,
                   "--cuda-path=" + cuda, "-S"]
        if path.endswith(".ll"):
            command += ["-x", "ir", "--target=nvptx64-nvidia-cuda", "-march=" + arch, "-Wno-override-module"]
        else:
            command += ["-x", "cuda", "--cuda-device-only", "--offload-arch=" + arch, "-Wno-unknown-cuda-version",
                        "-gline-tables-only"]
        if switches:
            plugin = os.path.join(private, "gasan_pass.so")
            command += ["-fpass-plugin=" + plugin, "-Xclang", "-load", "-Xclang", plugin]
            runtime = "-gasan-device-runtime=" + os.path.join(private, "gasan_device.bc")
            for switch in ["-gasan-instrument", runtime] + switches.split():
                command += ["-mllvm", switch]
            if path.endswith(".cu"):
                command += ["-Xclang", "-fsanitize=address", "-mllvm", "-asan-globals=0",
                            "-mllvm", "-asan-constructor-kind=none"]
        ptx = path + level + ".s"
        try:
            ptxas = [os.path.join(cuda, "bin", "ptxas"), "-c", "-m64", level, "--gpu-name", arch]
            return run(command + ["-o", ptx, path]) or run(ptxas + [ptx, "-o", ptx + ".o"])
        finally:
            for file in (ptx, ptx + ".o"):
                if os.path.exists(file):
                    os.remove(file)

    def check(self, seed, levels):
        """Tests a program. Returns (the generator's name, [(level, switches, outcome, what is wrong)])."""
        name, path = self.generate(seed)
        results = []
        for level in levels:
            switches = random.Random(seed).choice(SWITCHES)
            problem = self.compile(path, level, switches)
            outcome = "compiles"
            if problem:
                outcome = "compiles neither way" if self.compile(path, level, None) else "failed"
            results.append((level, switches, outcome, problem))
        if all(outcome != "failed" for _, _, outcome, _ in results):
            os.remove(path)
        return name, results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all-levels", action="store_true")
    parser.add_argument("--keep", metavar="DIR")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--build", default=os.path.join(HERE, "..", "..", "build"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    folder = os.path.abspath(arguments.keep or os.path.join(arguments.build, "test", "random-programs"))
    os.makedirs(folder, exist_ok=True)
    programs = Programs(arguments.build, folder)
    counts, switches, failures, passed, failed = collections.Counter(), collections.Counter(), [], 0, 0

    def check(seed):
        return programs.check(seed, LEVELS if arguments.all_levels else (LEVELS[seed // (len(IR) + 1) % len(LEVELS)],))
    seeds = range(arguments.seed, arguments.seed + arguments.count)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for seed, (name, results) in zip(seeds, pool.map(check, seeds)):
            for level, chosen, outcome, problem in results:
                counts["%s %s %s" % (name, level, outcome)] += 1
                switches[chosen] += 1
                passed, failed = passed + (outcome == "compiles"), failed + (outcome == "failed")
                if outcome == "failed":
                    failures.append("program-%d %s %s: %s" % (seed, level, chosen, problem))
                    print("FAIL " + failures[-1], flush=True)
            if arguments.json:
                with open(arguments.json, "w", encoding="utf-8") as file:
                    json.dump({"command": "test/pass/random_programs.py " + " ".join(sys.argv[1:]),
                               "programs": seed + 1 - arguments.seed,
                               "compiles": passed, "failed": failed, "failures": failures,
                               "by generator, level and outcome": dict(sorted(counts.items())),
                               "by switches": dict(sorted(switches.items()))}, file, indent=1)
                    file.write("\n")
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
