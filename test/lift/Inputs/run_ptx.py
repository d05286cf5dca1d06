"""Runs PTX on the CPU device by gasan.run_ptx: run_ptx.py CASE."""
import array
import ctypes
import os
import struct
import sys

import gasan
from gasan.ptx import PtxError

HERE = os.path.dirname(os.path.abspath(__file__))


def text(name):
    with open(os.path.join(HERE, name)) as file:
        return file.read()


def add(count):
    x, y, out = (array.array("f", values) for values in (range(1000), [1] * 1000, [0] * 1000))
    gasan.run_ptx(text("triton/add.ptx"), "add", 1, 128, [x, y, out, count])
    print("add:", out[0], out[999], out == array.array("f", range(1, 1001)))


def halves(values):
    return bytearray(struct.pack("<%de" % len(values), *values))


def matmul(depth):
    """Products of small whole numbers are exact. mma, ldmatrix and cp.async, 128 threads."""
    m, n, k = 70, 64, 96
    a = [(3 * i + j) % 5 - 2 for i in range(m) for j in range(k)]
    b = [(i + 2 * j) % 7 - 3 for i in range(k) for j in range(n)]
    c = halves([0] * (m * n))
    gasan.run_ptx(text("triton/matmul.ptx"), "matmul", (2, 1), 128, [halves(a), halves(b), c, m, n, depth], 65536)
    expected = [sum(a[i * k + x] * b[x * n + j] for x in range(k)) for i in range(m) for j in range(n)]
    print("matmul:", list(struct.unpack("<%de" % (m * n), bytes(c))) == expected)


def fill(count):
    words = (ctypes.c_int * 100)()
    gasan.run_ptx(text("../../uninstrumented/Inputs/fill.ptx"), "fill", (2, 1, 1), [64], [words, ctypes.c_uint(count)])
    print("fill:", words[0], words[99])


def refused(*arguments):
    try:
        gasan.run_ptx(*arguments)
    except PtxError as error:
        print("refused:", str(error).splitlines()[0])


def wrong():
    ptx = text("../../uninstrumented/Inputs/fill.ptx")
    words = array.array("i", [0])
    refused(ptx, "absent", 1, 1, [])
    refused(ptx, "fill", 1, 1, [words, 1, 2])
    refused(ptx, "fill", 1, 1, [words, ctypes.c_double(1)])
    refused(ptx, "fill", 1, 1, [words, 1 << 40])
    refused(ptx, "fill", 1, 1, [words, 1.0])
    refused(ptx, "fill", 1, 1, [words, words])
    refused(ptx, "fill", 1, 1, [words])
    refused(ptx, "fill", 1, 1, None)
    refused(ptx, "fill", (1, 1, 1, 1), 1, [words, 1])
    refused(ptx, "fill", 1, 2048, [words, 1])
    refused(ptx, "fill", 1, (64, 64), [words, 1])
    refused(ptx, "fill", (1, 0), 1, [words, 1])
    refused(ptx, "fill", (1 << 32) + 1, 1, [words, 1])
    refused(ptx, "fill", 1.5, 1, [words, 1])
    refused(ptx, "fill", 1, 1, [words, 1], 1 << 20)
    refused(ptx, "fill", 1, 1, [memoryview(words * 3)[::2], 1])
    refused(ptx, "fill", 1, 1, [words, "1"])
    refused("no PTX", "fill", 1, 1, [])
    refused(None, "fill", 1, 1, [])
    refused(b"\xff", "fill", 1, 1, [])
    refused(ptx.replace("ret;", "mov.u32 %absent, 1;"), "fill", 1, 1, [])
    refused(ptx.replace("ret;", "trap;"), "fill", 1, 1, [words, 0])
    refused(ptx.replace("ret;", "wgmma.fence.sync.aligned;"), "fill", 1, 1, [words, 0])
    fill(100)  # an error of a kernel is not that of the next call


def arguments():
    """to[0] = from[0] + z"""
    ptx = """.version 8.0
      .target sm_80
      .address_size 64
      // .entry comment ()
      .visible .entry put(.param .u64 to, .param .u64 from, .param .f32 z, .param .u64 scratch)
      {
        .reg .f32 x, y;
        .reg .u64 p, q;
        ld.param.u64 p, [to];
        ld.param.u64 q, [from];
        ld.param.f32 x, [z];
        ld.global.f32 y, [q];
        add.f32 y, y, x;
        st.global.f32 [p], y;
        ret;
      }"""
    words = array.array("f", [1, 2, 3])
    gasan.run_ptx(ptx, "put", 1, 1, [words, words, 4])
    print("the same array twice, and a whole number for a float:", list(words))
    view = memoryview(words)
    gasan.run_ptx(ptx, "put", 1, 1, [view[1:], view[:2], 0.5])
    gasan.run_ptx(ptx, "put", 1, 1, [view[:2], view[1:], 0.5])
    print("arrays that overlap:", list(words))
    refused(ptx, "comment", 1, 1, [])
    refused(ptx, "put", 1, 1, [words, words])
    gasan.run_ptx(text("../../uninstrumented/Inputs/fill.ptx"), "fill", 1, 1, [array.array("i"), 0])
    print("an empty array")


CASES = {"add": lambda: add(1000), "add-bug": lambda: add(1001), "matmul": lambda: matmul(96),
         "matmul-bug": lambda: matmul(97), "arguments": arguments, "fill": lambda: fill(100), "wrong": wrong}
for case in sys.argv[1:]:
    CASES[case]()
