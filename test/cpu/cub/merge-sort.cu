// cub's merge sort: a stable sort of keys that are structs with their own comparison, and a sort of pairs, for no item,
// one item and several tiles.
// RUN: %gasan -O2 -g0 -fsanitize-gpu-address-devices=%kind -fsanitize-gpu-address-launch-proof=off %s -o %t
// RUN: %run %t 2>&1 | %same
#include <cub/device/device_merge_sort.cuh>

#include "../inputs/cub.h"

#include <algorithm>

struct Item {
  short group;
  unsigned char part[6];
};

// Compares a part of an item only: equal items must keep their order.
struct Before {
  __host__ __device__ bool operator()(const Item &a, const Item &b) const {
    return a.group != b.group ? a.group > b.group : a.part[0] < b.part[0];
  }
};

int main() {
  Random random(31);
  for (int n : {0, 1, 255, 6007}) {
    std::vector<Item> in(n);
    for (int i = 0; i < n; i++) {
      in[i].group = short(random.below(40)) - 20;
      in[i].part[0] = (unsigned char)random.below(9);
      memset(in[i].part + 1, 0, sizeof in[i].part - 1);
      memcpy(in[i].part + 2, &i, sizeof i);
    }
    Buffer<Item> items(in);
    run([&](void *t, size_t &b) { return cub::DeviceMergeSort::StableSortKeys(t, b, items.data, n, Before()); });
    std::vector<Item> sorted = items.host(), expected = in;
    std::stable_sort(expected.begin(), expected.end(), Before());
    EXPECT(n == 0 || memcmp(sorted.data(), expected.data(), n * sizeof(Item)) == 0, "n %d", n);

    // All keys differ: there is one right order.
    std::vector<double> keys(n);
    std::vector<int> values(n);
    for (int i = 0; i < n; i++) {
      values[i] = i;
      keys[i] = double(random.next()) + i * 0x1p-20;
    }
    Buffer<double> dKeys(keys);
    Buffer<int> dValues(values);
    run([&](void *t, size_t &b) {
      return cub::DeviceMergeSort::SortPairs(t, b, dKeys.data, dValues.data, n, cuda::std::less<double>());
    });
    std::vector<double> outKeys = dKeys.host();
    std::vector<int> outValues = dValues.host();
    std::sort(values.begin(), values.end(), [&](int a, int b) { return keys[a] < keys[b]; });
    EXPECT(values == outValues, "n %d", n);
    for (int i = 0; i < n; i++)
      EXPECT(outKeys[i] == keys[values[i]], "n %d: %d", n, i);
    printf("%d: %016llx %016llx\n", n, (unsigned long long)checksum(sorted), (unsigned long long)checksum(outValues));
  }
  return passed();
}
