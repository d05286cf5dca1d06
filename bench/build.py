#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the benchmarks, plain and instrumented. The flags of both differ in the sanitizer only.

  bench/build.py [--build DIR] [--jobs N] [--only PATTERN] [--unproven] OUT

Writes OUT/programs/triad-plain, OUT/footprint/bfs-shadow256, and so on. PATTERN is a shell pattern for such names. Also
writes OUT/programs/built.json for bench/run.py: the programs' groups and variants, and each kernel's registers, stack
and spills as ptxas prints them. --unproven adds the set "unproven" of bench/variants.py.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import glob
import json
import os
import re
import subprocess
import sys

import variants
from variants import SANITIZE

BENCH = os.path.dirname(os.path.abspath(__file__))
CUDA_LIBRARY_FOLDERS = ("lib64", "lib", "targets/x86_64-linux/lib")
ON_GPU = ["-O3", "-Wno-unknown-cuda-version"]
SPEED = [SANITIZE, "-fsanitize-gpu-address-devices=cpu", "-O2", "-Xarch_host", "-march=x86-64-v3"]
GRANULES = (128, 256)
PLAIN_AND_GASAN = {"plain": ON_GPU, "gasan": ON_GPU + [SANITIZE]}
FOOTPRINT = dict({"plain": ON_GPU, "bst": ON_GPU + variants.BST}, **{
    "shadow%d" % granule: ON_GPU + variants.shadow(granule) for granule in GRANULES})
GROUPS = ("dense", "irregular", "shared", "awkward", "everyday")

# out and source have no suffix and are relative to OUT and to bench/.
Job = collections.namedtuple("Job", "out source variant flags")


def sources(folder):
    """Returns the paths, relative to bench/ and without .cu, of the sources in a folder."""
    return sorted(os.path.join(folder, os.path.splitext(os.path.basename(path))[0])
                  for path in glob.glob(os.path.join(BENCH, folder, "*.cu")))


def savings():
    """Returns {name: description} of the savings of mode=bst."""
    with open(os.path.join(os.path.dirname(BENCH), "gasan_pass", "savings.inc"), encoding="utf-8") as file:
        text = re.sub(r'"\s*\n\s*"', "", file.read())
    return dict(re.findall(r'^GASAN_SAVING\(\w+,\s*"([^"]+)",\s*"([^"]*)"\)$', text, re.MULTILINE))


def programs():
    """Returns {name: source} of the programs that bench/run.py measures."""
    return {os.path.basename(source): source for group in GROUPS for source in sources(os.path.join("programs", group))}


def all_jobs(unproven):
    jobs = [Job("cpu/speed", "cpu/speed", "plain", SPEED),
            Job("cpu/speed", "cpu/speed", "checked", SPEED + ["-DCHECKED"])]
    lookup = {"plain": ON_GPU, "bst": ON_GPU + variants.BST}
    launch = {"plain": ON_GPU, "bst": ON_GPU + variants.BST}
    several = [("throughput/throughput", PLAIN_AND_GASAN), ("lookup/lookup", lookup), ("launch/launch", launch)]
    for source, flags in several + [(source, FOOTPRINT) for source in sources("footprint")]:
        jobs += [Job(source, source, variant, flags[variant]) for variant in flags]
    for name, source in programs().items():
        # -v: ptxas prints what built.json needs. -s: nobody debugs these programs.
        jobs += [Job("programs/" + name, source, variant, ON_GPU + ["-Xcuda-ptxas", "-v", "-s"] + what.flags)
                 for variant, what in variants.table(savings()).items()
                 if not what.binary and (unproven or what.base != "unproven")]
    return jobs


def compile_one(build, config, out, job, prepare):
    """Returns whether the program compiles, and the compiler's output."""
    program = os.path.join(out, "%s-%s" % (job.out, job.variant))
    os.makedirs(os.path.dirname(program), exist_ok=True)
    command = [os.path.join(build, "bin", "gasan-clang++")] + job.flags
    command += ["--offload-arch=" + config["arch"], "--cuda-path=" + config["cuda"]]
    # Where CUDA 13 has CUB. nvcc adds this folder, and gasan-clang++ adds it only with the sanitizer.
    command += ["-idirafter", os.path.join(config["cuda"], "include", "cccl")]
    command += [os.path.join(BENCH, job.source + ".cu")]
    command += ["-L" + os.path.join(config["cuda"], folder) for folder in CUDA_LIBRARY_FOLDERS] + ["-lcudart"]
    command += ["-o", program]
    done = subprocess.run(prepare(command), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode == 0, done.stdout


PTXAS_KERNEL = re.compile(
    r"Compiling entry function '(\w+)'.*?\n.*?Function properties for \1\n"
    r"\s*(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads\n.*?Used (\d+) registers",
    re.DOTALL)

VARIANT_PREFIXES = {"__gasan_proven_": variants.PROVEN, "__gasan_bounded_": variants.PROVEN_IN_PART}


def short_name(mangled):
    """Returns a kernel's name as the source has it. The kernels are in no namespace."""
    found = re.match(r"_ZL?(\d+)(\w+)", mangled)
    return found.group(2)[:int(found.group(1))] if found else mangled


def resources(output):
    """Returns {kernel: {"registers", "stack_bytes", "spill_store_bytes", "spill_load_bytes"}} from the output of
    ptxas -v.

    Leaves out the kernel that makes inputs. The names of variants for launches that are proven, or proven in part,
    begin with PROVEN or PROVEN_IN_PART.
    """
    found = {}
    for name, stack, stores, loads, registers in PTXAS_KERNEL.findall(output):
        prefix = next((prefix for prefix in VARIANT_PREFIXES if name.startswith(prefix)), "")
        kernel = short_name(name.removeprefix(prefix))
        if kernel != "make_elements":
            found[VARIANT_PREFIXES.get(prefix, "") + kernel] = {
                "registers": int(registers), "stack_bytes": int(stack),
                "spill_store_bytes": int(stores), "spill_load_bytes": int(loads)}
    return found


def what_it_is(source):
    """Returns the first line of the comment that describes the program."""
    with open(os.path.join(BENCH, source + ".cu"), encoding="utf-8") as file:
        return next(line.lstrip("/ ").rstrip() for line in file if line.startswith("//"))


def describe_programs(done, arch, folder):
    """Writes built.json. `done`: [(job, the compiler's output)]. Programs compiled earlier keep their entries in the
    file."""
    path = os.path.join(folder, "built.json")
    kernels = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            kernels = {name: program["kernels"] for name, program in json.load(file)["programs"].items()}
    for job, output in done:
        kernels.setdefault(os.path.basename(job.out), {})[job.variant] = resources(output)
    described = {name: {"group": source.split("/")[1], "what": what_it_is(source), "kernels": kernels[name]}
                 for name, source in programs().items() if name in kernels}
    compiled = {variant for built in kernels.values() for variant in built}
    known = variants.table(savings())
    contents = {"arch": arch, "programs": described,
                "variants": {name: what._asdict() for name, what in known.items() if (what.binary or name) in compiled}}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(contents, file, indent=1)


def compile_all(build, out, jobs, only="*", unproven=False, prepare=list):
    """Compiles the programs. Returns a complaint for each that does not compile. `prepare` may change a command
    line."""
    with open(os.path.join(build, "test", "config.json"), encoding="utf-8") as file:
        config = json.load(file)
    wanted = [job for job in all_jobs(unproven) if fnmatch.fnmatch("%s-%s" % (job.out, job.variant), only)]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = list(zip(wanted, pool.map(lambda job: compile_one(build, config, out, job, prepare), wanted)))
    done = [(job, output) for job, (compiles, output) in results if compiles and job.out.startswith("programs/")]
    if done:
        describe_programs(done, config["arch"], os.path.join(out, "programs"))
    return ["%s-%s does not compile:\n%s" % (job.out, job.variant, output)
            for job, (compiles, output) in results if not compiles]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(os.path.dirname(BENCH), "build"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="*")
    parser.add_argument("--unproven", action="store_true")
    parser.add_argument("out")
    arguments = parser.parse_args()
    complaints = compile_all(os.path.abspath(arguments.build), arguments.out, arguments.jobs, arguments.only,
                             arguments.unproven)
    print("\n".join(complaints), end="")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
