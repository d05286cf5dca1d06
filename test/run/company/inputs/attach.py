#!/usr/bin/env python3
"""Runs a program that waits for a debugger, attaches gdb, and prints both outputs: attach.py PROGRAM"""
import subprocess
import sys

program = subprocess.Popen(sys.argv[1:], stderr=subprocess.PIPE, text=True)
for line in program.stderr:
    if "waits for a debugger" in line:
        print(line, end="", flush=True)
        break
done = subprocess.run(["gdb", "-nx", "-q", "-batch", "-p", str(program.pid), "-ex", "bt", "-ex", "continue"],
                      capture_output=True, text=True, timeout=120)
print(done.stdout, flush=True)
program.stderr.read()
print("ended with %d" % program.wait(timeout=120))
