// Sorts keys with values by a bitonic network: strides that fit into a tile run in shared memory, larger ones in global
// memory. The arrays are padded to a power of two with the largest key. The sorted keys are compared exactly, and equal
// keys must keep their set of values. With -DBUG the arrays are not padded, but the network still compares partners up
// to the next power of two.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
// RUN: %run %t --size 4099 --repeat 2 2>&1 | %same.1
// RUN: %run %t --size 5 2>&1 | %same.2
// RUN: %gasan -O2 -DBUG %s -o %t.bug
// RUN: not %run %t.bug --size 3000 2>&1 | FileCheck %s
#include "inputs/sample.h"

constexpr int kTile = 1024, kThreads = kTile / 2;

struct Pairs {
  unsigned *keys, *values;
};

__device__ void compareAndSwap(unsigned &keyA, unsigned &valueA, unsigned &keyB, unsigned &valueB, bool ascending) {
  if ((keyA > keyB) != ascending)
    return;
  unsigned key = keyA, value = valueA;
  keyA = keyB, valueA = valueB;
  keyB = key, valueB = value;
}

// Returns the index of comparator `index`'s lower partner at this stride.
__device__ int lowerPlace(int index, int stride) {
  return 2 * index - (index & (stride - 1));
}

__device__ void mergeShared(unsigned *keys, unsigned *values, int firstComparator, int size, int fromStride) {
  for (int stride = fromStride; stride > 0; stride /= 2) {
    __syncthreads();
    int low = lowerPlace(threadIdx.x, stride);
    bool ascending = (2 * (firstComparator + int(threadIdx.x)) & size) == 0;
    compareAndSwap(keys[low], values[low], keys[low + stride], values[low + stride], ascending);
  }
  __syncthreads();
}

__device__ void loadTile(unsigned *keys, unsigned *values, Pairs from) {
  int first = blockIdx.x * kTile + threadIdx.x;
  for (int half = 0; half < 2; ++half) {
    // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0
    // CHECK-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (440,0,0) block (2,0,0) lane 24
    // CHECK-NEXT: #0 loadTile(unsigned int*, unsigned int*, Pairs) {{.*}}bitonic-sort.cu:[[#@LINE+2]]:
    // CHECK-NEXT: #1 sortTiles(Pairs) {{.*}}bitonic-sort.cu:
    keys[threadIdx.x + half * kThreads] = from.keys[first + half * kThreads];
    values[threadIdx.x + half * kThreads] = from.values[first + half * kThreads];
  }
}

__device__ void storeTile(Pairs to, const unsigned *keys, const unsigned *values) {
  int first = blockIdx.x * kTile + threadIdx.x;
  for (int half = 0; half < 2; ++half) {
    to.keys[first + half * kThreads] = keys[threadIdx.x + half * kThreads];
    to.values[first + half * kThreads] = values[threadIdx.x + half * kThreads];
  }
}

// Sorts each tile; neighbouring tiles are sorted in opposite directions.
__global__ void sortTiles(Pairs pairs) {
  __shared__ unsigned keys[kTile], values[kTile];
  loadTile(keys, values, pairs);
  for (int size = 2; size <= kTile; size *= 2)
    mergeShared(keys, values, blockIdx.x * kThreads, size, size / 2);
  storeTile(pairs, keys, values);
}

__global__ void mergeGlobal(Pairs pairs, int comparators, int size, int stride) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= comparators)
    return;
  int low = lowerPlace(index, stride);
  unsigned keyA = pairs.keys[low], keyB = pairs.keys[low + stride];
  unsigned valueA = pairs.values[low], valueB = pairs.values[low + stride];
  compareAndSwap(keyA, valueA, keyB, valueB, (2 * index & size) == 0);
  pairs.keys[low] = keyA, pairs.keys[low + stride] = keyB;
  pairs.values[low] = valueA, pairs.values[low + stride] = valueB;
}

// Does a merge's strides of half a tile and less.
__global__ void mergeTiles(Pairs pairs, int size) {
  __shared__ unsigned keys[kTile], values[kTile];
  loadTile(keys, values, pairs);
  mergeShared(keys, values, blockIdx.x * kThreads, size, kTile / 2);
  storeTile(pairs, keys, values);
}

void sort(Pairs pairs, int padded) {
  int tiles = padded / kTile;
  sortTiles<<<tiles, kThreads>>>(pairs);
  CUDA(cudaGetLastError());
  for (int size = 2 * kTile; size <= padded; size *= 2) {
    for (int stride = size / 2; stride >= kTile; stride /= 2)
      mergeGlobal<<<tiles, kThreads>>>(pairs, padded / 2, size, stride);
    mergeTiles<<<tiles, kThreads>>>(pairs, size);
  }
  CUDA(cudaGetLastError());
}

void check(const std::vector<unsigned> &keys, const std::vector<unsigned> &sortedKeys,
           const std::vector<unsigned> &values) {
  std::vector<bool> seen(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    EXPECT(i == 0 || sortedKeys[i - 1] <= sortedKeys[i], "element %zu", i);
    EXPECT(values[i] < keys.size() && !seen[values[i]], "value %u at %zu", values[i], i);
    EXPECT(values[i] < keys.size() && keys[values[i]] == sortedKeys[i], "pair %zu", i);
    if (values[i] < keys.size())
      seen[values[i]] = true;
  }
}

int main(int count, char **texts) {
  Arguments arguments = parse(count, texts, 20000, 1, 1 << 27);
  int n = arguments.size, padded = kTile;
  while (padded < n)
    padded *= 2;
#ifdef BUG
  int capacity = n;
#else
  int capacity = padded;
#endif
  Random random(8);
  std::vector<unsigned> keys(n), values(n), filler(padded - n, ~0u), sortedKeys(n), sortedValues(n);
  for (int i = 0; i < n; ++i) {
    keys[i] = random.below(4 * n);
    values[i] = i;
  }
  Pairs pairs;
  // CHECK: is located 0 bytes after 12000-byte region
  // CHECK: in main {{.*}}bitonic-sort.cu:[[#@LINE+1]]:
  CUDA(cudaMalloc(&pairs.keys, capacity * sizeof(unsigned)));
  CUDA(cudaMalloc(&pairs.values, capacity * sizeof(unsigned)));
  for (int i = 0; i < arguments.repeat; ++i) {
    upload(pairs.keys, keys);
    upload(pairs.values, values);
    if (capacity > n)
      upload(pairs.keys + n, filler);
    if (capacity > n)
      CUDA(cudaMemset(pairs.values + n, 0xff, (capacity - n) * sizeof(unsigned)));
    Stopwatch watch;
    sort(pairs, padded);
    watch.stop(arguments, "bitonic sort");
  }
  download(sortedKeys, pairs.keys);
  download(sortedValues, pairs.values);
  check(keys, sortedKeys, sortedValues);
  printf("sorted %d keys: %016llx\n", n, (unsigned long long)checksum(sortedKeys));
  CUDA(cudaFree(pairs.keys));
  CUDA(cudaFree(pairs.values));
  return passed();
}
