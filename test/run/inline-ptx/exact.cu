// RUN: %gasan -O2 --offload-arch=sm_80 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
// RUN: %gasan -O0 --offload-arch=sm_80 %s -o %t.O0
// RUN: %run %t.O0 2>&1 >/dev/null | %silent
// No access is reported: all are at the first or the last bytes of their allocation. Accesses that are not executed
// have addresses far outside of it.
#include <cstdint>
#include <cstdio>

constexpr int kBytes = 4096 - 16; // not a multiple of a granule

__global__ void edges(char *first, char *far, unsigned long long *results) {
  char *end = first + kBytes;
  unsigned a, b, c, d;
  unsigned long long wide, other;
  unsigned short half;
  asm volatile("st.global.u8 [%0], %1;" : : "l"(end - 1), "h"((unsigned short)0x5a) : "memory");
  asm volatile("ld.volatile.global.u8 %0, [%1+-1];" : "=h"(half) : "l"(end) : "memory");
  results[0] = half;
  asm volatile("st.global.wt.u16 [%0], %1;" : : "l"(end - 4), "h"((unsigned short)0x1234) : "memory");
  asm volatile("ld.global.cv.u16 %0, [%1];" : "=h"(half) : "l"(end - 4) : "memory");
  results[1] = half;
  asm volatile("st.release.gpu.global.u32 [%0], %1;" : : "l"(end - 8), "r"(77) : "memory");
  asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(a) : "l"(end - 8) : "memory");
  results[2] = a;
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %1, %2};" : : "l"(end - 16), "r"(3), "r"(4) : "memory");
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "l"(end - 16)
               : "memory");
  results[3] = a + 10 * b + 100 * c + 1000 * d;
  asm volatile("st.global.v2.u64 [%0], {%1, %2};" : : "l"(first), "l"(5ull), "l"(6ull) : "memory");
  asm volatile("ld.global.nc.v2.u64 {%0, %1}, [%2];" : "=l"(wide), "=l"(other) : "l"(first + 16));
  results[4] = wide + other;
  asm volatile("atom.global.add.u64 %0, [%1], %2;" : "=l"(wide) : "l"(end - 8), "l"(1ull) : "memory");
  asm volatile("red.global.max.s32 [%0], %1;" : : "l"(first), "r"(9) : "memory");
  asm volatile("atom.global.cas.b32 %0, [%1], 9, 10;" : "=r"(a) : "l"(first) : "memory");
  results[5] = a;

  // addresses that the asm computes
  asm volatile("{ .reg .u64 p, q;\n\t"
               "cvt.u64.u32 q, %2; // index\n\t"
               "shl.b64 q, q, 2;\n\t"
               "cvta.to.global.u64 p, %1; add.u64 p, p, q;\n\t"
               "ld.global.u32 %0, [p+-4]; }"
               : "=r"(a)
               : "l"(first), "r"(kBytes / 4)
               : "memory");
  results[6] = a;
  asm volatile("{ .reg .u64 p; mad.wide.s32 p, %2, -4, %1; ld.u32 %0, [p]; }" : "=r"(a) : "l"(end), "r"(2) : "memory");
  results[7] = a;
  asm volatile("{ .reg .u64 p; .reg .pred q; setp.ne.u32 q, %3, 0; selp.u64 p, %1, %2, q; ld.global.u32 %0, [p]; }"
               : "=r"(a)
               : "l"(first), "l"(far), "r"(1)
               : "memory");
  results[8] = a;

  // accesses that are not executed
  a = 1;
  asm volatile("{ .reg .pred q; setp.eq.u32 q, %2, 7; @q ld.global.u32 %0, [%1]; @!q mov.u32 %0, 42; }"
               : "+r"(a)
               : "l"(far), "r"(8)
               : "memory");
  results[9] = a;
  __shared__ alignas(16) unsigned tile[4];
  tile[0] = 11;
  unsigned where = __cvta_generic_to_shared(tile);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" : : "r"(where), "l"(far), "r"(0) : "memory");
  asm volatile("cp.async.wait_all;" : : : "memory");
  results[10] = tile[0];
  asm volatile("prefetch.global.L2 [%0];" : : "l"(end - 4));

  // generic addresses of memory outside of the pool
  unsigned local = 31;
  asm volatile("ld.u32 %0, [%1];" : "=r"(a) : "l"(&local) : "memory");
  asm volatile("st.shared.u32 [%0], %1;" : : "r"(where), "r"(12) : "memory");
  asm volatile("ld.u32 %0, [%1];" : "=r"(b) : "l"(tile) : "memory");
  results[11] = a + b;
}

int main() {
  char *memory;
  unsigned long long *results, seen[12];
  cudaMalloc(&memory, kBytes);
  cudaMalloc(&results, sizeof seen);
  cudaMemset(memory, 0, kBytes);
  edges<<<1, 1>>>(memory, memory + kBytes + 64, results);
  if (cudaMemcpy(seen, results, sizeof seen, cudaMemcpyDeviceToHost) != cudaSuccess)
    return 1;
  const unsigned long long expected[12] = {0x5a, 0x1234, 77, 4343, 0, 9, 4, 4, 10, 42, 0, 43};
  int wrong = 0;
  for (int i = 0; i < 12; ++i)
    if (seen[i] != expected[i])
      wrong += fprintf(stderr, "%d: %llu, not %llu\n", i, seen[i], expected[i]) > 0;
  return wrong != 0;
}
