#!/usr/bin/env python3
"""The detection suite: runs each case and its correct twin, and prints what was detected, beside the papers' figures.

  run.py [--device cpu|cuda] [--levels 0,2,3] [--mode bst|shadow] [--sanitizer PATH] [--programs DIR] [OUT.json]

Without --programs the programs are compiled here (--build DIR). On a GPU, programs of plain clang are run too, alone and under
compute-sanitizer (--sanitizer, else the one on PATH), and fill two columns by measurement. Detected is a report with the kind,
access, size, place and object that the case's source asks for. A twin must be silent, end with 0 and compute what is right.

missing.txt lists what is known not to be detected; a listed case that is detected fails, too, so that the list shrinks
(--update-missing writes it). -v: what went wrong, each; --only PART: cases whose names contain it; --jobs N.
The last line is "N passed, N failed"."""
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
OTHERS_LEVEL = "2"     # plain programs and compute-sanitizer see machine code, so one level tells enough

# Which program: `tool` is a mode of gasan, "plain", or "sanitizer" for the plain program under compute-sanitizer.
Job = collections.namedtuple("Job", "case tool level fixed")


def execute(command, environment):
    """(exit code or None, standard output and error)"""
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
    """(outcome, why): detected; other: a report that is not the right one; missed; broken."""
    if "ERROR: AddressSanitizer" in output:
        problem = case.judge(output)
        if problem is None and code == 1:
            return "detected", ""
        return "other", problem or "exit code %s" % code
    if code == 0:
        return "missed", "silent"
    return "broken", "exit code %s: %s" % (code, output.strip()[-300:])


def judge_twin(code, output):
    """silent; alarm: a report; broken: anything else, as a wrong result."""
    if code == 0 and not output:
        return "silent", ""
    return "alarm" if "ERROR: AddressSanitizer" in output else "broken", "exit code %s: %s" % (code, output.strip()[:600])


def judge_other_tool(fixed, code, output):
    """Of plain programs and compute-sanitizer: any error counts."""
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
        """What the results keep of a job."""
        started = time.monotonic()
        outcome, why = self.judge(job)
        why = re.sub(r"\S*/(?=test/detection/)", "", why)  # where it was compiled says nothing here
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
            programs.compile_all(os.path.abspath(arguments.build), folder, arguments.jobs, levels_of(mode, arguments.levels), mode,
                                 stems, arguments.device == "cuda")
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
    # missing.txt is about the mode that is to detect all of them.
    failures = [line for result in ours for line in [known.complaint(result)] if line] if arguments.mode == "bst" else []
    for line in failures:
        print("FAIL detection/" + line)
    if arguments.verbose:
        for result in ours:
            if result["outcome"] not in ("detected", "silent"):
                print("    %s -O%s%s: %s: %s" % (result["case"], result["level"], " twin" * result["twin"], result["outcome"],
                                               result["why"]))
    print("%d passed, %d failed" % (len(ours) - len(failures), len(failures)))
    return 1 if failures or not ours else 0


if __name__ == "__main__":
    sys.exit(main())
