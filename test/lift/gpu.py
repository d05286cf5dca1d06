#!/usr/bin/env python3
"""Compares programs of nvcc on a GPU: plain, lifted (PTX to IR to PTX, no checks) and checked by gasan-ptxas.

  gpu.py build [--only PART] [--tools BUILD] FOLDER   here: compiles bench/programs three times, and device-launches.cu
  gpu.py run [--repetitions N] FOLDER [OUT.json]      on a machine with a GPU; it needs Python only

Each program checks its own results. `run` prints the milliseconds of each, the geometric means of the ratios, and for
the detection suite (FOLDER/detection, by test/detection/programs.py --front-end nvcc) the cases without a report and
the correct versions that are not silent."""
import argparse
import concurrent.futures
import json
import math
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "test", "detection"))
import cases  # noqa: E402

FOLDERS = ("dense", "irregular", "shared", "awkward", "everyday")
LAUNCHES = "device-launches"
VARIANTS = ("plain", "lifted", "checked")
SECONDS = 300


def run(command, seconds=SECONDS, **more):
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", timeout=seconds, **more)
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(command, 124, str(error))


def build_one(source, folder, tools, cuda):
    """Compiles one program in all variants. Returns the variants that do not compile, with the compiler's words."""
    name = os.path.splitext(os.path.basename(source))[0]
    nvcc, ours = os.path.join(cuda, "bin", "nvcc"), [os.path.join(tools, "bin", "gasan-nvcc"), "--front-end=nvcc"]
    flags = ["-arch=sm_90", "-std=c++17", "-lineinfo", "--extended-lambda"]
    path = os.path.join(folder, name)
    lifted_object = path + ".o"
    steps = {
        "plain": [([nvcc] + flags + ["-cudart", "shared", source, "-o", path + ".plain"], "")],
        "lifted": [(ours + flags + ["-c", source, "-o", lifted_object], "--strict --no-checks"),
                   ([nvcc] + flags + ["-cudart", "shared", lifted_object, "-o", path + ".lifted"], "")],
        "checked": [(ours + flags + [source, "-o", path + ".checked"], "--strict")]}
    failures = []
    for variant in VARIANTS:
        for command, words in steps[variant]:
            done = run(command, env=dict(os.environ, CUDA_HOME=cuda, GASAN_PTXAS_FLAGS=words))
            if done.returncode:
                failures.append("%s %s: %s" % (name, variant, done.stdout[:600]))
                break
    if os.path.exists(lifted_object):
        os.remove(lifted_object)
    return failures


def build(arguments):
    tools = os.path.abspath(arguments.tools)
    with open(os.path.join(ROOT, "build", "test", "config.json"), encoding="utf-8") as file:
        cuda = json.load(file)["cuda"]
    os.makedirs(arguments.folder, exist_ok=True)
    libraries = os.path.join(arguments.folder, "lib")
    os.makedirs(os.path.join(libraries, "gasan"), exist_ok=True)
    for name in ("libgasan_rt.so", "gasan/llvm-symbolizer-gasan"):
        shutil.copy2(os.path.join(tools, "lib", name), os.path.join(libraries, name))
    sources = [os.path.join(ROOT, "bench", "programs", part, name) for part in FOLDERS
               for name in sorted(os.listdir(os.path.join(ROOT, "bench", "programs", part))) if name.endswith(".cu")]
    sources = [source for source in sources if arguments.only in source]
    command = [os.path.join(tools, "bin", "gasan-nvcc"), "--front-end=nvcc", "-arch=sm_90", "-rdc=true",
               "-fsanitize-gpu-address-devices=cuda", os.path.join(HERE, LAUNCHES + ".cu"), "-o",
               os.path.join(arguments.folder, LAUNCHES)]
    done = run(command, env=dict(os.environ, CUDA_HOME=cuda, GASAN_PTXAS_FLAGS="--strict"))
    if done.returncode:
        print("FAIL %s: %s" % (LAUNCHES, done.stdout[:600]), flush=True)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for failures in pool.map(lambda source: build_one(source, arguments.folder, tools, cuda), sources):
            for failure in failures:
                print("FAIL " + failure, flush=True)


def measure(path, environment, repetitions):
    """Returns the milliseconds, or the reason why there are none."""
    done = run([path, "full"] + ([str(repetitions)] if repetitions else []), env=environment)
    line = next((line for line in done.stdout.splitlines() if line.startswith("{")), None)
    if done.returncode or not line:
        return None, "exit code %d: %s" % (done.returncode, done.stdout[-300:])
    return json.loads(line)["ms"], None


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else float("nan")


def run_programs(folder, environment, repetitions):
    results = {}
    names = sorted(name[:-len(".plain")] for name in os.listdir(folder) if name.endswith(".plain"))
    print("%-24s %10s %10s %10s %8s %8s" % (("program",) + VARIANTS + ("lifted/", "checked/")))
    for name in names:
        row = {}
        for variant in VARIANTS:
            path = os.path.join(folder, name + "." + variant)
            row[variant], why = measure(path, environment, repetitions) if os.path.exists(path) else (None, "missing")
            if why:
                print("FAIL %s %s: %s" % (name, variant, why), flush=True)
        results[name] = row
        times = [row[variant] for variant in VARIANTS]
        if all(times):
            print("%-24s %10.4f %10.4f %10.4f %8.3f %8.3f" % (
                name, *times, times[1] / times[0], times[2] / times[0]), flush=True)
    for variant in VARIANTS[1:]:
        ratios = [row[variant] / row["plain"] for row in results.values() if row[variant] and row["plain"]]
        print("%s over plain: %.3f in the mean of %d programs, worst %.3f" % (
            variant, mean(ratios), len(ratios), max(ratios, default=float("nan"))), flush=True)
    return results


def run_detection(folder, environment):
    found, silent, wrong = 0, 0, []
    for source in cases.read_all():
        for case in source.cases:
            for fixed in (False, True):
                path = os.path.join(folder, "%s-bst-O2%s" % (source.stem, "-fixed" * fixed))
                if not os.path.exists(path):
                    continue
                done = run([path] + case.words, seconds=60, env=environment)
                reports = "ERROR: AddressSanitizer" in done.stdout
                if fixed and not reports and done.returncode == 0:
                    silent += 1
                elif not fixed and reports:
                    found += 1
                else:
                    wrong.append(case.name + (" (correct version): exit code %d" % done.returncode if fixed else ""))
    print("detection: %d reported, %d correct versions silent" % (found, silent))
    for name in wrong:
        print("  not as wanted: " + name)
    return {"reported": found, "silent": silent, "not_as_wanted": wrong}


def run_launches(folder, environment):
    """Kernels that launch kernels: the correct version is silent and right, and the bug is reported in its line."""
    path = os.path.join(folder, LAUNCHES)
    right, wrong = run([path], env=environment), run([path, "bug"], env=environment)
    with open(os.path.join(HERE, LAUNCHES + ".cu"), encoding="utf-8") as file:
        line = next(number for number, text in enumerate(file, 1) if "// the bug" in text)
    results = {"silent": right.returncode == 0 and right.stdout == "right\n",
               "reported": "heap-buffer-overflow" in wrong.stdout,
               "line": "%s.cu:%d" % (LAUNCHES, line) in wrong.stdout}
    print("%s: %s" % (LAUNCHES, results))
    if not all(results.values()):
        print(right.stdout[-600:] + wrong.stdout[-1200:])
    return results


def run_all(arguments):
    folder = os.path.abspath(arguments.folder)
    libraries = os.path.join(folder, "lib")
    paths = [libraries, "/usr/local/cuda/lib64"] + os.environ.get("LD_LIBRARY_PATH", "").split(":")
    environment = dict(os.environ, LD_LIBRARY_PATH=":".join(filter(None, paths)), GASAN_OPTIONS="device=cuda")
    results = {"programs": run_programs(folder, environment, arguments.repetitions)}
    if os.path.exists(os.path.join(folder, LAUNCHES)):
        results[LAUNCHES] = run_launches(folder, environment)
    detection = os.path.join(folder, "detection")
    if os.path.isdir(detection):
        results["detection"] = run_detection(detection, environment)
    if arguments.out:
        with open(arguments.out, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("build", "run"))
    parser.add_argument("--only", default="")
    parser.add_argument("--tools", default=os.path.join(ROOT, "build"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--repetitions", type=int, default=0)
    parser.add_argument("folder")
    parser.add_argument("out", nargs="?")
    arguments = parser.parse_args()
    (build if arguments.action == "build" else run_all)(arguments)


if __name__ == "__main__":
    main()
