#!/usr/bin/env python3
"""Runs the commands of CI examples that merge reports: ci_examples.py EXAMPLES FOLDER

FOLDER has reports/ and bin/gasan, which stands for the installed one. Fails if a command does.
"""
import os
import re
import subprocess
import sys

for name in ("github.yml", "gitlab.yml"):
    with open(os.path.join(sys.argv[1], name), encoding="utf-8") as file:
        commands = re.findall(r"^ *- (?:name: [^\n]*\n(?:[^\n]*\n)?? *run: )?(\S*/bin/gasan report .*)$", file.read(),
                              re.MULTILINE)
    for command in commands:
        command = re.sub(r"^\S*/bin/gasan", os.path.join(sys.argv[2], "bin", "gasan"), command)
        subprocess.run(["bash", "-e", "-c", command], cwd=sys.argv[2], check=True)
    print("%s: %d commands" % (name, len(commands)))
