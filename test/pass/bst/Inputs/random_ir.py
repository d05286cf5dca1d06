#!/usr/bin/env python3
"""Writes a valid module of random pointer arithmetic. It tests that passes do not crash; nobody runs it.

  random_ir.py SEED [compiles]

The module has loops of pointers and integers, selects, vectors of pointers, address spaces, unreachable blocks, calls
with and without bounds, recursion, and variables of all kinds. With `compiles` it lacks the operations that the back
end and ptxas refuse unless they are optimised away: writes to constant memory, and global variables used as shared
ones."""
import random
import sys

SPACES = (0, 0, 0, 1, 3, 4, 5, 7)
COMPILABLE_SPACES = (0, 0, 0, 1, 3, 5)
ATOMIC_SPACES = (0, 1, 3, 5)
HEAD = """target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
@g1 = addrspace(1) global [10 x i32] zeroinitializer
@g3 = internal addrspace(3) global [64 x i8] undef, align 4
@dynamic = external addrspace(3) global [0 x i8]
@g4 = addrspace(4) constant [4 x i32] zeroinitializer
@pointers = addrspace(1) global [2 x ptr] [ptr @f0, ptr addrspacecast (ptr addrspace(3) @g3 to ptr)]
@alias = alias [10 x i32], ptr addrspace(1) @g1
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
declare <2 x i32> @llvm.masked.gather.v2i32.v2p0(<2 x ptr>, <2 x i1>, <2 x i32>)
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)
declare ptr @unknown(ptr)
"""


def pointer(space):
    return "ptr addrspace(%d)" % space if space else "ptr"


class Function:
    def __init__(self, rng, name, signatures, compiles):
        self.rng, self.name, self.signatures, self.compiles = rng, name, signatures, compiles
        self.spaces = COMPILABLE_SPACES if compiles else SPACES
        self.count, self.lines = 0, []

    def fresh(self):
        self.count += 1
        return "%%v%d" % self.count

    def emit(self, type_, text):
        name = self.fresh()
        self.lines.append("  %s = %s" % (name, text))
        self.scope.setdefault(type_, []).append(name)
        return name

    def pick(self, type_):
        known = self.scope.get(type_, [])
        if known and self.rng.random() < 0.95:
            return self.rng.choice(known[-6:] if self.rng.random() < 0.6 else known)
        constants = {"i64": ["0", "1", "-16", "48", "ptrtoint (ptr addrspace(1) @g1 to i64)"], "i1": ["true", "false"],
                     "i32": ["0", "7"], "<2 x ptr>": ["zeroinitializer", "poison"],
                     "<2 x i1>": ["splat (i1 true)", "poison"],
                     "ptr": ["null", "undef", "poison", "addrspacecast (ptr addrspace(3) @g3 to ptr)",
                             "inttoptr (i64 4096 to ptr)", "addrspacecast (ptr addrspace(1) @alias to ptr)"],
                     "ptr addrspace(1)": ["null", "@g1", "getelementptr (i8, ptr addrspace(1) @g1, i64 44)", "@alias"],
                     "ptr addrspace(3)": ["null", "@g3", "@dynamic"], "ptr addrspace(4)": ["@g4", "poison"]}
        return self.rng.choice(constants.get(type_, ["undef"]))

    def instruction(self):
        space = self.rng.choice(self.spaces)
        p, other = pointer(space), pointer(self.rng.choice(self.spaces))
        pick, emit = self.pick, self.emit
        choice = self.rng.randrange(24)
        if choice == 0:
            emit("i64", "ptrtoint %s %s to i64" % (p, pick(p)))
        elif choice == 1:
            to = "ptr" if self.compiles else p
            emit(to, "inttoptr i64 %s to %s" % (pick("i64"), to))
        elif choice in (2, 3):
            emit("i64", "%s i64 %s, %s" % (self.rng.choice(("add", "sub", "and", "or", "xor", "mul", "shl")),
                                           pick("i64"), pick("i64")))
        elif choice in (4, 5, 6):
            emit(p, "getelementptr %s, %s %s, i64 %s" %
                 (self.rng.choice(("i8", "i32", "{ i64, i32 }")), p, pick(p), pick("i64")))
        elif choice == 7 and p != other and (other == "ptr" or not self.compiles):
            emit(other, "addrspacecast %s %s to %s" % (p, pick(p), other))
        elif choice == 8:
            emit(p, "select i1 %s, %s %s, %s %s" % (pick("i1"), p, pick(p), p, pick(p)))
        elif choice == 9:
            emit("i64", "select i1 %s, i64 %s, i64 %s" % (pick("i1"), pick("i64"), pick("i64")))
        elif choice == 10:
            emit(p, "freeze %s %s" % (p, pick(p)))
        elif choice == 11:
            emit("ptr", "load ptr, %s %s" % (p, pick(p)))
        elif choice in (12, 13):
            kind, align = self.rng.choice((("i32", 4), ("i8", 1), ("<4 x i32>", 16), ("i64", 1), ("{ i64, i32 }", 8)))
            self.lines.append("  store %s zeroinitializer, %s %s, align %d" % (kind, p, pick(p), align))
        elif choice == 14:
            emit("i32", "load i32, %s %s" % (p, pick(p)))
        elif choice == 15:
            emit("i1", "icmp ult %s %s, %s" % (p, pick(p), pick(p)))
        elif choice == 16:
            self.lines.append("  call void @llvm.memcpy.p0.p0.i64(ptr %s, ptr %s, i64 %s, i1 false)" %
                              (pick("ptr"), pick("ptr"), pick("i64")))
        elif choice == 17:
            emit("<2 x ptr>", "getelementptr i32, ptr %s, <2 x i64> splat (i64 %d)" %
                 (pick("ptr"), self.rng.randrange(9)))
        elif choice == 18:
            emit("<2 x ptr>", "insertelement <2 x ptr> %s, ptr %s, i64 %d" %
                 (pick("<2 x ptr>"), pick("ptr"), self.rng.randrange(2)))
            emit("ptr", "extractelement <2 x ptr> %s, i64 %s" %
                 (pick("<2 x ptr>"), self.rng.choice(("0", "1", pick("i64")))))
        elif choice == 19:
            self.lines.append("  %s = call <2 x i32> @llvm.masked.gather.v2i32.v2p0("
                              "<2 x ptr> align 4 %s, <2 x i1> %s, <2 x i32> poison)" %
                              (self.fresh(), pick("<2 x ptr>"), pick("<2 x i1>")))
        elif choice == 20:
            emit("ptr", self.rng.choice(("call ptr @unknown(ptr %s)" % pick("ptr"),
                                         "call ptr @llvm.ptrmask.p0.i64(ptr %s, i64 %s)" % (pick("ptr"), pick("i64")))))
        elif choice == 21:
            emit("ptr", "alloca i32, i32 %s" % pick("i32"))
        elif choice == 22 and (space in ATOMIC_SPACES or not self.compiles):
            name, atomic = self.fresh(), self.rng.choice(("atomicrmw add %s %s, i32 1 seq_cst",
                                                          "cmpxchg %s %s, i32 1, i32 2 seq_cst seq_cst"))
            self.lines.append("  %s = %s" % (name, atomic % (p, pick(p))))
        else:
            name, result, parameters = self.rng.choice(self.signatures)
            arguments = ", ".join("%s %s" % (t, self.pick(t.split(" byval")[0])) for t in parameters)
            call = "call %s @%s(%s)" % (result, name, arguments)
            if result == "void":
                self.lines.append("  " + call)
            else:
                emit(result, call)

    def write(self):
        _, result, parameters = self.signature = next(s for s in self.signatures if s[0] == self.name)
        common = {}
        names = []
        for number, type_ in enumerate(parameters):
            names.append("%s %%a%d" % (type_, number))
            common.setdefault(type_.split(" byval")[0], []).append("%%a%d" % number)
        blocks = self.rng.randrange(2, 9)
        edges = {block: [] for block in range(blocks)}
        for successors in edges.values():
            if self.rng.random() < 0.85:
                successors += self.rng.sample(range(1, blocks), min(blocks - 1, self.rng.choice((1, 2, 2))))
        bodies, scopes = [], []
        for block in range(blocks):
            self.scope = {t: list(v) for t, v in common.items()}
            self.lines = []
            if block == 0:
                for _ in range(self.rng.randrange(4)):
                    self.emit("ptr", "alloca %s" % self.rng.choice(("i32", "[8 x i32]", "ptr", "{ i64, i32 }")))
            else:
                for type_ in self.rng.sample(("ptr", "ptr addrspace(1)", "ptr addrspace(3)", "i64", "<2 x ptr>"), 3):
                    self.emit(type_, "phi %s PHI" % type_)
            for _ in range(self.rng.randrange(3, 14)):
                self.instruction()
            if block == 0:
                common = {t: list(v) for t, v in self.scope.items()}
            condition = self.pick("i1")
            if len(edges[block]) == 2:
                self.lines.append("  br i1 %s, label %%b%d, label %%b%d" % (condition, *edges[block]))
            elif edges[block]:
                self.lines.append("  br label %%b%d" % edges[block][0])
            else:
                self.lines.append("  ret void" if result == "void" else "  ret %s %s" % (result, self.pick(result)))
            bodies.append(self.lines)
            scopes.append(self.scope)
        text = []
        for block, lines in enumerate(bodies):
            text.append("b%d:" % block)
            for line in lines:
                if line.endswith(" PHI"):
                    type_ = line.split(" = phi ")[1][:-4]
                    incoming = []
                    for before in range(blocks):
                        self.scope = scopes[before]
                        incoming += ["[ %s, %%b%d ]" % (self.pick(type_), before)] if block in edges[before] else []
                    if not incoming:
                        text.append(line.split(" = phi ")[0] + " = freeze %s undef" % type_)
                        continue
                    line = line[:-3] + ", ".join(incoming)
                text.append(line)
        kind = "ptx_kernel " if self.name.startswith("k") else self.rng.choice(("", "internal "))
        mark = self.rng.choice((' "gasan-sanitize"', ' "gasan-sanitize"', ' "gasan-sanitize"', ""))
        return "define %s%s @%s(%s)%s {\n%s\n}\n" % (kind, result, self.name, ", ".join(names), mark, "\n".join(text))


def main():
    rng, compiles = random.Random(int(sys.argv[1])), "compiles" in sys.argv[2:]
    types = ("ptr", "ptr", "ptr", "ptr addrspace(1)", "ptr addrspace(3)", "i64", "i1", "ptr byval({ ptr, i32 })",
             "<2 x ptr>")
    signatures = [("f%d" % n, rng.choice(("void", "ptr", "ptr", "i64", "ptr addrspace(3)")),
                   [rng.choice(types) for _ in range(rng.randrange(4))]) for n in range(4)]
    kernel = ("k", "void", ["ptr", "i64", "ptr byval({ ptr, i32 })"])
    text = [Function(rng, name, signatures, compiles).write() for name, _, _ in signatures]
    function = Function(rng, "k", signatures + [kernel], compiles).write()
    text.append(function.replace("call void @k(", "call void @unknown("))
    module = HEAD + "\n".join(text)
    if compiles:  # PTX has neither aliases of variables nor addresses in shared memory in their initial values
        lines = [line for line in module.split("\n") if not line.startswith("@alias")]
        module = "\n".join(line.split("] [")[0] + "] zeroinitializer" if line.startswith("@pointers") else line
                           for line in lines)
        module = module.replace("@alias", "@g1")
    print(module)


if __name__ == "__main__":
    main()
