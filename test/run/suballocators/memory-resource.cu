// A pool in RMM's style, with a free list for each stream, and the adaptors of gasan/memory_resource.hpp around it:
// kernels that leave their block, or use it after its deallocation, are reported, with launch proof and without.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t overflow 2>&1 | FileCheck %s --check-prefixes=OVERFLOW,WHY
// RUN: not %run %t freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: %options=print_stats=1 %run %t correct 2>&1 | FileCheck %s --check-prefix=PROVEN
// RUN: %gasan -O2 -fsanitize-gpu-address-launch-proof=off %s -o %t.checked
// RUN: not %run %t.checked overflow 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// RUN: not %run %t.checked freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: %run %t.checked correct 2>&1 | %silent
#include <gasan/memory_resource.hpp>

#include <cstring>
#include <map>
#include <new>
#include <vector>

// The interface of RMM's device_memory_resource, as its users see it.
class Resource {
public:
  virtual ~Resource() = default;
  void *allocate(std::size_t bytes, cudaStream_t stream = nullptr) {
    return do_allocate((bytes + 255) / 256 * 256 == 0 ? 256 : bytes, stream);
  }
  void deallocate(void *memory, std::size_t bytes, cudaStream_t stream = nullptr) {
    do_deallocate(memory, bytes, stream);
  }

private:
  virtual void *do_allocate(std::size_t bytes, cudaStream_t stream) = 0;
  virtual void do_deallocate(void *memory, std::size_t bytes, cudaStream_t stream) noexcept = 0;
};

class CudaResource final : public Resource {
  void *do_allocate(std::size_t bytes, cudaStream_t) override {
    void *memory;
    if (cudaMalloc(&memory, bytes) != cudaSuccess)
      throw std::bad_alloc();
    return memory;
  }
  void do_deallocate(void *memory, std::size_t, cudaStream_t) noexcept override { cudaFree(memory); }
};

// Blocks are multiples of 256 bytes, side by side. A freed block goes to its stream's list, first fit, without a split
// or a merge.
class PoolResource final : public Resource {
  Resource *upstream;
  char *memory;
  std::size_t size, used = 0;
  std::map<cudaStream_t, std::vector<std::pair<char *, std::size_t>>> free_lists;

  static std::size_t rounded(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

  void *do_allocate(std::size_t bytes, cudaStream_t stream) override {
    bytes = rounded(bytes);
    auto &list = free_lists[stream];
    for (auto block = list.begin(); block != list.end(); ++block)
      if (block->second >= bytes) {
        char *found = block->first;
        list.erase(block);
        return found;
      }
    if (bytes > size - used)
      throw std::bad_alloc();
    used += bytes;
    return memory + used - bytes;
  }
  void do_deallocate(void *block, std::size_t bytes, cudaStream_t stream) noexcept override {
    free_lists[stream].emplace_back((char *)block, rounded(bytes));
  }

public:
  PoolResource(Resource *upstream, std::size_t size)
      : upstream(upstream), memory((char *)upstream->allocate(size)), size(size) {}
  ~PoolResource() override { upstream->deallocate(memory, size); }
};

// OVERFLOW: ERROR: AddressSanitizer: heap-buffer-overflow
// OVERFLOW-NEXT: WRITE of size 4 {{.*}} by device thread (0,0,0) block (1,0,0)
// OVERFLOW-NEXT: #0 scale(float*, int, float) {{.*}}memory-resource.cu:[[#@LINE+14]]:
// WHY: blockIdx.x * 256 + threadIdx.x = 256
// OVERFLOW: is located 0 bytes after 1024-byte region
// OVERFLOW: in gasan_region_register
// OVERFLOW: this region lies in a heap, the 1048576-byte region
// OVERFLOW: This address is in another allocation
// FREED: ERROR: AddressSanitizer: heap-use-after-free
// FREED: #0 scale(float*, int, float) {{.*}}memory-resource.cu:[[#@LINE+7]]:
// FREED: freed by host thread T0 here:
// FREED-NEXT: in gasan_region_unregister
// PROVEN: Stats: launch proof: 3 of 3 launches proven
__global__ void scale(float *values, int count, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] = factor;
}

int main(int, char **arguments) {
  CudaResource cuda;
  gasan::heap_resource<Resource, cudaStream_t> heaps(&cuda);
  PoolResource pool(&heaps, 1 << 20);
  gasan::region_resource<Resource, cudaStream_t> blocks(&pool);
  float *first = (float *)blocks.allocate(1024), *second = (float *)blocks.allocate(1000);
  scale<<<2, 256>>>(second, 250, 2);
  scale<<<2, 256>>>(first, strcmp(arguments[1], "overflow") ? 256 : 257, 2);
  cudaDeviceSynchronize();
  blocks.deallocate(second, 1000);
  if (strcmp(arguments[1], "freed"))
    second = (float *)blocks.allocate(900);
  scale<<<1, 256>>>(second, 225, 3);
  const bool failed = cudaDeviceSynchronize() != cudaSuccess;
  blocks.deallocate(second, 900);
  blocks.deallocate(first, 1024);
  return failed;
}
