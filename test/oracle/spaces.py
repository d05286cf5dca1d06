"""Generates random kernels in all memory spaces. Besides the choices of generate.py, a case has a space for its
buffer, a route by which the pointer reaches the access (routes.py), and an expected verdict for each mode.

To add a space: a row of SPACES."""
import collections
import re

import generate
import judge
import routes

# kind: of an overflow's report. local: the kernel itself makes the buffer. declare: the statements that make `{p}`,
# with elements of type {type}. outside: declarations before the kernel. fills: the kernel can write the buffer.
# keeps: gasan knows the object's bounds for pointers that are loaded from memory. base: the buffer's alignment in
# bytes (0: its type's).
Space = collections.namedtuple("Space", "name kind local declare outside fills keeps base")
HEAP = ("__shared__ {type} *shared_{p}; "
        "if (threadIdx.x == 0) shared_{p} = static_cast<{type} *>(malloc(count * sizeof({type}))); "
        "__syncthreads(); {type} *{p} = shared_{p};")
HIDE = ("template <typename T> __device__ __noinline__ T *hide{n}(T *from, int by) {{ return from + by; }}")
SPACES = (
    Space("heap", "heap-buffer-overflow", False, "", "", True, True, 256),
    Space("managed", "heap-buffer-overflow", False, "", "", True, True, 256),
    Space("pinned", "heap-buffer-overflow", False, "", "", True, True, 256),
    Space("passed", "heap-buffer-overflow", False, "",
          "struct Passed{n} {{ int before; struct {{ {type} *data; int gone; }} pieces[3]; }};", True, True, 256),
    Space("field", "intra-object-overflow", False, "",
          "struct Record{n} {{ {type} head; {type} p[{count}]; {type} tail[{tail}]; }};", True, False, 0),
    Space("shared", "shared-buffer-overflow", True, "__shared__ {type} {p}[{count}];", "", True, False, 0),
    Space("shared and dynamic", "shared-buffer-overflow", True,
          "__shared__ {type} {p}[{count}]; extern __shared__ int4 dynamic[]; prepare(dynamic, 4);", "", True, False, 0),
    Space("dynamic", "shared-buffer-overflow", True,
          "extern __shared__ int4 dynamic[]; {type} *{p} = reinterpret_cast<{type} *>(dynamic);", "", True, False, 16),
    Space("carved", "shared-buffer-overflow", True,
          "extern __shared__ int4 dynamic[]; CARVED {type} *before_{p} = reinterpret_cast<{type} *>(dynamic); "
          "CARVED {type} *{p} = before_{p} + 16; CARVED {type} *behind_{p} = {p} + {count}; "
          "prepare(before_{p}, 16); prepare(behind_{p}, 16);", "", True, False, 16),
    Space("local", "stack-buffer-overflow", True, "{type} {p}[{count}];", "", True, False, 0),
    Space("alloca", "stack-buffer-overflow", True,
          "{type} *{p} = static_cast<{type} *>(__builtin_alloca_with_align(count * sizeof({type}), 128));",
          "", True, False, 16),
    Space("scope", "stack-use-after-scope", True,
          "{type} *{p}; {{ {type} inner[{count}]; prepare(inner, count); {p} = inner + zero; }}",
          "", False, False, 0),
    Space("returned", "stack-use-after-return", True, "{type} *{p} = gone{n}(count, zero);",
          HIDE + " __device__ __noinline__ {type} *gone{n}(int count, int zero) "
          "{{ {type} inner[{count}]; prepare(inner, count); return hide{n}(inner, zero); }}", False, False, 0),
    Space("variable", "global-buffer-overflow", True, "{type} *{p} = variable{n};",
          "__device__ {type} variable{n}[{count}];", True, False, 0),
    Space("constant", "global-buffer-overflow", True, "{type} *{p} = const_cast<{type} *>(constant{n});",
          "__constant__ {type} constant{n}[{count}];", False, False, 0),
    Space("managed variable", "global-buffer-overflow", True, "{type} *{p} = managed{n};",
          "__managed__ {type} managed{n}[{count}];",
          True, False, 0),
    Space("device heap", "heap-buffer-overflow", True, HEAP, "", True, True, 16),
)
HEAP_NAMES = ("heap", "passed")  # cudaMalloc's memory; the kernel chooses the pointer in a structure passed by value
ALLOCATED = {"heap": "allocate", "passed": "allocate", "managed": "allocate_managed", "pinned": "allocate_pinned"}
DEAD = ("scope", "returned")  # each access to such a buffer is an error
SMALLEST_COUNT = 2  # the optimiser replaces any index into one element by 0
LARGEST = {"shared": 20000, "shared and dynamic": 20000, "dynamic": 20000, "carved": 20000, "local": 2000,
           "alloca": 2000, "scope": 1000, "returned": 400, "constant": 400, "device heap": 20000}
# The statements by which a field's array reaches the access. With none, the access uses `record->p`.
KEPT = ("", "auto &p = record->p;", "{type} *p = record->p;", "{type} *const p = &record->p[0];")
FAR = "far"


class Far(generate.Pattern):
    """p[i + far]: far is the distance to another live allocation, or 0 in a correct kernel."""

    def choose(self, random):
        self.count = self.total + random.randint(0, 5)
        self.parameters, self.arguments = ", long far", ", other - p" if self.over else ", 0"
        self.code = "long k = i + far; {access}"
        self.index = "p[k]"

    def elements(self, i):
        return [i]


class Case(generate.Case):
    """One kernel with one access to a buffer in some space."""

    patterns = generate.PATTERNS
    accesses = generate.ACCESSES + (generate.STRING,)

    def __init__(self, random, number):
        self.number = number
        while not self.choose(random):
            pass
        self.helper = random.choice(("", "", "__noinline__", "__forceinline__"))
        self.barrier = random.random() < 0.3
        self.kept = random.choice(KEPT) if self.space.name == "field" else ""

    def choose(self, random):
        self.space, self.route = random.choice(SPACES), random.choice(routes.ROUTES)
        self.null = self.space.name == "heap" and random.random() < 0.1
        self.is_far = not self.null and (self.space.name in ALLOCATED) and random.random() < 0.2
        chosen = self.choose_far(random) if self.is_far else super().choose(random)
        if not chosen or not self.fits_space() or not self.fits_route():
            return False
        count = self.pattern.count
        self.into, self.turn = random.randint(0, count), 1
        self.second = count + (random.choice((-1, 1, 3)) if count > 2 and not self.is_far else 2)
        expected = self.expected
        if self.space.name in DEAD:
            self.all_threads(self.space.kind, None)
        elif self.null:
            self.all_threads("null-address", None)
        elif expected.kind == "heap-buffer-overflow":
            expected.kind = self.space.kind
            if self.pattern.is_wild and expected.side == "before":
                expected.distance = None  # shared memory has low addresses, so that the address wraps around
        return self.is_far or self.null or (self.pattern.is_wild and self.expected.access) or self.all_near()

    def all_threads(self, kind, side):
        """Expects a report of each thread that makes an access."""
        pattern = self.pattern
        threads = sum(bool(pattern.elements(i)) for i in range(pattern.total))
        self.expected = generate.Expected("silent")
        if threads:
            self.expected = generate.Expected(kind, self.access_name, self.reported, side, None, None, threads)

    def fits_space(self):
        space, pattern = self.space, self.pattern
        if self.freed and space.name not in HEAP_NAMES + ("managed", "device heap"):
            return False
        is_string = "printf" in self.statement
        if self.null and (self.freed or is_string):  # printf prints (null) and reads nothing
            return False
        if pattern.count < SMALLEST_COUNT or pattern.count * self.size > LARGEST.get(space.name, 1 << 30):
            return False
        if space.name == "constant" and (self.access_name != "READ" or "make<" in self.statement):
            return False
        if pattern.lanes > 1 and space.base < 16:
            return False
        # gasan does not check memcpy and pointer arithmetic against a field, only against its object
        # (docs/limitations.md).
        return space.name != "field" or not (is_string or pattern.ranges or pattern.walks
                                             or isinstance(pattern, generate.Rows))

    def fits_route(self):
        space, route = self.space, self.route
        if space.name == "field" or self.is_far or self.null:
            return route.name == "straight"
        if space.name in DEAD and (route.loads or (route.second and space.name != "scope")):
            return False
        # As in choose_far(): the distance must be a multiple of the size.
        if route.name == "distance" and self.size & (self.size - 1):
            return False
        # In these spaces gasan checks a pointer to one of two buffers against the bounds of both.
        if space.name in ("dynamic", "carved", "constant", "managed variable") and route.second:
            return False
        return space.keeps or not route.loads

    def choose_far(self, random):
        self.type, self.size, self.part, atomics = random.choice(generate.TYPES)
        access = random.choice(generate.ACCESSES)
        self.pattern = Far(random, random.choice((0, 1)), self.size)
        if self.size & (self.size - 1):  # the distance must be a multiple of the size
            return False
        if not generate.fits(access, self.pattern, self.type, self.size, self.part, atomics):
            return False
        self.freed, self.reported, self.access_name = False, self.size, access.name
        self.statement = generate.statement_of(access, self.pattern, self.type)
        self.expected = generate.Expected("silent")
        if self.pattern.over:
            self.expected = generate.Expected("heap-buffer-overflow", access.name, self.size, None,
                                              self.pattern.count * self.size, None, self.pattern.total)
        return True

    def in_shadow_mode(self):
        """Returns the verdict of shadow mode: "as bst" or "silent". None: the kernel does damage that shadow mode
        misses."""
        if self.expected.access is None:
            return "as bst"
        if self.is_far:
            return "silent"
        if self.null or self.pattern.is_wild or (self.pattern.goes_on and self.pattern.over
                                                 and self.space.name not in HEAP_NAMES):
            return None
        if self.space.name in HEAP_NAMES:
            return "as bst"
        # Freed managed memory is in quarantine, and the bytes after a field belong to its object.
        harmless = (self.freed and self.space.name == "managed"
                    or self.space.name == "field" and self.stays_in_tail())
        return "silent" if harmless else None

    def verdict(self):
        """Returns the verdict of BST mode, in the format of judge.py."""
        expected = self.expected
        if expected.access is None:
            return judge.SILENT
        verdict = {"kind": expected.kind, "access": expected.access, "size": self.reported, "part": self.part,
                   "line": expected.line, "threads": expected.threads, "side": expected.side,
                   "distance": expected.distance}
        return dict(verdict, loose=self.pattern.span * self.size) if self.pattern.repeats else verdict

    def manifest(self):
        in_shadow_mode = self.in_shadow_mode()
        return {"number": self.number, "space": self.space.name, "what": self.title(), "bst": self.verdict(),
                "shadow": in_shadow_mode and (judge.SILENT if in_shadow_mode == "silent" else self.verdict())}

    def title(self):
        return "%s, %s, %s, %s" % (self.space.name, self.route.name, type(self.pattern).__name__, self.expected.kind)

    def stays_in_tail(self):
        elements = [element for i in range(self.pattern.total) for element in self.pattern.elements(i)]
        return min(elements) >= -1 and max(elements) < self.pattern.count + self.tail()

    def tail(self):
        return 8

    def filled(self, text, name="p", count=None):
        return text.format(n=self.number, type=self.type, count=count or self.pattern.count, tail=self.tail(), p=name)

    def routed(self, text):
        """Returns the text of the access with the route's pointer in place of `p`."""
        if self.kept:
            return text
        pointer = "record->p" if self.space.name == "field" else self.filled(self.route.pointer)
        return re.sub(r"\bp\b", lambda found: pointer, text)

    def lines(self, first_line):
        n, pattern, space, route = self.number, self.pattern, self.space, self.route
        is_field = space.name == "field"
        pointer = "Record%d *record" % n if is_field else "%s *start" % self.type
        extra = (", %s *other" % self.type) * route.second + ", int into, int turn"
        names = "".join(", " + word.split()[-1].lstrip("*") for word in (extra + pattern.parameters).split(",")[1:])
        text = [self.filled(outside) for outside in (space.outside, route.outside) if outside]
        if route.second and space.name == "variable":
            text += [self.filled(space.outside, count=self.second).replace("variable", "second")]
        code = pattern.code.format(access=self.statement, type=self.type)
        body = ["  int sum = i;"] + ["  __syncthreads();"] * self.barrier
        body += ["  " + self.filled(self.kept if is_field else route.code)] * bool(self.kept or not is_field)
        body += ["  " + self.routed(code), "  sink[i] = sum;"]
        text += ["__device__ %s void work%d(%s, int *sink, int i%s%s) {" %
                 (self.helper, n, pointer, extra, pattern.parameters)]
        text += body + ["}"]
        self.expected.line = first_line + len(text) - 3
        is_passed = space.name == "passed"
        own = "int count, int zero" if space.local else "Passed%d passed" % n if is_passed else pointer
        others = ", int into, int turn" if space.local else extra
        text += ["__global__ void kernel%d(%s, int *sink%s%s) {" % (n, own, others, pattern.parameters),
                 "  int i = blockIdx.x * blockDim.x + threadIdx.x;"]
        text += ["  %s *start = passed.pieces[turn].data;" % self.type] * is_passed
        text += self.local_lines()
        text += ["  work%d(%s, sink, i%s);" % (n, "record" if is_field else "start", names)]
        if space.local and space.name not in DEAD and not self.freed:
            text += ["  sink[i] += use(start[zero]);"]
        if space.name == "device heap" and not self.freed:
            text += ["  __syncthreads();", "  if (threadIdx.x == 0) free(start);"]
        return text + ["}"] + self.host_lines()

    def local_lines(self):
        space = self.space
        if not space.local:
            return []
        text = ["  " + self.filled(space.declare, "start")]
        text += ["  prepare(start, count);"] * space.fills
        if self.route.second:
            other = self.filled(space.declare, "other", self.second)
            for old, new in (("variable", "second"), ("(count *", "(%d *" % self.second),
                             (", count)", ", %d)" % self.second)):
                other = other.replace(old, new)
            text += ["  " + other]
            text += ["  prepare(other, %d);" % self.second] * space.fills
        if self.freed:
            text += ["  __syncthreads();", "  if (threadIdx.x == 0) free(start);"]
        return text + ["  __syncthreads();"]

    def host_lines(self):
        n, pattern, space = self.number, self.pattern, self.space
        text = ["static void case%d() { // %s" % (n, self.title())]
        if space.name == "field":
            text += ["  Record%d *p = allocate<Record%d>(1);" % (n, n)]
        elif not space.local:
            allocate = ALLOCATED[space.name]
            text += ["  %s *p = %s<%s>(%d);" % (self.type, allocate, self.type, pattern.count)]
            if self.route.second or self.is_far:
                text += ["  %s *other = %s<%s>(%d);" % (self.type, allocate, self.type, self.second)]
        text += ["  int *sink = allocate<int>(%d);" % pattern.total]
        if "index" in pattern.arguments:
            text += ["  int *index = indices({%s});" % ", ".join(map(str, pattern.places))]
        free = "cudaFreeHost" if space.name == "pinned" else "cudaFree"
        text += ["  CUDA(cudaFree(p));"] * (self.freed and not space.local)
        first = "static_cast<%s *>(nullptr)" % self.type if self.null else "p"
        if space.name == "passed":
            text += ["  Passed%d passed = {0, {{reinterpret_cast<%s *>(sink), 0}, {p, 0}}};" % (n, self.type)]
            first = "passed"
        if space.local:
            first = "%d, 0" % pattern.count
        first += ", sink" + ", other" * (self.route.second and not space.local) + ", %d, %d" % (self.into, self.turn)
        shared = {"dynamic": ", %d" % (pattern.count * self.size), "shared and dynamic": ", 512",
                  "carved": ", %d" % ((pattern.count + 32) * self.size)}.get(space.name, "")
        text += ["  kernel%d<<<%d, %d%s>>>(%s%s);" % (
                     n, pattern.blocks, pattern.threads, shared, first, pattern.arguments),
                 "  CUDA(cudaDeviceSynchronize());"]
        text += ["  CUDA(%s(p));" % free] * (not space.local and not self.freed)
        return text + ["  CUDA(%s(other));" % free] * (not space.local and (self.is_far or self.route.second)) + ["}"]


def program(cases):
    """Returns the source of a program that runs the cases whose numbers are its arguments. The program prints "case
    N" before each case. With SHADOW_MODE it leaves out the cases that are not run in shadow mode."""
    text = ['#include "fuzz.h"', ""]
    for case in cases:
        text += left_out(case, case.lines(len(text) + 2))
    text += ["int main(int, char **arguments) {",
             "  CUDA(cudaDeviceSetLimit(cudaLimitStackSize, 16 << 10)); // for allocas and recursion",
             "  while (*++arguments) {",
             '    fprintf(stderr, "case %s\\n", *arguments);', "    switch (atoi(*arguments)) {"]
    for case in cases:
        text += left_out(case, ["    case %d: case%d(); break;" % (case.number, case.number)])
    return "\n".join(text + ["    default: return 3;", "    }", "  }", "}"]) + "\n"


def left_out(case, lines):
    if case.in_shadow_mode() is None:
        return ["#ifndef SHADOW_MODE"] + lines + ["#endif"]
    return [""] + lines
