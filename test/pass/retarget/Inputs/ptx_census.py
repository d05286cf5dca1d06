"""Counts the inline PTX and intrinsics of CUDA's headers that the CPU device does not have, by header, and compares the
counts with a committed file: they may only fall.

usage: ptx_census.py IR KNOWN OPT [OPT's arguments]
IR is a device module (text, with line tables); every function in it counts, called or not.
"""
import collections
import re
import subprocess
import sys


def keep_all(text):
    """Every function's address is taken, so every function counts as reached."""
    names = re.findall(r'^define [^@]*?(@(?:"[^"]*"|[\w.$-]+))\(', text, re.MULTILINE)
    members = ", ".join(f"ptr {name}" for name in names)
    return (text + f'\n@llvm.used = appending global [{len(names)} x ptr] [{members}], section "llvm.metadata"\n',
            len(names))


def main():
    ir, known_path, *opt = sys.argv[1:]
    with open(ir, encoding="utf-8", errors="replace") as file:
        text, functions = keep_all(re.sub(r"^@llvm\.(compiler\.)?used = .*\n", "", file.read(), flags=re.MULTILINE))
    run = subprocess.run([*opt, "-gasan-devices=auto", "-disable-output", "-"], input=text, capture_output=True,
                         text=True, check=False)
    if run.returncode:
        sys.exit(f"opt failed:\n{run.stderr[-4000:]}")
    counts, examples = collections.Counter(), {}
    for path, what in re.findall(r"^warning: (\S+?):\d+:\d+: in function .*?: ((?:inline PTX|llvm\.).*?) is not",
                                 run.stderr, re.MULTILINE):
        header = re.sub(r"^.*/include/(cccl/)?", "", path)
        counts[header] += 1
        examples.setdefault(header, set()).add(what)
    statements = len(re.findall(r"\bcall .*\basm ", text))
    print(f"{functions} functions with {statements} asm statements, {sum(counts.values())} unsupported")

    known = {}
    with open(known_path, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                count, header = line.split()
                known[header] = int(count)
    failed = False
    for header in sorted(set(known) | set(counts)):
        now, before = counts[header], known.get(header, 0)
        if now > before:
            failed = True
            print(f"{header}: {now} unsupported, {before} before: " + "; ".join(sorted(examples[header])[:12]))
        elif now < before:
            failed = True
            print(f"{header}: {now} unsupported, {before} before: lower the number in {known_path}")
    if functions < 1000 or statements < 1000:
        failed = True
        print("so few functions or asm statements cannot be all of the headers'")
    sys.exit(failed)


if __name__ == "__main__":
    main()
