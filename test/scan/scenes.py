# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random CUDA programs for runs.py. Each consists of scenes: a kernel, and the host's code that allocates and launches.
A scene's index may leave its memory for some inputs; each access has a line of its own."""
import random

HEADER = """#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>
#define I(x) int(x)
__host__ __device__ inline int least(int a, int b) { return a < b ? a : b; }
__host__ __device__ inline int most(int a, int b) { return a < b ? b : a; }
"""
MAIN = """int main(int argc, char **argv) {
  if (argc < 3) return 2;
  int n = atoi(argv[1]), m = atoi(argv[2]);
  if (n < 0 || n > %d || m < 0 || m > %d) return 2;
"""
LIMITS = (8, 4)  # of n and m


class Scene:
    """Text of one scene: declarations, and statements of main()."""

    def __init__(self, choice, number):
        self.choice, self.name = choice, "s%d" % number
        self.device, self.host = [], []
        kind = choice.choice([getattr(self, name) for name in sorted(dir(self)) if name.startswith("scene_")])
        self.kind = kind.__name__[6:]
        kind()

    def pick(self, *options):
        return self.choice.choice(options)

    def small(self, low=0, high=9):
        return self.choice.randint(low, high)

    def expression(self, names, depth=2):
        """Returns an expression of small numbers."""
        if depth == 0 or self.choice.random() < 0.25:
            return self.pick(*names, *names, str(self.small()))
        a, b = self.expression(names, depth - 1), self.expression(names, depth - 1)
        return self.pick("(%s + %s)" % (a, b), "(%s - %s)" % (a, b), "(%s * %s)" % (a, self.small(1, 3)),
                         "(%s / %d)" % (a, self.small(1, 4)), "(%s %% %d)" % (a, self.small(1, 6)),
                         "least(%s, %s)" % (a, b), "most(%s, %s)" % (a, b), "(%s > %s ? %s : %s)" % (a, b, b, a),
                         "((%s) & %d)" % (a, self.small(1, 7)), "((%s) >> 1)" % a, "I(unsigned(%s) %% 5u)" % a)

    def size(self):
        """Returns a size in elements, for the host."""
        a = self.expression(["n", "m"], 1)
        return self.pick(str(self.small(1, 12)), "n + %d" % self.small(1, 4), "n * 2 + %d" % self.small(1, 3),
                         "(n > m ? n : m) + 1", "n + m + 1", "(%s & 7) + %d" % (a, self.small(1, 5)))

    def guarded(self, index, limit, access):
        """Returns lines with the access, under a guard that is often right."""
        guard = self.pick("", "if (%s < %s)" % (index, limit), "if (%s >= 0 && %s < %s)" % (index, index, limit),
                          "if (%s >= 0 && %s < %s)" % (index, index, limit), "if (unsigned(%s) < unsigned(%s))" % (
                              index, limit), "if (%s <= %s && %s >= 0)" % (index, limit, index))
        return ["  " + guard, "    " + access]

    def kernel(self, parameters, body):
        self.device += ["__global__ void %s(%s) {" % (self.name, parameters), "  int t = threadIdx.x;", *body, "}"]

    def allocate(self, name, size, kind="int"):
        call = self.pick("cudaMalloc", "cudaMalloc", "cudaMallocManaged")
        self.host += ["  %s *%s;" % (kind, name), "  %s(&%s, (%s) * sizeof(%s));" % (call, name, size, kind),
                      "  cudaMemset(%s, 0, (%s) * sizeof(%s));" % (name, size, kind)]

    def launch(self, arguments, shared=""):
        threads = self.pick("1", "2", "4", "n + 1", "m + 1")
        self.host.append("  %s<<<1, %s%s>>>(%s);" % (self.name, threads, ", " + shared if shared else "", arguments))

    def scene_fields(self):
        a, b, count = self.small(1, 6), self.small(1, 6), self.small(1, 4)
        self.device.append("struct R%s { int a[%d]; int b[%d]; };" % (self.name, a, b))
        record = self.pick("p[%s]" % self.pick("0", "least(most(k, 0), %d)" % (count - 1)), "p[0]")
        field = self.pick("a", "b")
        index = self.expression(["n", "m", "t", "k"])
        self.kernel("R%s *p, int n, int m, int k" % self.name,
                    ["  int i = %s;" % index, *self.guarded("i", a if field == "a" else b, "%s.%s[i] = t;" % (
                        record, field))])
        self.allocate("p" + self.name, count, "R" + self.name)
        self.launch("p%s, n, m, %s" % (self.name, self.expression(["n", "m"], 1)))

    def scene_shared(self):
        first, second = self.expression(["n", "m"], 1), self.expression(["n", "m"], 1)
        self.kernel("int *out, int n, int m, int split, int rest",
                    ["  extern __shared__ int whole[];", "  int *a = whole;", "  int *b = whole + split;",
                     "  int i = %s, j = %s;" % (self.expression(["n", "m", "t"]), self.expression(["n", "m", "t"])),
                     *self.guarded("i", "split", "a[i] = t;"), *self.guarded("j", "rest", "b[j] = t;"),
                     "  __syncthreads();", "  if (t == 0)", "    out[0] = 1;"])
        self.allocate("p" + self.name, "1")
        self.host.append("  int u%s = most(%s, 0), v%s = most(%s, 0) + 1;" % (self.name, first, self.name, second))
        self.launch("p{0}, n, m, u{0}, v{0}".format(self.name), "(u{0} + v{0}) * 4".format(self.name))

    def scene_freed(self):
        self.kernel("int *p, int n, int m", ["  if (t < 1)", "    p[t] = n;"])
        self.allocate("p" + self.name, "2")
        condition = self.pick("n > %d" % self.small(), "m == %d" % self.small(0, 5), "n * 2 == m + 4", "n < 0")
        again = self.pick("", "", " && m != 2", " && n != 7")
        self.host += ["  bool f%s = %s%s;" % (self.name, condition, again), "  if (f%s)" % self.name,
                      "    cudaFree(p%s);" % self.name]
        if self.pick(True, False):
            self.host.append("  if (!(%s))" % condition)
        self.launch("p%s, n, m" % self.name)

    def scene_table(self):
        """A kernel stores through pointers that it reads from memory."""
        one, two = self.small(1, 6), self.small(1, 6)
        self.allocate("x" + self.name, one)
        self.allocate("y" + self.name, two)
        self.allocate("t" + self.name, "2", "int *")
        self.host += ["  int *h{0}[2] = {{x{0}, y{0}}};".format(self.name)]
        if self.pick(True, False):
            self.host += ["  if (n > %d)" % self.small(), "    std::swap(h{0}[0], h{0}[1]);".format(self.name)]
        self.host += ["  cudaMemcpy(t{0}, h{0}, sizeof h{0}, cudaMemcpyHostToDevice);".format(self.name)]
        self.kernel("int **table, int n, int m",
                    ["  int i = %s;" % self.expression(["n", "m", "t"]),
                     "  int *p = table[%s];" % self.pick("0", "1", "n & 1", "t & 1"),
                     *self.guarded("i", self.pick(one, two), "p[i] = n;")])
        self.launch("t%s, n, m" % self.name)

    def scene_switch(self):
        names = ["n", "m", "t"]
        cases = ["  case %d:\n    i = %s;\n    %s" % (i, self.expression(names), self.pick("break;", "break;", ""))
                 for i in range(self.small(1, 4))]
        limit = self.size()
        self.kernel("int *p, int n, int m, int size",
                    ["  int i = 0;", "  switch (%s) {" % self.pick("n", "t", "n %% %d" % self.small(1, 4)),
                     *"\n".join(cases).splitlines(), "  default:", "    i = %s;" % self.expression(names), "  }",
                     *self.guarded("i", "size", "p[i] = 1;")])
        self.allocate("p" + self.name, limit)
        self.launch("p%s, n, m, %s" % (self.name, limit))

    def scene_launches(self):
        """A loop over launches."""
        size = self.size()
        self.kernel("int *p, int n, int s, int size",
                    ["  int i = %s;" % self.expression(["n", "s", "t"]), *self.guarded("i", "size", "p[i] = s;")])
        self.allocate("p" + self.name, size)
        self.host.append(self.pick("  for (int s = n; s > 0; s /= 2)", "  for (int s = 0; s < n; s++)",
                                   "  for (int s = m; s >= 0; s--)", "  for (int s = 1; s < n; s *= 2)",
                                   "  for (int s = 0; s != m; s += 1)", "  for (int s = 0; s <= n; s += 3)"))
        self.launch("p%s, n, s, %s" % (self.name, size))

    def scene_indices(self):
        """A second kernel indexes with numbers that a first one stored."""
        size = self.size()
        self.device += ["__global__ void fill%s(int *p, int n, int m) {" % self.name,
                        "  for (int i = 0; i < 4; i++)", "    p[i] = %s;" % self.expression(["n", "m", "i"]), "}"]
        self.kernel("int *p, const int *index, int n, int size",
                    ["  int i = index[%s];" % self.pick("t & 3", "n % 4", "0"),
                     *self.guarded("i", "size", "p[i] = 1;")])
        self.allocate("x" + self.name, "4")
        self.allocate("p" + self.name, size)
        self.host.append("  fill{0}<<<1, 1>>>(x{0}, n, m);".format(self.name))
        if self.pick(True, False):
            self.host.append("  cudaMemset(x{0}, 0, {1});".format(self.name, self.pick("4", "8", "16")))
        self.launch("p{0}, x{0}, n, {1}".format(self.name, size))

    def scene_host_data(self):
        """The host computes indices, and copies them."""
        size = self.size()
        self.kernel("int *p, const int *index, int count, int size",
                    ["  for (int k = t; k < count; k += blockDim.x) {", "    int i = index[k];",
                     *self.guarded("i", "size", "p[i] = 1;"), "  }"])
        self.host += ["  std::vector<int> v%s;" % self.name, "  for (int i = 0; i < m + 1; i++)",
                      "    v%s.push_back(%s);" % (self.name, self.expression(["n", "i"]))]
        self.allocate("x" + self.name, "m + 1")
        self.allocate("p" + self.name, size)
        self.host.append("  cudaMemcpy(x{0}, v{0}.data(), v{0}.size() * 4, cudaMemcpyHostToDevice);".format(self.name))
        self.launch("p{0}, x{0}, {1}, {2}".format(self.name, self.pick("m + 1", "m", "m + 1"), size))

    def scene_view(self):
        """A structure with a pointer into the middle of the memory, by value and through functions."""
        size, offset = self.size(), self.pick("0", "m", "1", "n / 2")
        self.device += ["struct V%s { int *p; int count; };" % self.name,
                        "__device__ int *at%s(V%s v, int i) { return v.p + i; }" % (self.name, self.name)]
        self.kernel("V%s v, int n, int m" % self.name,
                    ["  int i = %s;" % self.expression(["n", "m", "t"]),
                     *self.guarded("i", "v.count", "*at%s(v, i) = 1;" % self.name)])
        self.allocate("p" + self.name, size)
        self.host += ["  V{0} w{0} = {{p{0} + {1}, {2}}};".format(self.name, offset, self.pick(
            "%s - %s" % (size, offset), size, "n", "m + 1"))]
        self.launch("w%s, n, m" % self.name)

    def scene_local(self):
        # Without the limit, clang would use that signed numbers do not overflow, and that loops end.
        size = self.small(2, 8)  # clang takes any index of a single element for 0
        self.kernel("int *out, int n, int m",
                    ["  int a[%d];" % size, "  for (int i = 0; i < %d; i++)" % size, "    a[i] = i;",
                     "  int k = %s;" % self.expression(["n", "m", "t"]),
                     "  for (int r = 0; r < 9 && %s; r++) {" % self.pick("k > %d" % self.small(), "k < n",
                                                                     "k != n && k < 20"),
                     "    k += %s;" % self.pick("1", "-1", "2"), "    if (k < -9) break;", "  }",
                     *self.guarded("k", size, "a[k] = 1;"), "  if (t == 0)", "    out[0] = a[0];"])
        self.allocate("p" + self.name, "1")
        self.launch("p%s, n, m" % self.name)

    def scene_worklist(self):
        size = self.size()
        self.device.append("__device__ int count%s, list%s[%d];" % (self.name, self.name, self.small(1, 6)))
        self.kernel("int *p, int n, int size",
                    ["  int i = atomicAdd(&count%s, %d);" % (self.name, self.small(1, 2)),
                     *self.guarded("i", self.pick("size", "n"), "p[i] = 1;"),
                     "  int j = %s;" % self.expression(["n", "t"]),
                     *self.guarded("j", self.small(1, 6), "list%s[j] = 1;" % self.name)])
        self.allocate("p" + self.name, size)
        self.launch("p%s, n, %s" % (self.name, size))

    def scene_swapped(self):
        """Two arrays change places in a loop; a kernel stores indices through one of them."""
        one, two = self.size(), self.size()
        self.kernel("int *to, const int *from, int n, int size",
                    ["  int i = t + %d;" % self.small(0, 2), "  int k = from[0];",
                     *self.guarded("i", "size", "to[i] = i;"), *self.guarded("k", "size", "to[k] = 1;")])
        self.allocate("a" + self.name, one)
        self.allocate("b" + self.name, two)
        self.host += ["  for (int i = 0; i < %s; i++) {" % self.pick("n", "m", "3")]
        self.launch("a{0}, b{0}, n, {1}".format(self.name, self.pick(one, two, "1")))
        self.host += ["    std::swap(a{0}, b{0});".format(self.name), "  }"]


def program(seed, count):
    """Returns the text of a program, and the scenes' kinds by lines of their kernels."""
    choice = random.Random(seed)
    scenes = [Scene(choice, i) for i in range(count)]
    lines, kinds = HEADER.splitlines(), {}
    for scene in scenes:
        for line in "\n".join(scene.device).splitlines():
            lines.append(line)
            kinds[len(lines)] = scene.kind
    lines += (MAIN % LIMITS).splitlines()
    for scene in scenes:
        lines += scene.host
    return "\n".join(lines + ["  cudaDeviceSynchronize();", "}"]) + "\n", kinds
