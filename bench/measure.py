"""What the scripts of the benchmarks share: the environment and the device, running a program, writing the report."""
import datetime
import json
import os
import shlex
import signal
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class ProgramError(Exception):
    pass


class NotMeasured(ProgramError):
    """Nothing is wrong with the program."""


def environment(device, *options):
    """The given device, by name: an instrumented program must not fall back to the CPU device unnoticed."""
    env = dict(os.environ)
    libraries = os.path.join(ROOT, "build", "lib")
    env["LD_LIBRARY_PATH"] = ":".join(part for part in (libraries, env.get("LD_LIBRARY_PATH")) if part)
    given = [env["GASAN_OPTIONS"]] if env.get("GASAN_OPTIONS") else []
    env["GASAN_OPTIONS"] = ":".join(given + ["device=" + device] + list(options))
    return env


def start(command, env, seconds):
    """What the program printed: its output, its errors."""
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
    """The object in the last line that the program printed."""
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


def report(device, **contents):
    """What every JSON file begins with, and the contents."""
    return dict({"command": shlex.join(["python3"] + sys.argv),
                 "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                 "device": describe_device(device)}, **contents)


def write(path, contents):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(contents, file, indent=2)
        file.write("\n")


def cell(value, form):
    return "-" if value is None else form % value
