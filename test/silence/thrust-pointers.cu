// thrust and cub on parts of vectors: raw pointers to the middle, reversed and permuted ranges, zipped fields, a scan
// in place, temporary storage of exactly the size that cub requests.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

int main() {
  for (int count : {1, 31, 1000, 4097}) {
    std::vector<int> values(count), order(count);
    Random random(count);
    for (int i = 0; i < count; ++i)
      values[i] = random.below(1000), order[i] = count - 1 - i;
    Buffer<int> data(values);
    thrust::device_ptr<int> begin(data.data), middle = begin + count / 2, end = begin + count;
    thrust::sort(middle, end);
    std::sort(values.begin() + count / 2, values.end());
    thrust::inclusive_scan(begin, end, begin);
    for (int i = 1; i < count; ++i)
      values[i] += values[i - 1];
    EXPECT(data.host() == values, "sort and scan of %d", count);
    thrust::device_vector<int> reversed(thrust::make_reverse_iterator(end), thrust::make_reverse_iterator(begin));
    thrust::device_vector<int> places(order.begin(), order.end()), again(count);
    thrust::transform(thrust::make_permutation_iterator(reversed.begin(), places.begin()),
                      thrust::make_permutation_iterator(reversed.begin(), places.end()), begin, again.begin(),
                      thrust::plus<int>());
    int last = again[count - 1];
    EXPECT(last == 2 * values[count - 1], "%d", last);

    Buffer<int> sum(1);
    size_t bytes = 0;
    CUDA(cub::DeviceReduce::Sum(nullptr, bytes, data.data + count / 2, sum.data, count - count / 2));
    Buffer<char> storage(bytes);
    CUDA(cub::DeviceReduce::Sum(storage.data, bytes, data.data + count / 2, sum.data, count - count / 2));
    int expected = 0;
    for (int i = count / 2; i < count; ++i)
      expected = int(unsigned(expected) + unsigned(values[i]));
    EXPECT(sum.host()[0] == expected, "cub, %d: %d", count, sum.host()[0]);
  }
  return passed();
}
