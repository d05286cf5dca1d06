#!/usr/bin/env python3
"""Fuzzes the lifter: mutated PTX gives an error that names a line, or IR that the verifier accepts; never a crash.

  fuzz.py [--count N] [--seed S] [--build DIR] [--keep DIR] PTX...

Takes a file, applies a few mutations (tokens deleted, doubled, exchanged, taken from another file; characters changed;
lines moved; numbers made extreme), and runs opt with the pass. --keep writes the files that fail. The last line counts
errors and modules: a run in which every file is refused tests little, and fails, too."""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOKEN = re.compile(r"[A-Za-z_$%.][A-Za-z0-9_$]*|0[xXfFdD][0-9a-fA-F]+|\d+|\s+|.", re.S)
NUMBERS = ["0", "-1", "1", "31", "32", "64", "65536", "4294967295", "18446744073709551615", "0x7fffffffffffffff", "0f",
           "0d", "99999999999999999999999", "1.5", "WARP_SZ"]
WORDS = ["{", "}", "(", ")", "[", "]", ";", ",", ":", "@", "@!", "|", "-", "+", ".param", ".reg", ".entry", ".func",
         ".shared", ".align", ".v4", ".b8", ".f32", ".pred", "_", "%tid.x", "bra", "call", "ret", "exit", "mov.b64",
         "ld.param.u64", "setp.eq.s32", "\"", "/*", "//", "<", ">", "=", "\0"]


def mutate(random_, tokens, others):
    tokens = list(tokens)
    for _ in range(random_.choice((1, 1, 1, 2, 3, 8))):
        at = random_.randrange(len(tokens))
        other = random_.randrange(len(tokens))
        kind = random_.randrange(8)
        if kind == 0:
            del tokens[at]
        elif kind == 1:
            tokens.insert(at, tokens[at])
        elif kind == 2:
            tokens[at], tokens[other] = tokens[other], tokens[at]
        elif kind == 3:
            tokens[at] = random_.choice(others)
        elif kind == 4:
            numbers = [i for i, token in enumerate(tokens) if token.isdigit()]
            tokens[random_.choice(numbers or [at])] = random_.choice(NUMBERS)
        elif kind == 5:
            tokens.insert(at, random_.choice(WORDS))
        elif kind == 6:
            tokens = tokens[:max(1, at)]
        else:
            tokens[at] = tokens[at][:-1] + chr(random_.randrange(1, 256))
        if not tokens:
            tokens = ["."]
    return "".join(tokens)


def is_fine(process):
    """Returns "module", "error", or None for a crash or an error without a line."""
    if process.returncode == 0:
        return "module"
    if process.returncode == 1 and re.search(r"gasan-lift: '[^']*': line \d+: ", process.stderr):
        return "error"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--keep")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    with open(os.path.join(arguments.build, "test", "config.json"), encoding="utf-8") as file:
        config = json.load(file)
    plugin = os.path.join(config["private"], "gasan_pass.so")
    command = [os.path.join(config["llvm"], "bin", "opt"), "-load", plugin, "-load-pass-plugin=" + plugin,
               "-passes=gasan-lift,verify", "-disable-output", os.devnull]
    sources = []
    for path in arguments.files:
        with open(path, encoding="utf-8", errors="replace") as file:
            sources.append(TOKEN.findall(file.read()))
    random_ = random.Random(arguments.seed)
    counts = {"module": 0, "error": 0, None: 0}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(arguments.count):
            text = mutate(random_, random_.choice(sources), random_.choice(sources))
            path = os.path.join(folder, "mutated.ptx")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            try:
                process = subprocess.run(command + ["-gasan-lift=" + path], text=True, errors="replace",
                                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
                verdict, words = is_fine(process), process.stderr
            except subprocess.TimeoutExpired:
                verdict, words = None, "not done after 60 s"
            counts[verdict] += 1
            if verdict is None:
                print("FAIL seed %d number %d: %s" % (arguments.seed, number, words[:300]))
                if arguments.keep:
                    os.makedirs(arguments.keep, exist_ok=True)
                    os.replace(path, os.path.join(arguments.keep, "%d-%d.ptx" % (arguments.seed, number)))
    print("%d modules, %d errors, %d failures" % (counts["module"], counts["error"], counts[None]))
    return 1 if counts[None] or not counts["module"] or not counts["error"] else 0


if __name__ == "__main__":
    sys.exit(main())
