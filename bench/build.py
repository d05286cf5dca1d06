#!/usr/bin/env python3
"""Compiles benchmarks, plain and instrumented, with the same flags but for the sanitizer.

  bench/build.py [--build DIR] [--jobs N] [--only PATTERN] OUT

OUT/kernels-plain, OUT/footprint/bfs-shadow256, ...; PATTERN is a shell pattern for such names.
"""
import argparse
import concurrent.futures
import fnmatch
import glob
import json
import os
import subprocess
import sys

BENCH = os.path.dirname(os.path.abspath(__file__))
CUDA_LIBRARY_FOLDERS = ("lib64", "lib", "targets/x86_64-linux/lib")
SANITIZE = "-fsanitize=gpu-address"
ON_GPU = ["-O3", "-Wno-unknown-cuda-version"]
SPEED = [SANITIZE, "-O2", "-Xarch_host", "-march=x86-64-v3"]
GRANULES = (128, 256)
BST = [SANITIZE, "-fsanitize-gpu-address-mode=bst"]
PLAIN_AND_GASAN = {"plain": ON_GPU, "gasan": ON_GPU + [SANITIZE]}


def shadow(granule):
    return [SANITIZE, "-fsanitize-gpu-address-mode=shadow", "-fsanitize-gpu-address-granule=%d" % granule]


FOOTPRINT = dict({"plain": ON_GPU}, **{
    "shadow%d" % granule: ON_GPU + shadow(granule) for granule in GRANULES})
KERNELS = {"plain": ON_GPU, "bst": ON_GPU + BST, "bstsingle": ON_GPU + BST + ["-fsanitize-gpu-address-group-checks=off"],
           "shadow8": ON_GPU + shadow(8), "shadow128": ON_GPU + shadow(128),
           "shadow256": ON_GPU + shadow(256)}
WORKLOADS = sorted(os.path.splitext(os.path.basename(path))[0] for path in glob.glob(os.path.join(BENCH, "footprint", "*.cu")))

# Source without .cu -> {variant: flags}.
BENCHMARKS = dict({
    "kernels": KERNELS,
    "cpu/speed": {"plain": SPEED, "checked": SPEED + ["-DCHECKED"]},
    "throughput/throughput": PLAIN_AND_GASAN,
}, **{"footprint/" + workload: FOOTPRINT for workload in WORKLOADS})


def compile_one(build, config, out, source, variant, flags):
    """The compiler's complaint, or None."""
    program = os.path.join(out, "%s-%s" % (source, variant))
    os.makedirs(os.path.dirname(program), exist_ok=True)
    command = [os.path.join(build, "bin", "gasan-clang++")] + flags
    command += ["--offload-arch=" + config["arch"], "--cuda-path=" + config["cuda"], os.path.join(BENCH, source + ".cu")]
    command += ["-L" + os.path.join(config["cuda"], folder) for folder in CUDA_LIBRARY_FOLDERS] + ["-lcudart"]
    done = subprocess.run(command + ["-o", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return "%s does not compile:\n%s" % (program, done.stdout) if done.returncode != 0 else None


def compile_all(build, out, jobs, only="*"):
    """Complaints, one a program that does not compile."""
    with open(os.path.join(build, "test", "config.json"), encoding="utf-8") as file:
        config = json.load(file)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        done = [pool.submit(compile_one, build, config, out, source, variant, flags)
                for source, variants in BENCHMARKS.items() for variant, flags in variants.items()
                if fnmatch.fnmatch("%s-%s" % (source, variant), only)]
    return [one.result() for one in done if one.result()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(os.path.dirname(BENCH), "build"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="*")
    parser.add_argument("out")
    arguments = parser.parse_args()
    complaints = compile_all(os.path.abspath(arguments.build), arguments.out, arguments.jobs, arguments.only)
    print("\n".join(complaints), end="")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
