// cub's scans by key (exclusive sum, inclusive with an operator) and a scan with an operator that does not commute.
// RUN: %gasan -O2 -g0 -fsanitize-gpu-address-devices=%kind -fsanitize-gpu-address-launch-proof=off %s -o %t
// RUN: %run %t 2>&1 | %same
#include <cub/device/device_scan.cuh>

#include "../inputs/cub.h"

// The composition of functions x -> scale * x + shift.
struct Affine {
  uint32_t scale, shift;
};
struct Then {
  __host__ __device__ Affine operator()(Affine f, Affine g) const {
    return {f.scale * g.scale, f.shift * g.scale + g.shift};
  }
};
struct Largest {
  __host__ __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};

int main() {
  Random random(37);
  for (int n : {0, 1, 127, 9001}) {
    std::vector<uint32_t> keys(n);
    std::vector<int> in(n), sums(n), most(n);
    std::vector<Affine> maps(n), composed(n);
    uint32_t key = 5; // runs of one to a hundred, and one of a thousand
    for (int i = 0; i < n; i++) {
      const bool longRun = i > 3000 && i < 4000;
      key += !longRun && random.below(i < n / 2 ? 2 : 50) == 0;
      keys[i] = key % 7;
      in[i] = int(random.below(2000)) - 1000;
      maps[i] = {random.next() | 1, random.next()};
      const bool starts = i == 0 || keys[i] != keys[i - 1];
      sums[i] = starts ? 0 : sums[i - 1] + in[i - 1];
      most[i] = starts ? in[i] : Largest()(most[i - 1], in[i]);
      composed[i] = i ? Then()(composed[i - 1], maps[i]) : maps[i];
    }
    Buffer<uint32_t> dKeys(keys);
    Buffer<int> dIn(in), dOut(n);
    Buffer<Affine> dMaps(maps), dComposed(n);
    run([&](void *t, size_t &b) {
      return cub::DeviceScan::ExclusiveSumByKey(t, b, dKeys.data, dIn.data, dOut.data, n);
    });
    EXPECT(dOut.host() == sums, "n %d", n);
    run([&](void *t, size_t &b) {
      return cub::DeviceScan::InclusiveScanByKey(t, b, dKeys.data, dIn.data, dOut.data, Largest(), n);
    });
    EXPECT(dOut.host() == most, "n %d", n);
    run([&](void *t, size_t &b) {
      return cub::DeviceScan::InclusiveScan(t, b, dMaps.data, dComposed.data, Then(), n);
    });
    std::vector<Affine> out = dComposed.host();
    EXPECT(n == 0 || memcmp(out.data(), composed.data(), n * sizeof(Affine)) == 0, "n %d", n);
    // In place, and with an initial value.
    run([&](void *t, size_t &b) {
      return cub::DeviceScan::ExclusiveScan(t, b, dIn.data, dIn.data, Largest(), -17, n);
    });
    std::vector<int> scanned = dIn.host();
    int largest = -17;
    for (int i = 0; i < n; i++) {
      EXPECT(scanned[i] == largest, "n %d: %d", n, i);
      largest = Largest()(largest, in[i]);
    }
    printf("%d: %016llx %016llx\n", n, (unsigned long long)checksum(sums), (unsigned long long)checksum(out));
  }
  return passed();
}
