#!/usr/bin/env python3
"""Checks the lifter's divisions by constants: divisions.py LLC OPT-COMMAND... FOLDER

LLVM writes each division as products and shifts. The lifter must find the same divisor. Then the factors are changed
a little; if the lifter still finds a divisor, the quotients must be right, in front of multiples, too."""
import random
import re
import subprocess
import sys

DIVISORS = [2, 3, 5, 6, 7, 9, 10, 11, 12, 14, 16, 19, 25, 28, 31, 64, 100, 125, 127, 128, 641, 1000, 1024, 4096,
            6700417, 10**6, 10**9, 2**29 + 1, 2**30]
HEAD = 'target triple = "nvptx64-nvidia-cuda"\n'


def functions():
    """Yields (name, operation, bits, divisor)."""
    for bits in (32, 64):
        for operation in ("sdiv", "udiv", "srem"):
            for divisor in DIVISORS + ([10**12, 2**40] if bits == 64 else []):
                power = divisor & (divisor - 1) == 0
                if operation == "udiv" and power or operation == "srem" and not power:
                    continue  # a shift; a quotient and a product
                yield "%s_%d_%d" % (operation, bits, divisor), operation, bits, divisor


def make_ptx(llc, folder):
    text = HEAD
    for name, operation, bits, divisor in functions():
        text += "define i%d @%s(i%d %%x) {\n  %%q = %s i%d %%x, %d\n  ret i%d %%q\n}\n" % (
            bits, name, bits, operation, bits, divisor, bits)
    with open(folder + "/divisions.ll", "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run([llc, "-O1", "-mcpu=sm_90", "-mattr=+ptx80", folder + "/divisions.ll", "-o",
                    folder + "/divisions.ptx"], check=True)
    with open(folder + "/divisions.ptx", encoding="utf-8") as file:
        return file.read()


def lift(command, ptx, path):
    """Returns the divisions and shifts in the lifted functions: {name: [(operation, number)]}."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(ptx)
    done = subprocess.run(command + ["-gasan-lift=" + path], check=True, stdout=subprocess.PIPE, text=True)
    found = {}
    for part in done.stdout.split("\ndefine ")[1:]:
        name = re.search(r"@(\w+)\(", part).group(1)
        found[name] = [(m.group(1), int(m.group(2)))
                       for m in re.finditer(r"= ([su]div|srem|lshr) i\d+ %\w+, (-?\d+)", part.split("\n}")[0])]
    return found


def high(x, factor, bits, signed):
    def number(v):
        v &= (1 << bits) - 1
        return v - (1 << bits) if signed and v >> (bits - 1) else v
    return number((number(x) * number(factor)) >> bits)


def run_text(body, x, bits):
    """Executes a function of straight-line PTX. Returns its result."""
    mask, values = (1 << bits) - 1, {}

    def read(word):
        return values[word] if word in values else int(word) & mask

    def signed(v):
        return v - (1 << bits) if v >> (bits - 1) else v
    for line in body.split("\n"):
        m = re.match(r"\s*([\w.]+)\s+(.*);", line)
        if not m or m.group(1).startswith("."):
            continue
        code, words = m.group(1).split("."), [w.strip() for w in m.group(2).split(",")]
        if code[0] == "ld":
            values[words[0]] = x & mask
            continue
        if code[0] == "st":
            return values[words[1]]
        a = read(words[1])
        b = read(words[2]) if len(words) > 2 else 0
        values[words[0]] = mask & {
            "mul": lambda: high(a, b, bits, code[2][0] == "s") if code[1] == "hi" else a * b,
            "shr": lambda: (signed(a) if code[1][0] == "s" else a) >> b, "shl": lambda: a << b,
            "add": lambda: a + b, "sub": lambda: a - b, "and": lambda: a & b, "mov": lambda: a}[code[0]]()
    raise ValueError("no result")


def edges(bits, divisor, is_signed):
    greatest = (1 << (bits - is_signed)) - 1
    for multiple in [0, 1, 2, greatest // divisor, greatest // divisor - 1, greatest // divisor // 2,
                     random.randrange(greatest // divisor + 1)]:
        for x in (multiple * divisor - 1, multiple * divisor, multiple * divisor + 1, greatest):
            if 0 <= x <= greatest:
                yield x
                if is_signed:
                    yield -x
                    yield -greatest - 1


def check_changed(command, ptx, folder):
    """Returns the number of divisions that the lifter still finds after a change of the factors."""
    kept = 0
    for change in (-2, -1, 1, 2):
        text = re.sub(r"(mul\.hi\.[su]\d+\s+%\w+, %\w+, )(-?\d+);",
                      lambda m: "%s%d;" % (m.group(1), int(m.group(2)) + change), ptx)
        bodies = dict(re.findall(r"(\w+)\(\s*\.param [^)]*\)[^{;]*\{(.*?)\n\}", text, re.S))
        for name, divisions in lift(command, text, folder + "/changed.ptx").items():
            _, operation, bits, _ = next(f for f in functions() if f[0] == name)
            if [found for found, _ in divisions if found != "lshr"] != [operation]:
                continue
            shift = sum(number for found, number in divisions if found == "lshr") if operation == "udiv" else 0
            for found, divisor in divisions:
                if found == "lshr":
                    continue
                kept += 1
                for x in edges(bits, divisor << shift, found[0] == "s"):
                    quotient = (abs(x) >> shift) // divisor * (1 if x >= 0 else -1)
                    wanted = quotient if found[1:] == "div" else x - quotient * divisor
                    if run_text(bodies[name], x, bits) != wanted & ((1 << bits) - 1):
                        sys.exit("%s changed by %d: %d is no %s by %d" % (name, change, x, found, divisor))
    return kept


def main():
    llc, folder, command = sys.argv[1], sys.argv[-1], sys.argv[2:-1]
    random.seed(1)
    ptx = make_ptx(llc, folder)
    found, wrong = lift(command, ptx, folder + "/copy.ptx"), 0
    for name, operation, _, divisor in functions():
        odd = divisor // (divisor & -divisor)  # LLVM may shift first
        if (operation, divisor) not in found[name] and (operation, odd) not in found[name]:
            wrong += 1
            print("%s: the lifter finds %s" % (name, found[name]))
    print("%d of %d divisions found" % (len(found) - wrong, len(found)))
    print("%d found after a change of the factor" % check_changed(command, ptx, folder))


if __name__ == "__main__":
    main()
