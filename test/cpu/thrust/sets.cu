// thrust's set operations on ranges with repeated elements: union, difference, symmetric difference, merge and
// inclusion.
// RUN: %gasan -O2 -g0 -fsanitize-gpu-address-devices=%kind -fsanitize-gpu-address-launch-proof=off \
// RUN:   -DTHRUST_FORCE_32_BIT_OFFSET_TYPE %s -o %t
// RUN: %run %t 2>&1 | %same
#include <thrust/merge.h>
#include <thrust/set_operations.h>

#include "../inputs/thrust.h"

static std::vector<int> sorted(Random &random, int n, int values) {
  std::vector<int> v(n);
  for (int &e : v)
    e = int(random.below(uint32_t(values))) - values / 2;
  std::sort(v.begin(), v.end());
  return v;
}

int main() {
  Random random(67);
  for (int n : {0, 1, 3001})
    for (int m : {0, 700}) {
      const std::vector<int> a = sorted(random, n, 900), b = sorted(random, m, 500);
      const thrust::device_vector<int> dA(a.begin(), a.end()), dB(b.begin(), b.end());
      thrust::device_vector<int> out(n + m);
      auto result = [&](auto end) {
        std::vector<int> all = host(out);
        all.resize(end - out.begin());
        return all;
      };
      std::vector<int> both, rest, either, merged;
      std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
      std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(rest));
      std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(either));
      std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(merged));
      EXPECT(result(thrust::set_union(dA.begin(), dA.end(), dB.begin(), dB.end(), out.begin())) == both, "%d, %d", n,
             m);
      EXPECT(result(thrust::set_difference(dA.begin(), dA.end(), dB.begin(), dB.end(), out.begin())) == rest, "%d, %d",
             n, m);
      EXPECT(result(thrust::set_symmetric_difference(dA.begin(), dA.end(), dB.begin(), dB.end(), out.begin())) ==
                 either,
             "%d, %d", n, m);
      EXPECT(result(thrust::merge(dA.begin(), dA.end(), dB.begin(), dB.end(), out.begin())) == merged, "%d, %d", n, m);
      printf("%d, %d: %zu %zu %zu %016llx\n", n, m, both.size(), rest.size(), either.size(),
             (unsigned long long)checksum(merged));
    }
  return passed();
}
