"""Tests that the check before an inline asm and the CPU device's translation of the asm compute the same address,
size and guard.

Usage: random_ptx.py write COUNT SEED      writes a module whose asm computes addresses from constants, in random steps
       random_ptx.py compare FILE          reads the module after instrumentation, translation and constant folding"""
import random
import re
import sys

INTEGERS = [0, 1, 2, 7, 12, 31, 32, 63, 64, 200, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x7FFFFFFFFFFFFFFF,
            0x8000000000000000]


class Program:
    """A PTX program with registers a0.. (64 bits), r0.. (32 bits), h0.. (16 bits), p0.. (predicates)."""

    def __init__(self):
        self.lines = []
        self.known = {64: ["$0", "$1"], 32: ["$2", "$3"], 16: ["$4"], 1: []}
        self.names = {64: "a", 32: "r", 16: "h", 1: "p"}

    def read(self, bits):
        if bits > 1 and random.random() < 0.25:
            return str(random.choice((random.choice(INTEGERS) & (1 << bits) - 1, -random.randrange(1, 100))))
        return random.choice(self.known[bits])

    def write(self, bits):
        name = "%s%d" % (self.names[bits], random.randrange(6))
        self.last = (bits, name)
        return name

    def guard(self):
        if self.known[1] and random.random() < 0.3:
            return "@%s%s " % (random.choice(("", "!")), self.read(1)), True
        return "", False

    def step(self):
        bits = random.choice((16, 32, 64))
        signs = random.choice("us")
        kind = random.randrange(9)
        guard, guarded = self.guard()
        if kind == 0:
            target = random.choice((16, 32, 64))
            text = "cvt.%s%d.%s%d %s, %s" % (random.choice("us"), target, signs, bits, self.write(target),
                                             random.choice(self.known[bits]))
        elif kind == 1:
            text = "%s.b%d %s, %s, %s" % (random.choice(("and", "or", "xor")), bits, self.write(bits), self.read(bits),
                                          self.read(bits))
        elif kind == 2:
            text = "%s.%s%d %s, %s, %s" % (random.choice(("add", "sub", "mul.lo")), signs, bits, self.write(bits),
                                           self.read(bits), self.read(bits))
        elif kind == 3:
            text = "mad.lo.%s%d %s, %s, %s, %s" % (signs, bits, self.write(bits), self.read(bits), self.read(bits),
                                                   self.read(bits))
        elif kind == 4 and bits < 64:
            text = "%s.wide.%s%d %s, %s, %s" % (random.choice(("mul", "mad")), signs, bits, self.write(2 * bits),
                                                self.read(bits), self.read(bits))
            text += ", " + self.read(2 * bits) if text.startswith("mad") else ""
        elif kind == 5:
            name = random.choice(("shl.b", "shr.u", "shr.s"))
            text = "%s%d %s, %s, %s" % (name, bits, self.write(bits), self.read(bits), self.read(32))
        elif kind == 6:
            name = random.choice(("eq", "ne", "lt", "le", "gt", "ge"))
            text = "setp.%s.%s%d %s, %s, %s" % (name, signs, bits, self.write(1), self.read(bits), self.read(bits))
        elif kind == 7 and self.known[1]:
            text = "selp.b%d %s, %s, %s, %s" % (bits, self.write(bits), self.read(bits), self.read(bits), self.read(1))
        elif bits > 16:
            text = "mov.b%d %s, {%s, %s}" % (bits, self.write(bits), *random.choices(self.known[bits // 2], k=2))
        else:
            text = "not.b16 %s, %s" % (self.write(16), random.choice(self.known[16]))
        width, name = self.last
        if guarded and name not in self.known[width]:
            guard = ""
        self.lines.append(guard + text)
        if name not in self.known[width]:
            self.known[width].append(name)


def write(count, seed):
    random.seed(seed)
    print('target triple = "nvptx64-nvidia-cuda"')
    print('target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"')
    for number in range(count):
        program = Program()
        for _ in range(random.randrange(1, 25)):
            program.step()
        guard, _ = program.guard()
        offset = random.choice(("", "+8", "+-24"))
        types = {"a": "b64", "r": "b32", "h": "b16", "p": "pred"}
        lines = [".reg .%s %s" % (types[name], ", ".join("%s%d" % (name, i) for i in range(6))) for name in types]
        lines += program.lines
        lines.append("%sst.global.u64 [%s%s], 7" % (guard, random.choice(program.known[64]), offset))
        values = [random.choice(INTEGERS) for _ in range(5)]
        print('define ptx_kernel void @k%d() #0 {' % number)
        print('  call void asm sideeffect "{ %s; }", "l,l,r,r,h"(i64 %d, i64 %d, i32 %d, i32 %d, i16 %d)' % (
            "; ".join(lines), *values[:2], *(v & 0xFFFFFFFF for v in values[2:4]), values[4] & 0xFFFF))
        print("  ret void\n}")
    print('attributes #0 = { "gasan-sanitize" "target-cpu"="sm_80" }')


def compare(path):
    with open(path) as file:
        bodies = re.findall(r"^define [^\n]*@k\d+\.device\([^\n]*\{\n(.*?)^\}", file.read(), re.M | re.S)
    happens = 0
    for body in bodies:
        checks = re.findall(r"@__gasan_report\.device\(i64 (-?\w+), i64 8,", body)
        stores = re.findall(r"store volatile i64 7, ptr inttoptr \(i64 (-?\w+) to ptr\)", body)  # null needs no check
        if checks != stores:
            sys.exit("checked %s, but stored to %s:\n%s" % (checks, stores, body))
        happens += len(stores)
    print("%d programs, %d stores" % (len(bodies), happens))


if sys.argv[1] == "write":
    write(int(sys.argv[2]), int(sys.argv[3]))
else:
    compare(sys.argv[2])
