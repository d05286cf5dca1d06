"""Generates random kernels for fuzz.py. A kernel's body is both CUDA and C, and its accesses depend on the launch's
shape and arguments only.

Bodies use names that HEADER (device) and kernels.h (host) define: tx, ty, bx, by, bdx, bdy, gdx (the shape), n, m, u
(arguments), s (an argument that is no integer), D(0..3) (data), N(0..11) and B(0..15) (arrays in an argument), MIN,
MAX, DIV, REM, SHR, SHL, REVERSED, MASK, FIELD (bits), INT (of a number in floating point), TICK (once in each round of
a loop), TOUCH(j, width, index), an access to argument number j, TOUCH_FROM(j, width, start, index), an access in two
steps, TOUCH_FIELD(j, index), an access to an array in a struct, whose index is checked by itself, COPY(j, size, index),
a copy of 16 bytes or none, POINTER(j, width, p, start), a pointer into argument number j, TOUCH_AT(j, width, p, index),
the access through it, and ARRAY(name, size) and STEP(name, size, index), a variable and an access to it, whose check
ends the thread if the index is bad."""
import random

TOUCHES = 10  # the most accesses of a kernel; each has its own argument
FIELD_SIZE = 32
HEADER = "#define FIELD_SIZE %d" % FIELD_SIZE + """
#define TICK
#define _Bool bool
#define TOUCH(j, width, index) TOUCH_##width(j, index)
#define TOUCH_1(j, index) a##j[index] = 1
#define TOUCH_4(j, index) ((int *)a##j)[index] = 1
#define TOUCH_8(j, index) ((long long *)a##j)[index] = 1
#define TOUCH_FROM(j, width, start, index) TOUCH_FROM_##width(j, start, index)
#define TOUCH_FROM_1(j, start, index) (a##j + (start))[index] = 1
#define TOUCH_FROM_4(j, start, index) ((int *)a##j + (start))[index] = 1
#define TOUCH_FROM_8(j, start, index) ((long long *)a##j + (start))[index] = 1
#define POINTER(j, width, p, start) POINTER_##width(j, p, start)
#define POINTER_1(j, p, start) char *p = a##j + (start)
#define POINTER_4(j, p, start) int *p = (int *)a##j + (start)
#define POINTER_8(j, p, start) long long *p = (long long *)a##j + (start)
#define TOUCH_AT(j, width, p, index) (p)[index] = 1
struct Record {
  int first, field[FIELD_SIZE], last;
};
#define TOUCH_FIELD(j, index) ((Record *)a##j)->field[index] = 1
#define COPY(j, size, index) { \\
  __shared__ __align__(16) char tile[16]; \\
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((unsigned)__cvta_generic_to_shared(tile)), \\
               "l"(a##j + (long long)(index) * 16), "r"(size)); \\
}
#define ARRAY(name, size) __shared__ int name[size]
#define STEP(name, size, index) *(volatile int *)&name[index] = 1
#define D(k) d[k]
struct Table {
  int before, numbers[12];
  unsigned char bytes[16];
  short after;
};
#define N(k) table.numbers[k]
#define B(k) table.bytes[k]
#define MIN(a, b) min((int)(a), (int)(b))
#define MAX(a, b) max((int)(a), (int)(b))
#define DIV(a, b) ((a) / (b))
#define REM(a, b) ((a) % (b))
#define SHR(a, b) ((a) >> (b))
#define SHL(a, b) ((a) << (b))
#define REVERSED(a) __brev(a)
__device__ static inline unsigned mask(unsigned start, unsigned width) {
  unsigned d;
  asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(d) : "r"(start), "r"(width));
  return d;
}
__device__ static inline unsigned field(unsigned a, unsigned start, unsigned width) {
  unsigned d;
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(start), "r"(width));
  return d;
}
#define MASK(start, width) mask(start, width)
#define FIELD(a, start, width) field(a, start, width)
#define INT(a) ((int)(a))
"""
SHAPE = ("int tx = threadIdx.x, ty = threadIdx.y, bx = blockIdx.x, by = blockIdx.y, "
         "bdx = blockDim.x, bdy = blockDim.y, gdx = gridDim.x;")
LEAVES = ["tx", "bx", "bdx", "gdx", "n", "m", "(int)u", "ty", "by", "bdy"]
PARAMETERS = ", ".join(["char *a%d" % j for j in range(TOUCHES)]
                       + ["const int *d", "int n", "int m", "unsigned u", "float s", "Table table"])


class Kernel:
    def __init__(self, seed):
        self.choice, self.touches, self.names, self.variables = random.Random(seed), 0, 0, []
        self.field_choice = random.Random(seed + 1000003)  # of its own, so that the other statements stay
        self.table_choice = random.Random(seed + 2000003)
        self.stride_choice = random.Random(seed + 3000003)
        self.window_choice = random.Random(seed + 4000003)
        self.ring_choice = random.Random(seed + 5000003)
        self.checked_choice = random.Random(seed + 6000003)
        lines = self.walk("  ") + self.walk("  ") if self.choice.random() < 0.5 else []
        if self.table_choice.random() < 0.4:
            lines += self.search("  ") if self.table_choice.random() < 0.6 else self.element("  ")
        for _ in range(self.stride_choice.choice([0, 0, 1, 2])):
            lines += self.strided("  ") if self.stride_choice.random() < 0.7 else self.square("  ")
        if self.window_choice.random() < 0.3:
            lines += self.added_up("  ") if self.window_choice.random() < 0.7 else self.written_out("  ")
        if self.ring_choice.random() < 0.3:
            lines += self.ring("  ")
        if self.ring_choice.random() < 0.25:
            lines += self.copies("  ")
        if self.checked_choice.random() < 0.3:
            lines += self.checked("  ")
        for _ in range(6):
            lines += self.statement("  ", 0)
        while self.touches < 3:
            lines += self.touch("  ")
        self.body = "\n".join(lines)

    def name(self, letter):
        self.names += 1
        return "%s%d" % (letter, self.names)

    def leaf(self):
        if self.choice.random() < 0.12:
            return "D(%d)" % self.choice.randint(0, 3)
        variable = [self.choice.choice(self.variables)] * 6 if self.variables else []
        return self.choice.choice(LEAVES + [str(self.choice.randint(-4, 40))] + variable)

    def expression(self, depth=0):
        choice = self.choice
        if depth > 2 or choice.random() < 0.3:
            return self.leaf()
        kind, a, c = choice.randint(0, 18), self.expression(depth + 1), choice.randint(1, 9)
        if kind < 4:
            return "(%s + %s)" % (a, self.expression(depth + 1))
        if kind < 6:
            return "(%s - %s)" % (a, self.expression(depth + 1))
        if kind < 8:
            return "(%s * %s)" % (a, self.leaf())
        return [
            lambda: "(%s & %d)" % (a, choice.choice([1, 3, 7, 15, 63, 255, -2, -8])),
            lambda: "(%s >> %d)" % (a, choice.randint(1, 4)),
            lambda: "((int)((unsigned)%s >> %d))" % (a, choice.randint(1, 8)),
            lambda: "(%s / %d)" % (a, c),
            lambda: "(%s %% %d)" % (a, c),
            lambda: "((int)((unsigned)%s %% %du))" % (a, c),
            lambda: "(%s ? %s : %s)" % (self.condition(), a, self.expression(depth + 1)),
            lambda: "%s(%s, %s)" % (choice.choice(["MIN", "MAX"]), a, self.expression(depth + 1)),
            lambda: "DIV(%s, %s)" % (a, self.leaf()),
            lambda: "REM(%s, %s)" % (a, self.leaf()),
            lambda: self.butterfly(a),
        ][kind - 8]()

    def butterfly(self, number):
        """Returns an index of a butterfly exchange: the first or the second of two elements at a distance."""
        choice = self.choice
        number = choice.choice(["%s", "%s", "(%s & 255)", "((unsigned)%s)"]) % number
        distance = choice.choice([self.leaf(), "1 << (%s & 7)" % self.leaf(), str(1 << choice.randint(0, 8))])
        first = "%s * %s - (%s & ((%s) - 1))" % (choice.choice(["1", "2", "2", "4"]), number, number, distance)
        in_bytes = "(((unsigned)%s << %d) - (((unsigned)%s & ((unsigned)(%s) - 1)) << 2))" % (
            number, choice.randint(1, 4), number, distance)
        return choice.choice(["((int)(%s))" % first, "((int)(%s + (%s)))" % (first, distance), "((int)%s)" % in_bytes])

    def condition(self):
        choice = self.choice
        operator = choice.choice(["<", "<=", ">", ">=", "==", "!=", "<", "<", ">"])
        cast = choice.choice(["", "", "", "(unsigned)", "(long long)"])
        if self.variables and choice.random() < 0.6:
            left, right = choice.choice(self.variables), self.leaf()
            if choice.random() < 0.2:
                left = "(%s %s %s)" % (left, choice.choice("+-"), choice.choice(["1", "2", "7", "m"]))
            elif choice.random() < 0.15:
                left = "(%s - %s)" % (choice.choice(["n", "m", "64"]), left)
        else:
            left, right = self.expression(2), self.expression(2)
        text = "(%s%s %s %s%s)" % (cast, left, operator, cast, right)
        if choice.random() < 0.15:
            text = self.multiple(left)
        if choice.random() < 0.25:
            text = "(%s %s %s)" % (text, choice.choice(["&&", "||"]), self.condition())
        return text

    def multiple(self, number):
        """Returns a test of a number's remainder or lowest bits."""
        choice = self.choice
        size = choice.choice(["2", "4", "8", "16", "12", "m", "bdx"])
        rest = choice.choice(["0", "0", "0", "1", "3", "n"])
        return "(%s %s %s)" % (choice.choice([
            "(%s & %d)" % (number, choice.choice([1, 1, 3, 7, 6, 15])), "(%s & (%s - 1))" % (number, size),
            "REM(%s, %s)" % (number, size), "((unsigned)%s %% %du)" % (number, choice.choice([2, 4, 6, 8])),
            "(%s + %d & 7)" % (number, choice.randint(-3, 8))]),
            choice.choice(["==", "==", "==", "!=", "<", ">", ">="]), rest)

    def flag(self, indent):
        """A flag that is set only where an index is in range, and tested later."""
        choice, flag, index = self.choice, self.name("f"), self.name("v")
        lines = ["%sint %s = %s;" % (indent, index, choice.choice(["bx * bdx + tx", "tx * 3 - 4", self.expression(1)])),
                 "%s_Bool %s = %s;" % (indent, flag, choice.choice(["0", "0", "0", "1"])),
                 "%sif (%s < n) {" % (indent, index)]
        if choice.random() < 0.5:
            lines += ["%s  if (%s) %s = %s;" %
                      (indent, self.condition(), flag, choice.choice(["1", "D(1) > 3", "!%s" % flag]))]
        else:
            lines += ["%s  %s = %s;" % (indent, flag, choice.choice(["1", self.condition(), "D(2) > 3"]))]
        lines += ["%s}" % indent, "%sif (%s%s) {" % (indent, choice.choice(["", "", "", "!"]), flag)]
        for text in choice.sample([index, index + " + 1", "n - " + index], 2):
            lines += self.touch(indent + "  ", text)
        return lines + [indent + "}"]

    def in_turn(self, indent):
        """Variables that a loop exchanges, flips, keeps, or replaces."""
        choice, first, second, i = self.choice, self.name("v"), self.name("v"), self.name("i")
        lines = ["%sint %s = %s, %s = %s;" % (indent, first, choice.choice(["0", "1", "m", "tx"]), second, self.leaf()),
                 "%sfor (int %s = 0; %s < (n & 31); %s++) {" % (indent, i, i, i), indent + "  TICK;"]
        lines += self.touch(indent + "  ", "%s * 8 + tx" % first)
        lines += [indent + "  " + choice.choice([
            "{a} = 1 - {a};", "{a} ^= 5;", "{a} = {b} - {a};", "int t{i} = {a}; {a} = {b}; {b} = t{i};",
            "if ({c}) {a} = {i};", "{a} = D(0) > {i} ? {i} + 1 : {a};",
            "if ({c}) {a} = {b}; else if ({d}) {a} = {i} * 2;"]).format(a=first, b=second, i=i, c=self.condition(),
                                                                        d=self.condition())]
        lines += [indent + "}"]
        return lines + self.touch(indent, first)

    def wrapped(self, indent):
        """A neighbour whose index wraps around by a conditional sum."""
        choice, i, x = self.choice, self.name("v"), self.name("v")
        lines = ["%sint %s = bx * bdx + tx, %s = REM(%s, n) %s;" %
                 (indent, i, x, i, choice.choice(["- 1", "+ 1", "- 2", "+ m"])), "%sif (%s < n * m) {" % (indent, i),
                 indent + "  " + choice.choice(["if ({0} < 0) {0} += n;", "if ({0} >= n) {0} -= n;",
                                                "{0} += {0} < 0 ? n : 0;", "{0} = {0} < 0 ? {0} + n : {0};"]).format(x)]
        for text in choice.sample([x, "DIV(%s, n) * n + %s" % (i, x), "%s * 12 + 12" % x], 2):
            lines += self.touch(indent + "  ", text)
        if choice.random() < 0.5:
            lines += ["%s  if (%s * 12 + 12 <= m) {" % (indent, x)] + self.touch(indent + "    ", x) + [indent + "  }"]
        return lines + [indent + "}"]

    def divided(self, indent):
        """A thread's element in a matrix of which it divides the element's number, and its neighbours."""
        choice, i, row, column = self.choice, self.name("v"), self.name("v"), self.name("v")
        kind = choice.choice(["int", "int", "unsigned", "long long"])
        width = choice.choice(["(%s)n" % kind, "(%s)n" % kind, "(%s)m" % kind, "6", "8"])
        lines = ["%s%s %s = (%s)bx * bdx + tx;" % (indent, kind, i, kind),
                 "%s%s %s = DIV(%s, %s), %s = REM(%s, %s);" % (indent, kind, row, i, width, column, i, width)]
        guard = choice.choice(["%s < n * m" % i, "(int)%s < n * m" % i, "(int)%s < m && (int)%s < n" % (row, column),
                               "%s < m" % row, "1"])
        lines += ["%sif (%s) {" % (indent, guard)]
        up, left = "(%s > 0 ? %s - 1 : %s)" % (row, row, row), "(%s >= 1 ? %s : %s) - 1" % (column, column, width)
        right = "(%s + 1 < %s ? %s + 1 : 0)" % (column, width, column)
        for index in choice.sample(["%s * %s + %s" % (row, width, column), "%s * %s + %s" % (up, width, column),
                                    "%s * %s + %s" % (row, width, left), "%s * %s + %s" % (row, width, right),
                                    "%s * m + %s" % (column, row), "%s * 3 * %s + %s" % (row, width, column), column],
                                   3):
            lines += self.touch(indent + "  ", index)
        return lines + [indent + "}"]

    def defined(self, indent):
        """Quotient and remainder as in code from PTX, where a division by 0 is one by 1, and tests of both."""
        choice, i, w, row, column = (self.choice, self.name("v"), self.name("v"), self.name("v"), self.name("v"))
        kind = choice.choice(["int", "int", "unsigned"])
        lines = ["%s%s %s = (%s)(%s), %s = (%s)(%s);" % (
                     indent, kind, i, kind, choice.choice(["bx * bdx + tx"] * 3 + ["tx - 2", self.leaf()]),
                     w, kind, choice.choice(["n", "m", "n & 3", "m - 2", "n - m"])),
                 "%s%s %s = DIV(%s, (%s)((unsigned)%s > 1 ? %s : 1)), %s = %s - %s * %s;" % (
                     indent, kind, row, i, kind, w, w, column, i, row, w)]
        tests = ["%s == %s * %s" % (i, row, w), "%s != %s * %s" % (i, row, w), "%s > 0" % column, "%s != 0" % column,
                 "%s == 0" % column, "%s < %s - 1" % (column, w), "%s >= 2" % column, "%s < (%s)m" % (row, kind),
                 "%s < (%s)m" % (row, kind), "%s > 0" % row, "%s < (%s)(n * m)" % (i, kind)]
        for _ in range(choice.randint(1, 3)):
            lines += ["%sif (%s) {" % (indent, " && ".join(choice.sample(tests, choice.randint(1, 3))))]
            for index in choice.sample([i + " - 1", i + " + 1", i, column, column + " - 1", column + " + 1",
                                        "%s * %s + %s" % (row, w, column), "%s * 3 * %s + %s" % (row, w, column),
                                        "%s - %s" % (i, w), "%s + %s" % (i, w)], 2):
                lines += self.touch(indent + "  ", index)
            lines += [indent + "}"]
        return lines

    def falling(self, indent):
        """A difference whose operands a test relates, as on the diagonals of a matrix."""
        choice, i, m = self.choice, self.name("v"), self.name("i")
        kind = choice.choice(["int", "int", "unsigned", "long long"])
        lines = ["%s%s %s = %s;" % (indent, choice.choice(["int", kind]), i,
                                    choice.choice(["tx", "tx * 2", "tx + 3", "tx - 1", "bx * bdx + tx"]))]
        end = choice.choice(["(%s)n", "(%s)m", "(%s)14"]) % kind
        lines += [indent + choice.choice(["for (%s %s = %s; %s > 0; %s--) {" % (kind, m, end, m, m),
                                          "for (%s %s = 0; %s < %s; %s++) {" % (kind, m, m, end, m)]),
                  indent + "  TICK;"]
        test = choice.choice(["{i} <= {m}", "{i} < {m}", "{i} + 1 <= {m}", "{i} < {m} - 2", "{m} >= {i}",
                              "(unsigned){i} <= (unsigned){m}", "{i} - 3 < {m}"]).format(i=i, m=m)
        lines += ["%s  if (%s) {" % (indent, test)]
        for _ in range(2):
            index = choice.choice(["{i} + 15 - {m}", "{i} - {m} + 15", "15 - ({m} - {i})", "{i} + 1 - ({m} - 3)",
                                   "{m} - {i}", "{i} - {m}"]).format(i=i, m=m)
            lines += self.touch(indent + "    ", index)
        return lines + [indent + "  }", indent + "}"]

    def windows(self, indent):
        """The windows that have an element, and its place in each."""
        choice = self.choice
        x, first, end, w, stride, size = (self.name("v") for _ in range(6))
        kind = choice.choice(["int", "int", "int", "unsigned", "long long"])
        first_is = choice.choice(["{x} < {k} ? 0 : DIV({x} - {k}, {s}) + 1"] * 4 + [
            "{x} < {k} - 1 ? 0 : DIV({x} - {k}, {s}) + 1", "DIV({x} - {k}, {s}) + 1",
            "{x} < {k} ? 0 : DIV({x} - {k}, {s})", "MAX(0, DIV({x} - {k}, {s}) + 1)",
            "{x} < {k} ? {x} - 3 : DIV({x} - {k}, {s}) + 1"])
        end_is = choice.choice(["MIN(DIV({x}, {s}) + 1, {n})"] * 4 + [
            "DIV({x}, {s}) + 1", "MIN(DIV({x}, {s}), {n})", "MIN(DIV({x}, {s}) + 2, {n})",
            "MIN(DIV({x} + 1, {s}) + 1, {n})"])
        names = {"x": x, "k": size, "s": stride, "n": choice.choice(["n", "n", "8", "(m + 3)"])}
        lines = ["%sint %s = %s;" % (indent, stride, choice.choice(["1", "2", "3", "(m & 3) + 1", "m", "n - 1"])),
                 "%sint %s = %s;" % (indent, size, choice.choice(["3", "5", "(n & 7) + 1", "m", "n"])),
                 "%sint %s = %s;" % (indent, x, choice.choice(
                     ["tx", "tx + 1", "tx + (m & 3)", "bx * bdx + tx", "tx - 1"])),
                 "%sint %s = %s;" % (indent, first, first_is.format(**names)),
                 "%sint %s = %s;" % (indent, end, end_is.format(**names)),
                 "%sfor (%s %s = %s; %s < (%s)%s; %s%s) {" % (indent, kind, w, first, w, kind, end, w, choice.choice(
                     ["++", "++", "++", " += 2"])), indent + "  TICK;"]
        for _ in range(2):
            place = choice.choice(["{x} - {w} * {s}"] * 2 + ["bx * {k} + {x} - {w} * {s}", "{x} - ({w} + 1) * {s}"])
            whole = choice.choice(["%s"] * 3 + ["(%s) * 8 + ty", "(%s) * m + {w}", "(%s) * n + {w}",
                                                "((%s) * 3 + ty) * n + {w}", "(%s) * m - {w}"]) % place
            lines += self.touch(indent + "  ", whole.format(w=w, **names))
        return lines + [indent + "}"]

    def gathered(self, indent):
        """Windows that overlap, and an index in them that nvcc reduces to sums."""
        choice = self.choice
        x, first, end, w, stride, size, rows = (self.name("v") for _ in range(7))
        names = {"x": x, "k": size, "s": stride, "r": rows, "w": w}
        lines = ["%sint %s = %s;" % (indent, stride, choice.choice(["1", "2", "(m & 1) + 1", "(n & 3) + 1"])),
                 "%sint %s = %s;" % (indent, size, choice.choice(["9", "6", "(n & 7) + 5", "(m & 15) + 1", "bdx"])),
                 "%sint %s = %s;" % (indent, rows, choice.choice(["(n & 7) + 1", "(m & 3) + 2", "n", "bdx"])),
                 "%sint %s = %s;" % (indent, x, choice.choice(["tx", "tx + 9", "tx + (m & 7)", "bx * bdx + tx"])),
                 "%sint %s = %s < %s ? 0 : (%s - %s) / %s + 1;" % (indent, first, x, size, x, size, stride),
                 "%sint %s = MIN(%s / %s + 1, %s);" % (indent, end, x, stride, choice.choice(["99", "n", "m + 9"])),
                 "%sfor (int %s = %s; %s < %s; %s++) {" % (indent, w, first, w, end, w), indent + "  TICK;"]
        for _ in range(choice.choice([1, 1, 2])):
            index = choice.choice(["({x} - {w} * {s}) * {r} + {w}"] * 3 + [
                "(ty * {k} + {x} - {w} * {s}) * {r} + {w}", "{x} - {w} * {s}", "{w} * {r} - {w} * {s} * 2",
                "({x} - {w} * {s}) * {r} - {w}", "({k} - 1 - {x} + {w} * {s}) * {r} + {w} * 3"])
            lines += self.touch(indent + "  ", index.format(**names))
        lines += [indent + "}"]
        if choice.random() < 0.5:  # a window behind the first one, as in code that was written out round by round
            test = choice.choice(["1", "{e} - {f} > 1", "(({e} - {f}) & 3) == 2", "(({e} - {f}) & 3) != 0",
                                  "(({e} - {f}) & 3) != 0 && (({e} - {f}) & 3) != 1"]).format(e=end, f=first)
            lines += ["%sif (%s < %s && (%s)) {" % (indent, first, end, test)]
            lines += self.touch(indent + "  ", "{x} - ({f} * {s} + {s})".format(f=first, **names))
            lines += [indent + "}"]
        return lines

    def window_bounds(self, indent, large):
        """Declares the windows of an element. Returns (names, lines). `large`: numbers may be large."""
        choice = self.window_choice
        names = {key: self.name("v") for key in "xksrwfe"}
        values = {"s": choice.choice(["1", "2", "(m & 1) + 1", "(n & 3) + 1"] + ["n"] * large),
                  "k": choice.choice(["9", "6", "(n & 7) + 5", "(m & 15) + 1", "bdx"]),
                  "r": choice.choice(["(n & 7) + 1", "n"] + ["(m & 3) + 2", "bdx"] * (not large) + [
                      "m", "(int)u", "(m & 3) | 1 << 29", "-(n | 1 << 29)", "1 << (n & 30)",
                      "-(1 << (m & 30))"] * large),
                  "x": choice.choice(["tx", "tx + 9", "tx + (m & 7)", "bx * bdx + tx"] + ["n + tx", "n"] * large),
                  "f": "{x} < {k} ? 0 : DIV({x} - {k}, {s}) + 1",
                  "e": "MIN(DIV({x}, {s}) + 1, %s)" % choice.choice(["99", "99", "n", "m + 9"])}
        return names, ["%sint %s = %s;" % (indent, names[key], values[key].format(**names)) for key in "skrxfe"]

    def added_up(self, indent):
        """An index in windows that is added up, in numbers that wrap, as nvcc reduces it. Pointers move by its
        steps."""
        choice = self.window_choice
        names, lines = self.window_bounds(indent, True)
        names.update(i=self.name("v"), d=self.name("v"), c=choice.choice(["1", "1", "1", "2", "4"]))
        names["o"] = choice.choice(["0", "ty * {k}", "n"]).format(**names)
        sign = choice.choice(["", "", "-"])
        for line in ("int {d} = (int)(%s1u - (unsigned){s} * (unsigned){r});" % sign,
                     "int {i} = (int)(((unsigned){x} - (unsigned){f} * (unsigned){s} + (unsigned)({o})) * "
                     "(unsigned){r} + %s(unsigned){f});" % sign, "#pragma unroll 1",
                     "for (int {w} = {f}; {w} < {e}; {w} += {c}, {i} = (int)((unsigned){i} + {c}u * (unsigned){d})) {{",
                     "  TICK;"):
            lines.append(indent + line.format(**names))
        for _ in range(2):
            if self.touches < TOUCHES:
                way = choice.choice(["0", "{d}", "{d}", "{d}", "{d} * 2LL", "(int)((unsigned){d} * 3u)",
                                     "(int)((unsigned){d} * 7u)"]).format(**names)
                lines.append("%s  TOUCH_FROM(%d, %d, %s, %s);" % (
                    indent, self.touches, choice.choice([1, 4, 8]), way, names["i"]))
                self.touches += 1
        return lines + [indent + "}"]

    def written_out(self, indent):
        """Windows behind the first one, as in code that was written out round by round. Tests of the rounds' low bits
        show that there are some."""
        choice = self.window_choice
        names, lines = self.window_bounds(indent, choice.random() < 0.3)
        for _ in range(2):
            mask = choice.choice([1, 3, 3, 3, 7])
            tests = ["(({e} - {f}) & %d) %s %d" % (mask, choice.choice(["!=", "!=", "=="]), choice.randint(0, mask))
                     for _ in range(choice.randint(0, min(3, mask)))]
            lines.append("%sif (%s) {" % (indent, " && ".join(["{f} < {e}"] + tests).format(**names)))
            for _ in range(2):
                more = choice.randint(0, 3)
                term = choice.choice(["{f} * {s} + %d * {s}" % more, "({f} + %d) * {s}" % more])
                lines += self.touch(indent + "  ", ("{x} - (%s)" % term).format(**names))
            lines.append(indent + "}")
        return lines

    def mirrored(self, indent):
        """Indices around one place of a row, which are mirrored or moved at the row's ends."""
        choice, x, i, k = self.choice, self.name("v"), self.name("i"), self.name("v")
        radius = choice.choice(["1", "2", "3", "(m & 3)", "(n & 7)"])
        size = choice.choice(["n", "n", "n", "m", "(n + m)"])
        front = choice.choice(["if ({k} < 0) {k} = -{k};"] * 3 + [
            "{k} = {k} < 0 ? -{k} - 1 : {k};", "if ({k} < 0) {k} = 0;", "if ({k} < 0) {k} += {n};",
            "if ({k} < 1) {k} = 1 - {k};", ""])
        back = choice.choice(["if ({k} > {n} - 1) {k} = {n} - 1 - {i};"] * 3 + [
            "if ({k} >= {n}) {k} = 2 * {n} - 2 - {k};", "if ({k} >= {n}) {k} = {n} - 1;", "if ({k} >= {n}) {k} -= {n};",
            "if ({k} > {n}) {k} = {n} - {i};", "if ({x} + {i} >= {n}) {k} = {n} - {i};", ""])
        names = {"k": k, "n": size, "i": i, "x": x}
        lines = ["%sint %s = %s;" % (indent, x, choice.choice(["tx", "bx * bdx + tx", "tx - 1", "ty * bdx + tx"])),
                 "%sif (%s < %s) {" % (indent, x, choice.choice([size, size, size, "n"])),
                 "%s  for (int %s = -%s; %s <= %s; %s++) {" % (indent, i, radius, i, radius, i), indent + "    TICK;",
                 "%s    int %s = %s + %s;" % (indent, k, x, i)]
        lines += [indent + "    " + line.format(**names) for line in choice.choice([(front, back), (back, front)])]
        for _ in range(2):
            lines += self.touch(indent + "    ", choice.choice(["%s", "%s", "%s * m + ty", "by * n + %s"]) % k)
        return lines + [indent + "  }", indent + "}"]

    def growing(self, indent):
        """A number that each round multiplies by a power of two, and a count that shrinks or grows at the same time."""
        choice, s, i, t = self.choice, self.name("v"), self.name("i"), self.name("v")
        up = choice.choice(["{0} <<= 1;"] * 4 + ["{0} *= 2;", "{0} += {0};", "{0} <<= 2;", "{0} *= 3;"])
        down = choice.choice(["{0} >>= 1;"] * 4 + ["{0} /= 2;", "{0} >>= 2;", "{0} /= 4;"])
        kind = choice.choice(["int", "int", "unsigned", "long long"])
        rounds = choice.choice(["3", "4", "(m & 3)", "(n & 7)", "m", "(bdx & 7) + 1"])
        low, high = choice.choice(["1", "1", "2", "3", "(m & 3)", "n", "-1"]), choice.choice(["n / 2", "8", "m", "16"])
        moves = [indent + "  " + up.format(s), indent + "  " + down.format(t)]
        if choice.random() < 0.3:
            low, high = high, low
            moves = [indent + "  " + down.format(s), indent + "  " + up.format(t)]
        head = choice.choice(["for (int {i} = 0; {i} < {rounds}; {i}++) {{"] * 3 +
                             ["while ({t} > 0 && {s} > 0) {{"] * 2)
        lines = ["%s%s %s = %s;" % (indent, kind, s, low), "%sint %s = %s;" % (indent, t, high),
                 indent + head.format(i=i, rounds=rounds, t=t, s=s), indent + "  TICK;"]
        body = self.touch(indent + "  ", choice.choice(["(int)%s", "tx + (int)%s", "(int)%s * 2 - 1"]) % s)
        body += ["%s  if (tx %s %s) {" % (indent, choice.choice(["<", "<", "<", "<="]),
                                         choice.choice([t, t, t, "(int)" + s, t + " * 2"]))]
        for _ in range(2):
            body += self.touch(indent + "    ", choice.choice([
                "tx + (int){s}", "(tx + 1) * (int){s} - 1", "(2 * tx + 1) * (int){s} - 1",
                "(int)({s} * (2 * tx + 2)) - 1", "(int){s} * tx", "(int){s} * (tx + 2)",
                "(int)(({s} / 2) * (tx + 1))", "(int){s} - tx"]).format(s=s))
        body += [indent + "  }"]
        lines += choice.choice([moves + body, body + moves, moves[:1] + body + moves[1:]]) + [indent + "}"]
        return lines + self.touch(indent, "(int)" + s)

    def rounds(self, indent):
        """Distances that each round halves or doubles, and indices that they decide together with the thread. The
        loop may be in another one, into which its variables go on."""
        choice = self.choice
        s, h, w, i, o = (self.name(letter) for letter in "vvvii")
        clamped = "((unsigned)(n - m) >= 32 ? 0 : 1 << (n - m))"  # as PTX does
        limit = choice.choice(["n", "256", "bdx * 2", "(1 << (n & 7))", clamped])
        names = {"s": s, "h": h, "w": w, "i": i, "o": o, "limit": limit, "low": "(tx & ((int)%s - 1))" % s,
                 "clamped": clamped}

        def one_of(*texts):
            return choice.choice(texts).format(**names)
        start = one_of("n / 2", "n >> 2", "m", "64", "1 << (m & 7)", "bdx / 2", "bdx", "n", "D(0)", "tx", "1", "2",
                       "{clamped}", "{clamped} >> 1")
        lines = [indent + one_of("int", "int", "unsigned", "long long") + " %s = %s;" % (s, start),
                 "%sint %s = %s, %s = %s;" % (indent, h, one_of("n / 2", "bdx", "1", "m"), w,
                                              one_of("n", "m", "64", "tx"))]
        is_inner = choice.random() < 0.3
        if is_inner:
            lines += [indent + "for (int {o} = 0; {o} < (n & 3); {o}++) {{".format(**names), indent + "  TICK;"]
            lines += ["%s  %s = %s;" % (indent, s, start)] * (choice.random() < 0.5)
        body = [indent + "  TICK;"]
        if choice.random() < 0.4:
            body += ["%s  if (tx %s) { %s }" % (indent, one_of("< {h}", "<= (int){s}", "> {h}"),
                                                one_of("{w} >>= 1;", "{w} += 1;", "{w} = (int){s};"))]
        body += ["%s  if (%s) {" % (indent, one_of("tx < (int){s}", "tx < {h}", "tx <= {h}", "(tx & 1) == 0",
                                                   "tx < bdx / 2"))]
        for _ in range(2):
            body += self.touch(indent + "    ", one_of(
                "2 * tx - {low}", "(int)(((unsigned)tx << 3) - ((unsigned){low} << 2))",
                "2 * (tx - {low}) + {low} + (int){s}", "tx + (int){s}",
                "tx * (int){s} + (int){s} - 1", "{low} * 8 + ty", "(int){s} * {h} + tx", "{w} + tx",
                "{w} + bx * {h} + tx", "(tx ^ (int){s})", "DIV(64, (int){s}) * (tx & 7)", "DIV(n, (int){s}) + tx",
                "(tx + (int){s}) & (n - 1)"))
        body += [indent + "  }"]
        moves = [indent + "  " + one_of(*["{s} >>= 1;"] * 4, "{s} >>= 2;", "{s} /= 2;", "{s} <<= 1;", "{s} *= 2;",
                                        "{s} *= 3;", "{s} = {s} * 2 + 1;"),
                 indent + "  " + one_of("{h} >>= 1;", "{h} <<= 1;", "{h} /= 4;", "{h} += 1;", "{h} -= m;")]
        body += ["%s  if (%s) break;" % (indent, self.condition())] * (choice.random() < 0.2)
        lines += [indent + one_of("while ({s} > 0 && {s} < {limit}) {{", "for (int {i} = 0; {i} < (m & 7); {i}++) {{",
                                  "for (int {i} = 0; {i} < n; {i}++) {{", "while ({s} > 0) {{")]
        lines += choice.choice([moves + body, body + moves, moves[:1] + body + moves[1:]]) + [indent + "}"]
        if is_inner:
            lines += self.touch(indent + "  ", one_of("(int){s}", "{w}", "{h}")) + [indent + "}"]
        return lines + self.touch(indent, one_of("(int){s}", "tx + {w}", "{h}"))

    def diagonals(self, indent):
        """A counter with few rounds that tests compare with the thread's number, and a pointer that moves beside it."""
        choice, c, p = self.choice, self.name("i"), self.name("p")
        if self.touches == TOUCHES:
            return []
        self.touches += 1
        j, width = self.touches - 1, choice.choice([1, 4, 4, 8])
        first, step = choice.choice([14, 15, 7, 3]), choice.choice([1, 1, 2, 4])
        falls = choice.random() < 0.7
        head = "int %s = 0; %s < %d; %s += %d" % (c, c, first, c, step)
        if falls:
            head = "int %s = %d; %s %s 0; %s -= %d" % (c, first, c, choice.choice([">=", ">"]), c, step)
        start = choice.choice(["tx + 2", "20 - tx * 16", "tx * 3 + bx", "(int)((unsigned)tx << 4)", self.expression(2)])
        lines = ["%sPOINTER(%d, %d, %s, %s);" % (indent, j, width, p, start),
                 "%sfor (%s, %s += %d) {" % (indent, head, p, choice.choice([1, 4, -3, 16])), indent + "  TICK;"]
        if choice.random() < 0.2:
            lines += ["%s  if (%s) break;" % (indent, self.condition())]
        guard = choice.choice(["tx <= %s", "tx < %s", "%s > tx", "tx <= %s - 3", "%s - 1 >= tx", "tx == %s", "tx > %s",
                               "tx + bx < %s", "tx != %s", "n > %s"]) % c
        if choice.random() < 0.3:
            guard += " && %s != %d" % (c, choice.randint(0, 3))
        return lines + ["%s  if (%s) TOUCH_AT(%d, %d, %s, %d);" % (indent, guard, j, width, p, choice.randint(-2, 2)),
                        indent + "}"]

    def shifts(self, indent):
        """Tests of numbers without their lowest bits, limits that are powers of two, and reversed bits."""
        choice = self.choice
        v, q, i = self.name("v"), self.name("q"), self.name("i")
        kind, amount = choice.choice(["int", "unsigned"]), choice.choice(["(n & 7)", "m", "5", "2", "(int)u", "n - m"])
        names = {"v": v, "q": q, "i": i, "amount": amount, "kind": kind}

        def one_of(*texts):
            return choice.choice(texts).format(**names)
        lines = [indent + "%s %s = %s;" % (kind, v, one_of("tx + bx * bdx", self.leaf() + " - tx", "tx * bdx - bx")),
                 indent + "%s %s = SHR(%s, %s);" % (kind, q, v, amount)]
        test = one_of("{q} == 0", "{q} < ({kind})", "{q} <= ({kind})", "{q} == ({kind})", "{q} > ({kind})",
                      "{v} < SHL(({kind})1, {amount})", "SHR({q}, m) == 0",
                      "{q} <= (int)(SHR(REVERSED({q}), 32 - {amount}))")
        if test.endswith("(%s)" % kind):
            test += self.leaf()
        lines += [indent + "if (%s) {" % test]
        for _ in range(2):
            lines += self.touch(indent + "  ", one_of("(int){v}", "(int)({v} & -4)", "(int)({v} & -32) + (tx & 31)",
                                                      "(int){q}", "(int)SHL({q}, {amount}) + (tx & 1)"))
        lines += [indent + "}"]
        lines += self.touch(indent, one_of("(int)SHR(REVERSED((unsigned){v}), 32 - {amount})",
                                           "(int)SHR(REVERSED((unsigned)tx), {amount})", "(int)SHR(256u, {amount})"))
        lines += [indent + one_of("for (unsigned {i} = tx; {i} < SHL(1u, {amount}); {i} += bdx) {{",
                                  "for (unsigned {i} = tx; SHR({i}, {amount}) == 0; {i} += bdx) {{",
                                  "for (int {i} = tx; SHR({i}, {amount}) < m; {i} += bdx) {{"), indent + "  TICK;"]
        return lines + self.touch(indent + "  ", "(int)" + i) + [indent + "}"]

    def scaled(self, indent):
        """Indices made of numbers in floating point, as an image's coordinates."""
        choice, x, i = self.choice, self.name("f"), self.name("v")
        kind = choice.choice(["float", "float", "double"])
        f = "f" if kind == "float" else ""
        names = {"x": x, "i": i, "f": f, "kind": kind, "a": self.expression(1), "b": self.leaf(), "c": self.leaf()}

        def one_of(*texts):
            return choice.choice(texts).format(**names)
        number = one_of("({kind}){a}", "({kind})tx", "({kind})(tx + bx * bdx)", "({kind})(unsigned){a}",
                        "D(1) * 0.5{f}")
        names["scale"] = one_of("s", "({kind})s", "2.0{f}", "0.5{f}", "({kind}){b} / ({kind}){c}", "0.1{f}")
        names["number"] = number
        value = one_of("({number} + 0.5{f}) * {scale} - 0.5{f}", "{number} * {scale}", "{number} / {scale}",
                       "{number} * {scale} + {b}", "-{number} * {scale}", "{number} - s",
                       "fma{f}({number}, {scale}, 1)")
        names["value"] = value
        value = one_of("{value}", "floor{f}({value})", "ceil{f}({value})", "rint{f}({value})", "trunc{f}({value})",
                       "fabs{f}({value})", "fmax{f}({value}, 0)", "fmin{f}(fmax{f}({value}, 0), ({kind})(n - 1))",
                       "sqrt{f}(fabs{f}({value}))", "round{f}({value})")
        lines = [indent + "%s %s = %s;" % (kind, x, value)]
        end = ""
        if choice.random() < 0.5:
            lines += [indent + one_of("if ({x} >= 0 && {x} < m) {{", "if (!({x} < 0)) {{",
                                      "if ({x} <= {b} && {x} > -3) {{", "if ({x} == {b} || {x} > 1) {{")]
            indent, end = indent + "  ", indent + "}"
        lines += [indent + "int %s = %s;" % (i, one_of("INT({x})", "INT(floor{f}({x}))", "INT({x} * 4)", "INT({x} + 1)",
                                                       "INT(({x} < 0 ? 0 : {x}))"))]
        for _ in range(2):
            lines += self.touch(indent, one_of("{i}", "MIN({i} + 1, n - 1)", "MAX({i}, 0) * 3", "{i} * bdx + tx"))
        return lines + [end] * bool(end)

    def ring(self, indent):
        """The stage of a pipeline, which goes around a few numbers, with its place in memory, a phase, or an outer
        stage beside it. It often starts outside of the ring, or leaves it."""
        choice = self.ring_choice
        names = {key: self.name(letter) for key, letter in zip("sphi", "vvvi")}
        last, distance = choice.choice([1, 2, 3, 3, 3, 4, 6]), choice.choice([1, 8, 16])
        first = choice.choice([0] * 5 + [last] * 2 + [last - 1, last + 1, -1, "n & %d" % last])
        names.update(first=first, last=choice.choice([last] * 12 + [last + 1, "m"]), distance=distance,
                     count=choice.choice([last + 1] * 12 + [last, "m"]),
                     back=distance * choice.choice([last] * 8 + [last + 1, last - 1]),
                     kind=choice.choice(["int"] * 5 + ["unsigned", "long long", "signed char", "unsigned char",
                                                       "short"]))
        place = first if isinstance(first, str) else first * distance
        lines = ["{kind} {s} = {first};", "int {p} = %s, {h} = %s;" % (place, choice.choice(["0", "0", "1"]))]
        moves = choice.choice([
            ["{p} += {s} == {last} ? -{back} : {distance};", "{s} = {s} == {last} ? 0 : {s} + 1;"],
            ["if ({s} == {last}) {{", "  {s} = 0;", "  {p} -= {back};", "  {h} ^= 1;", "}} else {{", "  {s}++;",
             "  {p} += {distance};", "}}"],
            ["{s}++;", "{p} += {distance};", "if ({s} == {count}) {{", "  {s} = 0;", "  {p} = 0;", "  {h} ^= 1;", "}}"],
            ["{h} = {s} >= {last} ? 1 - {h} : {h};", "{p} = {s} < {last} ? {p} + {distance} : 0;",
             "{s} = {s} < {last} ? {s} + 1 : 0;"],
            ["{s} = {s} + 1 > {last} ? 0 : {s} + 1;", "if (!{s}) {h} = {h} == 2 ? 0 : {h} + 1;",
             "{p} = {s} ? {p} + {distance} : {p} - {back};"],
            ["{p} = {s} == 0 ? {p} + {back} : {p} - {distance};", "{s} = {s} == 0 ? {last} : {s} - 1;"],
            ["{s} = {s} - 1 < 0 ? {last} : {s} - 1;", "{p} = {s} == {last} ? {back} : {p} - {distance};"],
            ["{s} = (unsigned){s} - 1 > {last}u ? {last} : {s} - 1;" if names["last"] != "m" else "{s} = {s} & 3;",
             "{h} = ({s} == {last} || {s} == 1) && {h} < 3 ? {h} + 1 : 0;"],
            ["switch ({s}) {{", "case 0:", "  {s} = {last};", "  break;",
             "case {last}:" if names["last"] != "m" else "case 77:", "  {h} = {s} - 1;", "  {s} = 1;", "  break;",
             "default:", "  {s}--;", "}}"]])
        moves = ["  " + line for line in moves]
        if choice.random() < 0.35:  # only in rounds that data decide
            test = choice.choice(["D(0) > {i}", "({i} & 1) == m", "n > {i} * 2", "D(1) != {i} && tx < 4"])
            moves = ["  if (%s) {{" % test] + ["  " + line for line in moves] + ["  }}"]
        body = []
        indices = ["(int){s}"] * 2 + ["{p} + tx", "{p}", "(int){s} * 4 + tx", "{h}", "{h} * 8 + (int){s}",
                                      "({s} + {h})"]
        for index in choice.sample(indices, 2):
            body += [line.replace("{", "{{").replace("}", "}}") for line in self.touch("  ", index.format(**names))]
        head = choice.choice(["for (int {i} = 0; {i} < n; {i}++) {{"] * 3 + [
            "for (int {i} = 0; {i} < (n & 31); {i}++) {{", "for (int {i} = tx; {i} < m; {i} += bdx) {{"])
        order = choice.choice([body + moves] * 3 + [moves + body, body[:1] + moves + body[1:]])
        if choice.random() < 0.15:
            order.append("  if (D(2) == {i}) %s;" % choice.choice(["break", "continue"]))
        loop = [head, "  TICK;"] + order + ["}}"]
        if choice.random() < 0.3:  # in a loop over tiles, into which the variables go on
            outer = self.name("i")
            again = ["  {s} = {first};"] * (choice.random() < 0.2)
            loop = ["for (int %s = 0; %s < (m & 3); %s++) {{" % (outer, outer, outer), "  TICK;"] + again + [
                "  " + line for line in loop] + ["}}"]
        lines = [indent + line.format(**names) for line in lines + loop]
        return lines + (self.touch(indent, choice.choice(["(int){s}", "{p}", "{h}"]).format(**names))
                        if choice.random() < 0.6 else [])

    def copies(self, indent):
        """Copies to shared memory of 16 bytes or none, as a condition decides that bounds the index or does not."""
        choice, i, bits = self.ring_choice, self.name("v"), self.name("v")
        kind = choice.choice(["int", "int", "unsigned"])
        start = choice.choice(["tx", "bx * bdx + tx", "bx * bdx + tx", "tx * 2 - 1", "by * 8 + tx - n"])
        tests = ["%s < (%s)n" % (i, kind), "%s < (%s)m" % (i, kind), "%s >= 0" % i, "%s < %s" % (i, choice.choice(
            ["12", "gdx", "(%s)(n * 4)" % kind])), "%s + 2 <= (%s)n" % (i, kind), "(unsigned)%s < 20u" % i, "D(0) > 3",
            "%s != 5" % i, "ty < 2"]
        lines = ["%s%s %s = %s;" % (indent, kind, i, start)]
        first, second = choice.sample(tests, 2)
        lines += ["%sunsigned %s = (%s) | (%s) << 1 | (%s) << 4;" % (indent, bits, first, second, first)]
        end = []
        if choice.random() < 0.4:
            step = choice.choice(["bdx", "4", "1"])
            lines += ["%sfor (; %s < (%s)%s; %s += %s) {" % (indent, i, kind, choice.choice(["n", "m", "30"]), i, step),
                      indent + "  TICK;"]
            indent, end = indent + "  ", [indent + "}"]
        for _ in range(2):
            if self.touches < TOUCHES:
                first, second = choice.sample(tests, 2)
                size = choice.choice([
                    "({0}) ? 16 : 0", "({0}) ? 16 : 0", "({0}) ? 0 : 16", "({0}) && ({1}) ? 16 : 0",
                    "({0}) ? ({1}) ? 16 : 0 : 0", "({0}) || ({1}) ? 0 : 16", "({0}) ? ({1}) ? 0 : 16 : 0", "({0}) * 16",
                    "({0}) << 4", "!({0}) << 4", "(({0}) & ({1})) << 4", "({2} & 2) << 3", "{2} & 16", "({2} & 1) * 16",
                    "({2} >> 1 & 1) << 4", "({0}) ? {2} & 16 : 0", "MIN(({0}) ? 64 : 0, 16)",
                    "({2} & 1) ? (({0}) << 4) : 0"]).format(first, second, bits)
                index = choice.choice([i, i, i, "%s + 1" % i, "%s * 2" % i, "(int)%s - 3" % i, "n - (int)%s" % i,
                                       "%s + ty * m" % i])
                lines.append("%sCOPY(%d, %s, %s);" % (indent, self.touches, size, index))
                self.touches += 1
        return lines + end

    def checked(self, indent):
        """Indices that only the check of an earlier access bounds, or that it does not bound."""
        choice, array, v, i = self.checked_choice, self.name("t"), self.name("v"), self.name("v")
        size = choice.choice([1, 8, 20, 20, 32, 33])
        kind = choice.choice(["int", "int", "int", "unsigned", "long long", "signed char", "unsigned char", "short"])
        number = choice.choice(["D(0)", "D(1)", "D(2) + tx", "D(0) - ty", "D(3) * 2", "D(1) * D(2)"])
        step = "STEP(%s, %d, %s);" % (array, size, choice.choice([
            "{0}", "{0}", "{0}", "{0} + 1", "{0} - 3", "{0} * 2", "{0} * 2 + 1", "(unsigned){0}", "(long long){0} * 3",
            "(unsigned char){0}", "({0} & 63)", "{0} >> 1", "10 - {0}", "{0} + tx"]).format(v))
        test = choice.choice(["D(0) > 3", "n > 5", "tx < 4", "{0} != 7", "{0} > 2", "({0} & 1)"]).format(v)
        touches = self.touch(indent + "  ", choice.choice(["{0}", "{0} + 1", "{0} * 4 + tx", "{0} - 1"]).format(v))
        loop = choice.choice([
            "for (int {1} = 0; {1} < {0}; {1}++) {{", "for (int {1} = {0} - 1; {1} >= 0; {1}--) {{",
            "for (int {1} = {0} & ~3; {1} != {0}; {1}++) {{", "for (int {1} = 0; {1} < {0}; {1} += 2) {{",
            "for (int {1} = {0}; {1} < {2}; {1}++) {{"]).format(v, i, size)
        loops = [indent + "  " + loop, indent + "    TICK;"] + self.touch(indent + "    ", choice.choice(
            [i, i, i + " + 1", "%s * %s" % (i, v)])) + [indent + "  }"]
        use = choice.choice([touches + loops, touches, loops])
        order = choice.choice([
            [indent + "  " + step] + use] * 4 + [use + [indent + "  " + step],
            [indent + "  if (%s)" % test, indent + "    " + step] + use,
            [indent + "  if (%s)" % test, indent + "    return;", indent + "  " + step] + use,
            [indent + "  " + step, indent + "  if (%s) {" % test] + use + [indent + "  }"],
            [indent + "  " + step, indent + "  if (%s)" % test, indent + "    %s += n;" % v] + use,
            [indent + "  if (%s) {" % test, indent + "    " + step, indent + "  } else {", indent + "    " + step,
             indent + "  }"] + use])
        lines = ["%sARRAY(%s, %d);" % (indent, array, size), "%s%s %s = %s;" % (indent, kind, v, number)]
        if choice.random() < 0.3:  # a state that goes on
            lines += ["%sfor (int %s = 0; %s < n; %s++) {" % ((indent,) + (self.name("i"),) * 3), indent + "  TICK;"]
            order.append("%s  %s += %s;" % (indent, v, choice.choice(["1", "D(2) > 5 ? 1 : -1", "tx", "-1"])))
        else:
            lines.append(indent + "{")
        return lines + order + [indent + "}"]

    def digits(self, indent):
        """Parts of a number's bits, by instructions that only PTX has."""
        choice, d = self.choice, self.name("v")
        number = choice.choice(["tx", "bx", "(tx * bdx)", "D(2)", self.leaf()])
        start = choice.choice(["0", "m", "n", "5", "tx"])
        width = choice.choice(["n", "m", "(n & 7)", "6", "bx", "D(3)"])
        value = choice.choice(["(unsigned){0} & MASK({1}, {2})", "MASK({1}, {2})", "FIELD((unsigned)({0}), {1}, {2})"])
        lines = ["%sunsigned %s = %s;" % (indent, d, value.format(number, start, width))]
        for _ in range(2):
            index = choice.choice(["(int)%s", "tx + (int)%s", "(int)(%s >> 2)", "(int)(%s & 31)"])
            lines += self.touch(indent, index % d)
        return lines

    def masked(self, indent):
        """Tests of some of a number's bits, as before each step of a warp's sum."""
        choice, v = self.choice, self.name("v")
        kind = choice.choice(["int", "unsigned"])
        number = choice.choice(["tx", "tx + bx * bdx", "D(2)", "tx * bdx - bx", self.leaf()])
        mask = choice.choice([31, 31, 7, 63, 24, 16, 28, 6, 8, 0x7ffffff0, -16, 20, 1])
        bits = [bit for bit in range(6) if mask >> bit & 1] or [0]
        values = [0, mask & 63, choice.choice(bits) and 1 << choice.choice(bits), choice.randrange(33)]
        limit = choice.choice([str(choice.choice(values)), str(choice.choice(values)), "m", "n", "(n >> 2)"])
        test = choice.choice(["<", "<", "<=", "==", "==", "!=", "!=", ">", ">="])
        lines = ["%s%s %s = %s;" % (indent, kind, v, number),
                 "%sif ((%s & %d) %s (%s)%s) {" % (indent, v, mask, test, kind, limit)]
        for _ in range(2):
            index = choice.choice(["(int)%s", "(int)%s + {0}".format(choice.choice(values)), "(int)(%s & 31)",
                                   "(int)%s + {0}".format(limit), "(int)(%s >> 4)", "(int)(%s ^ 1)"])
            lines += self.touch(indent + "  ", index % v)
        return lines + [indent + "}"]

    def by_distance(self, indent):
        """A loop over a tile, whose end is its start and a width."""
        choice, first, end, i = self.choice, self.name("v"), self.name("v"), self.name("i")
        kind = choice.choice(["int", "int", "unsigned"])
        start = choice.choice(["tx * 8", "bx * m", "D(2)", self.leaf(), "%s - tx" % self.leaf()])
        width = choice.choice(["8", "8", "m", "n", "(n & 7)", "D(3)", "bdx", "0", "-1"])
        test = choice.choice(["%s < %s", "%s != %s", "%s < %s", "%s <= %s"]) % (i, end)
        lines = ["%s%s %s = (%s)%s, %s = %s + (%s)%s;" % (indent, kind, first, kind, start, end, first, kind, width)]
        head = "for (%s %s = %s; %s; %s++) {" % (kind, i, first, test, i)
        if choice.random() < 0.3:
            head = "%s %s = %s; do {" % (kind, i, first)
        lines += [indent + head, indent + "  TICK;"]
        for _ in range(2):
            lines += self.touch(indent + "  ", choice.choice(["(int)%s", "(int)(%s - %s)" % ("%s", first),
                                                              "(int)%s * 4 + tx"]) % i)
        if head.endswith("do {"):
            return lines + ["%s} while (++%s %s);" % (indent, i, test[len(i) + 1:])]
        return lines + [indent + "}"]

    def last_tile(self, indent):
        """Tiles of which the last one is not full. A test relates the start of a tile and an index in it."""
        choice, first, i, valid = self.choice, self.name("i"), self.name("v"), self.name("v")
        kind, size = choice.choice(["int", "int", "unsigned", "long long"]), choice.choice(["8", "16", "m"])
        limit = choice.choice(["(%s)n" % kind] * 4 + ["(%s)(n + 3)" % kind, "(%s)(n & -4)" % kind])
        lines = ["%sfor (%s %s = bx * %s; %s < %s; %s += gdx * %s) {" %
                 (indent, kind, first, size, first, limit, first, size), indent + "  TICK;",
                 "%s  %s %s = %s;" % (indent, choice.choice(["int", "int", kind]), i,
                                      choice.choice(["tx", "tx * 2", "tx * 4 + 1", "tx - 1"]))]
        left = choice.choice(["(%s)n - %s" % (kind, first)] * 5 + ["(%s)m - %s" % (kind, first)])
        least = choice.choice(["{0} < {1} ? {0} : {1}", "{0} > {1} ? {1} : {0}", "{0}"]).format(
            left, "(%s)%s" % (kind, size))
        lines += ["%s  %s %s = %s;" % (indent, choice.choice(["int", kind, kind]), valid, least)]
        test = choice.choice(["{i} < {v}", "{i} + 1 < {v}", "{i} <= {v}", "{i} - 1 < {v}",
                              "(unsigned){i} < (unsigned){v}", "{f} + {i} < {n}", "{f} + {i} + 2 <= {n}",
                              "{v} > {i} + 3"]).format(i=i, v=valid, f=first, n=limit)
        lines += ["%s  if (%s) {" % (indent, test)]
        for _ in range(2):
            index = choice.choice([i, i, i + " + 1", i + " + 2"])
            if choice.random() < 0.5 or self.touches == TOUCHES:
                lines += self.touch(indent + "    ", "%s + %s" % (first, index))
            else:
                lines += ["%s    TOUCH_FROM(%d, %d, %s, %s);" %
                          (indent, self.touches, choice.choice([1, 4, 8]), first, index)]
                self.touches += 1
        return lines + [indent + "  }", indent + "}"]

    def peeled(self, indent):
        """A loop over a row, unrolled by four: two bits of the number of rounds choose the rounds that come first."""
        choice, i, way, rest = self.choice, self.name("v"), self.name("v"), self.name("v")
        bits = choice.choice([0, 2, 3, 4, 4])
        size, end = 1 << bits, choice.choice(["6", "6", "22", "n", "m", "bdx", self.leaf()])
        extreme = choice.choice(["MAX(%s, %s)", "MAX(%s, %s)", "MIN(%s, %s)"]) % (
            (i, end) if choice.random() < 0.7 else (end, i))
        lines = ["%sint %s = %s;" % (indent, i, choice.choice(["tx", "tx", "tx", "tx + n", "tx - ty", self.leaf()])),
                 "%s%s %s = (%s + %d) - %s;" % (indent, choice.choice(["unsigned", "int"]), way, extreme,
                                               choice.choice([size - 1, size - 1, 0, size]), i),
                 "%sunsigned %s = %s;" % (indent, rest, choice.choice(
                     ["(((unsigned)%s >> %d) + 1) & 3" % (way, bits), "((unsigned)%s >> %d) & 3" % (way, bits),
                      "((unsigned)%s & %d) >> %d" % (way, 3 << bits, bits), "(%s & 6) / 2" % way])),
                 "%sif (%s) {" % (indent, choice.choice(["%s < %s + %d" % (i, end, size), "1", "%s >= 0" % i]))]
        for done in range(3):
            lines += ["%sif (%s != %d) {" % (indent + "  " * (done + 1), rest, done)]
            lines += self.touch(indent + "  " * (done + 2), "%s + %d" % (i, done * size))
        lines += ["%s}" % (indent + "  " * (3 - done)) for done in range(3)]
        lines += ["%s  if (%s >= %d) {" % (indent, way, 3 * size)]
        lines += self.touch(indent + "    ", "%s + %d" % (i, 3 * size))
        return lines + [indent + "  }", indent + "}"]

    def touch(self, indent, index=None):
        choice = self.choice
        if self.touches == TOUCHES:
            return []
        self.touches += 1
        if index is None:
            index = choice.choice(self.variables) if self.variables and choice.random() < 0.6 else self.expression(1)
            if choice.random() < 0.3:
                index += " + " + self.expression(2)
            cast = choice.choice(["", "", "", "(unsigned)", "(long long)", "(long long)(unsigned)"])
            index = "%s(%s)" % (cast, index)
        width = choice.choice([1, 1, 4, 8])
        if self.field_choice.random() < 0.1:
            index = self.field_choice.choice(["%s", "%s", "(%s) & 31", "(%s) %% 32u", "MIN(%s, 31)"]) % index
            return ["%sTOUCH_FIELD(%d, %s);" % (indent, self.touches - 1, index)]
        return ["%sTOUCH(%d, %d, %s);" % (indent, self.touches - 1, width, index)]

    def block(self, indent, depth):
        lines, kept = [], list(self.variables)
        for _ in range(self.choice.randint(1, 4)):
            lines += self.statement(indent, depth)
        self.variables = kept
        return lines

    def statement(self, indent, depth):
        kind = self.choice.random() * (0.45 if depth >= 3 else 1)
        if kind < 0.2:
            value = self.expression()
            self.variables.append(self.name("v"))
            return ["%sint %s = %s;" % (indent, self.variables[-1], value)]
        if kind < 0.38:
            return self.touch(indent)
        assigned = [variable for variable in self.variables if variable[0] == "v"]
        if kind < 0.45:
            return ["%s%s = %s;" % (indent, self.choice.choice(assigned), self.expression())] if assigned else []
        if kind < 0.63:
            return self.branch(indent, depth)
        if kind < 0.84:
            return self.loop(indent, depth)
        return self.choice.choice([self.tiles, self.filled, self.rows, self.split, self.share, self.divided,
                                   self.last_tile, self.falling, self.windows, self.gathered, self.mirrored,
                                   self.growing, self.rounds, self.shifts, self.flag, self.in_turn, self.wrapped,
                                   self.scaled, self.by_distance, self.digits, self.masked, self.peeled, self.defined,
                                   self.diagonals])(indent)

    def branch(self, indent, depth):
        lines = ["%sif (%s) {" % (indent, self.condition())] + self.block(indent + "  ", depth + 1)
        end = self.choice.random()
        if end < 0.25:
            lines += [indent + "  return;"]
        elif end < 0.5:
            lines += [indent + "} else {"] + self.block(indent + "  ", depth + 1)
        return lines + [indent + "}"]

    def loop(self, indent, depth):
        choice, variable = self.choice, self.name("i")
        kind = choice.choice(["int", "int", "unsigned", "long long"])
        limit, start = self.leaf(), choice.choice(["0", "0", "tx", self.leaf()])
        step = choice.choice(["1", "1", "2", "4", "bdx", "n", str(choice.randint(1, 5))])
        head = "for (%s %s = " % (kind, variable) + choice.choice([
            "{start}; {i} < ({kind}){limit}; {i} += {step})", "{start}; {i} < ({kind}){limit}; {i} += {step})",
            "{start}; {i} <= ({kind}){limit}; {i} += {step})",
            "{limit}; {i} > ({kind}){start}; {i} -= {step})", "{limit}; {i} >= ({kind}){start}; {i} -= {step})",
            "{start}; {i} != ({kind}){limit}; {i} += {other})",
            "{limit}; {i} > 0; {i} >>= 1)", "{limit}; {i} != 0; {i} /= 2)",
        ]).format(i=variable, kind=kind, start=start, limit=limit, step=step,
                  other=choice.choice(["1", "2", "-1", step]))
        kept = list(self.variables)
        self.variables.append(variable if kind == "int" else "(int)" + variable)
        body = self.block(indent + "  ", depth + 1)
        if choice.random() < 0.2:
            body.insert(0, "%s  if (%s) %s;" % (indent, self.condition(), choice.choice(["continue", "break"])))
        self.variables = kept
        pragma = [indent + "#pragma unroll " + choice.choice(["2", "3", "4"])] if choice.random() < 0.3 else []
        return pragma + [indent + head + " {", indent + "  TICK;"] + body + [indent + "}"]

    def tiles(self, indent):
        """A loop over tiles, and a loop in the tile."""
        choice, start, inner = self.choice, self.name("i"), self.name("i")
        size, limit = choice.choice(["4", "8", "bdx"]), choice.choice(["n", "m", "n & ~3", "24"])
        more = choice.choice(["{0} < {1}", "{0} + {2} <= {1}", "{0} < {1}"]).format(start, limit, size)
        lines = ["%sfor (int %s = %s; %s; %s += %s) {" %
                 (indent, start, choice.choice(["0", "tx", "bx * " + size]), more, start, size),
                 indent + "  TICK;"]
        lines += self.touch(indent + "  ", choice.choice(["%s + tx", "(%s + ty) * n + tx", "(unsigned)%s * 2"]) % start)
        lines += ["%s  for (int %s = 0; %s < %s; %s++) {" %
                  (indent, inner, inner, choice.choice([size, "4", "n - " + start]), inner),
                  indent + "    TICK;"]
        lines += self.touch(indent + "    ", choice.choice(["%s + %s", "%s * m + %s", "ty * n + %s + %s"]) %
                            (start, inner))
        return lines + [indent + "  }", indent + "}"]

    def filled(self, indent):
        """All threads of a block fill its tile."""
        choice, x, y, size = self.choice, self.name("i"), self.name("i"), self.choice.choice(["9", "22", "n"])
        one = "%sfor (int %s = %s; %s < %s; %s += %s) {"
        lines = [one % (indent, y, "ty", y, choice.choice([size, "7"]), y, choice.choice(["bdy", "2"])),
                 indent + "  TICK;",
                 one % (indent + "  ", x, "tx", x, size, x, choice.choice(["bdx", "8", "16"])), indent + "    TICK;"]
        lines += self.touch(indent + "    ", "%s * %s + %s" % (y, size, x))
        clamped = "MIN(MAX(%s + bx - 3, 0), n - 1) + MIN(MAX(%s - 1, 0), m - 1) * n" % (x, y)
        lines += self.touch(indent + "    ", clamped) if choice.random() < 0.5 else []
        return lines + [indent + "  }", indent + "}"]

    def strided(self, indent):
        """A loop with a computed step, which a compiler may unroll with a remainder, and what it makes of its index."""
        choice, i = self.stride_choice, self.name("i")
        kind = choice.choice(["int", "int", "unsigned"])
        first = choice.choice(["bx * bdx + tx"] * 3 + ["tx"] * 3 + ["ty * bdx + tx"] * 2
                              + ["tx - 3", "tx * 2 + 1", "0", "n"])
        limit = choice.choice(["n"] * 3 + ["m"] * 2 + ["n * 4", "MIN(m - bx * 8, 32) * 4", "60", "n - 1", "m * n"])
        step = choice.choice(["gdx * bdx"] * 3 + ["bdx * bdy"] * 2 + ["bdx", "4", "16", "3", "1", "1", "m"])
        test = choice.choice(["<"] * 6 + ["<=", "!="])
        lines = ["%sfor (%s %s = %s; %s %s (%s)(%s); %s += %s) {" %
                 (indent, kind, i, first, i, test, kind, limit, i, step),
                 indent + "  TICK;"]
        if choice.random() < 0.4:
            bit, width = self.name("v"), choice.choice(["5", "13", "m", "7"])
            lines += ["%s  %s %s = %s * %s;" % (indent, kind, bit, i, choice.choice([width] * 6 + ["4"]))]
            lines += self.touch(indent + "  ", "%s >> 5" % bit)
            more = choice.choice(["(int)(%s & 31) + %s %s %s" % (bit, width, choice.choice([">", ">", ">", ">="]),
                                                               choice.choice(["32"] * 4 + ["31", "20"]))] * 4 +
                                 ["(%s & 31) > 19" % bit, "(%s & 15) > 3" % bit])
            lines += ["%s  if (%s) {" % (indent, more)]
            lines += self.touch(indent + "    ", "(%s >> 5) + 1" % bit) + [indent + "  }"]
        indices = [i] * 4 + ["%s * m" % i, "%s + 1" % i, "%s / 24 + %s %% 24" % (i, i), "%s - bx * bdx" % i,
                             "(%s) - %s" % (limit, i), "%s + m * bx" % i, "%s * 2 + 1" % i]
        for index in choice.sample(indices, 2):
            lines += self.touch(indent + "  ", index)
        if choice.random() < 0.2:
            lines += ["%s  if (D(%d) == %s) break;" % (indent, choice.randint(0, 3), i)]
        return lines + [indent + "}"]

    def square(self, indent):
        """Two loops, and a place that moves on in each round of the inner loop, or by an amount that a test chooses."""
        choice, y, x, at = self.stride_choice, self.name("i"), self.name("i"), self.name("v")
        size = choice.choice(["m", "m", "n", "3", "2 * m + 1"])
        first, test = choice.choice([("0", "%s < %s"), ("-m", "%s <= m"), ("tx", "%s < %s"), ("1", "%s <= %s")])
        head = "%sfor (int %s = %s; %s; %s++) {"
        ends = [test % ((v, size) if test.count("%s") == 2 else v) for v in (y, x)]
        lines = ["%sint %s = %s;" % (indent, at, choice.choice(["0", "0", "tx", "n"])),
                 head % (indent, y, first, ends[0], y), indent + "  TICK;",
                 head % (indent + "  ", x, first, ends[1], x), indent + "    TICK;"]
        lines += self.touch(indent + "    ", at) + self.touch(indent + "    ", "%s * n + %s" % (y, x))
        moved = choice.choice([at + "++;"] * 3 + [f"{at} += {self.condition()} ? 2 : 1;",
                                                  f"if ({self.condition()}) {at} += 2;",
                                                  f"{at} += {x} == m ? m : 1;"])
        lines += [indent + "    " + moved, indent + "  }"]
        if choice.random() < 0.3:
            lines += ["%s  %s += %s;" % (indent, at, choice.choice(["1", "m", "bdx"]))]
        return lines + [indent + "}"]

    def rows(self, indent):
        """A thread's element in a matrix with rows of n, and its neighbours inside the border."""
        choice, row, column = self.choice, self.name("v"), self.name("v")
        lines = ["%sint %s = by * bdy + ty, %s = bx * bdx + tx;" % (indent, row, column),
                 "%sif (%s < m && %s < %s) {" % (indent, row, column, choice.choice(["n", "n", "n - 1"]))]
        index = "%s * n + %s" % (row, column)
        lines += self.touch(indent + "  ", index)
        border = choice.choice(["{r} > 0 && {c} > 0 && {r} < m - 1 && {c} < n - 1",
                                "{r} != 0 && {c} != 0 && {r} != m - 1 && {c} != n - 1",
                                "{c} >= 1 && {r} + 1 < m", "{r} >= 2"]).format(r=row, c=column)
        lines += ["%s  if (%s) {" % (indent, border)]
        for distance in choice.sample(["- 1", "+ 1", "- n", "+ n", "- 2 * n", "+ n + 1"], 2):
            lines += self.touch(indent + "    ", index + " " + distance)
        return lines + [indent + "  }", indent + "}"]

    def share(self, indent):
        """A thread's share of n elements, up to an end that it computes, and elements at other distances."""
        choice, begin, end, i = self.choice, self.name("v"), self.name("v"), self.name("i")
        kind = choice.choice(["int", "unsigned", "unsigned"])
        size = choice.choice(["4", "8", "m", "(n + bdx - 1) / bdx"])
        least = "(({0})({1}) < ({0})({2}) ? ({0})({1}) : ({0})({2}))"
        first = choice.choice(["tx * %s" % size, "bx * 8 + tx", least.format(kind, "tx * %s" % size, "n")])
        last = choice.choice([least.format(kind, "%s + %s" % (begin, size), "n")] * 2
                             + ["%s + %s" % (begin, size), "(%s)n" % kind])
        lines = ["%s%s %s = %s;" % (indent, kind, begin, first), "%s%s %s = %s;" % (indent, kind, end, last)]
        guard, test = choice.choice([("1", "<")] * 3 + [("%s < %s" % (begin, end), "!=")] * 2 + [("1", "!=")])
        lines += ["%sif (%s)" % (indent, guard)]
        lines += [indent + "#pragma unroll " + choice.choice(["2", "4", "8"])] if choice.random() < 0.7 else []
        lines += ["%sfor (%s %s = %s; %s %s %s; %s += %s) {" %
                  (indent, kind, i, begin, i, test, end, i, choice.choice(["1", "1", "1", "2"])),
                  indent + "  TICK;"]
        for index in choice.sample([i, i, "%s - %s" % (i, begin), "%s - %s" % (end, i), "%s + 1" % i], 2):
            lines += self.touch(indent + "  ", index)
        lines += ["%s}" % indent, "%sif (%s %s %s) {" % (indent, begin, choice.choice([">=", ">=", ">", "<"]), end)]
        return lines + self.touch(indent + "  ", "%s - %s" % (begin, end)) + [indent + "}"]

    def walk(self, indent):
        """A loop from one number to another, which ends on equality and may be unrolled as an optimiser does it. The
        end may be below the start, and the guard that prevents this is often missing."""
        choice, first, end, i = self.choice, self.name("v"), self.name("v"), self.name("i")
        kind = choice.choice(["int", "int", "unsigned", "long long"])
        values = ((first, ["tx", "tx * 3", "tx * 5 + bx", "bx * bdx + tx", "MIN(tx * 5, n)", "n - tx", "tx * m"]),
                  (end, ["n", "m", "MIN(%s + 8, n)" % first, "MIN(%s + m, 40)" % first, "m + ty * 5", "(n & 31) + bx"]),
                  (i, [first] * 8 + [first + " + 1", "0"]))
        lines = ["%s%s %s = %s;" % (indent, kind, name, choice.choice(known)) for name, known in values]
        guards = ["{0} < {1}"] * 8 + ["1"] * 3
        guards += ["{0} <= {1}", "{0} != {1}", "(unsigned){0} < (unsigned){1}", "(int){0} < (int){1}", "{0} < m",
                   "{1} > 3"]
        guard = choice.choice(guards).format(first, end)
        if choice.random() < 0.3:
            guard += " && (%s)(%s - %s) > %d" % (choice.choice(["unsigned", kind]), end, first,
                                                 choice.choice([0, 1, 3, 7]))
        lines += ["%sif (%s) {" % (indent, guard)]
        if choice.random() < 0.35:
            lines += self.steps(indent + "  ", i, choice.choice(["1", "1", "1", "2", "4", "3"]), end,
                                [i, "%s - %s" % (i, first), "%s - %s" % (end, i)])
        else:
            lines += self.unrolled(indent + "  ", kind, first, end, i)
        return lines + [indent + "}"]

    def unrolled(self, indent, kind, first, end, i):
        """A loop with single rounds for the distance's low bits, and one with steps of a power of two."""
        choice = self.choice
        rest, distance = choice.choice([1, 3, 7]), "%s - %s" % (end, choice.choice([first] * 8 + ["m", i]))
        low = "((%s) & %d)" % (distance, choice.choice([rest] * 8 + [rest // 2, 2 * rest + 1]))
        high = "((%s) & ~(%s)%d)" % (distance, kind, choice.choice([rest] * 8 + [2 * rest + 1]))
        some = choice.choice([low + " != 0"] * 4 + ["1"])
        cast = "unsigned long long" if kind == "long long" else "unsigned"
        enough = choice.choice(["(%s)(%s) > %d" % (cast, distance, rest)] * 4 + [distance + " != %d" % rest, "1"])
        single = ["%sif (%s) {" % (indent, some)] + self.counted(indent + "  ", i, "1", kind, low, end) + [indent + "}"]
        step = str(choice.choice([rest + 1] * 8 + [rest // 2 + 1, 2 * (rest + 1), 3]))
        body = self.counted(indent + "  ", i, step, kind, high, end)
        whole = ["%sif (%s) {" % (indent, enough)] + body + [indent + "}"]
        between = ["%s%s += %d;" % (indent, i, choice.choice([1, 2]))] if choice.random() < 0.1 else []
        return choice.choice([single + between + whole] * 3 + [whole + between + single] * 2 + [whole, single])

    def counted(self, indent, variable, step, kind, count, end):
        """A loop up to the end, or with a counted number of rounds."""
        choice = self.choice
        if choice.random() < 0.4:
            return self.steps(indent, variable, step, end, [variable, "%s + %s - 1" % (variable, step)])
        counter = self.name("c")
        lines = ["%s%s %s = %s;" % (indent, kind, counter, choice.choice(["0"] * 8 + ["1"])),
                 indent + "#pragma unroll 1", indent + "do {", indent + "  TICK;"]
        lines += self.touch(indent + "  ", variable)
        added = choice.choice([step] * 8 + ["1", "2"])
        return lines + ["%s  %s += %s;" % (indent, variable, step),
                        "%s} while ((%s += %s) != %s);" % (indent, counter, added, count)]

    def steps(self, indent, variable, step, end, indices):
        """A loop until the variable is equal to the end."""
        choice = self.choice
        body = [line for index in choice.sample(indices, choice.randint(1, 2))
                for line in self.touch(indent + "  ", index)]
        head = [indent + "#pragma unroll " + choice.choice(["1", "1", "2", "4"]), indent + "do {", indent + "  TICK;"]
        test = "(%s += %s) %s %s" % (variable, step, choice.choice(["!="] * 10 + ["<", "<=", "=="]), end)
        test = choice.choice([test] * 8 + ["%s && %s" % (test, self.condition())])
        return head + body + ["%s} while (%s);" % (indent, test)]

    def table_index(self, limit):
        """Returns an index of an array of so many elements in an argument: mostly a good one."""
        choice = self.table_choice
        index = choice.choice(["n", "m", "tx", "ty", "bx", "(int)u", "bx + ty", "n - 1", "%d - by" % limit, "D(1)",
                               "3"])
        return choice.choice(["%s", "(%s) & 7", "(%s) & 7", "MIN(MAX(%s, 0), 7)", "(%s) & 3", "((%s) & 1) * 5"]) % index

    def element(self, indent):
        """A test and an index that are numbers of an array in an argument."""
        choice, value, i = self.table_choice, self.name("v"), self.name("v")
        read = choice.choice(["N(%s)" % self.table_index(12), "B(%s)" % self.table_index(16)])
        kind = choice.choice(["int", "int", "unsigned", "long long"])
        lines = ["%s%s %s = %s;" % (indent, kind, value, read),
                 "%s%s %s = %s;" % (indent, kind, i, choice.choice(["tx", "bx * bdx + tx", "tx * 2", "ty + 1"])),
                 "%sif (%s %s %s) {" % (indent, i, choice.choice(["<", "<", "<=", ">", "!=", "=="]), value)]
        for index in choice.sample([i, value, "%s - %s" % (value, i), "%s + N(%s)" % (i, self.table_index(12))], 2):
            lines += self.touch(indent + "  ", index)
        return lines + [indent + "}"]

    def search(self, indent):
        """A loop that halves a range: a search for a number, often with a wrong end or step."""
        choice, low, high, middle = self.table_choice, self.name("v"), self.name("v"), self.name("v")
        kind = choice.choice(["int", "int", "int", "unsigned", "long long"])
        first, last = choice.choice(["0", "0", "0", "tx & 3", "-1", "1", "m"]), choice.choice(
            ["n", "n", "m", "N(3)", "n - 1", "bx + 5", "B(2)", "MIN(n, 30)"])
        test = choice.choice(["{0} < {1}", "{0} < {1}", "{1} - {0} > 1", "{0} <= {1}", "{0} + 1 < {1}", "{0} != {1}"])
        half = choice.choice(["({0} + {1}) / 2", "({0} + {1}) >> 1", "{0} + ({1} - {0}) / 2", "(({0} ^ {1}) & 7)",
                              "(int)(((unsigned)({0}) + (unsigned)({1})) / 2)", "({0} * 3 + {1}) / 4"])
        up = choice.choice(["{0}"] * 3 + ["{0} + 1"] * 3 + ["{0} + 2", "{0} * 2"]).format(middle)
        down = choice.choice(["{0}"] * 4 + ["{0} - 1"] * 2 + ["{0} + 1"]).format(middle)
        decide = choice.choice(["N(%s & 7) <= tx", "D(1) > %s", "(%s ^ tx) & 1", "B(%s & 15) < m"]) % middle
        lines = ["%s%s %s = %s, %s = %s;" % (indent, kind, low, first, high, last),
                 "%swhile (%s) {" % (indent, test.format(low, high)), indent + "  TICK;",
                 "%s  %s %s = %s;" % (indent, kind, middle, half.format(low, high))]
        lines += self.touch(indent + "  ", middle) if choice.random() < 0.6 else []
        lines += ["%s  if (%s)" % (indent, decide), "%s    %s = %s;" % (indent, low, up), indent + "  else",
                  "%s    %s = %s;" % (indent, high, down)]
        lines += [indent + "  if (%s == %s) break;" % (low, middle)] if choice.random() < 0.3 else []
        lines += [indent + "}"]
        return lines + self.touch(indent, low) + (self.touch(indent, high) if choice.random() < 0.5 else [])

    def split(self, indent):
        """An index that is divided into row and column, and composed again."""
        choice, whole = self.choice, self.name("v")
        by = choice.choice(["n", "m", "7", "8"])
        limit = choice.choice(["n * m", "m * 8", "m", "60"])
        lines = ["%s%s %s = bx * bdx + tx;" % (indent, choice.choice(["int", "unsigned"]), whole),
                 "%sif ((%s)%s < (%s)(%s)) {" % (indent, choice.choice(["int", "unsigned"]), whole,
                                                 choice.choice(["int", "unsigned"]), limit)]
        forms = ["DIV(%(w)s, %(b)s) * %(b)s + REM(%(w)s, %(b)s)", "DIV(%(w)s, %(b)s)", "REM(%(w)s, %(b)s)",
                 "%(w)s - DIV(%(w)s, %(b)s) * %(b)s", "REM(%(w)s, %(b)s) * m + DIV(%(w)s, %(b)s)"]
        for form in choice.sample(forms, 2):
            lines += self.touch(indent + "  ", form % {"w": whole, "b": "(int)" + by if by in "nm" else by})
        return lines + [indent + "}"]


def programs(seeds):
    """Returns (CUDA, C): the sources of the kernels with these seeds."""
    device, host = [HEADER], ['#define FIELD_SIZE %d\n#include "kernels.h"\n' % FIELD_SIZE]
    for seed in seeds:
        body = Kernel(seed).body
        device.append('extern "C" __global__ void k%d(%s) {\n  %s\n%s\n}\n' % (seed, PARAMETERS, SHAPE, body))
        host.append("static void k%d(void) {\n%s\n}\n" % (seed, body))
    host.append("const struct kernel kernels[] = {%s};\n" % ", ".join('{"k%d", k%d}' % (seed, seed) for seed in seeds))
    host.append("const int kernel_count = %d;\n" % len(seeds))
    return "".join(device), "".join(host)
