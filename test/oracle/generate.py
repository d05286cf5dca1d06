"""Generates random kernels whose verdict is known by construction.

A case is one kernel with one access to the buffer `p` under test. It has an element type, a kind of access and a
pattern of indices. A pattern knows the elements that each thread accesses, in grid order; the expected report follows
from them.

To add a pattern, write a class with `code` and `elements`, and add it to PATTERNS. To add an access, add a line to
ACCESSES."""
import collections

LARGEST_RANGE = 96
BIGGEST_DISTANCE = 200  # bytes; smaller than the smallest redzone of gasan and of the oracle

# Type, its bytes, the bytes of the smallest parts in which the optimiser may access it, and the atomics for it.
TYPES = (("signed char", 1, 1, ()), ("short", 2, 2, ()), ("unsigned short", 2, 2, ("cas",)),
         ("int", 4, 4, ("atomic", "cas")), ("unsigned", 4, 4, ("atomic", "cas")), ("float", 4, 4, ("atomic",)),
         ("unsigned long long", 8, 8, ("atomic", "cas")), ("double", 8, 8, ()),
         ("float2", 8, 4, ()), ("Triple", 12, 4, ()), ("int4", 16, 4, ()), ("double2", 16, 8, ()))
# The type that accesses several neighbours at once.
WIDE = {"signed char": "int", "short": "int", "unsigned short": "int", "int": "int4", "unsigned": "int4",
        "float": "float4", "unsigned long long": "ulonglong2", "double": "double2"}
LANES = {1: 4, 2: 2, 4: 4, 8: 2}  # bytes of an element -> the number of such neighbours

# name: the access in the report. statement: @ is the element. needs: a type with atomicAdd or atomicCAS; a type that
# is no struct; a pattern of whole ranges (`bytes` from @ on) or of neighbours that are accessed at once. A statement
# without needs and with one access may be repeated.
Access = collections.namedtuple("Access", "name statement needs")
ACCESSES = (Access("READ", "sum += use(@);", None),
            Access("WRITE", "@ = make<{type}>(sum + k);", None),
            Access("READ", "{type} old = @; sum += use(old); __threadfence_block(); @ = make<{type}>(sum);", None),
            Access("WRITE", "atomicAdd(&@, make<{type}>(1));", "atomic"),
            Access("WRITE", "atomicExch(&@, make<{type}>(1));", "atomic"),
            Access("WRITE", "atomicAdd_system(&@, make<{type}>(1));", "atomic"),
            Access("WRITE", "atomicCAS(&@, make<{type}>(0), make<{type}>(1));", "cas"),
            Access("READ", "sum += use(*const_cast<volatile {type} *>(&@));", "scalar"),
            Access("WRITE", "*const_cast<volatile {type} *>(&@) = make<{type}>(sum);", "scalar"),
            Access("READ", "memcpy(local, &@, bytes); sum += local[bytes - 1];", "range"),
            Access("WRITE", "memcpy(&@, local, bytes);", "range"),
            Access("WRITE", "memset(&@, sum, bytes);", "range"),
            Access("WRITE", "__builtin_memmove(&@, local, bytes);", "range"),
            Access("READ", "sum += use(*reinterpret_cast<const {wide} *>(&@));", "wide"),
            Access("WRITE", "*reinterpret_cast<{wide} *>(&@) = make<{wide}>(sum);", "wide"))
REPEATABLE = ACCESSES[:2]
# The oracle does not check the bytes that printf reads. gasan reports one byte: the first one outside of the buffer,
# where the string begins.
STRING = Access("READ", 'sum += printf("%.{bytes}s", reinterpret_cast<const char *>(&@)) & 0;', "string")


class Pattern:
    """A pattern of indices. `over`: the number of elements by which the last thread goes too far (0: a correct
    kernel)."""

    ranges = False  # an access has `bytes` bytes
    lanes = 1  # elements of an access
    walks = False  # the code moves pointers made from p
    repeats = False  # `index` is a list of indices, accessed one after the other
    is_wild = False  # may reach addresses far beyond the redzones
    goes_on = False  # with a bug, the loop ends only at its first bad access

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
    """p[last - i], which may leave the buffer at its begin."""

    def choose(self, random):
        self.count = self.total + random.randint(0, 4)
        self.last = self.total - 1 - self.over
        self.parameters, self.arguments = ", int last", ", %d" % self.last
        self.code = "int k = 2; {access}"
        self.index = "p[last - i]"

    def elements(self, i):
        return [self.last - i]


class Pieces(Pattern):
    """A loop over each thread's piece, whose end may be too far."""

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
    """A row for each thread, with a pitch. Only the last row can leave the buffer."""

    def choose(self, random):
        self.columns, self.gap = random.randint(1, 5), random.randint(0, 2)
        self.pitch = self.columns + self.gap
        self.count = (self.total - 1) * self.pitch + self.columns
        self.parameters = ", int columns, int pitch"
        self.arguments = ", %d, %d" % (self.columns + self.over, self.pitch)
        self.code = "for (int k = columns - 1; k >= 0; --k) {{ {access} }}"
        self.index = "(p + i * pitch)[k]"

    def elements(self, i):
        return [i * self.pitch + k for k in range(self.columns + self.over - 1, -1, -1)]


class Ranges(Pattern):
    """memcpy or memset of each thread's piece. The number of bytes is known at run time only."""

    ranges = True

    def choose(self, random):
        self.piece = random.randint(1, LARGEST_RANGE // self.size - 3)
        self.count = self.total * self.piece
        self.bytes = (self.piece + self.over) * self.size
        self.parameters, self.arguments = ", int piece, size_t bytes", ", %d, %d" % (self.piece, self.bytes)
        self.code = "char local[%d]; for (int b = 0; b < %d; ++b) local[b] = char(b + sum); " % (
            LARGEST_RANGE, LARGEST_RANGE) + "int k = i * piece; {access}"
        self.index = "p[k]"

    def elements(self, i):
        return [i * self.piece + k for k in range(self.piece + self.over)]


class Downward(Pattern):
    """A loop over each thread's piece from its end. The first thread may go on before the buffer."""

    def choose(self, random):
        self.piece = random.randint(1, 6)
        self.count = self.total * self.piece
        self.parameters, self.arguments = ", int piece, int below", ", %d, %d" % (self.piece, self.over)
        self.code = "for (int k = i * piece + piece - 1; k >= i * piece - below; --k) {{ {access} }}"
        self.index = "p[k]"

    def elements(self, i):
        return list(range(i * self.piece + self.piece - 1, i * self.piece - self.over - 1, -1))


class WalkUp(Pattern):
    """A pointer from a piece's begin to its end."""

    walks = True

    def choose(self, random):
        self.piece = random.randint(1, 6)
        self.count = self.total * self.piece
        self.parameters, self.arguments = ", int piece, int end", ", %d, %d" % (self.piece, self.piece + self.over)
        self.code = "int k = 3; for ({type} *q = p + i * piece, *last = q + end; q != last; ++q) {{ {access} }}"
        self.index = "q[0]"

    def elements(self, i):
        return [i * self.piece + k for k in range(self.piece + self.over)]


class WalkDown(Downward):
    """A pointer from one past a piece's end."""

    walks = True

    def choose(self, random):
        super().choose(random)
        self.code = "int k = 4; for ({type} *q = p + (i + 1) * piece; q != p + i * piece - below;) {{ --q; {access} }}"
        self.index = "q[0]"


class Strided(Pattern):
    """for (k = i; k < limit; k += step), whose last round may or may not be in the buffer."""

    def choose(self, random):
        self.step = random.randint(2, 9)
        self.count = random.randint(1, 3 * self.total)
        self.limit = self.count + self.over
        self.parameters, self.arguments = ", int limit, int step", ", %d, %d" % (self.limit, self.step)
        self.code = "for (int k = i; k < limit; k += step) {{ {access} }}"
        self.index = "p[k]"

    def elements(self, i):
        return list(range(i, self.limit, self.step))


class Overshot(Pattern):
    """A loop that ends when its index equals the end. With a bug it steps over the end, and goes on until an access
    is bad."""

    goes_on = True
    STOP = "i * piece + end"
    WAYS = (("int", "for (int k = i * piece; k != " + STOP + "; k += step) {{ {access} }}", "p[k]"),
            ("unsigned", "for (unsigned k = i * piece; k != unsigned(" + STOP + "); k += step) {{ {access} }}", "p[k]"),
            ("size_t", "for (size_t k = i * piece; k != size_t(" + STOP + "); k += step) {{ {access} }}", "p[k]"),
            ("own", "{type} *own = p + i * piece; for (int k = 0; k != end; k += step) {{ {access} }}", "own[k]"),
            ("own, unsigned",
             "{type} *own = p + i * piece; for (unsigned k = 0; k != unsigned(end); k += step) {{ {access} }}",
             "own[k]"),
            ("own, break",
             "{type} *own = p + i * piece; for (int k = 0;; k += step) {{ {access} if (k == end - step) break; }}",
             "own[k]"),
            ("break", "for (int k = i * piece;; k += step) {{ {access} if (k == " + STOP + " - step) break; }}",
             "p[k]"),
            ("moving", "int stop = " + STOP + " + 7; for (int k = i * piece; k != stop; k += step) "
             "{{ if (k == i * piece) stop -= 7; {access} }}", "p[k]"),
            ("two ends", "for (int k = i * piece; k != " + STOP + " && k != -far; k += step) {{ {access} }}", "p[k]"),
            ("down", "for (int k = (i + 1) * piece - 1; k != (i + 1) * piece - 1 - end; k -= step) {{ {access} }}",
             "p[k]"),
            ("pointer", "int k = 3; for ({type} *q = p + i * piece; q != p + " + STOP + "; q += step) {{ {access} }}",
             "q[0]"),
            ("pointer down",
             "int k = 3; for ({type} *q = p + (i + 1) * piece; q != p + (i + 1) * piece - end; q -= step) "
             "{{ {access} }}",
             "q[-1]"),
            ("bytes", "int k = 3; for ({type} *q = p + i * piece; reinterpret_cast<char *>(q) != "
             "reinterpret_cast<char *>(p + i * piece) + end * int(sizeof({type})) - off; q += step) {{ {access} }}",
             "q[0]"))

    def choose(self, random):
        self.way, loop, self.index = random.choice(self.WAYS)
        self.walks = "{type} *" in loop
        self.step = random.randint(2, 5)
        if random.random() < 0.8:  # LLVM computes the number of rounds if the step is constant
            loop = loop.replace("step", str(self.step))
        self.piece = self.step * random.randint(1, 6)
        self.count = self.total * self.piece - (0 if "down" in self.way else random.randint(0, self.step - 1))
        less = min(self.over, self.step - 1)
        off = 1 if self.way == "bytes" and self.over and random.random() < 0.5 and self.size > 1 else 0
        self.parameters = ", int piece, int end, int step, int far, int off"
        self.arguments = ", %d, %d, %d, %d, %d" % (self.piece, self.piece - (0 if off else less), self.step,
                                                   random.randint(1, 1 << 20), off)
        # An unrolled loop ends after the number of rounds that LLVM computes, before the bad accesses.
        self.code = loop.replace("for (", '_Pragma("unroll 1") for (')

    def elements(self, i):
        rounds = self.piece // self.step
        if "down" in self.way:
            first = (i + 1) * self.piece - 1
            return list(range(first, -1, -self.step)) + [first % self.step - self.step] if self.over else \
                [first - k * self.step for k in range(rounds)]
        first = i * self.piece
        if not self.over:
            return [first + k * self.step for k in range(rounds)]
        inside = list(range(first, self.count, self.step))
        return inside + [inside[-1] + self.step]


class GuardedLoop(Pattern):
    """A loop that goes too far, and a condition in it that prevents the bad accesses."""

    def choose(self, random):
        self.rounds = random.randint(2, 9)
        self.count = random.randint(1, self.total * self.rounds)
        self.parameters, self.arguments = ", int rounds, int limit", ", %d, %d" % (self.rounds, self.count + self.over)
        self.code = "for (int k = 0; k < rounds; ++k) if (i * rounds + k < limit) {{ {access} }}"
        self.index = "p[i * rounds + k]"

    def elements(self, i):
        return [e for e in range(i * self.rounds, (i + 1) * self.rounds) if e < self.count + self.over]


class Left(Pattern):
    """A loop without a condition, which a break ends. Some threads leave it in the first round."""

    def choose(self, random):
        self.end, self.first = random.randint(1, 7), random.randint(0, 3)
        self.count = max(1, self.total * self.end - self.over)
        self.parameters, self.arguments = ", int end, int first", ", %d, %d" % (self.end, self.first)
        self.code = "for (int k = i < first ? end : 0;; ++k) {{ if (k >= end) break; {access} }}"
        self.index = "p[i * end + k]"

    def elements(self, i):
        return [] if i < self.first else [i * self.end + k for k in range(self.end)]


class Nested(Pattern):
    """Nested loops over rows and columns. Each thread has a block of rows."""

    def choose(self, random):
        self.rows, self.columns = random.randint(1, 4), random.randint(1, 4)
        self.count = max(1, self.total * self.rows * self.columns - self.over)
        self.parameters, self.arguments = ", int rows, int columns", ", %d, %d" % (self.rows, self.columns)
        self.code = "for (int r = 0; r < rows; ++r) for (int k = 0; k < columns; ++k) {{ {access} }}"
        self.index = "p[(i * rows + r) * columns + k]"

    def elements(self, i):
        return list(range(i * self.rows * self.columns, (i + 1) * self.rows * self.columns))


class NotTaken(Pattern):
    """A loop whose second round, with an index far away, leaves before the access."""

    def choose(self, random):
        self.count = max(1, self.total - self.over)
        self.parameters = ", int limit, int far"
        self.arguments = ", %d, %d" % (self.total, random.randint(1000, 1 << 29))
        self.code = "for (int k = i; k < i + far; k += far - 1) {{ if (k >= limit) break; {access} }}"
        self.index = "p[k]"

    def elements(self, i):
        return [i]


class Truncated(Pattern):
    """An index of 64 bits that is truncated to 32."""

    def choose(self, random):
        self.count = max(1, self.total - self.over)
        self.parameters, self.arguments = ", long long high", ", %dll" % (random.randint(1, 5) << 32)
        self.code = "int k = 5; {access}"
        self.index = random.choice(("p[static_cast<int>(high + i)]", "p[static_cast<unsigned>(high) + unsigned(i)]"))

    def elements(self, i):
        return [i]


class Wrapped(Pattern):
    """An index below 0 that is large as an unsigned number."""

    is_wild = True

    def choose(self, random):
        self.count = self.total + random.randint(0, 4)
        self.parameters, self.arguments = ", unsigned less", ", %d" % self.over
        self.code = "int k = 6; {access}"
        self.index = "p[unsigned(i) - less]"

    def elements(self, i):
        return [(i - self.over) % (1 << 32)]


class Index64(Pattern):
    """An index that needs more than 32 bits."""

    is_wild = True

    def choose(self, random):
        self.count = self.total + random.randint(0, 4)
        self.high = (random.choice((-3, -1, 1, 7)) << 32) if self.over else 0
        self.parameters, self.arguments = ", long long high", ", %dll" % self.high
        self.code = "int k = 7; {access}"
        self.index = "p[i + high]"

    def elements(self, i):
        return [i + self.high]


class Stencil(Pattern):
    """Accesses to neighbours at constant distances."""

    repeats = True

    def choose(self, random):
        first, reach = random.randint(-3, 0), random.randint(1, 4)
        self.offsets = sorted(random.sample(range(first, first + reach + 1), min(reach + 1, random.randint(2, 4))))
        random.shuffle(self.offsets)
        self.shift = -min(self.offsets) - (self.over if random.random() < 0.5 else 0)
        less = self.over if self.shift == -min(self.offsets) else 0
        self.count = max(1, self.total + self.shift + max(self.offsets) - less)
        self.parameters, self.arguments = ", int shift", ", %d" % self.shift
        self.code = "int k = 8; {access}"
        self.index = ["p[i + shift + %d]" % offset for offset in self.offsets]
        self.span = max(self.offsets) - min(self.offsets) + 1

    def elements(self, i):
        return [i + self.shift + offset for offset in self.offsets]


class Unrolled(Pattern):
    """A loop whose number of rounds the compiler knows."""

    repeats = True

    def choose(self, random):
        self.span = random.randint(2, 5)
        self.count = max(1, self.total * self.span - self.over)
        self.code = "for (int k = 0; k < %d; ++k) {{ {access} }}" % self.span
        self.index = ["p[i * %d + k]" % self.span]

    def elements(self, i):
        return [i * self.span + k for k in range(self.span)]


class Wide(Pattern):
    """An access to several elements at once, the last of which may be after the end."""

    def choose(self, random):
        self.lanes = LANES.get(self.size, 1)
        self.count = max(1, self.total * self.lanes - min(self.over, self.lanes - 1))
        self.code = "int k = 9; {access}"
        self.index = "p[i * %d]" % self.lanes

    def elements(self, i):
        return [i * self.lanes + k for k in range(self.lanes)]


class Merged(Pattern):
    """Two places that move on in turn, until one of them reaches its end. The ends are in memory."""

    def choose(self, random):
        self.piece, self.factor = random.randint(1, 9), random.randint(1, 6)
        self.is_falling, self.number = random.random() < 0.3, random.choice(("int", "int", "unsigned", "long long"))
        self.count = max(1, self.total * self.piece - random.randint(0, 2))
        self.places = []
        for i in range(self.total):
            first, rounds = i * self.piece, random.randint(0, self.piece)
            low, high = first, first + self.piece - 1
            if self.is_falling:  # a bug is on one side only
                low, high = low - self.over, min(high, self.count - 1)
            else:
                high = high + self.over if self.over else min(high, self.count - 1)
            self.places += [low, high, rounds]
        if self.is_falling and (self.number == "unsigned" or min(self.places) < 0):
            self.number = "int"
        self.parameters, self.arguments = ", const int *index", ", index"
        step = "{{ int k = 3; {access} }} if ((%s * %d + b * 3) %% 4) %s; else ++b; }}" % (
            "unsigned(a)", self.factor, "--a" if self.is_falling else "++a")
        way = random.choice(("while (a %s && b < end) {{ ", "for (;;) {{ if (!(a %s) || b >= end) break; "))
        start, stop = (1, 0) if self.is_falling else (0, 1)
        self.code = "%s a = index[3 * i + %d], stop = index[3 * i + %d]; int b = 0, end = index[3 * i + 2]; " % (
            self.number, start, stop) + way % (">= stop" if self.is_falling else "<= stop") + step
        self.index = "p[a]"

    def elements(self, i):
        low, high, rounds = self.places[3 * i:3 * i + 3]
        a, b, found = high if self.is_falling else low, 0, []
        while low <= a <= high and b < rounds:
            found.append(a)
            if (a * self.factor + b * 3) % (1 << 32) % 4:
                a += -1 if self.is_falling else 1
            else:
                b += 1
        return found


class Searched(Pattern):
    """A range that is halved until it is empty, as a search does. Its ends are in memory."""

    MIDDLES = ("(low + high) / 2", "(low + high) >> 1", "low + (high - low) / 2", "low + ((high - low) >> 1)")

    def choose(self, random):
        self.piece, self.factor = random.randint(1, 40), random.randint(1, 9)
        self.is_open = random.random() < 0.5  # the end does not count
        self.number = random.choice(("int", "int", "unsigned", "long long")) if self.is_open else \
            random.choice(("int", "int", "long long"))
        self.count = self.total * self.piece
        self.places = []
        for i in range(self.total):
            first = random.randint(0, i * self.piece)
            length = random.randint(0, self.piece) + (self.over if i == self.total - 1 else 0)
            self.places += [first, first + length - (0 if self.is_open else 1)]
        self.count = max(1, max(self.places) + (not self.is_open) - self.over)
        self.parameters, self.arguments = ", const int *index", ", index"
        self.code = "%s low = index[2 * i], high = index[2 * i + 1]; while (low %s high) {{ %s k = %s; {access} " \
            "if (unsigned(k) * %d %% 7 < 4) low = k + 1; else high = k%s; }}" % (
                self.number, "<" if self.is_open else "<=", self.number, random.choice(self.MIDDLES), self.factor,
                "" if self.is_open else " - 1")
        self.index = "p[k]"

    def elements(self, i):
        low, high, found = self.places[2 * i], self.places[2 * i + 1], []
        while low < high or (low == high and not self.is_open):
            k = (low + high) // 2
            found.append(k)
            if k * self.factor % (1 << 32) % 7 < 4:
                low = k + 1
            else:
                high = k - (not self.is_open)
        return found


class Undefined(Exception):
    """A sum of a signed type overflows, or an address wraps."""


class Number:
    """The arithmetic of an integer type of C."""

    TYPES = {"int": (32, True), "unsigned": (32, False), "long long": (64, True), "unsigned long long": (64, False)}

    def __init__(self, name):
        self.name = name
        self.bits, self.is_signed = self.TYPES[name]

    def converted(self, value):
        value %= 1 << self.bits
        return value - (1 << self.bits) if self.is_signed and value >> (self.bits - 1) else value

    def sum(self, value):
        """Returns the result of an operation."""
        if self.is_signed and self.converted(value) != value:
            raise Undefined
        return self.converted(value)

    def half(self, value):
        return -(-value // 2) if value < 0 else value // 2

    def element(self, value, size):
        """Returns the element of this many bytes that an index leads to. Its address must not wrap."""
        value -= 1 << 64 if value >> 63 == 1 else 0
        if abs(value) * size >> 62:
            raise Undefined
        return value


TESTS = {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
         "!=": lambda a, b: a != b}


class Simulated(Pattern):
    """A loop whose elements a simulation finds. Without a bug, all of them are good. Each thread has `width` numbers in
    memory."""

    most_rounds = 60
    far = False  # indices may wrap

    def choose(self, random):
        while not self.is_chosen(random):
            pass
        self.parameters, self.arguments = ", const int *index", ", index"

    def is_chosen(self, random):
        self.places = []
        self.choose_code(random)
        self.count = random.randint(self.total, 4 * self.total + 20)
        for i in range(self.total):
            self.places += self.numbers(random, i)
        try:
            self.found = [self.simulated(self.places[self.width * i:self.width * (i + 1)]) for i in range(self.total)]
        except Undefined:
            return False
        elements = [element for found in self.found if found for element in found]
        if None in self.found or not elements:
            return False
        bad = [element for element in elements if not 0 <= element < self.count]
        near = BIGGEST_DISTANCE // self.size
        is_far = any(not -near <= element < self.count + near for element in bad)
        return not bad if not self.over else bool(bad) and is_far == self.far

    def elements(self, i):
        return self.found[i]


class Walked(Simulated):
    """A place that moves by steps under conditions. Tests around the access and the step compare it with an end, in any
    order and form, and may be wrong."""

    width = 3
    ORDERS = ("test touch step", "touch test step", "touch step test", "guard( touch ) step",
              "guard( touch step ) other", "test step touch", "test touch guard( step ) other",
              "guard( touch ) test step", "test touch again")
    STEPS = ("++a;", "a += 2;", "--a;", "a -= 2;", "a = a + 1 == stop ? 0 : a + 1;")

    def choose_code(self, random):
        self.number = Number(random.choice(("int", "int", "unsigned", "long long", "unsigned long long")))
        self.order = random.choice(self.ORDERS)
        self.step = random.choice((0, 0, 0, 1, 2, 2, 2, 3, 4))
        self.is_falling = self.step in (2, 3)
        self.tests = [(random.choice((">", ">=", ">=") if self.is_falling else ("<", "<=", "<", "<", "!=")),
                       Number(random.choice((self.number.name,) * 5 + tuple(Number.TYPES)))) for _ in range(2)]
        if random.random() < 0.7:
            self.tests[1] = self.tests[0]
        self.factor, self.modulus = random.randint(1, 6), random.randint(2, 5)
        self.ahead = random.choice((0, 0, 0, 0, 1, -1))
        self.is_select, self.ends_first = random.random() < 0.4, random.random() < 0.5
        self.index = "p[a%s]" % ("" if not self.ahead else " + 1" if self.ahead > 0 else " - 1")
        self.code = self.rendered()

    def rendered(self):
        compare = ["%s(a) %s %s(stop)" % (number.name.replace(" ", "_"), operator, number.name.replace(" ", "_"))
                   for operator, number in self.tests]
        moves = "(unsigned(a) * %d + b * 3) %% %d" % (self.factor, self.modulus)
        step, more = self.STEPS[self.step], "if (%s) { %s } else ++b;"
        if self.is_select and self.step in (0, 2):
            step = "bool moves = %s; a %s= moves; b += !moves;" % (moves, "+" if self.step == 0 else "-")
        else:
            step = more % (moves, step)
        again = "if (%s) { %s continue; } ++b;" % (moves, self.STEPS[self.step])
        texts = {"test": "if (!(%s)) break;" % compare[0], "guard(": "if (%s) {" % compare[1], ")": "}",
                 "other": "else ++b;", "step": step, "again": again, "touch": "int k = 3; TOUCH"}
        end = "if (b >= end) break;"
        text = "typedef long long long_long; typedef unsigned long long unsigned_long_long; int b = 0; " \
            "%s a = index[3 * i], stop = index[3 * i + 1]; int end = index[3 * i + 2]; " \
            '_Pragma("unroll 1") for (;;) { %s %s %s }' % (
                self.number.name, end * self.ends_first, " ".join(texts[word] for word in self.order.split()),
                end * (not self.ends_first))
        return text.replace("{", "{{").replace("}", "}}").replace("TOUCH", "{access}")

    def numbers(self, random, i):
        first = random.randint(0, self.count)
        last = min(self.count - 1, first + random.randint(0, 12)) if not self.is_falling else \
            max(0, first - random.randint(0, 12))
        if self.over and random.random() < 0.3:
            first, last = first + random.randint(-1, 1) * self.over, last + random.randint(-1, 1) * self.over
        if random.random() < 0.1:
            last = random.choice((0, -1, 1, (1 << 31) - 1, -1 << 31, self.count))
        return [first, last, random.randint(0, 9)]

    def simulated(self, numbers):
        """Returns the elements, or None: the loop goes on for long."""
        number = self.number
        a, stop, end = number.converted(numbers[0]), number.converted(numbers[1]), numbers[2]
        b, found = 0, []
        tests = [lambda a, t=t: TESTS[t[0]](t[1].converted(a), t[1].converted(stop)) for t in self.tests]
        words = self.order.split()

        def moved(a, b):
            if not (a * self.factor + b * 3) % (1 << 32) % self.modulus:
                return a, b + 1, False
            if self.step == 4:
                return (0 if number.sum(a + 1) == stop else number.sum(a + 1)), b, True
            return number.sum(a + (1, 2, -1, -2)[self.step]), b, True

        for _ in range(self.most_rounds):
            if self.ends_first and b >= end:
                return found
            is_skipped = was_skipped = moves = False
            for word in words:
                if word == ")":
                    is_skipped, was_skipped = False, is_skipped
                elif is_skipped:
                    continue
                elif word == "guard(":
                    is_skipped = not tests[1](a)
                elif word == "other":
                    b += was_skipped
                elif word == "test" and not tests[0](a):
                    return found
                elif word == "touch":
                    found.append(number.element(number.sum(a + self.ahead), self.size))
                elif word in ("step", "again"):
                    a, b, moves = moved(a, b)
            if not self.ends_first and b >= end and not (moves and words[-1] == "again"):
                return found
        return None


class WalkedFar(Walked):
    """As above, with a bug whose index wraps."""

    is_wild = far = True


class Halved(Simulated):
    """A range that is halved, often with a wrong test, middle or step."""

    width = 2
    most_rounds = 40
    MIDDLES = ("(low + high) / 2", "low + (high - low) / 2", "high + (low - high) / 2", "high - (high - low) / 2",
               "(low + high + 1) / 2", "low + ((high - low) >> 1)", "high + ((low - high) >> 1)", "(low + high) >> 1")

    USUAL = (("<", 1, 0), ("<", 1, 0), ("<=", 1, -1), ("<", 0, -1))  # test, steps
    NUMBERS = ("int", "int", "unsigned", "long long", "unsigned long long")
    TRIED = range(len(MIDDLES))

    def choose_code(self, random):
        self.number, self.middle = Number(random.choice(self.NUMBERS)), random.choice(self.TRIED)
        self.test, self.up, self.down = random.choice(self.USUAL)
        if random.random() < 0.3:
            self.test = random.choice(("<", "<=", "!="))
            self.up, self.down = random.randint(0, 2), random.randint(-2, 1)
        self.shift = random.choice((0, 0, 0, 1))
        self.factor = random.randint(1, 9)
        self.index = "p[k%s]" % (" + 1" * self.shift)
        self.code = "%s low = index[2 * i], high = index[2 * i + 1]; _Pragma(\"unroll 1\") while (low %s high) " \
            "{{ %s k = %s; {access} if (unsigned(k) * %d %% 7 < 4) low = k + %d; else high = k + %d; }}" % (
                self.number.name, self.test, self.number.name, self.MIDDLES[self.middle], self.factor, self.up,
                self.down)

    def numbers(self, random, i):
        first = random.randint(0, self.count)
        last = random.randint(first, min(self.count, first + 60))
        if self.over and random.random() < 0.3:
            first, last = first + random.randint(-1, 1) * self.over, last + random.randint(-1, 1) * self.over
        return [first, last]

    def middle_of(self, low, high):
        number = self.number
        if self.middle in (0, 4, 7):
            whole = number.sum(low + high)
            whole = number.sum(whole + 1) if self.middle == 4 else whole
            return whole >> 1 if self.middle == 7 else number.half(whole)
        if self.middle == 3:
            return number.sum(high - number.half(number.sum(high - low)))
        start, other = (low, high) if self.middle in (1, 5) else (high, low)
        distance = number.sum(other - start)
        return number.sum(start + (distance >> 1 if self.middle in (5, 6) else number.half(distance)))

    def simulated(self, numbers):
        number = self.number
        low, high = number.converted(numbers[0]), number.converted(numbers[1])
        found = []
        for _ in range(self.most_rounds):
            if not TESTS[self.test](low, high):
                return found
            k = self.middle_of(low, high)
            found.append(number.element(number.sum(k + self.shift), self.size))
            if k * self.factor % (1 << 32) % 7 < 4:
                low = number.sum(k + self.up)
            else:
                high = number.sum(k + self.down)
        return None


class HalvedFar(Halved):
    """As above, with a bug whose index wraps."""

    is_wild = far = True
    NUMBERS = ("unsigned", "unsigned", "unsigned", "int", "long long")
    TRIED = (2, 2, 6, 6, 0, 3)


class Partitioned(Simulated):
    """Two places that move towards each other, until they meet. Each is the other's end."""

    width = 2

    def choose_code(self, random):
        self.number = Number(random.choice(tuple(Number.TYPES)))
        self.test, self.factor = random.choice(("<", "<=", "!=")), random.randint(1, 9)
        self.is_inner = random.random() < 0.5  # a loop in the loop moves the lower place
        self.index = "p[k]"
        inner = "while (low %s high && unsigned(low) * %d %% 5 == 1) ++low; " % (self.test, self.factor)
        self.code = "%s low = index[2 * i], high = index[2 * i + 1]; while (low %s high) {{ %s %s k; " \
            "if ((unsigned(low) * %d + unsigned(high)) %% 7 < 4) k = low++; else k = high--; {access} }}" % (
                self.number.name, self.test, (inner * self.is_inner).replace("{", "{{"), self.number.name, self.factor)

    def numbers(self, random, i):
        first = random.randrange(self.count)
        last = min(self.count - 1, first + random.randint(0, 12))
        if self.over and random.random() < 0.3:
            first, last = first - random.randint(0, self.over), last + random.randint(0, self.over)
        return [first, last]

    def simulated(self, numbers):
        number = self.number
        low, high = number.converted(numbers[0]), number.converted(numbers[1])
        found, rounds = [], 0
        while TESTS[self.test](low, high):
            while self.is_inner and TESTS[self.test](low, high) and low * self.factor % (1 << 32) % 5 == 1:
                low, rounds = number.sum(low + 1), rounds + 1
            is_low = (low * self.factor + high) % (1 << 32) % 7 < 4
            found.append(number.element(low if is_low else high, self.size))
            low, high = (number.sum(low + 1), high) if is_low else (low, number.sum(high - 1))
            rounds += 1
            if rounds > 200:
                return None
        return found


PATTERNS = (Guarded, Shifted, Backwards, Pieces, GridStride, Indirect, Rows, Ranges, Downward, WalkUp, WalkDown,
            Strided, Overshot, Overshot, GuardedLoop, Left, Nested, NotTaken, Truncated, Wrapped, Index64, Stencil,
            Unrolled, Wide, Wide, Merged, Merged, Searched, Searched, Walked, Walked, Walked, WalkedFar, Halved,
            HalvedFar, Partitioned)


class Expected:
    """The expected report; `access` is None if there must be none."""

    def __init__(self, kind, access=None, size=None, side=None, region=None, distance=None, threads=None):
        self.kind, self.access, self.size = kind, access, size
        self.side, self.region, self.distance, self.threads = side, region, distance, threads
        self.line = None


def expect(pattern, access, reported_size, size, freed):
    """Returns the expected report, from the elements (of `size` bytes) that each thread accesses in order. A thread
    ends at its first fault."""
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
    beyond = (first - pattern.count) * size
    return Expected("heap-buffer-overflow", access, reported_size, "after", region, beyond, faulting)


def fits(access, pattern, name, size, part, atomics):
    """Says whether access, pattern and type can be combined."""
    if pattern.ranges or access.needs == "range":
        return pattern.ranges and access.needs == "range"
    if isinstance(pattern, Wide) or access.needs == "wide":
        return isinstance(pattern, Wide) and access.needs == "wide" and name in WIDE
    if pattern.repeats:
        return access in REPEATABLE
    return {None: True, "string": True, "scalar": part == size}.get(access.needs, access.needs in atomics)


def statement_of(access, pattern, name):
    text = access.statement.format(type=name, wide=WIDE.get(name),
                                   bytes=next(row[1] for row in TYPES if row[0] == name))
    indices = pattern.index if pattern.repeats else [pattern.index]
    return " ".join(text.replace("@", index) for index in indices)


class Case:
    """One kernel, the host function that launches it, and the expected report."""

    # The oracle checks each access separately, and reports an access to several elements with the size of all.
    patterns = tuple(pattern for pattern in PATTERNS if not (pattern.repeats or pattern.is_wild or pattern is Wide))
    accesses = ACCESSES

    def __init__(self, random, number):
        self.number = number
        while not self.choose(random) or not self.all_near():
            pass
        self.helper = random.choice(("", "", "__noinline__", "__forceinline__"))
        self.barrier = random.random() < 0.3

    def choose(self, random):
        """Makes the random choices. Returns False if they cannot be combined."""
        self.type, self.size, self.part, atomics = random.choice(TYPES)
        access = random.choice(self.accesses)
        bug = random.choice(("none", "overflow", "overflow", "freed"))
        pattern = random.choice(self.patterns)(random, random.randint(1, 3) if bug == "overflow" else 0, self.size)
        if not fits(access, pattern, self.type, self.size, self.part, atomics):
            return False
        self.pattern, self.freed, self.access_name = pattern, bug == "freed", access.name
        self.statement = statement_of(access, pattern, self.type)
        if pattern.ranges or access is STRING:
            self.part = 1 if access is STRING else pattern.bytes
        self.reported = self.part if pattern.ranges or access is STRING else pattern.lanes * self.size
        self.expected = expect(pattern, access.name, self.reported, self.size, self.freed)
        return True

    def all_near(self):
        """Says whether every access of every thread is in the buffer or in its redzone."""
        margin = BIGGEST_DISTANCE // self.size
        return all(-margin <= element < self.pattern.count + margin
                   for i in range(self.pattern.total) for element in self.pattern.elements(i))

    def beyond(self, distance):
        """Returns how many bytes the reported address is after the first bad element's. `distance`: the report's."""
        return (self.expected.distance - distance) * (1 if self.expected.side == "before" else -1)

    def lines(self, first_line):
        """Returns the case's source, and stores the line of its access."""
        n, pattern = self.number, self.pattern
        signature = "%s *p, int *sink, int i%s" % (self.type, pattern.parameters)
        names = "".join(", " + word.split()[-1].lstrip("*") for word in pattern.parameters.split(",")[1:])
        body = ["  int sum = i;"]
        body += ["  __syncthreads();"] * self.barrier
        body += ["  " + pattern.code.format(access=self.statement, type=self.type), "  sink[i] = sum;"]
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
        return "%s, %s of %d, %d bytes %s" % (
            expected.kind, expected.access, expected.size, expected.distance, expected.side)


def program(cases):
    """Returns the source of a program that runs the case whose number is its argument."""
    text = ['#include "fuzz.h"', ""]
    for case in cases:
        text += case.lines(len(text) + 1)
    text += ["int main(int, char **arguments) {", "  switch (atoi(arguments[1])) {"]
    for case in cases:
        text += ["  case %d:" % case.number, "    return case%d();" % case.number]
    return "\n".join(text + ["  }", "  return 3;", "}"]) + "\n"
