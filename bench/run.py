#!/usr/bin/env python3
"""What -fsanitize=gpu-address costs: runs the plain and the instrumented programs alternately and compares them.

  run.py [--memcheck] [--rounds N] [--elements N] [--device cuda|cpu] [--programs DIR] OUT.json

Needs python3, a GPU and the programs that `make dist` puts beside this file: the plain one and one for each kind of check
(bench/build.py). With --device cpu only the instrumented ones can run; that shows that the harness works, its times say nothing. --memcheck also runs
compute-sanitizer's memcheck on the plain program, if it is on PATH: each kernel once after one warm-up, all kernels
within --memcheck-seconds.
"""
import argparse
import glob
import math
import os
import shutil
import statistics
import sys
import time

import measure
from measure import ProgramError, cell

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM_SECONDS = 300
ELEMENTS = {"cuda": 96 << 20, "cpu": 1 << 14}
PLAIN = "plain"
FAILED = 99  # compute-sanitizer's exit code when it finds an error


def run_alternately(programs, rounds, elements, env):
    """{program: {kernel: median of the rounds in ms}}. Alternately, so that a drift of the clocks meets both alike."""
    times = {name: [] for name in programs}
    for index in range(rounds):
        for name, program in programs.items():
            print("round %d of %d: %s" % (index + 1, rounds, name), file=sys.stderr)
            try:
                times[name].append(measure.run([program, str(elements)], env, PROGRAM_SECONDS))
            except ProgramError as error:
                sys.exit("bench: %s: %s" % (program, error))
    return {name: {kernel: statistics.median(run[kernel] for run in runs) for kernel in runs[0]}
            for name, runs in times.items()}


def run_memcheck(program, kernels, elements, env, seconds):
    """{kernel: ms} of the kernels that were done in time, and why the others are missing."""
    tool = shutil.which("compute-sanitizer")
    if not tool:
        return {}, "compute-sanitizer is not on PATH"
    times, missing = {}, []
    deadline = time.monotonic() + seconds
    for kernel in kernels:
        left = deadline - time.monotonic()
        print("memcheck: %s" % kernel, file=sys.stderr)
        try:
            if left <= 0:
                raise ProgramError("the %d s for memcheck were over" % seconds)
            command = [tool, "--tool", "memcheck", "--error-exitcode", str(FAILED)]
            times.update(measure.run(command + [program, str(elements), kernel, "1", "1"], env, left))
        except ProgramError as error:
            missing.append("%s: %s" % (kernel, error))
    return times, "; ".join(missing) or None


def geometric_mean(ratios):
    return math.exp(statistics.fmean(math.log(ratio) for ratio in ratios)) if ratios else None


def compare(times, memcheck):
    """{kernel: {"plain_ms", "memcheck_ratio", "variants": {variant: {"ms", "ratio"}}}}"""
    results = {}
    plain = times.get(PLAIN, {})
    for variant in times:
        if variant == PLAIN:
            continue
        for kernel, ms in times[variant].items():
            result = results.setdefault(kernel, {"plain_ms": plain.get(kernel), "variants": {}})
            result["variants"][variant] = {"ms": ms, "ratio": ms / plain[kernel] if plain.get(kernel) else None}
            if plain.get(kernel) and kernel in memcheck:
                result["memcheck_ratio"] = memcheck[kernel] / plain[kernel]
    return results


def summarize(ratios):
    """{kernel: ratio} -> means. The launch alone says nothing of the checks' cost, so there is a mean without it too."""
    known = {kernel: ratio for kernel, ratio in ratios.items() if ratio}
    return {"all": geometric_mean(list(known.values())),
            "without_empty": geometric_mean([ratio for kernel, ratio in known.items() if kernel != "empty"])}


def summaries(results, variants):
    means = {variant: summarize({kernel: result["variants"].get(variant, {}).get("ratio") for kernel, result in results.items()})
             for variant in variants}
    means["memcheck"] = summarize({kernel: result.get("memcheck_ratio") for kernel, result in results.items()})
    return means


def table(report):
    variants = report["variants"]
    lines = ["| kernel | plain, ms | " + " | ".join(variants) + " | memcheck |", "|---|--:|" + "--:|" * (len(variants) + 1)]
    for kernel, result in report["results"].items():
        ratios = [cell(result["variants"].get(variant, {}).get("ratio"), "%.2f") for variant in variants]
        lines.append("| %s | %s | %s | %s |" % (kernel, cell(result["plain_ms"], "%.4f"), " | ".join(ratios),
                                                cell(result.get("memcheck_ratio"), "%.1f")))
    for key, title in (("all", "geometric mean"), ("without_empty", "geometric mean without empty")):
        means = [report["geometric_mean"][name][key] for name in variants + ["memcheck"]]
        formats = ["%.2f"] * len(variants) + ["%.1f"]
        lines.append("| %s | | %s |" % (title, " | ".join(cell(mean, form) for mean, form in zip(means, formats))))
    return "\n".join(lines)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--elements", type=int,
                        help="words in each of the four arrays (default: 96 Mi; on the CPU device 16 Ki)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memcheck", action="store_true")
    parser.add_argument("--memcheck-seconds", type=int, default=120)
    parser.add_argument("--programs", default=HERE, help="folder of kernels-plain, kernels-bst, ...")
    parser.add_argument("--variants", type=lambda text: text.split(","), help="default: all there are")
    parser.add_argument("out")
    arguments = parser.parse_args()
    arguments.elements = arguments.elements or ELEMENTS[arguments.device]
    return arguments


def main():
    arguments = parse_arguments()
    env = measure.environment(arguments.device)
    found = sorted(path.rsplit("-", 1)[1] for path in glob.glob(os.path.join(arguments.programs, "kernels-*")))
    variants = arguments.variants or [variant for variant in found if variant != PLAIN]
    if not variants:
        sys.exit("bench: no programs in %s" % arguments.programs)
    programs = {name: os.path.join(arguments.programs, "kernels-" + name) for name in [PLAIN] + variants}
    if arguments.device == "cpu":
        print("bench: the plain program needs a GPU and is skipped: there are no ratios", file=sys.stderr)
        del programs[PLAIN]
    times = run_alternately(programs, arguments.rounds, arguments.elements, env)
    memcheck, missing = {}, None
    if arguments.memcheck and PLAIN in programs:
        memcheck, missing = run_memcheck(programs[PLAIN], times[PLAIN], arguments.elements, env,
                                         arguments.memcheck_seconds)
    results = compare(times, memcheck)
    report = measure.report(
        arguments.device, elements=arguments.elements, rounds=arguments.rounds, variants=variants, results=results,
        geometric_mean=summaries(results, variants))
    if missing:
        report["memcheck_missing"] = missing
        print("bench: memcheck: %s" % missing, file=sys.stderr)
    measure.write(arguments.out, report)
    print(table(report))


if __name__ == "__main__":
    main()
