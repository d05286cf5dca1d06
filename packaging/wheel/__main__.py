# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m gasan [-o NAME=VALUE]... (SCRIPT | -m MODULE | -c CODE) [ARGUMENT]...

Runs a Python program under `gasan run`, with this interpreter and its options. -o names an option of gasan's runtime,
as in `gasan run`.
"""
import os
import subprocess
import sys

from gasan import PROGRAM


def fail(message):
    sys.stderr.write("gasan: error: %s; `python -m gasan --help` shows how\n" % message)
    sys.exit(2)


def interpreter_options():
    """Returns the options of this interpreter, as multiprocessing passes them to its processes."""
    options = getattr(subprocess, "_args_from_interpreter_flags", None)
    return options() if options else []


def main():
    arguments, options = sys.argv[1:], []
    while arguments[:1] == ["-o"]:
        if len(arguments) < 2 or "=" not in arguments[1]:
            fail("-o needs NAME=VALUE")
        options += arguments[:2]
        del arguments[:2]
    if arguments[:1] in (["-h"], ["--help"]):
        print(__doc__.strip())
        return
    if not arguments:
        fail("no program is given")
    if arguments[0].startswith("-") and arguments[0] not in ("-m", "-c"):
        fail("unknown option %s" % arguments[0])
    if arguments[0] in ("-m", "-c") and len(arguments) < 2:
        fail("%s needs an argument" % arguments[0])
    if not sys.executable:
        fail("this interpreter does not know its own path")
    os.execv(PROGRAM, ["gasan", "run"] + options + ["--", sys.executable] + interpreter_options() + arguments)


if __name__ == "__main__":
    main()
