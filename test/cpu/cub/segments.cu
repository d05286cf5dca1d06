// cub's algorithms on empty, short and long segments: reductions, and sorting of pairs.
// RUN: %gasan -O2 -g0 -fsanitize-gpu-address-devices=%kind -fsanitize-gpu-address-launch-proof=off %s -o %t
// RUN: %run %t 2>&1 | %same
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_reduce.cuh>

#include "../inputs/cub.h"

int main() {
  Random random(53);
  for (int segments : {0, 1, 97}) {
    std::vector<int> bounds(1);
    for (int s = 0; s < segments; s++)
      bounds.push_back(bounds.back() + int(s % 31 == 7 ? 1500 : s % 5 == 2 ? 0 : random.below(s % 3 ? 200 : 12)));
    const int n = bounds.back();
    std::vector<int> in(n), values(n), sorted(n), sums(segments), least(segments);
    for (int i = 0; i < n; i++) {
      in[i] = int(random.below(2000)) - 1000;
      values[i] = i;
    }
    std::vector<int> order = values;
    for (int s = 0; s < segments; s++) {
      least[s] = std::numeric_limits<int>::max();
      for (int i = bounds[s]; i < bounds[s + 1]; i++) {
        sums[s] += in[i];
        least[s] = std::min(least[s], in[i]);
      }
      std::stable_sort(order.begin() + bounds[s], order.begin() + bounds[s + 1],
                       [&](int a, int b) { return in[a] < in[b]; });
    }
    for (int i = 0; i < n; i++)
      sorted[i] = in[order[i]];
    Buffer<int> dIn(in), dBounds(bounds), dValues(values), dKeys(n), dOrder(n), dResults(segments);
    run([&](void *t, size_t &b) {
      return cub::DeviceSegmentedReduce::Sum(t, b, dIn.data, dResults.data, segments, dBounds.data, dBounds.data + 1);
    });
    EXPECT(dResults.host() == sums, "%d segments", segments);
    run([&](void *t, size_t &b) {
      return cub::DeviceSegmentedReduce::Min(t, b, dIn.data, dResults.data, segments, dBounds.data, dBounds.data + 1);
    });
    EXPECT(dResults.host() == least, "%d segments", segments);
    run([&](void *t, size_t &b) {
      return cub::DeviceSegmentedRadixSort::SortPairs(t, b, dIn.data, dKeys.data, dValues.data, dOrder.data, n,
                                                      segments, dBounds.data, dBounds.data + 1);
    });
    EXPECT(dKeys.host() == sorted && dOrder.host() == order, "%d segments", segments);
    printf("%d: %016llx %016llx\n", segments, (unsigned long long)checksum(sums), (unsigned long long)checksum(order));
  }
  return passed();
}
