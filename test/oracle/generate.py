"""Random kernels whose verdict is known by construction.

A case is one kernel with one access to the buffer `p` under test: an element type, a kind of access, and a pattern of indices.
Each pattern can say, for every thread in grid order, which elements that thread accesses; what is out of bounds follows. To add
a pattern: a class with `code` and `elements`, and its name in PATTERNS; to add an access: a line in ACCESSES."""
import collections

LARGEST_RANGE = 96
BIGGEST_DISTANCE = 200  # bytes: within everyone's smallest redzone

# Type, bytes of it, bytes of the parts in which the optimiser may access it, and whether atomicAdd takes it.
TYPES = (("signed char", 1, 1, False), ("short", 2, 2, False), ("int", 4, 4, True), ("unsigned", 4, 4, True),
         ("float", 4, 4, True), ("unsigned long long", 8, 8, True), ("double", 8, 8, False), ("float2", 8, 4, False),
         ("int4", 16, 4, False), ("double2", 16, 8, False))

# What the report calls it, the statement (@ is the element), and what it needs: a type with atomicAdd, a type that is no
# struct, or a pattern that gives whole ranges (their `bytes` from @ on).
Access = collections.namedtuple("Access", "name statement needs")
ACCESSES = (Access("READ", "sum += use(@);", None),
            Access("WRITE", "@ = make<{type}>(sum + k);", None),
            Access("READ", "{type} old = @; sum += use(old); __threadfence_block(); @ = make<{type}>(sum);", None),
            Access("WRITE", "atomicAdd(&@, make<{type}>(1));", "atomic"),
            Access("WRITE", "atomicExch(&@, make<{type}>(1));", "atomic"),
            Access("READ", "sum += use(*const_cast<volatile {type} *>(&@));", "scalar"),
            Access("WRITE", "*const_cast<volatile {type} *>(&@) = make<{type}>(sum);", "scalar"),
            Access("READ", "memcpy(local, &@, bytes); sum += local[bytes - 1];", "range"),
            Access("WRITE", "memcpy(&@, local, bytes);", "range"),
            Access("WRITE", "memset(&@, sum, bytes);", "range"))


class Pattern:
    """Chooses its numbers; `over` is by how many elements the last thread is to go too far (0: a correct kernel)."""

    ranges = False

    def __init__(self, random, over, size):
        self.over, self.size = over, size
        self.threads = random.choice((1, 7, 32, 33, 64))
        self.blocks = random.randint(1, 3)
        self.total = self.threads * self.blocks
        self.parameters, self.arguments = "", ""
        self.choose(random)


class Guarded(Pattern):
    """if (i < limit) p[i]"""

    def choose(self, random):
        self.count = random.randint(1, max(1, self.total - self.over))
        self.parameters, self.arguments = ", int limit", ", %d" % (self.count + self.over)
        self.code = "if (i < limit) {{ int k = 0; {access} }}"
        self.index = "p[i]"

    def elements(self, i):
        return [i] if i < self.count + self.over else []


class Shifted(Pattern):
    """p[i + offset]"""

    def choose(self, random):
        self.offset = random.randint(0, 5)
        self.count = max(1, self.total + self.offset - self.over)
        self.parameters, self.arguments = ", int offset", ", %d" % self.offset
        self.code = "int k = 1; {access}"
        self.index = "p[i + offset]"

    def elements(self, i):
        return [i + self.offset]


class Backwards(Pattern):
    """p[last - i], which leaves at the left."""

    def choose(self, random):
        self.count = self.total + random.randint(0, 4)
        self.last = self.total - 1 - self.over
        self.parameters, self.arguments = ", int last", ", %d" % self.last
        self.code = "int k = 2; {access}"
        self.index = "p[last - i]"

    def elements(self, i):
        return [self.last - i]


class Pieces(Pattern):
    """Each thread has a piece: a loop, its end one too far."""

    def choose(self, random):
        self.piece = random.randint(2, 6)
        self.count = self.total * self.piece
        self.parameters, self.arguments = ", int piece, int end", ", %d, %d" % (self.piece, self.piece + self.over)
        self.code = "for (int k = 0; k < end; ++k) {{ {access} }}"
        self.index = "p[i * piece + k]"

    def elements(self, i):
        return [i * self.piece + k for k in range(self.piece + self.over)]


class GridStride(Pattern):
    """for (k = i; k < limit; k += all)"""

    def choose(self, random):
        self.count = random.randint(1, 3 * self.total)
        self.parameters, self.arguments = ", int limit", ", %d" % (self.count + self.over)
        self.code = "for (int k = i; k < limit; k += gridDim.x * blockDim.x) {{ {access} }}"
        self.index = "p[k]"

    def elements(self, i):
        return list(range(i, self.count + self.over, self.total))


class Indirect(Pattern):
    """p[index[i]]"""

    def choose(self, random):
        self.count = random.randint(2, 100)
        self.places = [random.randrange(self.count) for _ in range(self.total)]
        if self.over:
            self.places[random.randrange(self.total)] = random.choice((self.count + self.over - 1, -self.over))
        self.parameters, self.arguments = ", const int *index", ", index"
        self.code = "int k = index[i]; {access}"
        self.index = "p[k]"

    def elements(self, i):
        return [self.places[i]]


class Rows(Pattern):
    """A row a thread with a pitch; only the last row can leave the buffer."""

    def choose(self, random):
        self.columns, self.gap = random.randint(1, 5), random.randint(0, 2)
        self.pitch = self.columns + self.gap
        self.count = (self.total - 1) * self.pitch + self.columns
        self.parameters, self.arguments = ", int columns, int pitch", ", %d, %d" % (self.columns + self.over, self.pitch)
        self.code = "for (int k = columns - 1; k >= 0; --k) {{ {access} }}"
        self.index = "(p + i * pitch)[k]"

    def elements(self, i):
        return [i * self.pitch + k for k in range(self.columns + self.over - 1, -1, -1)]


class Ranges(Pattern):
    """memcpy or memset of a piece a thread, all at once; a number of bytes that is known at run time only."""

    ranges = True

    def choose(self, random):
        self.piece = random.randint(1, LARGEST_RANGE // self.size - 3)
        self.count = self.total * self.piece
        self.bytes = (self.piece + self.over) * self.size
        self.parameters, self.arguments = ", int piece, size_t bytes", ", %d, %d" % (self.piece, self.bytes)
        self.code = "char local[%d]; for (int b = 0; b < %d; ++b) local[b] = char(b + sum); int k = i * piece; {access}" % (
            LARGEST_RANGE, LARGEST_RANGE)
        self.index = "p[k]"

    def elements(self, i):
        return [i * self.piece + k for k in range(self.piece + self.over)]


PATTERNS = (Guarded, Shifted, Backwards, Pieces, GridStride, Indirect, Rows, Ranges)


class Expected:
    """What must be reported: nothing (access is None), or this."""

    def __init__(self, kind, access=None, size=None, side=None, region=None, distance=None, threads=None):
        self.kind, self.access, self.size = kind, access, size
        self.side, self.region, self.distance, self.threads = side, region, distance, threads
        self.line = None


def expect(pattern, access, reported_size, size, freed):
    """From the elements (of `size` bytes) that each thread accesses, in order; a thread ends at its first fault."""
    region, first, faulting = pattern.count * size, None, 0
    for i in range(pattern.total):
        bad = [element for element in pattern.elements(i) if freed or not 0 <= element < pattern.count]
        if bad:
            first = bad[0] if first is None else first
            faulting += 1
    if first is None:
        return Expected("silent")
    if freed:
        return Expected("heap-use-after-free", access, reported_size, "inside", region, first * size, faulting)
    if first < 0:
        return Expected("heap-buffer-overflow", access, reported_size, "before", region, -first * size, faulting)
    return Expected("heap-buffer-overflow", access, reported_size, "after", region, (first - pattern.count) * size, faulting)


class Case:
    """One kernel, the host function that launches it, and what is to be reported."""

    def __init__(self, random, number):
        self.number = number
        while not self.choose(random) or not self.all_near():
            pass
        self.helper = random.choice(("", "", "__noinline__", "__forceinline__"))
        self.barrier = random.random() < 0.3

    def choose(self, random):
        """False: the choices do not go together."""
        self.type, self.size, self.part, has_atomic = random.choice(TYPES)
        access = random.choice(ACCESSES)
        bug = random.choice(("none", "overflow", "overflow", "freed"))
        pattern = random.choice(PATTERNS)(random, random.randint(1, 3) if bug == "overflow" else 0, self.size)
        fits = {None: True, "atomic": has_atomic, "scalar": self.part == self.size,
                "range": pattern.ranges}[access.needs]
        if not fits or pattern.ranges != (access.needs == "range"):
            return False
        self.pattern, self.freed = pattern, bug == "freed"
        self.statement = access.statement.format(type=self.type).replace("@", pattern.index)
        if pattern.ranges:
            self.part = pattern.bytes
        self.expected = expect(pattern, access.name, pattern.bytes if pattern.ranges else self.size, self.size, self.freed)
        return True

    def all_near(self):
        """Every access of every thread lies in the buffer or in its redzone."""
        margin = BIGGEST_DISTANCE // self.size
        return all(-margin <= element < self.pattern.count + margin
                   for i in range(self.pattern.total) for element in self.pattern.elements(i))

    def beyond(self, distance):
        """By how many bytes an address behind the first bad element's, given as the report's distance."""
        return (self.expected.distance - distance) * (1 if self.expected.side == "before" else -1)

    def lines(self, first_line):
        """The case's source; notes the line of its access."""
        n, pattern = self.number, self.pattern
        signature = "%s *p, int *sink, int i%s" % (self.type, pattern.parameters)
        names = "".join(", " + word.split()[-1].lstrip("*") for word in pattern.parameters.split(",")[1:])
        body = ["  int sum = i;"]
        body += ["  __syncthreads();"] * self.barrier
        body += ["  " + pattern.code.format(access=self.statement), "  sink[i] = sum;"]
        text = ["__device__ %s void work%d(%s) {" % (self.helper, n, signature)] + body + ["}"]
        self.expected.line = first_line + len(body) - 1  # the last statement but one
        text += ["__global__ void kernel%d(%s) {" % (n, signature.replace(", int i", "", 1)),
                 "  int i = blockIdx.x * blockDim.x + threadIdx.x;",
                 "  work%d(p, sink, i%s);" % (n, names), "}"]
        text += ["static int case%d() { // %s" % (n, self.title()),
                 "  %s *p = allocate<%s>(%d);" % (self.type, self.type, pattern.count),
                 "  int *sink = allocate<int>(%d);" % pattern.total]
        if "index" in pattern.arguments:
            text += ["  int *index = indices({%s});" % ", ".join(map(str, pattern.places))]
        text += ["  CUDA(cudaFree(p));"] * self.freed
        text += ["  kernel%d<<<%d, %d>>>(p, sink%s);" % (n, pattern.blocks, pattern.threads, pattern.arguments),
                 "  CUDA(cudaDeviceSynchronize());"]
        text += ["  CUDA(cudaFree(p));"] * (not self.freed)
        return text + ["  return 0;", "}"]

    def title(self):
        expected = self.expected
        if expected.access is None:
            return "silent"
        return "%s, %s of %d, %d bytes %s" % (expected.kind, expected.access, expected.size, expected.distance, expected.side)


def program(cases):
    """The text of a program that runs the case whose number is its argument."""
    text = ['#include "fuzz.h"', ""]
    for case in cases:
        text += case.lines(len(text) + 1)
    text += ["int main(int, char **arguments) {", "  switch (atoi(arguments[1])) {"]
    for case in cases:
        text += ["  case %d:" % case.number, "    return case%d();" % case.number]
    return "\n".join(text + ["  }", "  return 3;", "}"]) + "\n"
