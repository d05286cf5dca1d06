#!/usr/bin/env python3
"""Whole-program tests. What a test file says is described in plan.py.

  run.py test [NAME...]     build and run on the CPU device (NAME: a part of a test's name)
  run.py build [NAME...]    compile all programs and write the manifest
  run.py run [NAME...]      run what the manifest lists; on a machine without compilers too
  run.py list

Options: --build DIR (the build folder, or a folder made by `make dist`), --device cpu|cuda, --jobs N, --json FILE (the
results), --update-golden (writes the golden files from this run), -v (whole outputs of failing tests), --mode shadow|bst|tags
(what checks are, in tests that do not choose it; their reports are then not compared with golden files, which have the default mode's).
"""
import argparse
import concurrent.futures
import ctypes
import datetime
import functools
import glob
import json
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import golden  # noqa: E402
import plan  # noqa: E402
from check import CheckError, check  # noqa: E402
from headers import Headers  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
SOURCE = os.path.dirname(TESTS)
ROOTS = ("run", "cpu", "samples")  # the folders of test/ that hold whole programs
SUFFIXES = (".cu", ".cpp", ".test")
MODE_FLAGS = {"shadow": "-fsanitize-gpu-address-mode=shadow", "bst": "-fsanitize-gpu-address-mode=bst",
              "tags": "-fsanitize-gpu-address-tags"}
# Tests that name one of these have a reason.
MODE_CHOICES = tuple("-fsanitize-gpu-address-" + name for name in ("mode=", "tags", "granule=", "pool=", "checks="))
STEP_SECONDS = 300
KEPT_OUTPUT = 200000


# ---------------------------------------------------------------- finding tests

def find_tests(filters):
    """Names relative to test/. Files in folders named inputs are parts of other tests."""
    names = []
    for root in ROOTS:
        for folder, folders, files in os.walk(os.path.join(TESTS, root)):
            folders[:] = sorted(f for f in folders if f not in ("inputs", "golden", "expected", "__pycache__"))
            for file in sorted(files):
                name = os.path.relpath(os.path.join(folder, file), TESTS)
                if file.endswith(SUFFIXES) and matches(name, filters):
                    names.append(name)
    return names


def matches(name, filters):
    return not filters or any(part in name for part in filters)


def read_text(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def write_text(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


# ---------------------------------------------------------------- building

def programs_folder(mode):
    """Of build/test: where the programs lie."""
    return "programs-" + mode if mode else "programs"


def manifest_file(build, mode):
    return os.path.join(build, "test", programs_folder(mode), "manifest.json")


class Builder:
    folder = programs_folder(None)
    headers = None
    seconds = 900  # for one command; what takes longer is a test that failed

    def __init__(self, build, mode=None, for_gpu=False):
        self.build = build
        self.mode = mode
        self.folder = programs_folder(mode)
        self.config = json.loads(read_text(os.path.join(build, "test", "config.json")))
        wrapper = os.path.join(build, "bin", "gasan-clang")
        flags = " -fsanitize=gpu-address -g --offload-arch=" + self.config["arch"]
        if not for_gpu:  # that ptxas accepts the code is all that matters then
            flags += " -Xcuda-ptxas -O0"
        if not for_gpu:
            self.headers = Headers(build, self.config)
        self.commands = [
            ("%gasan_clang", wrapper + flags),
            ("%gasan", wrapper + "++" + flags),
            ("%clangxx", os.path.join(self.config["llvm"], "bin", "clang++")),
            ("%cuda", self.config["cuda"]),
        ]
        private = self.config["private"]
        tools = [os.path.join(private, name) for name in sorted(os.listdir(private))] if os.path.isdir(private) else []
        self.tool_stamps = stamps([wrapper, wrapper + "++"] + tools)

    def build_test(self, name):
        """Compiles one test's programs unless they are up to date; the test as the manifest keeps it."""
        path = os.path.join(TESTS, name)
        test = self.read(name, read_text(path))
        for step in test["run"]:
            step["command"] = [self.place(word, name) for word in step["command"]]
            step["log"] = self.place(step["log"], name) if step["log"] else None
            step["options"] = {key: self.place(value, name) for key, value in step["options"].items()}
        lines = [self.expand(self.place(line, name)) for line in self.in_mode(test, test.pop("build"))]
        out = os.path.dirname(fill("{build}/" + self.own_path(name), self.build, SOURCE))
        os.makedirs(out, exist_ok=True)
        key = json.dumps([lines, self.tool_stamps, stamps(self.inputs(path))])
        key_file = os.path.join(out, "built.json")
        test["build_error"] = None
        if os.path.exists(key_file) and read_text(key_file) == key:
            return test
        for line in lines:
            code, output, errors = execute(["/bin/sh", "-c", line], None, out, self.seconds)
            if code != 0:
                test["build_error"] = "does not compile (%s): %s\n%s" % (code, line, output + errors)
                return test
        write_text(key_file, key)
        return test

    def in_mode(self, test, lines):
        if self.mode is None or any(choice in line for line in lines for choice in MODE_CHOICES):
            return lines
        for step in test["run"]:
            step["golden"] = False
        return [re.sub(r"%gasan(_clang)?\b", lambda found: "%s %s" % (found.group(0), MODE_FLAGS[self.mode]), line)
                for line in lines]

    def read(self, name, source):
        return plan.read(name, source)

    def own_path(self, name):
        stem = os.path.splitext(name)[0]
        return "test/%s/%s/%s" % (self.folder, stem, os.path.basename(stem))

    def place(self, text, name):
        """Placeholders that a carried test keeps: {source} and {build} become folders when it runs."""
        folder = os.path.dirname(name)
        for short, long in (("%examples", "{source}/examples"), ("%s", "{source}/test/" + name),
                            ("%S", "{source}/test/" + folder), ("%t", "{build}/" + self.own_path(name))):
            text = text.replace(short, long)
        return text

    def expand(self, line):
        for name, command in self.commands:
            line = line.replace(name, command)
        line = fill(line, self.build, SOURCE)
        return " ".join(self.headers.included(line.split())) if self.headers else line

    def inputs(self, path):
        folders = [os.path.join(os.path.dirname(path), "inputs"), os.path.join(TESTS, "cpu", "inputs"),
                   os.path.join(SOURCE, "examples")]
        return [path] + [file for folder in folders for file in sorted(glob.glob(folder + "/**/*", recursive=True))]


def stamps(paths):
    return [[path, os.stat(path).st_mtime_ns] for path in paths if os.path.isfile(path)]


def fill(text, build, source):
    return text.replace("{build}", build).replace("{source}", source)


def build_all(build, filters, jobs, mode, for_gpu):
    builder = Builder(build, mode, for_gpu)
    names = find_tests(filters)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        tests = list(pool.map(builder.build_test, names))
    manifest = {"build": build, "tests": tests}
    if not filters:
        write_text(manifest_file(build, mode), json.dumps(manifest, indent=1) + "\n")
    return manifest


# ---------------------------------------------------------------- running

@functools.lru_cache(None)
def device_count(device):
    """How many devices of the kind the programs find."""
    count = ctypes.c_int(1)
    if device == "cuda":
        driver = ctypes.CDLL("libcuda.so.1")
        if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
            return 0
    return count.value


class Runner:
    def __init__(self, build, manifest, device, update_golden):
        self.build = build
        self.device = device
        self.update_golden = update_golden
        # Programs that were carried here look for the runtime where they were built.
        self.carried = os.path.realpath(manifest["build"]) != os.path.realpath(build)

    def run_test(self, test):
        """{"name", "ok", "skipped", "detail", "seconds", "steps": [output of each]}"""
        started, steps = time.time(), []
        result = {"name": test["name"], "ok": True, "skipped": False, "detail": ""}
        if test["device"] not in (None, self.device):
            result["skipped"] = True
        elif test["build_error"]:
            result.update(ok=False, detail=test["build_error"])
        elif test["devices"] > device_count(self.device):
            result.update(skipped=True, detail="needs %d devices, there is %d" % (test["devices"], device_count(self.device)))
        else:
            for number, step in enumerate(test["run"]):
                output = self.run_step(test, number, step)
                steps.append(output)
                if output["problem"]:
                    result.update(ok=False, detail="%s\n  command: %s" % (output["problem"], output["command"]))
                    break
        result.update(seconds=round(time.time() - started, 2), steps=steps)
        return result

    def run_step(self, test, number, step):
        command = [fill(word, self.build, SOURCE) for word in step["command"]]
        options = dict({"device": self.device}, **step["options"])
        text = ":".join("%s=%s" % (key, fill(value, self.build, SOURCE)) for key, value in options.items())
        log = fill(step["log"], self.build, SOURCE) if step["log"] else None
        for path in glob.glob(log) if log else []:
            os.remove(path)
        environment = dict(os.environ, GASAN_OPTIONS=text, **step["environment"])
        if test["devices"] == 1:  # what it expects of handles and reports is a machine's with one GPU
            environment["CUDA_VISIBLE_DEVICES"] = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0]
        if self.carried:
            library = os.path.join(self.build, "lib")
            environment["LD_LIBRARY_PATH"] = library + ":" + environment.get("LD_LIBRARY_PATH", "")
        code, output, errors = execute(command, environment)
        try:
            self.judge(test, number, step, code, output, errors, log)
            problem = None
        except CheckError as error:
            problem = str(error)
        shown = "GASAN_OPTIONS=%s %s" % (text, " ".join(command))
        return {"command": shown, "exit": code, "problem": problem, "stdout": output[-KEPT_OUTPUT:],
                "stderr": errors[-KEPT_OUTPUT:]}

    def judge(self, test, number, step, code, output, errors, log):
        if code != step["exit"]:
            raise CheckError("exit code is %s, not %d" % (code, step["exit"]))
        if step["silent"] and errors:
            raise CheckError("standard error is not empty: " + errors.strip().split("\n")[0])
        if step["check"]:
            text = "".join(read_text(path) for path in sorted(glob.glob(log))) if log else output + errors
            check(read_text(os.path.join(TESTS, test["name"])), text, step["check"])
        if step["golden"]:
            self.compare_golden(golden_file(self.device, test["name"], number), errors)
        if step["same"]:
            self.compare_same(expected_file(test["name"], number), output)

    def compare_same(self, path, output):
        if self.update_golden:
            write_text(path, output)
            return
        if not os.path.exists(path):
            raise CheckError("no file %s (write it with --update-golden)" % os.path.relpath(path, SOURCE))
        difference = golden.first_difference(read_text(path), output)
        if difference:
            raise CheckError("standard output is not %s: %s" % (os.path.relpath(path, SOURCE), difference))

    def compare_golden(self, path, report):
        if self.update_golden:
            write_text(path, golden.normalise(report))
            return
        if not os.path.exists(path):
            raise CheckError("no golden file %s (write it with --update-golden)" % os.path.relpath(path, SOURCE))
        difference = golden.difference(read_text(path), report)
        if difference:
            raise CheckError("the report is not the one in %s: %s" % (os.path.relpath(path, SOURCE), difference))


def golden_file(device, name, number):
    return os.path.join(HERE, "golden", device, recorded_name(name, number))


def expected_file(name, number):
    """One file for all devices."""
    return os.path.join(TESTS, name.split("/", 1)[0], "expected", recorded_name(name, number))


def recorded_name(name, number):
    stem = os.path.splitext(name.split("/", 1)[1])[0].replace("/", ".")
    return stem + ("" if number == 0 else ".%d" % number) + ".txt"


def execute(command, environment, folder=None, seconds=STEP_SECONDS):
    """(exit code, or a word for how it ended, standard output, standard error). Ends what hangs, children included."""
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, errors="replace", env=environment, cwd=folder, start_new_session=True)
    except OSError as error:
        return str(error), "", ""
    try:
        output, errors = process.communicate(timeout=seconds)
        return process.returncode, output, errors
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, errors = process.communicate()
        return "none: stopped after %d s" % seconds, output, errors


def run_all(build, manifest, device, filters, jobs, update_golden):
    runner = Runner(build, manifest, device, update_golden)
    tests = [test for test in manifest["tests"] if matches(test["name"], filters)]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = dict(zip((test["name"] for test in tests if not test["alone"]),
                           pool.map(runner.run_test, (test for test in tests if not test["alone"]))))
    for test in tests:
        if test["alone"]:
            results[test["name"]] = runner.run_test(test)
    return [results[test["name"]] for test in tests]


def report(device, results):
    """What a run with --json leaves: of tests that passed, no output."""
    return {"command": " ".join(["python3"] + sys.argv), "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "device": device, "passed": sum(result["ok"] and not result["skipped"] for result in results),
            "failed": sum(not result["ok"] for result in results),
            "results": [result if not result["ok"] else {key: value for key, value in result.items() if key not in ("detail", "steps")}
                        for result in results]}


# ---------------------------------------------------------------- command line

def show(results, device, verbose):
    for result in results:
        if result["skipped"] and result["detail"]:
            print("SKIP %s: %s" % (result["name"], result["detail"]))
        if result["ok"]:
            continue
        lines = result["detail"].split("\n")
        print("FAIL %s: %s  (rerun: test/run/run.py test -v %s)" % (result["name"], lines[0], result["name"]))
        if verbose:
            print("\n".join("    " + line for line in lines[1:]))
            for step in result["steps"][-1:]:
                print("    ---- standard output\n%s    ---- standard error\n%s" % (step["stdout"], step["stderr"]))


def is_for_gpu(action, device):
    """What is only built will be carried to one."""
    return action == "build" or device == "cuda"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["test", "build", "run", "list"])
    parser.add_argument("filters", nargs="*", metavar="NAME")
    parser.add_argument("--build", default=os.path.join(SOURCE, "build"))
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--json")
    parser.add_argument("--mode", choices=sorted(MODE_FLAGS))
    parser.add_argument("--update-golden", action="store_true")
    parser.add_argument("-v", "--verbose", action="store_true")
    arguments = parser.parse_intermixed_args()
    build = os.path.abspath(arguments.build)

    if arguments.action == "list":
        print("\n".join(find_tests(arguments.filters)))
        return 0
    if arguments.action == "run":
        manifest = json.loads(read_text(manifest_file(build, arguments.mode)))
    else:
        manifest = build_all(build, arguments.filters, arguments.jobs, arguments.mode, is_for_gpu(arguments.action, arguments.device))
    if arguments.action == "build":
        results = [{"name": test["name"], "ok": not test["build_error"], "skipped": False,
                    "detail": test["build_error"] or "", "steps": []} for test in manifest["tests"]]
    else:
        results = run_all(build, manifest, arguments.device, arguments.filters, arguments.jobs, arguments.update_golden)
    show(results, arguments.device, arguments.verbose)
    failed = sum(not result["ok"] for result in results)
    skipped = sum(result["skipped"] for result in results)
    if arguments.json:
        write_text(os.path.abspath(arguments.json), json.dumps(report(arguments.device, results), indent=1) + "\n")
    print("%d passed, %d failed%s" % (len(results) - failed - skipped, failed, ", %d skipped" % skipped if skipped else ""))
    return 1 if failed or not results else 0


if __name__ == "__main__":
    sys.exit(main())
