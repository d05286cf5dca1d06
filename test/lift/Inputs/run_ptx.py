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


def undefined():
    """A register without a value has some value: one of the two ways of a branch is taken."""
    head = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out) { .reg .b32 r<3>; " \
           ".reg .pred p; .reg .u64 q; ld.param.u64 q, [out]; "
    for test in "", "setp.eq.u32 p, r1, 0;", "div.u32 r1, 5, r2; setp.eq.u32 p, r1, 0;":
        words = array.array("I", [0])
        gasan.run_ptx(head + test + "@p bra L; st.u32 [q], 1; ret; L: st.u32 [q], 2; ret; }", "k", 1, 1, [words])
        print("one way:", words[0] in (1, 2))


def forms():
    """Forms of the grammar that nvcc does not print."""
    ptx = """.version 8.3
      .target sm_90, texmode_independent
      .address_size 64
      .global .u32 a[4] = {10, 11, 12, WARP_SZ*2};
      .global .u32 rows[2][2] = {{1, 2}, {3, 4}};
      .global .v2 .u32 pairs[2] = {{5, 6}, {7, 8}};
      .func (.reg .u32 sum, .reg .f32 half, .reg .u64 wide) several(.reg .u32 x)
      {
        add.u32 sum, x, 1;
        mov.f32 half, .5;
        mov.u64 wide, 1000;
        ret;
      }
      .func (.param .b128 r) pass(.param .b128 x)
      {
        .reg .b128 q;
        ld.param.b128 q, [x];
        st.param.b128 [r], q;
        ret;
      }
      .visible .entry k(.param .u64 out)
      {
        .reg .u64 q, w, low, high;
        .reg .u32 i, x, y, r<4>;
        .reg .u16 h;
        .reg .f32 f;
        .reg .pred p;
        .reg .v4 .u32 v;
        ld.param.u64 q, [out];
        mov.u32 i, %tid.x;
        add.u32 i, i, 1;
        ld.global.u32 x, a[i];            st.u32 [q], x;
        ld.global.u32 x, a[i+2];          st.u32 [q+4], x;
        ld.global.u32 x, rows[3];         st.u32 [q+8], x;
        ld.global.u32 x, pairs[i];        st.u32 [q+12], x;
        mov.u64 w, a[i];                  ld.global.u32 x, [w+4].unified; st.u32 [q+16], x;
        cvt.u16.u32 h, i;
        @%is_explicit_cluster add.u32 i, i, 1;
        ld.global.u32 x, a[h];            st.u32 [q+20], x;
        mov.f32 f, (1.0+2.0)*-.5;         st.f32 [q+24], f;
        call (x, f, w), several, (41);    st.u32 [q+28], x;
        st.f32 [q+32], f;                 st.u32 [q+36], w;
        mov.v4.u32 v, %ntid;              st.u32 [q+40], v.x;
        mov.v4.u32 {r0, r1, r2, r3}, %ctaid; st.u32 [q+44], r2;
        targets: .branchtargets T<2>;
        brx.idx i, targets;
        T0: mov.u32 x, 100; bra E;
        T1: mov.u32 x, 101;
        E: st.u32 [q+48], x;
        {
          .param .b128 in, back;
          st.param.u64 [in], 5;
          st.param.u64 [in+8], 6;
          call (back), pass, (in);
          ld.param.v2.u64 {low, high}, [back];
        }
        add.u64 low, low, high;           st.u32 [q+52], low;
        mov.u32 x, 1.0 < 2.0;             st.u32 [q+56], x;
        setp.eq.u32 p, x, WARP_SZ-31;     selp.u32 x, 3, 4, p; st.u32 [q+60], x;
        ret;
      }"""
    words = array.array("I", [0] * 16)
    gasan.run_ptx(ptx, "k", 1, 1, [words])
    floats = struct.unpack("<16f", words.tobytes())
    print("forms:", list(words[:6]), floats[6], words[7], floats[8], list(words[9:]))


def copies():
    """Copies by a tensor map are counted; copies with addresses are checked. The kernel does not run."""
    fill_ptx = text("../../uninstrumented/Inputs/fill.ptx").replace(".version 7.8", ".version 8.3")
    ptx = fill_ptx.replace("sm_80", "sm_90") + """
      .visible .entry copies(.param .u64 map, .param .u64 to)
      {
        .reg .u64 m, g;
        .reg .u32 s, b, x, y;
        .reg .f32 f;
        ld.param.u64 m, [map];
        ld.param.u64 g, [to];
        mov.u32 s, %tid.x; mov.u32 b, s; mov.u32 x, s; mov.u32 y, s;
        // known addresses and sizes
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [g], 64, [b];
        cp.async.bulk.global.shared::cta.bulk_group [g], [s], x;
        cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [g+64], [s], 64;
        multimem.ld_reduce.relaxed.sys.global.add.f32 f, [g+128];
        multimem.st.global.f32 [g+132], f;
        // a tensor map, or bytes that a mask leaves out
        cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [s], [m, {x, y}], [b];
        cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [m, {x, y}], [s];
        cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [m, {x, y}], [s];
        tensormap.replace.tile.global_address.global.b1024.b64 [m], g;
        // no accesses
        cp.async.bulk.prefetch.tensor.2d.L2.global.tile [m, {x, y}];
        prefetch.tensormap [m];
        cp.async.bulk.commit_group;
        ret;
      }"""
    gasan.run_ptx(ptx, "fill", 1, 64, [array.array("i", [0] * 64), 64])


CASES = {"add": lambda: add(1000), "add-bug": lambda: add(1001), "matmul": lambda: matmul(96),
         "matmul-bug": lambda: matmul(97), "arguments": arguments, "fill": lambda: fill(100), "wrong": wrong,
         "undefined": undefined, "forms": forms, "copies": copies}
for case in sys.argv[1:]:
    CASES[case]()
