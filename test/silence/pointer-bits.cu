// Pointers as integers: tags in their low bits, offsets within one chunk, shuffles over a warp, hashes and comparisons.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"

__global__ void tagged(const int *values, uintptr_t *slots, int count, int *out) {
  for (int i = 0; i < count; ++i)
    slots[i] = reinterpret_cast<uintptr_t>(values + i) | (i & 3);
  int total = 0;
  for (int i = 0; i < count; ++i)
    total += *reinterpret_cast<const int *>(slots[i] & ~uintptr_t(3)) * int(slots[i] & 3);
  *out = total;
}

__global__ void relative(int *links, int count, int *out) { // links[i] is the offset to the next element, in bytes
  const char *at = reinterpret_cast<const char *>(links);
  int total = 0;
  for (int i = 0; i < count; ++i) {
    total = total * 3 + int(at - reinterpret_cast<const char *>(links));
    at += *reinterpret_cast<const int *>(at);
  }
  *out = total;
}

__global__ void shuffled(const int *a, const int *b, int *out) {
  const int *mine = threadIdx.x < 16 ? a : b + 1;
  unsigned long long other = __shfl_xor_sync(~0u, reinterpret_cast<unsigned long long>(mine), 16);
  out[threadIdx.x] = reinterpret_cast<const int *>(other)[threadIdx.x % 16];
}

__global__ void compared(const int *a, const int *b, int *out) {
  bool ordered = (a < b) != (b < a);
  unsigned hash = unsigned(reinterpret_cast<uintptr_t>(a) * 2654435761u >> 7) % 16;
  *out = ordered && a != b && hash < 16 && __isGlobal(a) && !__isShared(a);
}

__global__ void aligned(char *raw, int *out) { // an aligned address inside of a larger chunk
  uintptr_t up = (reinterpret_cast<uintptr_t>(raw) + 1 + 63) & ~uintptr_t(63);
  int4 *vectors = static_cast<int4 *>(__builtin_assume_aligned(reinterpret_cast<int4 *>(up), 64));
  vectors[0] = make_int4(1, 2, 3, 4);
  vectors[3] = vectors[0];
  *out = vectors[3].w;
}

int main() {
  const int count = 16;
  std::vector<int> values(count), links = {8, 99, 12, 99, 99, -20, 99, 99};
  int sum = 0;
  for (int i = 0; i < count; ++i)
    sum += (values[i] = i) * (i & 3);
  Buffer<int> data(values), more(std::vector<int>(count + 1, 5)), out(32);
  Buffer<uintptr_t> slots(count);
  tagged<<<1, 1>>>(data, slots, count, out);
  EXPECT(out.host()[0] == sum, "%d", out.host()[0]);
  Buffer<int> chain(links);
  relative<<<1, 1>>>(chain, 4, out);
  EXPECT(out.host()[0] == (8 * 3 + 20) * 3, "%d", out.host()[0]);
  shuffled<<<1, 32>>>(data, more, out);
  EXPECT(out.host()[3] == 5 && out.host()[20] == 4, "%d %d", out.host()[3], out.host()[20]);
  compared<<<1, 1>>>(data, more, out);
  EXPECT(out.host()[0] == 1, "compared");
  Buffer<char> raw(200);
  aligned<<<1, 1>>>(raw.data, out);
  EXPECT(out.host()[0] == 4, "%d", out.host()[0]);
  return passed();
}
