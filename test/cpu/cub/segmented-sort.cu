// cub's segmented sort in descending order, which has separate kernels for small, medium and large segments.
// RUN: %gasan -O2 -g0 -fsanitize-gpu-address-devices=%kind -fsanitize-gpu-address-launch-proof=off %s -o %t
// RUN: %run %t 2>&1 | %same
#include <cub/device/device_segmented_sort.cuh>

#include "../inputs/cub.h"

int main() {
  Random random(59);
  for (int segments : {1, 700}) { // from 500 segments on, cub first partitions them by size
    std::vector<int> begins, ends;
    int n = 0;
    for (int s = 0; s < segments; s++) {
      n += int(random.below(3)); // items outside of all segments
      begins.push_back(n);
      n += int(s % 331 == 7 ? 2500 : s % 5 == 2 ? 0 : s % 29 == 3 ? 200 : random.below(20));
      ends.push_back(n);
    }
    n += 5;
    std::vector<unsigned short> in(n), expected(n, 1), out(n, 1);
    for (int i = 0; i < n; i++)
      in[i] = (unsigned short)random.next();
    for (int s = 0; s < segments; s++) {
      std::copy(in.begin() + begins[s], in.begin() + ends[s], expected.begin() + begins[s]);
      std::sort(expected.begin() + begins[s], expected.begin() + ends[s], std::greater<unsigned short>());
    }
    Buffer<unsigned short> dIn(in), dOut(out);
    Buffer<int> dBegins(begins), dEnds(ends);
    run([&](void *t, size_t &b) {
      return cub::DeviceSegmentedSort::SortKeysDescending(t, b, dIn.data, dOut.data, n, segments, dBegins.data,
                                                          dEnds.data);
    });
    EXPECT(dOut.host() == expected, "%d segments", segments);
    printf("%d: %016llx\n", segments, (unsigned long long)checksum(expected));
  }
  return passed();
}
