# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs gasan-scan and measures its CPU time, which does not depend on the machine's load as the wall clock does."""
import os
import resource
import subprocess
import tempfile


def run(command, folder, seconds=300):
    """Returns the exit code (-24: more CPU time than allowed), standard output, standard error, and the CPU time."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))

    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=errors,
                                   preexec_fn=limit)
        _, status, used = os.wait4(process.pid, 0)  # with the time of the compilers that it ran
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        errors.seek(0)
        return process.returncode, out.read(), errors.read(), used.ru_utime + used.ru_stime
