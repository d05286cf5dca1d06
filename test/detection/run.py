#!/usr/bin/env python3
"""The detection suite: runs each case and its correct twin, and prints the detected cases beside the papers' figures.

  run.py [--device cpu|cuda] [--levels 0,2,3] [--mode bst|shadow] [--sanitizer PATH] [--programs DIR] [OUT.json]

Without --programs this script compiles the programs (--build DIR). On a GPU it also runs the programs of plain clang,
alone and under compute-sanitizer (--sanitizer, else the one on PATH), which gives two more measured columns.

A case is detected if the report has the kind, access, size, place and object of the case's source. A twin must be
silent, have the right results and exit with 0.

missing.txt lists the cases that are not detected yet. A listed case that is detected fails too, so that the list
shrinks; --update-missing writes the list. -v prints the failures' details, --only PART takes the cases whose names
contain PART. The last line is "N passed, N failed"."""
import argparse
import collections
import concurrent.futures
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import cases
import missing
import programs
import table

sys.path.insert(0, os.path.join(programs.ROOT, "bench"))
import measure  # noqa: E402

RUN_SECONDS = 120
SANITIZER_FAILED = 99  # compute-sanitizer's exit code when it finds an error
OTHERS_LEVEL = "2"  # one level is enough for plain programs and compute-sanitizer, which see machine code only

# A program to run. tool: a mode of gasan, "plain", or "sanitizer" for the plain program under compute-sanitizer.
Job = collections.namedtuple("Job", "case tool level fixed")


def execute(command, environment):
    """Runs the program. Returns its exit code, or None, and its standard output and error."""
    try:
        process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
    except OSError as error:
        return None, str(error)
    try:
        output = process.communicate(timeout=RUN_SECONDS)[0]
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return None, process.communicate()[0] + "\nnot done after %d s" % RUN_SECONDS


def judge_bug(case, code, output):
    """Returns (outcome, why). The outcome is detected, missed, broken, or `other`: a report, but not the expected
    one."""
    if "ERROR: AddressSanitizer" in output:
        problem = case.judge(output)
        if problem is None and code == 1:
            return "detected", ""
        return "other", problem or "exit code %s" % code
    if code == 0:
        return "missed", "silent"
    return "broken", "exit code %s: %s" % (code, output.strip()[-300:])


def judge_twin(code, output):
    """Returns (outcome, why). The outcome is silent, alarm (a report), or broken (for example a wrong result)."""
    if code == 0 and not output:
        return "silent", ""
    outcome = "alarm" if "ERROR: AddressSanitizer" in output else "broken"
    return outcome, "exit code %s: %s" % (code, output.strip()[:600])


def judge_other_tool(fixed, code, output):
    """Returns (outcome, why) for a plain program, alone or under compute-sanitizer. Any error counts as detected."""
    if code is None:
        return "broken", output[-300:]
    if fixed:
        return ("silent", "") if code == 0 else ("alarm", output.strip()[:600])
    return ("detected", "") if code != 0 else ("missed", "silent")


class Runner:
    def __init__(self, folder, device, sanitizer):
        self.folder, self.sanitizer = folder, sanitizer
        self.environment = measure.environment(device)

    def run(self, job):
        """Runs the job's program. Returns the job's entry for the results."""
        started = time.monotonic()
        outcome, why = self.judge(job)
        why = re.sub(r"\S*/(?=test/detection/)", "", why)  # the results name no folder of the machine that compiled
        return {"case": job.case.name, "category": job.case.category, "tool": job.tool, "level": job.level,
                "twin": job.fixed, "outcome": outcome, "why": why, "seconds": round(time.monotonic() - started, 2)}

    def judge(self, job):
        mode = "plain" if job.tool == "sanitizer" else job.tool
        program = os.path.join(self.folder, programs.name_of(job.case.source, mode, job.level, job.fixed))
        if not os.path.exists(program):
            return "broken", "does not compile: " + compiler_words(program + ".error")
        command = [program] + job.case.words
        if job.tool == "sanitizer":
            command = [self.sanitizer, "--tool", "memcheck", "--error-exitcode", str(SANITIZER_FAILED)] + command
        code, output = execute(command, self.environment)
        if mode == "plain":
            return judge_other_tool(job.fixed, code, output)
        return judge_twin(code, output) if job.fixed else judge_bug(job.case, code, output)


def compiler_words(path):
    if not os.path.exists(path):
        return "there is no program"
    with open(path, encoding="utf-8") as file:
        return next((line.strip() for line in file if "error" in line), "")


def plan(sources, levels, tools):
    return [Job(case, tool, level, fixed) for source in sources for case in source.cases for tool in tools
            for level in levels_of(tool, levels) for fixed in (False, True) if source.has_plain or tool in cases.MODES]


def levels_of(tool, levels):
    return levels if tool in cases.MODES else [OTHERS_LEVEL]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--levels", default="0,2,3")
    parser.add_argument("--mode", choices=cases.MODES, default="bst")
    parser.add_argument("--sanitizer", default=shutil.which("compute-sanitizer"))
    parser.add_argument("--programs")
    parser.add_argument("--build", default=os.path.join(programs.ROOT, "build"))
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--update-missing", action="store_true")
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("out", nargs="?")
    arguments = parser.parse_args()
    arguments.levels = arguments.levels.split(",")
    return arguments


def main():
    arguments = parse_arguments()
    sources = cases.read_all()
    for source in sources:
        source.cases = [case for case in source.cases if arguments.only in case.name]
    tools = [arguments.mode]
    if arguments.device == "cuda":
        tools += ["plain"] + ["sanitizer"] * bool(arguments.sanitizer)
    folder = arguments.programs
    if not folder:
        folder = os.path.join(os.path.abspath(arguments.build), "test", "detection")
        stems = {source.stem for source in sources if source.cases}
        for mode in tools[:2]:  # the sanitizer runs plain programs
            programs.compile_all(os.path.abspath(arguments.build), folder, arguments.jobs,
                                 levels_of(mode, arguments.levels), mode, stems, arguments.device == "cuda")
    runner = Runner(os.path.abspath(folder), arguments.device, arguments.sanitizer)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = list(pool.map(runner.run, plan(sources, arguments.levels, tools)))

    known = missing.Known(arguments.device)
    ours = [result for result in results if result["tool"] == arguments.mode]
    if arguments.update_missing:
        known.write(ours)
    summary = table.summarise(results)
    print(table.text(summary, arguments.mode))
    if arguments.out:
        measure.write(arguments.out, measure.report(arguments.device, mode=arguments.mode, levels=arguments.levels,
                                                    table=summary, results=results),
                      "Detection", table.text(summary, arguments.mode))
    # missing.txt is for BST mode, which is to detect all cases.
    complaints = [known.complaint(result) for result in ours] if arguments.mode == "bst" else []
    failures = [complaint for complaint in complaints if complaint]
    for line in failures:
        print("FAIL detection/" + line)
    if arguments.verbose:
        for result in ours:
            if result["outcome"] not in ("detected", "silent"):
                print("    %s -O%s%s: %s: %s" % (
                    result["case"], result["level"], " twin" * result["twin"], result["outcome"], result["why"]))
    print("%d passed, %d failed" % (len(ours) - len(failures), len(failures)))
    return 1 if failures or not ours else 0


if __name__ == "__main__":
    sys.exit(main())
