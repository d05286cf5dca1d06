/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Imitates data-analysis code on Thrust: sort records, sum the groups, compact the results. Slow because each algorithm
// instantiates several CUB policies and kernels for each value type.
// Vectors have fewer than 2^31 elements. Without this, Thrust compiles each algorithm for 64-bit offsets as well.
#define THRUST_FORCE_32_BIT_OFFSET_TYPE

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

#include <cstdint>

template <typename Value>
struct IsPositive {
  __host__ __device__ bool operator()(Value value) const { return value > Value(0); }
};

template <typename Value>
struct Groups {
  thrust::device_vector<uint32_t> keys;
  thrust::device_vector<Value> totals;
};

// Sums the values of each key. Returns the keys in ascending order.
template <typename Value>
static Groups<Value> sum_groups(thrust::device_vector<uint32_t> keys, thrust::device_vector<Value> values) {
  thrust::sort_by_key(thrust::device, keys.begin(), keys.end(), values.begin());
  Groups<Value> groups;
  groups.keys.resize(keys.size());
  groups.totals.resize(keys.size());
  auto ends = thrust::reduce_by_key(thrust::device, keys.begin(), keys.end(), values.begin(), groups.keys.begin(),
                                    groups.totals.begin());
  groups.keys.resize(ends.first - groups.keys.begin());
  groups.totals.resize(ends.second - groups.totals.begin());
  return groups;
}

Groups<float> sum_sales(const thrust::device_vector<uint32_t> &shops, const thrust::device_vector<float> &amounts) {
  return sum_groups(shops, amounts);
}

// Returns the positive values.
thrust::device_vector<float> keep_positive(const thrust::device_vector<float> &values) {
  thrust::device_vector<float> kept(values.size());
  kept.erase(thrust::copy_if(thrust::device, values.begin(), values.end(), kept.begin(), IsPositive<float>()),
             kept.end());
  return kept;
}

// Replaces the sizes of groups by the offsets of their first elements.
void sizes_to_offsets(thrust::device_vector<uint32_t> &sizes) {
  thrust::exclusive_scan(thrust::device, sizes.begin(), sizes.end(), sizes.begin());
}

// Removes repeated keys from a sorted vector.
void remove_repeats(thrust::device_vector<uint32_t> &keys) {
  keys.erase(thrust::unique(thrust::device, keys.begin(), keys.end()), keys.end());
}
