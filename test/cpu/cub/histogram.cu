// cub's histograms: even bins, bins with given bounds, and three of four channels at once. Samples outside of all bins
// do not count.
// RUN: %gasan -O2 -g0 -fsanitize-gpu-address-devices=%kind %s -o %t
// RUN: %run %t 2>&1 | %same
#include <cub/device/device_histogram.cuh>

#include "../inputs/cub.h"

static void even(Random &random, int n) {
  const int bins = 37, low = -100, high = 640; // a bin is 20 wide
  std::vector<int> in(n);
  std::vector<unsigned> expected(bins);
  for (int &v : in) {
    v = random.below(3) ? int(random.below(1000)) - 200 : 7; // one bin has many samples
    if (v >= low && v < high)
      expected[(v - low) / 20]++;
  }
  Buffer<int> dIn(in);
  Buffer<unsigned> dCounts(bins);
  run([&](void *t, size_t &b) {
    return cub::DeviceHistogram::HistogramEven(t, b, dIn.data, dCounts.data, bins + 1, low, high, n);
  });
  EXPECT(dCounts.host() == expected, "n %d", n);
  printf("even %d: %016llx\n", n, (unsigned long long)checksum(expected));
}

static void ranges(Random &random, int n) {
  const std::vector<float> bounds = {-4, -1.5f, 0, 0.25f, 0.5f, 2, 100};
  std::vector<float> in(n);
  std::vector<unsigned> expected(bounds.size() - 1);
  for (float &v : in) {
    v = random.below(5) ? random.unit() * 6 - 3 : bounds[random.below(7)];
    for (size_t i = 0; i + 1 < bounds.size(); i++)
      expected[i] += v >= bounds[i] && v < bounds[i + 1];
  }
  Buffer<float> dIn(in), dBounds(bounds);
  Buffer<unsigned> dCounts(expected.size());
  run([&](void *t, size_t &b) {
    return cub::DeviceHistogram::HistogramRange(t, b, dIn.data, dCounts.data, int(bounds.size()), dBounds.data, n);
  });
  EXPECT(dCounts.host() == expected, "n %d", n);
  printf("ranges %d: %016llx\n", n, (unsigned long long)checksum(expected));
}

static void channels(Random &random, int pixels) {
  std::vector<unsigned char> in(4 * pixels);
  std::vector<unsigned> expected[3];
  for (std::vector<unsigned> &e : expected)
    e.resize(256);
  for (int i = 0; i < 4 * pixels; i++) {
    in[i] = (unsigned char)random.next();
    if (i % 4 < 3)
      expected[i % 4][in[i]]++;
  }
  Buffer<unsigned char> dIn(in);
  Buffer<unsigned> red(256), green(256), blue(256);
  unsigned *counts[3] = {red, green, blue};
  int levels[3] = {257, 257, 257}, low[3] = {0, 0, 0}, high[3] = {256, 256, 256};
  run([&](void *t, size_t &b) {
    return cub::DeviceHistogram::MultiHistogramEven<4, 3>(t, b, dIn.data, counts, levels, low, high, pixels);
  });
  EXPECT(red.host() == expected[0] && green.host() == expected[1] && blue.host() == expected[2], "%d pixels", pixels);
}

int main() {
  Random random(47);
  for (int n : {0, 1, 333, 20001}) {
    even(random, n);
    ranges(random, n);
    channels(random, n);
  }
  return passed();
}
