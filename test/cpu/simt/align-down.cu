// Pointers into shared, local and global memory, aligned down: the compiler knows of each what space it is of.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
// RUN: %gasan -O0 %s -o %t.O0
// RUN: %run %t.O0 2>&1 >/dev/null | %silent
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=shadow %s -o %t.shadow
// RUN: %run %t.shadow 2>&1 >/dev/null | %silent
#include "../inputs/ulp.h"

const int threads = 64, bytes = 128;

__device__ char global[bytes];

__global__ void align(const int *offsets, int *out) {
  __shared__ alignas(16) char shared[bytes];
  alignas(16) char local[bytes];
  for (int k = threadIdx.x; k < bytes; k += threads)
    shared[k] = char(k), global[k] = char(k + 1);
  for (int k = 0; k < bytes; ++k)
    local[k] = char(k ^ offsets[k % threads]);
  __syncthreads();
  const int i = offsets[threadIdx.x], j = i & 3;
  out[threadIdx.x] = __builtin_align_down(shared + i, 16)[j] + 256 * __builtin_align_down(local + i, 8)[j] +
                     65536 * (__builtin_align_up(global + i, 4) - 4)[j];
}

int main() {
  Random random(5);
  std::vector<int> offsets(threads);
  for (int &offset : offsets)
    offset = 4 + random.next() % (bytes - 8);
  Buffer<int> pin(offsets), pout(threads);
  align<<<1, threads>>>(pin, pout);
  const std::vector<int> have = pout.host();
  for (int t = 0; t < threads; ++t) {
    const int i = offsets[t], j = i & 3, at = i / 8 * 8 + j;
    const int want =
        char(i / 16 * 16 + j) + 256 * char(at ^ offsets[at % threads]) + 65536 * char((i + 3) / 4 * 4 - 4 + j + 1);
    EXPECT(have[t] == want, "thread %d: %d, not %d", t, have[t], want);
  }
  printf("align-down %016llx\n", (unsigned long long)checksum(have.data(), have.size() * sizeof have[0]));
  return passed();
}
