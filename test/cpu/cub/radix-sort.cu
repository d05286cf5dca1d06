// cub's radix sort: floats with both zeros, infinities and denormals; 64-bit keys in descending order; pairs by a range
// of their bits.
// RUN: %gasan -O2 -g0 -fsanitize-gpu-address-devices=%kind -fsanitize-gpu-address-launch-proof=off %s -o %t
// RUN: %run %t 2>&1 | %same
#include <cub/device/device_radix_sort.cuh>

#include "../inputs/cub.h"

#include <algorithm>
#include <limits>
#include <numeric>

static void floats(Random &random, int n) {
  const float special[] = {0.0f, -0.0f, INFINITY, -INFINITY, 1e-41f, -1e-41f, 3.4e38f, -3.4e38f};
  std::vector<float> in(n);
  for (int i = 0; i < n; i++)
    in[i] = i % 5 ? (random.unit() - 0.5f) * float(1 << random.below(20)) : special[random.below(8)];
  Buffer<float> dIn(in), dOut(n);
  run([&](void *t, size_t &b) { return cub::DeviceRadixSort::SortKeys(t, b, dIn.data, dOut.data, n); });
  std::vector<float> out = dOut.host();
  std::sort(in.begin(), in.end()); // cub, too, takes -0 and +0 for equal
  for (int i = 0; i < n; i++)
    EXPECT(in[i] == out[i], "n %d: %d: %g, not %g", n, i, out[i], in[i]);
}

static void wide(Random &random, int n) {
  std::vector<long long> in(n);
  for (long long &v : in)
    v = (long long)((uint64_t)random.next() << 32 | random.next()) >> random.below(60);
  Buffer<long long> dIn(in), dOut(n);
  run([&](void *t, size_t &b) { return cub::DeviceRadixSort::SortKeysDescending(t, b, dIn.data, dOut.data, n); });
  std::vector<long long> out = dOut.host();
  std::sort(in.begin(), in.end(), std::greater<long long>());
  EXPECT(in == out, "n %d", n);
  printf("%d: %016llx\n", n, (unsigned long long)checksum(out));
}

static void someBits(Random &random, int n) {
  std::vector<uint32_t> in(n), order(n);
  for (uint32_t &v : in)
    v = random.next();
  std::iota(order.begin(), order.end(), 0u);
  Buffer<uint32_t> dIn(in), dOrder(order), dKeys(n), dValues(n);
  run([&](void *t, size_t &b) {
    return cub::DeviceRadixSort::SortPairs(t, b, dIn.data, dKeys.data, dOrder.data, dValues.data, n, 5, 17);
  });
  std::vector<uint32_t> keys = dKeys.host(), values = dValues.host();
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return (in[a] >> 5 & 0xfff) < (in[b] >> 5 & 0xfff); });
  EXPECT(values == order, "n %d", n);
  for (int i = 0; i < n; i++)
    EXPECT(keys[i] == in[order[i]], "n %d: %d", n, i);
}

int main() {
  Random random(29);
  for (int n : {0, 1, 333, 9001}) {
    floats(random, n);
    wide(random, n);
    someBits(random, n);
  }
  return passed();
}
