// thrust on device_vectors: a stable sort by key with a given comparison, transform and reduce, scan with an operator,
// gather and counting iterators, for no element, one and many.
// RUN: %gasan -O2 -g0 -fsanitize-gpu-address-devices=%kind -fsanitize-gpu-address-launch-proof=off \
// RUN:   -DTHRUST_FORCE_32_BIT_OFFSET_TYPE %s -o %t
// RUN: %run %t 2>&1 | %same
#include <thrust/gather.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>

#include "../inputs/thrust.h"

#include <algorithm>
#include <numeric>

struct Square {
  __host__ __device__ unsigned operator()(unsigned v) const { return v * v; }
};
struct ByTens {
  __host__ __device__ bool operator()(unsigned a, unsigned b) const { return a / 10 > b / 10; }
};

int main() {
  Random random(17);
  for (int n : {0, 1, 5003}) {
    std::vector<unsigned> in(n), order(n);
    for (unsigned &v : in)
      v = random.below(500);
    std::iota(order.begin(), order.end(), 0u);
    const thrust::device_vector<unsigned> source(in.begin(), in.end());

    thrust::device_vector<unsigned> keys = source, values(thrust::make_counting_iterator(0u),
                                                          thrust::make_counting_iterator(unsigned(n)));
    thrust::stable_sort_by_key(keys.begin(), keys.end(), values.begin(), ByTens());
    std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) { return ByTens()(in[a], in[b]); });
    EXPECT(host(values) == order, "stable sort of %d", n);

    unsigned squares = thrust::transform_reduce(source.begin(), source.end(), Square(), 7u, thrust::plus<unsigned>());
    unsigned expected = 7;
    for (unsigned v : in)
      expected += v * v;
    EXPECT(squares == expected, "%d: %u, not %u", n, squares, expected);

    thrust::device_vector<unsigned> scanned(n);
    thrust::inclusive_scan(source.begin(), source.end(), scanned.begin(), thrust::maximum<unsigned>());
    std::vector<unsigned> most = in;
    for (int i = 1; i < n; i++)
      most[i] = std::max(most[i - 1], most[i]);
    EXPECT(host(scanned) == most, "scan of %d", n);

    thrust::device_vector<unsigned> gathered(n);
    thrust::gather(values.begin(), values.end(), source.begin(), gathered.begin());
    std::vector<unsigned> moved = host(gathered);
    for (int i = 0; i < n; i++)
      EXPECT(moved[i] == in[order[i]], "gather of %d: %d", n, i);
    printf("%d: %u %016llx\n", n, squares, (unsigned long long)checksum(moved));
  }
  return passed();
}
