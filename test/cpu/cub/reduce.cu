// cub's argmin and argmax (the first of equal items), reduction with an operator and an initial value, and reduction by
// key.
// RUN: %gasan -O2 -g0 -fsanitize-gpu-address-devices=%kind %s -o %t
// RUN: %run %t 2>&1 | %same
#include <cub/device/device_reduce.cuh>
#include <thrust/iterator/transform_iterator.h>

#include "../inputs/cub.h"

struct Mask {
  __host__ __device__ uint32_t operator()(uint32_t a, uint32_t b) const { return a & b; }
};

int main() {
  Random random(41);
  for (int n : {0, 1, 95, 20011}) {
    std::vector<int> in(n);
    std::vector<uint32_t> keys(n);
    uint32_t mask = 0x7fffffff, key = 0;
    for (int i = 0; i < n; i++) {
      in[i] = int(random.below(3000)) - 1500; // each value occurs many times
      key += random.below(8) == 0;
      keys[i] = key;
      mask &= uint32_t(in[i]) | 0xff;
    }
    Buffer<int> dIn(in), dValue(1);
    Buffer<cuda::std::int64_t> dIndex(1);
    Buffer<uint32_t> dKeys(keys), dMask(1), dUnique(n), dCount(1);
    Buffer<int> dSums(n);
    if (n) {
      int least = int(std::min_element(in.begin(), in.end()) - in.begin());
      int most = int(std::max_element(in.begin(), in.end()) - in.begin());
      run([&](void *t, size_t &b) { return cub::DeviceReduce::ArgMin(t, b, dIn.data, dValue.data, dIndex.data, n); });
      EXPECT(first(dIndex) == least && first(dValue) == in[least], "n %d: %d at %lld, not %d", n, first(dValue),
             (long long)first(dIndex), least);
      run([&](void *t, size_t &b) { return cub::DeviceReduce::ArgMax(t, b, dIn.data, dValue.data, dIndex.data, n); });
      EXPECT(first(dIndex) == most && first(dValue) == in[most], "n %d: %d at %lld, not %d", n, first(dValue),
             (long long)first(dIndex), most);
      printf("%d: %d %d\n", n, least, most);
    }
    auto low = thrust::make_transform_iterator(dIn.data, [] __host__ __device__(int v) { return uint32_t(v) | 0xff; });
    run([&](void *t, size_t &b) { return cub::DeviceReduce::Reduce(t, b, low, dMask.data, n, Mask(), 0x7fffffffu); });
    EXPECT(first(dMask) == mask, "n %d: %x, not %x", n, first(dMask), mask);

    std::vector<uint32_t> unique;
    std::vector<int> sums;
    for (int i = 0; i < n; i++) {
      if (i == 0 || keys[i] != keys[i - 1]) {
        unique.push_back(keys[i]);
        sums.push_back(0);
      }
      sums.back() += in[i];
    }
    run([&](void *t, size_t &b) {
      return cub::DeviceReduce::ReduceByKey(t, b, dKeys.data, dUnique.data, dIn.data, dSums.data, dCount.data,
                                            cuda::std::plus<int>(), n);
    });
    EXPECT(first(dCount) == unique.size(), "n %d: %u runs, not %zu", n, first(dCount), unique.size());
    std::vector<uint32_t> outKeys = dUnique.host();
    std::vector<int> outSums = dSums.host();
    for (size_t i = 0; i < unique.size(); i++)
      EXPECT(outKeys[i] == unique[i] && outSums[i] == sums[i], "n %d: run %zu", n, i);
    printf("%d: %x %zu %016llx\n", n, mask, unique.size(), (unsigned long long)checksum(sums));
  }
  return passed();
}
