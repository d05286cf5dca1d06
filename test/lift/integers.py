#!/usr/bin/env python3
"""Compares integer instructions of PTX, and conversions to integers, with a model of the PTX ISA: integers.py [PART...]

The instructions run on the CPU device by gasan.run_ptx (PYTHONPATH=build/python). Their operands are extreme and random
numbers, once from memory and once as constants, which the lifter and LLVM may fold. PART: only instructions whose text
contains it. The last line is "N instructions, N wrong results"."""
import array
import math
import random
import struct
import sys

import gasan

HEADER = ".version 8.0\n.target sm_90\n.address_size 64\n"
THREADS = 512
CORNERS = {
    16: [0, 1, 2, 3, 7, 15, 16, 17, 31, 32, 255, 256, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff],
    32: [0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 255, 256, 257, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff],
    64: [0, 1, 2, 3, 31, 32, 63, 64, 65, 255, 256, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
         0x7fffffffffffffff, 0x8000000000000000, 0x8000000000000001, 0xfffffffffffffffe, 0xffffffffffffffff],
}
FLOATS = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.999, 126.5, 127.5, 128.0, -128.5, -129.0, 255.5, 256.0, 32767.5,
          65535.5, 2147483520.0, 2147483648.0, -2147483648.0, -2147483904.0, 4294967040.0, 4294967296.0,
          9223371487098961920.0, 9223372036854775808.0, -9223372036854775808.0, 18446744073709551616.0, 1e30, -1e30,
          1e-40, -1e-40, math.inf, -math.inf, math.nan]
COMPARISONS = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b,
               "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b}


def signed(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def clamp(value, bits, is_signed):
    least = -(1 << (bits - 1)) if is_signed else 0
    most = (1 << (bits - is_signed)) - 1
    return min(max(value, least), most)


def quotient(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def extract(a, start, width, bits, is_signed):
    start, width = start & 255, width & 255
    if width == 0:
        return 0
    top = min(start + width - 1, bits - 1)
    sign = a >> top & 1 if is_signed else 0
    result = 0
    for i in range(bits):
        bit = a >> (start + i) & 1 if i < width and start + i < bits else sign
        result |= bit << i
    return result


def insert(a, b, start, width, bits):
    start, width = start & 255, width & 255
    for i in range(width):
        if start + i < bits:
            b = b & ~(1 << (start + i)) | (a >> i & 1) << (start + i)
    return b


def permute(a, b, selector):
    source, result = a | b << 32, 0
    for i in range(4):
        nibble = selector >> 4 * i & 15
        byte = source >> 8 * (nibble & 7) & 255
        result |= (byte if nibble < 8 else 255 * (byte >> 7)) << 8 * i
    return result


def permute_mode(mode, a, b, c):
    n = c & 3
    selector = {"f4e": [0x3210, 0x4321, 0x5432, 0x6543], "b4e": [0x5670, 0x6701, 0x7012, 0x0123],
                "rc8": [0x0000, 0x1111, 0x2222, 0x3333], "ecl": [0x3210, 0x3211, 0x3222, 0x3333],
                "ecr": [0x0000, 0x1110, 0x2210, 0x3210], "rc16": [0x1010, 0x3232, 0x1010, 0x3232]}[mode][n]
    return permute(a, b, selector)


def nth_set(mask, base, offset):
    """fns: the bit at the base, or the offset-th set bit from it on, upwards or downwards."""
    offset = signed(offset, 32)
    if offset == 0:
        return base if base < 32 and mask >> base & 1 else 0xffffffff
    found, at = 0, base
    while 0 <= at < 32:
        found += mask >> at & 1
        if found == abs(offset):
            return at
        at += 1 if offset > 0 else -1
    return 0xffffffff


def leading(a, bits, is_signed, shift_amount):
    a = signed(a, bits) if is_signed else a
    a = ~a if a < 0 else a
    if a == 0:
        return 0xffffffff
    return bits - a.bit_length() if shift_amount else a.bit_length() - 1


def mask(start, width, wraps):
    if wraps:
        start, width = start & 31, width & 31
    return ((1 << min(width, 32)) - 1) << start if start < 32 else 0


def extend(a, n, is_signed, wraps):
    n = n & 31 if wraps else min(n, 32)
    if n == 0:
        return 0
    a &= (1 << n) - 1
    return signed(a, n) if is_signed else a


def dot(a, b, c, types, count, high=0):
    bits = 32 // count
    value = c
    for i in range(count):
        x, y = a >> bits * i & ((1 << bits) - 1), b >> 8 * (i + 2 * high) & 255
        value += (signed(x, bits) if types[0] == "s" else x) * (signed(y, 8) if types[1] == "s" else y)
    return value


def shift(a, amount, bits, left, is_signed):
    if left:
        return a << amount if amount < bits else 0
    return signed(a, bits) >> min(amount, bits - 1) if is_signed else a >> amount


def funnel(low, high, amount, left, wraps):
    amount = amount & 31 if wraps else min(amount, 32)
    both = high << 32 | low
    return both << amount >> 32 if left else both >> amount


def logic(a, b, c, table):
    result = 0
    for i in range(32):
        row = (a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)
        result |= (table >> row & 1) << i
    return result


def halves(a, b, is_signed, operation):
    def half(value, i):
        value = value >> 16 * i & 0xffff
        return signed(value, 16) if is_signed else value
    return sum((operation(half(a, i), half(b, i)) & 0xffff) << 16 * i for i in (0, 1))


class Instruction:
    """A text with %0 (result), %1, ... (operands), the bits of each, and the model of the result (None: any value)."""
    def __init__(self, text, bits, model, scratch="", corners=None):
        self.text, self.bits, self.model, self.scratch = text, bits, model, scratch
        self.corners = [corners or CORNERS[width] for width in bits[1:]]

    def expected(self, operands):
        value = self.model(*(number & ((1 << bits) - 1) for number, bits in zip(operands, self.bits[1:])))
        return None if value is None else value & ((1 << self.bits[0]) - 1)


def of_type(make, kinds="us", widths=(16, 32, 64)):
    """Calls make(type, bits, read), where read gives an operand its sign."""
    result = []
    for bits in widths:
        for kind in kinds:
            read = (lambda value, bits=bits: signed(value, bits)) if kind == "s" else (lambda value: value)
            result += make("%s%d" % (kind, bits), bits, read)
    return result


def arithmetic(t, bits, read):
    is_signed = t[0] == "s"
    two, three = [bits] * 3, [bits] * 4
    result = [
        Instruction("add.%s %%0, %%1, %%2;" % t, two, lambda a, b: a + b),
        Instruction("sub.%s %%0, %%1, %%2;" % t, two, lambda a, b: a - b),
        Instruction("mul.lo.%s %%0, %%1, %%2;" % t, two, lambda a, b: a * b),
        Instruction("mul.hi.%s %%0, %%1, %%2;" % t, two, lambda a, b: read(a) * read(b) >> bits),
        Instruction("mad.lo.%s %%0, %%1, %%2, %%3;" % t, three, lambda a, b, c: a * b + c),
        Instruction("mad.hi.%s %%0, %%1, %%2, %%3;" % t, three, lambda a, b, c: (read(a) * read(b) >> bits) + c),
        Instruction("sad.%s %%0, %%1, %%2, %%3;" % t, three, lambda a, b, c: c + abs(read(a) - read(b))),
        # A division by zero has any value.
        Instruction("div.%s %%0, %%1, %%2;" % t, two, lambda a, b: quotient(read(a), read(b)) if b else None),
        Instruction("rem.%s %%0, %%1, %%2;" % t, two,
                    lambda a, b: read(a) - quotient(read(a), read(b)) * read(b) if b else None),
        Instruction("min.%s %%0, %%1, %%2;" % t, two, lambda a, b: min(read(a), read(b))),
        Instruction("max.%s %%0, %%1, %%2;" % t, two, lambda a, b: max(read(a), read(b))),
        Instruction("shr.%s %%0, %%1, %%2;" % t, [bits, bits, 32], lambda a, b: shift(a, b, bits, False, is_signed)),
    ]
    if bits < 64:
        result += [Instruction("mul.wide.%s %%0, %%1, %%2;" % t, [2 * bits, bits, bits],
                               lambda a, b: read(a) * read(b)),
                   Instruction("mad.wide.%s %%0, %%1, %%2, %%3;" % t, [2 * bits, bits, bits, 2 * bits],
                               lambda a, b, c: read(a) * read(b) + c)]
    if bits > 16:
        result += [Instruction("bfe.%s %%0, %%1, %%2, %%3;" % t, [bits, bits, 32, 32],
                               lambda a, b, c: extract(a, b, c, bits, is_signed)),
                   Instruction("bfind.%s %%0, %%1;" % t, [32, bits], lambda a: leading(a, bits, is_signed, False)),
                   Instruction("bfind.shiftamt.%s %%0, %%1;" % t, [32, bits],
                               lambda a: leading(a, bits, is_signed, True))]
    if is_signed:
        result += [Instruction("abs.%s %%0, %%1;" % t, [bits] * 2, lambda a: abs(read(a))),
                   Instruction("neg.%s %%0, %%1;" % t, [bits] * 2, lambda a: -a)]
    for name, holds in COMPARISONS.items():
        result += [Instruction("set.%s.u32.%s %%0, %%1, %%2;" % (name, t), [32, bits, bits],
                               lambda a, b, holds=holds: -int(holds(read(a), read(b)))),
                   Instruction("setp.%s.%s g, %%1, %%2; selp.u32 %%0, 7, 9, g;" % (name, t), [32, bits, bits],
                               lambda a, b, holds=holds: 7 if holds(read(a), read(b)) else 9, ".reg .pred g;")]
    return result


def bit_operations(t, bits, read):
    two = [bits] * 3
    result = [
        Instruction("and.%s %%0, %%1, %%2;" % t, two, lambda a, b: a & b),
        Instruction("or.%s %%0, %%1, %%2;" % t, two, lambda a, b: a | b),
        Instruction("xor.%s %%0, %%1, %%2;" % t, two, lambda a, b: a ^ b),
        Instruction("not.%s %%0, %%1;" % t, two[1:], lambda a: ~a),
        Instruction("cnot.%s %%0, %%1;" % t, two[1:], lambda a: int(a == 0)),
        Instruction("shl.%s %%0, %%1, %%2;" % t, [bits, bits, 32], lambda a, b: shift(a, b, bits, True, False)),
        Instruction("shr.%s %%0, %%1, %%2;" % t, [bits, bits, 32], lambda a, b: shift(a, b, bits, False, False)),
        Instruction("slct.%s.s32 %%0, %%1, %%2, %%3;" % t, [bits, bits, bits, 32],
                    lambda a, b, c: a if signed(c, 32) >= 0 else b),
    ]
    if bits > 16:
        result += [
            Instruction("popc.%s %%0, %%1;" % t, [32, bits], lambda a: bin(a).count("1")),
            Instruction("clz.%s %%0, %%1;" % t, [32, bits], lambda a: bits - a.bit_length()),
            Instruction("brev.%s %%0, %%1;" % t, [bits, bits], lambda a: int(format(a, "0%db" % bits)[::-1], 2)),
            Instruction("bfi.%s %%0, %%1, %%2, %%3, %%4;" % t, [bits, bits, bits, 32, 32],
                        lambda a, b, c, d: insert(a, b, c, d, bits)),
        ]
    return result


def carries(t, bits, read):
    top = 1 << bits
    return [
        Instruction("add.cc.%s x, %%1, %%2; addc.%s %%0, %%3, %%4;" % (t, t), [bits] * 5,
                    lambda a, b, c, d: c + d + (a + b >= top), ".reg .b%d x;" % bits),
        Instruction("sub.cc.%s x, %%1, %%2; subc.%s %%0, %%3, %%4;" % (t, t), [bits] * 5,
                    lambda a, b, c, d: c - d - (a < b), ".reg .b%d x;" % bits),
        Instruction("mad.lo.cc.%s x, %%1, %%2, %%3; madc.hi.%s %%0, %%1, %%2, 5;" % (t, t), [bits] * 4,
                    lambda a, b, c: (read(a) * read(b) >> bits) + 5 + ((a * b) % top + c >= top),
                    ".reg .b%d x;" % bits),
    ]


def conversions():
    """cvt between integers. The result of a narrow type is extended to its register."""
    result = []
    for to in ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"):
        for source in ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"):
            to_bits, from_bits = int(to[1:]), int(source[1:])
            for saturates in (False, True):
                def model(a, saturates=saturates, to=to, source=source, to_bits=to_bits, from_bits=from_bits):
                    a &= (1 << from_bits) - 1
                    a = signed(a, from_bits) if source[0] == "s" else a
                    a = clamp(a, to_bits, to[0] == "s") if saturates else a & ((1 << to_bits) - 1)
                    return signed(a, to_bits) if to[0] == "s" else a
                result.append(Instruction("cvt%s.%s.%s %%0, %%1;" % (".sat" * saturates, to, source),
                                          [max(16, to_bits), max(16, from_bits)], model))
    return result


def conversions_of_floats():
    """cvt to integers: rounded, and clamped to the range of the type."""
    rounding = {"rni": round, "rzi": math.trunc, "rmi": math.floor, "rpi": math.ceil}
    result = []
    for to in ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"):
        for bits, code, whole in ((32, "<f", "<I"), (64, "<d", "<Q")):
            corners = [struct.unpack(whole, struct.pack(code, number))[0] for number in FLOATS]
            for mode in rounding:
                def model(a, to=to, bits=bits, code=code, whole=whole, mode=mode):
                    number, to_bits = struct.unpack(code, struct.pack(whole, a))[0], int(to[1:])
                    if math.isnan(number):
                        least = 1 << (to_bits - 1)
                        return (-least if to[0] == "s" else least) if bits == 64 or to_bits == 64 else 0
                    number = math.copysign(1e300, number) if math.isinf(number) else number
                    return clamp(rounding[mode](number), to_bits, to[0] == "s")
                result.append(Instruction("cvt.%s.%s.f%d %%0, %%1;" % (mode, to, bits),
                                          [max(16, int(to[1:])), bits], model, "", corners))
    return result


def single():
    s32 = lambda a: signed(a, 32)
    s24 = lambda a: signed(a, 24)
    low24 = lambda a: a & 0xffffff
    words = [32] * 4
    result = [
        Instruction("add.sat.s32 %0, %1, %2;", words[1:], lambda a, b: clamp(s32(a) + s32(b), 32, True)),
        Instruction("sub.sat.s32 %0, %1, %2;", words[1:], lambda a, b: clamp(s32(a) - s32(b), 32, True)),
        Instruction("mad.hi.sat.s32 %0, %1, %2, %3;", words,
                    lambda a, b, c: clamp((s32(a) * s32(b) >> 32) + s32(c), 32, True)),
        Instruction("mul24.lo.s32 %0, %1, %2;", words[1:], lambda a, b: s24(a) * s24(b)),
        Instruction("mul24.hi.s32 %0, %1, %2;", words[1:], lambda a, b: s24(a) * s24(b) >> 16),
        Instruction("mul24.lo.u32 %0, %1, %2;", words[1:], lambda a, b: low24(a) * low24(b)),
        Instruction("mul24.hi.u32 %0, %1, %2;", words[1:], lambda a, b: low24(a) * low24(b) >> 16),
        Instruction("mad24.lo.s32 %0, %1, %2, %3;", words, lambda a, b, c: s24(a) * s24(b) + c),
        Instruction("mad24.hi.u32 %0, %1, %2, %3;", words, lambda a, b, c: (low24(a) * low24(b) >> 16) + c),
        Instruction("mad24.hi.sat.s32 %0, %1, %2, %3;", words,
                    lambda a, b, c: clamp((s24(a) * s24(b) >> 16) + s32(c), 32, True)),
        Instruction("min.relu.s32 %0, %1, %2;", words[1:], lambda a, b: max(min(s32(a), s32(b)), 0)),
        Instruction("max.relu.s32 %0, %1, %2;", words[1:], lambda a, b: max(s32(a), s32(b), 0)),
        Instruction("fns.b32 %0, %1, %2, %3;", words, lambda a, b, c: nth_set(a, b, c) if b < 32 else None),
        Instruction("bmsk.clamp.b32 %0, %1, %2;", words[1:], lambda a, b: mask(a, b, False)),
        Instruction("bmsk.wrap.b32 %0, %1, %2;", words[1:], lambda a, b: mask(a, b, True)),
        Instruction("prmt.b32 %0, %1, %2, %3;", words, permute),
        Instruction("lop3.b32 %0, %1, %2, %3, 0xe8;", words, lambda a, b, c: logic(a, b, c, 0xe8)),
        Instruction("lop3.b32 %0, %1, %2, %3, 0x1b;", words, lambda a, b, c: logic(a, b, c, 0x1b)),
        Instruction("setp.ge.and.s32 g|l, %1, %2, r; selp.u32 %0, 1, 0, g; @l add.u32 %0, %0, 2;", words[1:],
                    lambda a, b: 1 if s32(a) >= s32(b) else 2, ".reg .pred g, l, r; setp.eq.u32 r, 1, 1;"),
    ]
    for name in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16"):
        result.append(Instruction("prmt.b32.%s %%0, %%1, %%2, %%3;" % name, words,
                                  lambda a, b, c, name=name: permute_mode(name, a, b, c)))
    for mode in ("clamp", "wrap"):
        wraps = mode == "wrap"
        for kind in "us":
            result.append(Instruction("szext.%s.%s32 %%0, %%1, %%2;" % (mode, kind), words[1:],
                                      lambda a, b, kind=kind, wraps=wraps: extend(a, b, kind == "s", wraps)))
        for side in "lr":
            result.append(Instruction("shf.%s.%s.b32 %%0, %%1, %%2, %%3;" % (side, mode), words,
                                      lambda a, b, c, side=side, wraps=wraps: funnel(a, b, c, side == "l", wraps)))
    for first in "us":
        for second in "us":
            types = first + second
            result.append(Instruction("dp4a.%s32.%s32 %%0, %%1, %%2, %%3;" % (first, second), words,
                                      lambda a, b, c, types=types: dot(a, b, c, types, 4)))
            for high in (0, 1):
                result.append(Instruction(
                    "dp2a.%s.%s32.%s32 %%0, %%1, %%2, %%3;" % ("hi" if high else "lo", first, second), words,
                    lambda a, b, c, types=types, high=high: dot(a, b, c, types, 2, high)))
        is_signed = first == "s"
        for name, operation in (("add", lambda a, b: a + b), ("min", min), ("max", max)):
            result.append(Instruction("%s.%s16x2 %%0, %%1, %%2;" % (name, first), words[1:],
                                      lambda a, b, is_signed=is_signed, operation=operation:
                                      halves(a, b, is_signed, operation)))
    return result


def all_instructions():
    return (of_type(arithmetic) + of_type(bit_operations, "b") + of_type(carries, widths=(32, 64)) + conversions()
            + conversions_of_floats() + single())


def rows_for(instruction, count, random_):
    """Returns rows of operands: all pairs of the extreme numbers of the first two, then random ones."""
    widths, corners = instruction.bits[1:], instruction.corners
    rows = []
    for a in corners[0]:
        for b in corners[1] if len(widths) > 1 else [0]:
            rows.append([a, b] + [random_.choice(numbers) for numbers in corners[2:]])
    while len(rows) < count:
        rows.append([random_.choice(numbers + [random_.getrandbits(bits)] * 4)
                     for numbers, bits in zip(corners, widths)])
    return [row[:len(widths)] for row in rows[:count]]


def body(instruction, operands, store):
    """Returns the instruction between braces, with its operands' names or numbers."""
    text = instruction.text.replace("%0", "d")
    for i in range(len(operands), 0, -1):
        text = text.replace("%%%d" % i, operands[i - 1])
    return "{ .reg .b%d d; %s %s %s }" % (instruction.bits[0], instruction.scratch, text, store)


def run(kernel, threads, buffers):
    text = HEADER + """.visible .entry k(.param .u64 in, .param .u64 out)
{ .reg .b64 p, q; .reg .b32 t; .reg .b16 h<5>; .reg .b32 w<5>; .reg .b64 l<5>;
  ld.param.u64 p, [in]; ld.param.u64 q, [out]; mov.u32 t, %%tid.x; mad.wide.u32 p, t, %d, p; mad.wide.u32 q, t, 8, q;
%s
  ret; }""" % (buffers[0].itemsize * len(buffers[0]) // threads, kernel)
    gasan.run_ptx(text, "k", 1, threads, list(buffers))


def check(instruction, row, got, form):
    expected = instruction.expected(row)
    if expected is None or expected == got:
        return 0
    print("FAIL %s of %s (%s): %#x, and not %#x" % (instruction.text, ", ".join("%#x" % value for value in row), form,
                                                  got, expected))
    return 1


def registers(instructions, random_):
    """Each thread has its own operands, from memory."""
    wrong = 0
    for first in range(0, len(instructions), 60):
        group = instructions[first:first + 60]
        tables = [rows_for(instruction, THREADS, random_) for instruction in group]
        numbers, results, text, at = array.array("Q"), array.array("Q", bytes(8 * THREADS * len(group))), "", 0
        for thread in range(THREADS):
            for table in tables:
                numbers.extend(table[thread])
        for index, instruction in enumerate(group):
            names = []
            for i, bits in enumerate(instruction.bits[1:]):
                names.append("%s%d" % ({16: "h", 32: "w", 64: "l"}[bits], i))
                text += "ld.global.b%d %s, [p+%d];\n" % (bits, names[-1], 8 * at)
                at += 1
            text += body(instruction, names, "st.global.b%d [q+%d], d;" % (
                instruction.bits[0], 8 * THREADS * index)) + "\n"
        run(text, THREADS, (numbers, results))
        for index, instruction in enumerate(group):
            for thread in range(THREADS):
                wrong += check(instruction, tables[index][thread], results[THREADS * index + thread], "from memory")
    return wrong


def constants(instructions, random_):
    """All operands are constants: once in the instruction, and once by way of registers."""
    wrong = 0
    count = 40
    for first in range(0, len(instructions), 40):
        group = instructions[first:first + 40]
        cases = []
        for instruction in group:
            rows = rows_for(instruction, 330, random_)
            least = [1 << (bits - 1) for bits in instruction.bits[1:]]
            ones = [(1 << bits) - 1 for bits in instruction.bits[1:]]
            rows = [least[:1] + ones[1:], ones, least] + random_.sample(rows, count - 3)
            cases += [(instruction, row) for row in rows]
        results, text = array.array("Q", bytes(8 * 2 * len(cases))), ""
        for index, (instruction, row) in enumerate(cases):
            store = "st.global.b%d [q+%d], d;" % (instruction.bits[0], 16 * index)
            text += body(instruction, ["%#x" % value for value in row], store) + "\n"
            names = []
            for i, bits in enumerate(instruction.bits[1:]):
                names.append("%s%d" % ({16: "h", 32: "w", 64: "l"}[bits], i))
                text += "mov.b%d %s, %#x;\n" % (bits, names[-1], row[i])
            store = "st.global.b%d [q+%d], d;" % (instruction.bits[0], 16 * index + 8)
            text += body(instruction, names, store) + "\n"
        run(text, 1, (array.array("Q", [0]), results))
        for index, (instruction, row) in enumerate(cases):
            wrong += check(instruction, row, results[2 * index], "as constants")
            wrong += check(instruction, row, results[2 * index + 1], "as constants in registers")
    return wrong


def main():
    random_ = random.Random(1)
    instructions = [instruction for instruction in all_instructions()
                    if not sys.argv[1:] or any(part in instruction.text for part in sys.argv[1:])]
    wrong = registers(instructions, random_) + constants(instructions, random_)
    print("%d instructions, %d wrong results" % (len(instructions), wrong))
    return 1 if wrong or not instructions else 0


if __name__ == "__main__":
    sys.exit(main())
