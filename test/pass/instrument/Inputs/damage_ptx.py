"""Writes a module whose inline PTX is real PTX with random damage. The pass may fail to read it, but must not crash.

Usage: damage_ptx.py COUNT SEED"""
import random
import sys

TEXTS = [
    "{ .reg .u64 p; cvta.to.global.u64 p, $2; ld.global.nc.v4.u32 {$0, $0, $0, $0}, [p+16]; }",
    "{ .reg .pred %p<3>; setp.ne.s32 %p1|%p2, $3, 0; @!%p1 st.release.gpu.global.b32 [$2], $3; }",
    "{ .reg .b32 lo, hi; mov.b64 {lo, hi}, $2; add.cc.u32 lo, lo, 4; addc.u32 hi, hi, 0; mov.b64 $1, {lo, hi}; }",
    "atom.global.acq_rel.sys.cas.b128 $0, [$2], $3, $3; // comment",
    "wait: ld.acquire.sys.u32 $0, [$2]; setp.lt.and.u32 p, $0, 0x1fU, q; @p bra.uni wait; /* end */ exit;",
    "cp.async.ca.shared::cta.global.L2::cache_hint.L2::128B [$3], [$2], 16, $3, $2;",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [$2], [$3], 32;",
    "mad.wide.s32 $1, $3, -12, $2; shl.b64 $1, $1, 70; mul.hi.u64 $1, $1, $2; selp.b64 $1, $2, $1, p; "
    "cvt.s64.s8 $1, $3;",
    "{ .reg .u64 a; { .reg .v2 .u64 a; mov.u64 a, %tid.x; } st.global.u32 [a+-8], 0f3f800000; }",
    "shfl.sync.idx.b32 $0|p, $3, WARP_SZ, 31, -1; lop3.b32 $0, $0, $3, 7, 0x96; min.s32 $0, $0, $3; not.b32 $0, $$x;",
]
PIECES = ["{", "}", "[", "]", ";", ",", "@", "@!", ":", "::", ".", "|", "$", "$9", "$0", "$4294967296", "%", "+", "-",
          "/*", "//", "\\0A", "_", "0x", "0f", ".v8", ".b128", ".pred", ".global", ".reg .", "<4>", "", " ", "\\FF",
          "99999999999999999999", "${:uid}"]


def damage(text):
    for _ in range(random.randrange(1, 6)):
        start = random.randrange(len(text) + 1)
        end = min(len(text), start + random.choice((0, 0, 1, 1, 2, 8, 40)))
        other = random.choice(TEXTS)
        at = random.randrange(len(other))
        piece = random.choice((random.choice(PIECES), random.choice(PIECES), other[at : at + 12]))
        text = text[:start] + piece + text[end:]
    return text.replace('"', "")


def main():
    count, seed = map(int, sys.argv[1:])
    random.seed(seed)
    print('target triple = "nvptx64-nvidia-cuda"')
    print('target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"')
    for number in range(count):
        print('define ptx_kernel void @k%d(ptr %%p, i32 %%i) #0 {' % number)
        print('  call { i32, i64 } asm sideeffect "%s", "=r,=l,l,r,~{memory}"(ptr %%p, i32 %%i)' %
              damage(random.choice(TEXTS)))
        print("  ret void\n}")
    print('attributes #0 = { "gasan-sanitize" "target-cpu"="sm_80" }')


main()
