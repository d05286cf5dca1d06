// thrust on sorted ranges: reduction by key, the intersection of two sets, vectorised binary search, unique by key over
// zipped values, for no, one and many elements.
// RUN: %gasan -O2 -g0 -fsanitize-gpu-address-devices=%kind \
// RUN:   -DTHRUST_FORCE_32_BIT_OFFSET_TYPE %s -o %t
// RUN: %run %t 2>&1 | %same
#include <thrust/binary_search.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/set_operations.h>
#include <thrust/unique.h>

#include "../inputs/thrust.h"

#include <algorithm>
#include <map>

int main() {
  Random random(23);
  for (int n : {0, 1, 5003}) {
    std::vector<unsigned> in(n);
    for (unsigned &v : in)
      v = random.below(500);
    std::sort(in.begin(), in.end());
    const thrust::device_vector<unsigned> keys(in.begin(), in.end()), &source = keys;

    thrust::device_vector<unsigned> unique(n), counts(n);
    auto ends = thrust::reduce_by_key(keys.begin(), keys.end(), thrust::make_constant_iterator(1u), unique.begin(),
                                      counts.begin());
    unique.erase(ends.first, unique.end());
    counts.erase(ends.second, counts.end());
    std::map<unsigned, unsigned> histogram;
    for (unsigned v : in)
      histogram[v]++;
    std::vector<unsigned> hostUnique, hostCounts;
    for (auto [value, count] : histogram) {
      hostUnique.push_back(value);
      hostCounts.push_back(count);
    }
    EXPECT(host(unique) == hostUnique && host(counts) == hostCounts, "runs of %d", n);

    std::vector<unsigned> even;
    for (unsigned v = 0; v < 500; v += 2)
      even.push_back(v);
    thrust::device_vector<unsigned> other(even.begin(), even.end()), both(even.size() + n);
    both.erase(thrust::set_intersection(unique.begin(), unique.end(), other.begin(), other.end(), both.begin()),
               both.end());
    std::vector<unsigned> common;
    std::set_intersection(hostUnique.begin(), hostUnique.end(), even.begin(), even.end(), std::back_inserter(common));
    EXPECT(host(both) == common, "intersection of %d", n);

    thrust::device_vector<unsigned> places(n), gathered(n);
    thrust::lower_bound(other.begin(), other.end(), source.begin(), source.end(), places.begin());
    std::vector<unsigned> hostPlaces(n);
    for (int i = 0; i < n; i++)
      hostPlaces[i] = unsigned(std::lower_bound(even.begin(), even.end(), in[i]) - even.begin());
    EXPECT(host(places) == hostPlaces, "searches of %d", n);

    thrust::device_vector<unsigned> firstKeys = keys, firsts(thrust::make_counting_iterator(0u),
                                                             thrust::make_counting_iterator(unsigned(n)));
    thrust::device_vector<unsigned> copies = firsts;
    auto zipped = thrust::make_zip_iterator(firsts.begin(), copies.begin());
    auto last = thrust::unique_by_key(firstKeys.begin(), firstKeys.end(), zipped);
    firstKeys.erase(last.first, firstKeys.end());
    copies.resize(firstKeys.size());
    EXPECT(host(firstKeys) == hostUnique, "unique of %d", n);
    std::vector<unsigned> starts = host(copies);
    for (size_t i = 0; i < starts.size(); i++)
      EXPECT(in[starts[i]] == hostUnique[i] && (starts[i] == 0 || in[starts[i] - 1] != hostUnique[i]), "%d: %zu", n, i);
    printf("%d: %016llx %016llx\n", n, (unsigned long long)checksum(hostCounts), (unsigned long long)checksum(starts));
  }
  return passed();
}
