#!/usr/bin/env python3
"""Writes a kernel of random blocks and loops that loads, stores and updates elements of its arguments.

  random_loops.py SEED

There are no calls and no local arrays. Loops end in several places, by switches with several edges to one block, in
each other's headers, or never. Each block uses values and pointers of any block that dominates it, across loops. A
phi chooses the argument of a pointer.
"""
import random
import sys

HEAD = '''target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %a0, ptr %a1, i32 %n) sanitize_address \
"target-cpu"="sm_90" "target-features"="+ptx85,+sm_90" {
'''


def dominators(edges):
    """Returns, for each block, the blocks that dominate it, with the block itself."""
    before = {0: {0}}
    grown = True
    while grown:
        grown = False
        for block in sorted(before):
            for to in edges[block]:
                new = before[block] | {to} if to not in before else (before[block] & before[to]) | {to}
                if before.get(to) != new:
                    before[to] = new
                    grown = True
    return [before.get(block, {0, block}) for block in sorted(edges)]


def write(rng):
    blocks = rng.randrange(3, 12)
    edges = {}
    for block in range(blocks):
        kind = rng.random()
        to = [rng.randrange(1, blocks) for _ in range(3)]
        count = 0 if block == blocks - 1 or kind < 0.08 else 1 if kind < 0.3 else 2 if kind < 0.85 else 3
        edges[block] = to[:count]
    ways = dominators(edges)
    values = {}
    lines = {}
    for block in sorted(range(blocks), key=lambda block: len(ways[block])):
        above = [other for other in sorted(ways[block]) if other != block]
        own, text = ["%n"] + [value for other in above for value in values[other][1:]], []
        pointers = ["%a0", "%a1"] + ["%%q%d" % other for other in above + [block] if other]
        if block:
            own = own + ["%%phi%d" % block]
        for number in range(rng.randrange(0, 5)):
            name = "%%v%d.%d" % (block, number)
            pick = lambda: rng.choice(own)
            what = rng.randrange(5)
            if what == 0:
                text.append("%s = add i32 %s, %s" % (name, pick(), pick()))
            else:
                place = "%%p%d.%d" % (block, number)
                text += ["%s.i = zext i32 %s to i64" % (place, pick()),
                         "%s = getelementptr i32, ptr %s, i64 %s.i" % (place, rng.choice(pointers), place)]
                if what < 3:
                    text.append("%s = load i32, ptr %s, align 4" % (name, place))
                elif what == 3:
                    text.append("%s = atomicrmw add ptr %s, i32 %s monotonic" % (name, place, pick()))
                else:
                    text.append("store i32 %s, ptr %s, align 4" % (pick(), place))
                    continue
            own = own + [name]
        values[block] = own
        to = edges[block]
        if len(to) == 2:
            text += ["%%c%d = icmp ult i32 %s, %s" % (block, rng.choice(own), rng.choice(own)),
                     "br i1 %%c%d, label %%b%d, label %%b%d" % (block, *to)]
        elif len(to) == 3:
            text.append("switch i32 %s, label %%b%d [ i32 0, label %%b%d\n i32 1, label %%b%d ]" %
                        (rng.choice(own), *to))
        elif to:
            text.append("br label %%b%d" % to[0])
        else:
            text.append(rng.choice(("ret void", "ret void", "unreachable")) if block < blocks - 1 else "ret void")
        lines[block] = text
    out = []
    for block in range(blocks):
        out.append("b%d:" % block)
        if block:
            incoming = ["[ %s, %%b%d ]" % (value, before) for before in range(blocks)
                        for value in [rng.choice(values[before])] for _ in range(edges[before].count(block))]
            out.append("%%phi%d = %s" % (block, "phi i32 " + ", ".join(incoming) if incoming else "freeze i32 poison"))
            known = [["%a0", "%a1"] + ["%%q%d" % other for other in sorted(ways[before]) if other]
                     for before in range(blocks)]
            incoming = ["[ %s, %%b%d ]" % (pointer, before) for before in range(blocks)
                        for pointer in [rng.choice(known[before])] for _ in range(edges[before].count(block))]
            out.append("%%q%d = %s" % (block, "phi ptr " + ", ".join(incoming) if incoming else "freeze ptr %a0"))
        out += lines[block]
    return "\n".join(out)


if __name__ == "__main__":
    print(HEAD + write(random.Random(int(sys.argv[1]))) + "\n}")
