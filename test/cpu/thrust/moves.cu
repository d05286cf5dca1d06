// thrust's scatter, scatter_if and gather_if, transform_reduce over a zip of ranges, and iterators that compute:
// counting, transform, permutation, zip as output.
// RUN: %gasan -O2 -g0 -fsanitize-gpu-address-devices=%kind -fsanitize-gpu-address-launch-proof=off \
// RUN:   -DTHRUST_FORCE_32_BIT_OFFSET_TYPE %s -o %t
// RUN: %run %t 2>&1 | %same
#include <thrust/for_each.h>
#include <thrust/gather.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/scatter.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

#include "../inputs/thrust.h"

struct Product {
  __host__ __device__ long long operator()(const thrust::tuple<int, int> &pair) const {
    return (long long)thrust::get<0>(pair) * thrust::get<1>(pair);
  }
};
struct Divided { // quotient and remainder into two ranges
  __host__ __device__ thrust::tuple<int, int> operator()(int v) const { return thrust::make_tuple(v / 7, v % 7); }
};
struct Triangle {
  __host__ __device__ int operator()(int i) const { return i * (i + 1) / 2; }
};

int main() {
  Random random(61);
  for (int n : {0, 1, 4099}) {
    std::vector<int> in(n), places(n), other(n), flags(n);
    for (int i = 0; i < n; i++) {
      in[i] = int(random.next());
      other[i] = int(random.below(1000)) - 500;
      flags[i] = random.below(3) == 0;
      places[i] = i;
    }
    for (int i = n; i-- > 1;)
      std::swap(places[i], places[random.below(uint32_t(i) + 1)]);
    const thrust::device_vector<int> dIn(in.begin(), in.end()), dPlaces(places.begin(), places.end()),
        dOther(other.begin(), other.end()), dFlags(flags.begin(), flags.end());

    std::vector<int> moved(n), some(n, -1), fetched(n, -1);
    for (int i = 0; i < n; i++) {
      moved[places[i]] = in[i];
      if (flags[i]) {
        some[places[i]] = in[i];
        fetched[i] = in[places[i]];
      }
    }
    thrust::device_vector<int> out(n);
    thrust::scatter(dIn.begin(), dIn.end(), dPlaces.begin(), out.begin());
    EXPECT(host(out) == moved, "scatter of %d", n);
    thrust::fill(out.begin(), out.end(), -1);
    thrust::scatter_if(dIn.begin(), dIn.end(), dPlaces.begin(), dFlags.begin(), out.begin());
    EXPECT(host(out) == some, "scatter_if of %d", n);
    thrust::fill(out.begin(), out.end(), -1);
    thrust::gather_if(dPlaces.begin(), dPlaces.end(), dFlags.begin(), dIn.begin(), out.begin());
    EXPECT(host(out) == fetched, "gather_if of %d", n);

    auto pairs =
        thrust::make_zip_iterator(dIn.begin(), thrust::make_permutation_iterator(dOther.begin(), dPlaces.begin()));
    long long product = thrust::transform_reduce(pairs, pairs + n, Product(), 3LL, thrust::plus<long long>()),
              expected = 3;
    for (int i = 0; i < n; i++)
      expected += (long long)in[i] * other[places[i]];
    EXPECT(product == expected, "%d: %lld, not %lld", n, product, expected);

    thrust::device_vector<int> quotients(n), rests(n);
    auto triangles = thrust::make_transform_iterator(thrust::make_counting_iterator(0), Triangle());
    thrust::transform(triangles, triangles + n, thrust::make_zip_iterator(quotients.begin(), rests.begin()), Divided());
    std::vector<int> hostQuotients = host(quotients), hostRests = host(rests);
    for (int i = 0; i < n; i++)
      EXPECT(hostQuotients[i] * 7 + hostRests[i] == i * (i + 1) / 2 && hostRests[i] < 7, "%d: %d", n, i);
    printf("%d: %016llx %lld\n", n, (unsigned long long)checksum(moved), product);
  }
  return passed();
}
