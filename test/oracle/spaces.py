"""Random kernels as of generate.py in all memory spaces: where the buffer lies is chosen too, and what either mode must say of it.

To add a space: a row of SPACES."""
import collections
import re

import generate

# name: of the space. kind: of an overflow's report. local: the kernel makes the buffer itself. declare: statements of the kernel
# that make `p` of type T and n elements. outside: what stands before the kernel.
Space = collections.namedtuple("Space", "name kind local declare outside")
SPACES = (
    Space("heap", "heap-buffer-overflow", False, "", ""),
    Space("managed", "heap-buffer-overflow", False, "", ""),
    Space("field", "intra-object-overflow", False, "", "struct Record{n} {{ {type} head; {type} p[{count}]; {type} tail[{tail}]; }};"),
    Space("shared", "shared-buffer-overflow", True, "__shared__ {type} p[{count}];", ""),
    Space("dynamic", "shared-buffer-overflow", True,
          "extern __shared__ int4 dynamic[]; {type} *p = reinterpret_cast<{type} *>(dynamic);", ""),
    Space("local", "stack-buffer-overflow", True, "{type} p[{count}];", ""),
    Space("alloca", "stack-buffer-overflow", True,
          "{type} *p = static_cast<{type} *>(__builtin_alloca_with_align(count * sizeof({type}), 128));", ""),
    Space("variable", "global-buffer-overflow", True, "{type} *p = variable{n};", "__device__ {type} variable{n}[{count}];"),
)
SMALLEST_COUNT = 2  # the optimiser knows which element of one is meant
LARGEST_SHARED, LARGEST_LOCAL = 40000, 2000
FAR = "far"


class Far(generate.Pattern):
    """p[i + far], where far is the distance to another live allocation (or 0, in a correct kernel)."""

    def choose(self, random):
        self.count = self.total + random.randint(0, 5)
        self.parameters, self.arguments = ", long far", ", other - p" if self.over else ", 0"
        self.code = "long k = i + far; {access}"
        self.index = "p[k]"

    def elements(self, i):
        return [i]


class Case(generate.Case):
    """One kernel with one access to a buffer in some space."""

    def __init__(self, random, number):
        self.number = number
        while not self.choose(random):
            pass
        self.helper = random.choice(("", "", "__noinline__", "__forceinline__"))
        self.barrier = random.random() < 0.3

    def choose(self, random):
        self.space = random.choice(SPACES)
        self.is_far = not self.space.local and self.space.name != "field" and random.random() < 0.2
        if self.is_far:
            return self.choose_far(random)
        if not super().choose(random):
            return False
        count, size = self.pattern.count, self.size
        if self.freed and self.space.name not in ("heap", "managed"):
            return False
        if count < SMALLEST_COUNT or (self.space.name in ("shared", "dynamic") and count * size > LARGEST_SHARED):
            return False
        if self.space.name in ("local", "alloca") and count * size > LARGEST_LOCAL:
            return False
        # memcpy over several fields is what programs do, pointer arithmetic no longer knows the field, and arrays of structs are
        # not compared (README's limits).
        if self.space.name == "field" and (self.pattern.ranges or isinstance(self.pattern, generate.Rows) or self.part != self.size):
            return False
        if self.expected.kind == "heap-buffer-overflow":
            self.expected.kind = self.space.kind
        return self.all_near()

    def choose_far(self, random):
        self.type, self.size, self.part, has_atomic = random.choice(generate.TYPES)
        access = random.choice(generate.ACCESSES)
        if access.needs == "range" or (access.needs == "atomic" and not has_atomic) or (
                access.needs == "scalar" and self.part != self.size):
            return False
        self.freed = False
        self.pattern = Far(random, random.choice((0, 1)), self.size)
        self.statement = access.statement.format(type=self.type).replace("@", self.pattern.index)
        self.expected = generate.Expected("silent")
        if self.pattern.over:
            self.expected = generate.Expected("heap-buffer-overflow", access.name, self.size, None, self.pattern.count * self.size,
                                              None, self.pattern.total)
        return True

    def in_shadow_mode(self):
        """What that mode must say: "as bst" or "silent"; None: the kernel does damage that it does not see."""
        if self.expected.access is None:
            return "as bst"
        if self.is_far:
            return "silent"
        if self.space.name == "heap":
            return "as bst"
        # Freed managed memory is held back, fields' neighbours are the object's.
        return "silent" if self.freed or self.space.name == "field" and self.stays_in_tail() else None

    def stays_in_tail(self):
        elements = [element for i in range(self.pattern.total) for element in self.pattern.elements(i)]
        return min(elements) >= -1 and max(elements) < self.pattern.count + self.tail()

    def tail(self):
        return 8

    def filled(self, text):
        return text.format(n=self.number, type=self.type, count=self.pattern.count, tail=self.tail())

    def lines(self, first_line):
        n, pattern, space = self.number, self.pattern, self.space
        is_field = space.name == "field"
        pointer = "Record%d *record" % n if is_field else "%s *p" % self.type
        statement = re.sub(r"\bp\b", "record->p", self.statement) if is_field else self.statement
        own = ", int count, int zero" if space.local else ""
        signature = ", int *sink, int i" + pattern.parameters
        names = "".join(", " + word.split()[-1].lstrip("*") for word in pattern.parameters.split(",")[1:])
        text = [self.filled(space.outside)] * bool(space.outside)
        body = ["  int sum = i;"] + ["  __syncthreads();"] * self.barrier
        body += ["  " + pattern.code.format(access=statement), "  sink[i] = sum;"]
        text += ["__device__ %s void work%d(%s%s) {" % (self.helper, n, pointer, signature)] + body + ["}"]
        self.expected.line = first_line + len(text) - 3
        first = own.lstrip(", ") + ", " if space.local else pointer + ", "
        text += ["__global__ void kernel%d(%sint *sink%s) {" % (n, first, pattern.parameters),
                 "  int i = blockIdx.x * blockDim.x + threadIdx.x;"]
        if space.local:
            text += ["  " + self.filled(space.declare), "  prepare(p, count);", "  __syncthreads();"]
        text += ["  work%d(%s, sink, i%s);" % (n, "record" if is_field else "p", names)]
        text += ["  sink[i] += use(p[zero]);"] * space.local
        return text + ["}"] + self.host_lines()

    def host_lines(self):
        n, pattern, space = self.number, self.pattern, self.space
        text = ["static void case%d() { // %s: %s" % (n, space.name, self.expected.kind)]
        if space.name == "field":
            text += ["  Record%d *p = allocate<Record%d>(1);" % (n, n)]
        elif not space.local:
            allocate = "allocate_managed" if space.name == "managed" else "allocate"
            text += ["  %s *p = %s<%s>(%d);" % (self.type, allocate, self.type, pattern.count)]
            text += ["  %s *other = %s<%s>(%d);" % (self.type, allocate, self.type, pattern.count)] * self.is_far
        text += ["  int *sink = allocate<int>(%d);" % pattern.total]
        if "index" in pattern.arguments:
            text += ["  int *index = indices({%s});" % ", ".join(map(str, pattern.places))]
        text += ["  CUDA(cudaFree(p));"] * self.freed
        first = "%d, 0" % pattern.count if space.local else "p"
        shared = ", %d" % (pattern.count * self.size) if space.name == "dynamic" else ""
        text += ["  kernel%d<<<%d, %d%s>>>(%s, sink%s);" % (n, pattern.blocks, pattern.threads, shared, first, pattern.arguments),
                 "  CUDA(cudaDeviceSynchronize());"]
        text += ["  CUDA(cudaFree(p));"] * (not space.local and not self.freed)
        return text + ["  CUDA(cudaFree(other));"] * self.is_far + ["}"]


def program(cases):
    """The text of a program that runs the cases whose numbers are its arguments; before each it prints "case N"."""
    text = ['#include "fuzz.h"', ""]
    for case in cases:
        text += case.lines(len(text) + 1)
    text += ["int main(int, char **arguments) {", "  while (*++arguments) {",
             '    fprintf(stderr, "case %s\\n", *arguments);', "    switch (atoi(*arguments)) {"]
    for case in cases:
        text += ["    case %d: case%d(); break;" % (case.number, case.number)]
    return "\n".join(text + ["    default: return 3;", "    }", "  }", "}"]) + "\n"
