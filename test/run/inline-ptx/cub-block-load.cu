// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %options=print_stats=1 %run %t.fixed 2>&1 | FileCheck %s --check-prefix=STATS
// cub's loads with a cache modifier are inline PTX. A block loads a whole tile although the last tile is not full.
#include <cub/block/block_load.cuh>
#include <cub/block/block_store.cuh>
#include <cub/iterator/cache_modified_input_iterator.cuh>

__global__ void copy(const int *from, int *to, int count) {
  using Load = cub::BlockLoad<int, 32, 4, cub::BLOCK_LOAD_STRIPED>;
  __shared__ typename Load::TempStorage memory;
  cub::CacheModifiedInputIterator<cub::LOAD_CG, int> tile(const_cast<int *>(from) + blockIdx.x * 128);
  int items[4], left = count - int(blockIdx.x) * 128;
#ifdef FIXED
  Load(memory).Load(tile, items, left);
#else
  // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0 address [[FAULT:0x[0-9a-f]+]]
  // CHECK-NEXT: READ of size 4 at [[FAULT]] by device thread ({{[0-9]+}},0,0) block (1,0,0)
  // CHECK-NEXT: #0 {{.*}}thread_load.cuh:
  // CHECK: #{{[0-9]+}} copy(int const*, int*, int) {{.*}}cub-block-load.cu:[[#@LINE+1]]:
  Load(memory).Load(tile, items);
#endif
  cub::StoreDirectBlocked(threadIdx.x, to + blockIdx.x * 128, items, left);
}

int main() {
  const int count = 200;
  int *from, *to;
  cudaMalloc(&from, count * sizeof(int));
  cudaMalloc(&to, count * sizeof(int));
  cudaMemset(from, 0, count * sizeof(int));
  copy<<<2, 32>>>(from, to, count);
  // CHECK: {{0x[0-9a-f]+}} is located {{[0-9]+}} bytes after 800-byte region
  // CHECK: in main {{.*}}cub-block-load.cu:[[#@LINE-5]]:
  // STATS: sites checked; 0 accesses in the code cannot be checked
  return cudaDeviceSynchronize() != cudaSuccess;
}
