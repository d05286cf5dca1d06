# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Describes the device, runs programs and writes results, for the benchmarks' scripts."""
import datetime
import json
import os
import shlex
import signal
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class ProgramError(Exception):
    """The program failed."""


class NotMeasured(ProgramError):
    """There is no result, but the program did not fail: it took too long, or was not built."""


def environment(device, *options):
    """Returns the environment for a program, with these GASAN_OPTIONS. Names the device, so that an instrumented
    program does not fall back to the CPU device unnoticed."""
    env = dict(os.environ)
    libraries = os.path.join(ROOT, "build", "lib")
    env["LD_LIBRARY_PATH"] = ":".join(part for part in (libraries, env.get("LD_LIBRARY_PATH")) if part)
    given = [env["GASAN_OPTIONS"]] if env.get("GASAN_OPTIONS") else []
    env["GASAN_OPTIONS"] = ":".join(given + ["device=" + device] + list(options))
    return env


def start(command, env, seconds):
    """Runs the program. Returns its standard output and its standard error."""
    try:
        process = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True)
    except OSError as error:
        raise ProgramError(str(error))
    try:
        output, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # the group: compute-sanitizer's child keeps the pipes open
        process.communicate()
        raise NotMeasured("not done after %.0f s" % seconds)
    if process.returncode != 0:
        raise ProgramError("exit code %d\n%s%s" % (process.returncode, output[-4000:], errors[-4000:]))
    return output, errors


def results_in(output):
    """Returns the JSON object in the last line of the output that has one."""
    for line in reversed(output.splitlines()):
        if line.startswith("{"):
            return json.loads(line)
    raise ProgramError("printed no results\n%s" % output[-4000:])


def run(command, env, seconds):
    return results_in(start(command, env, seconds)[0])


def describe_device(device):
    if device == "cpu":
        return {"name": "gasan's CPU device", "driver": None}
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        line = subprocess.run(query, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return {"name": "unknown (nvidia-smi does not run)", "driver": None}
    name, driver = line.rsplit(",", 1)
    return {"name": name.strip(), "driver": driver.strip()}


def processor():
    """Returns the name of this machine's CPU."""
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return "unknown"


def commit():
    """Returns git's name of the measured code. In a folder that `make dist` made it is in a file."""
    left = os.path.join(ROOT, "bench", "commit")
    if os.path.exists(left):
        with open(left, encoding="utf-8") as file:
            return file.read().strip()
    described = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True)
    return described.stdout.strip() or "unknown"


def report(device, **contents):
    """Returns the contents with the keys that every JSON file begins with."""
    return dict({"command": shlex.join(["python3"] + sys.argv),
                 "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                 "commit": commit(), "device": describe_device(device)}, **contents)


def origin(contents):
    """Returns the line of Markdown that says where a report's figures come from."""
    device = contents["device"]
    driver = ", driver " + device["driver"] if device.get("driver") else ""
    return "%s%s, %s, commit %s: `%s`" % (device["name"], driver, contents["date"][:10],
                                          contents.get("commit", "unknown"), contents["command"])


def write(path, contents, title=None, table=None):
    """Writes the JSON file `path`, and the table, if there is one, beside it as Markdown. bench/results keeps the
    latter."""
    with open(path, "w", encoding="utf-8") as file:
        json.dump(contents, file, indent=2)
        file.write("\n")
    if table:
        with open(os.path.splitext(path)[0] + ".md", "w", encoding="utf-8") as file:
            file.write("# %s\n\n%s\n\n%s\n" % (title, origin(contents), table))


def cell(value, form):
    return "-" if value is None else form % value
