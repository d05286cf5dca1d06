// cub's selection by flags, selection of the first of equal items, partition into two and three parts, unique by key,
// and runs longer than one item.
// RUN: %gasan -O2 -g0 -fsanitize-gpu-address-devices=%kind -fsanitize-gpu-address-launch-proof=off %s -o %t
// RUN: %run %t 2>&1 | %same
#include <cub/device/device_partition.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>

#include "../inputs/cub.h"

struct Below {
  int bound;
  __host__ __device__ bool operator()(int v) const { return v < bound; }
};

template <typename T>
static std::vector<T> start(const Buffer<T> &buffer, int count) {
  std::vector<T> all = buffer.host();
  all.resize(count);
  return all;
}

int main() {
  Random random(43);
  for (int n : {0, 1, 77, 8009}) {
    std::vector<int> in(n), places(n);
    std::vector<char> flags(n);
    int value = 0;
    for (int i = 0; i < n; i++) {
      if (random.below(3))
        value = int(random.below(100));
      in[i] = value;
      places[i] = i;
      flags[i] = random.below(4) == 0;
    }
    Buffer<int> dIn(in), dPlaces(places), dOut(n), dMiddle(n), dRest(n), dCount(2);
    Buffer<char> dFlags(flags);

    std::vector<int> flagged, unique, starts, longStarts, longCounts;
    for (int i = 0; i < n; i++) {
      if (flags[i])
        flagged.push_back(in[i]);
      if (i == 0 || in[i] != in[i - 1]) {
        unique.push_back(in[i]);
        starts.push_back(i);
      }
    }
    for (size_t i = 0; i < starts.size(); i++) {
      int length = (i + 1 < starts.size() ? starts[i + 1] : n) - starts[i];
      if (length > 1) {
        longStarts.push_back(starts[i]);
        longCounts.push_back(length);
      }
    }
    run([&](void *t, size_t &b) {
      return cub::DeviceSelect::Flagged(t, b, dIn.data, dFlags.data, dOut.data, dCount.data, n);
    });
    EXPECT(start(dOut, first(dCount)) == flagged, "n %d", n);
    run([&](void *t, size_t &b) {
      return cub::DeviceSelect::UniqueByKey(t, b, dIn.data, dPlaces.data, dOut.data, dMiddle.data, dCount.data, n);
    });
    EXPECT(start(dOut, first(dCount)) == unique && start(dMiddle, first(dCount)) == starts, "n %d", n);
    run([&](void *t, size_t &b) {
      return cub::DeviceRunLengthEncode::NonTrivialRuns(t, b, dIn.data, dOut.data, dMiddle.data, dCount.data, n);
    });
    EXPECT(start(dOut, first(dCount)) == longStarts && start(dMiddle, first(dCount)) == longCounts, "n %d", n);

    // The items that are not selected follow in reverse order.
    run([&](void *t, size_t &b) {
      return cub::DevicePartition::If(t, b, dIn.data, dOut.data, dCount.data, n, Below{30});
    });
    std::vector<int> two, low, middle, high;
    for (int v : in)
      (v < 30 ? low : v < 70 ? middle : high).push_back(v);
    two = low;
    for (int i = n; i-- > 0;)
      if (in[i] >= 30)
        two.push_back(in[i]);
    EXPECT(first(dCount) == int(low.size()) && dOut.host() == two, "n %d", n);

    run([&](void *t, size_t &b) {
      return cub::DevicePartition::If(t, b, dIn.data, dOut.data, dMiddle.data, dRest.data, dCount.data, n, Below{30},
                                      Below{70});
    });
    std::vector<int> counts = dCount.host();
    EXPECT(counts[0] == int(low.size()) && counts[1] == int(middle.size()), "n %d: %d %d", n, counts[0], counts[1]);
    EXPECT(start(dOut, counts[0]) == low && start(dMiddle, counts[1]) == middle, "n %d", n);
    EXPECT(start(dRest, n - counts[0] - counts[1]) == high, "n %d", n);
    printf("%d: %zu %zu %zu %016llx\n", n, flagged.size(), unique.size(), longStarts.size(),
           (unsigned long long)checksum(two));
  }
  return passed();
}
