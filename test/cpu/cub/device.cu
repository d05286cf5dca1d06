// cub's device-wide algorithms: radix sort of pairs, scan by decoupled lookback, reduction, selection and run lengths,
// for no item, one item, and more than one tile.
// RUN: %gasan -O2 -g0 -fsanitize-gpu-address-devices=%kind -fsanitize-gpu-address-launch-proof=off %s -o %t
// RUN: %run %t 2>&1 | %same
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include "../inputs/self_check.h"

#include <algorithm>
#include <numeric>

// Queries an algorithm's temporary memory, then runs the algorithm.
template <typename F>
void run(F algorithm) {
  size_t bytes = 0;
  void *temporary = nullptr;
  CUDA(algorithm(nullptr, bytes));
  CUDA(cudaMalloc(&temporary, bytes ? bytes : 1));
  CUDA(algorithm(temporary, bytes));
  CUDA(cudaDeviceSynchronize());
  CUDA(cudaFree(temporary));
}

struct IsOdd {
  __device__ bool operator()(uint32_t v) const { return v & 1; }
};

int main() {
  Random random(9);
  for (int n : {0, 1, 700, 20001}) {
    const size_t bytes = (n ? n : 1) * sizeof(uint32_t);
    std::vector<uint32_t> in(n), keys(n), values(n), scanned(n), order(n);
    for (uint32_t &v : in)
      v = random.below(4) ? random.next() : random.below(50);
    std::iota(order.begin(), order.end(), 0u);
    uint32_t *d[6];
    for (uint32_t *&p : d)
      CUDA(cudaMalloc(&p, bytes));
    CUDA(cudaMemcpy(d[0], in.data(), n * 4, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(d[1], order.data(), n * 4, cudaMemcpyHostToDevice));
    run([&](void *t, size_t &b) { return cub::DeviceRadixSort::SortPairs(t, b, d[0], d[2], d[1], d[3], n); });
    CUDA(cudaMemcpy(keys.data(), d[2], n * 4, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(values.data(), d[3], n * 4, cudaMemcpyDeviceToHost));
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return in[a] < in[b]; });
    EXPECT(values == order, "n %d", n);
    for (int i = 0; i < n; i++)
      EXPECT(keys[i] == in[order[i]], "n %d: %d", n, i);

    run([&](void *t, size_t &b) { return cub::DeviceScan::ExclusiveSum(t, b, d[0], d[4], n); });
    CUDA(cudaMemcpy(scanned.data(), d[4], n * 4, cudaMemcpyDeviceToHost));
    uint32_t sum = 0;
    for (int i = 0; i < n; i++) {
      EXPECT(scanned[i] == sum, "n %d: %d", n, i);
      sum += in[i];
    }

    uint32_t reduced = 0, selected = 0, runs = 0;
    run([&](void *t, size_t &b) { return cub::DeviceReduce::Sum(t, b, d[0], d[5], n); });
    CUDA(cudaMemcpy(&reduced, d[5], 4, cudaMemcpyDeviceToHost));
    EXPECT(reduced == sum, "n %d: %u, not %u", n, reduced, sum);

    run([&](void *t, size_t &b) { return cub::DeviceSelect::If(t, b, d[0], d[4], d[5], n, IsOdd()); });
    CUDA(cudaMemcpy(&selected, d[5], 4, cudaMemcpyDeviceToHost));
    std::vector<uint32_t> odd, picked(selected);
    std::copy_if(in.begin(), in.end(), std::back_inserter(odd), [](uint32_t v) { return v & 1; });
    CUDA(cudaMemcpy(picked.data(), d[4], selected * 4, cudaMemcpyDeviceToHost));
    EXPECT(picked == odd, "n %d: %u of %zu", n, selected, odd.size());

    run([&](void *t, size_t &b) { return cub::DeviceRunLengthEncode::Encode(t, b, d[2], d[3], d[4], d[5], n); });
    CUDA(cudaMemcpy(&runs, d[5], 4, cudaMemcpyDeviceToHost));
    std::vector<uint32_t> unique(runs), counts(runs);
    CUDA(cudaMemcpy(unique.data(), d[3], runs * 4, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(counts.data(), d[4], runs * 4, cudaMemcpyDeviceToHost));
    size_t at = 0;
    for (uint32_t r = 0; r < runs; r++)
      for (uint32_t j = 0; j < counts[r]; j++, at++)
        EXPECT(at < keys.size() && keys[at] == unique[r], "n %d: run %u", n, r);
    EXPECT(at == keys.size() && std::adjacent_find(unique.begin(), unique.end()) == unique.end(), "n %d", n);
    printf("%d: %016llx %u %u %u\n", n, (unsigned long long)checksum(values), sum, selected, runs);
    for (uint32_t *p : d)
      CUDA(cudaFree(p));
  }
  return passed();
}
