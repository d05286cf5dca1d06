// Resources in the form of cuda::mr's concepts, as RMM has them since 26.10, with the adaptors around them.
// RUN: %gasan -O2 -std=c++14 %s -o %t
// RUN: not %run %t overflow 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// RUN: not %run %t sync 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// RUN: not %run %t freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: %run %t correct 2>&1 | %silent
// OVERFLOW: ERROR: AddressSanitizer: heap-buffer-overflow
// OVERFLOW: #0 fill(int*, int) {{.*}}resource-adaptors.cu:[[#@LINE+77]]:
// OVERFLOW: is located 0 bytes after 1000-byte region
// OVERFLOW: in gasan_region_register
// OVERFLOW: this region lies in a heap, the 1048576-byte region
// FREED: ERROR: AddressSanitizer: heap-use-after-free
// FREED: #0 fill(int*, int) {{.*}}resource-adaptors.cu:[[#@LINE+72]]:
// FREED: in gasan_region_unregister
#include <gasan/memory_resource.hpp>

#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

// As cuda::stream_ref, the properties, and rmm::mr::cuda_memory_resource.
struct StreamRef {
  cudaStream_t stream;
};
struct DeviceAccessible {};
struct HostAccessible {};

struct CudaResource {
  void *allocate(StreamRef, std::size_t bytes, std::size_t) { return allocate_sync(bytes, 1); }
  void deallocate(StreamRef, void *memory, std::size_t, std::size_t) noexcept { cudaFree(memory); }
  void *allocate_sync(std::size_t bytes, std::size_t) {
    void *memory;
    if (cudaMalloc(&memory, bytes) != cudaSuccess)
      throw std::bad_alloc();
    return memory;
  }
  void deallocate_sync(void *memory, std::size_t, std::size_t) noexcept { cudaFree(memory); }
  friend bool operator==(const CudaResource &, const CudaResource &) { return true; }
  friend void get_property(const CudaResource &, DeviceAccessible) noexcept {}
};

// A pool that is copied like a pointer; its blocks are multiples of the alignment, side by side.
template <class Upstream>
class Pool {
  struct State {
    Upstream upstream;
    char *memory;
    std::size_t size, used;
    ~State() { upstream.deallocate_sync(memory, size); }
  };
  std::shared_ptr<State> state;

public:
  Pool(Upstream upstream, std::size_t size)
      : state(new State{upstream, static_cast<char *>(upstream.allocate_sync(size)), size, 0}) {}
  void *allocate(StreamRef, std::size_t bytes, std::size_t alignment) { return allocate_sync(bytes, alignment); }
  void deallocate(StreamRef, void *, std::size_t, std::size_t) noexcept {}
  void *allocate_sync(std::size_t bytes, std::size_t alignment) {
    const std::size_t at = state->used;
    state->used += (bytes + alignment - 1) / alignment * alignment;
    return state->memory + at;
  }
  void deallocate_sync(void *, std::size_t, std::size_t) noexcept {}
  friend bool operator==(const Pool &a, const Pool &b) { return a.state == b.state; }
  friend void get_property(const Pool &, DeviceAccessible) noexcept {}
};

using Heaps = gasan::heap_adaptor<CudaResource>;
using Blocks = gasan::region_adaptor<Pool<Heaps>>;

template <class Resource, class Property, class = void>
struct Has : std::false_type {};
template <class Resource, class Property>
struct Has<Resource, Property, decltype(get_property(std::declval<const Resource &>(), std::declval<Property>()))>
    : std::true_type {};
static_assert(Has<Heaps, DeviceAccessible>::value && Has<Blocks, DeviceAccessible>::value, "");
static_assert(!Has<Heaps, HostAccessible>::value && !Has<Blocks, HostAccessible>::value, "");
static_assert(std::is_copy_constructible<Blocks>::value && std::is_nothrow_move_constructible<Blocks>::value, "");
static_assert(noexcept(std::declval<Blocks &>().deallocate(StreamRef{}, nullptr, 0, 1)), "");

__global__ void fill(int *values, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] = i;
}

int main(int, char **arguments) {
  const bool is_sync = !strcmp(arguments[1], "sync"), is_wrong = is_sync || !strcmp(arguments[1], "overflow");
  Blocks blocks(Pool<Heaps>(Heaps(CudaResource()), 1 << 20)), copy = blocks;
  if (!(copy == blocks) || copy != blocks)
    return 2;
  void *first = is_sync ? blocks.allocate_sync(1000) : blocks.allocate(StreamRef{nullptr}, 1000);
  void *second = copy.allocate(StreamRef{nullptr}, 1000, 512);
  fill<<<2, 256>>>(static_cast<int *>(first), is_wrong ? 251 : 250);
  fill<<<2, 256>>>(static_cast<int *>(second), 250);
  cudaDeviceSynchronize();
  blocks.deallocate(StreamRef{nullptr}, second, 1000, 512);
  if (!strcmp(arguments[1], "freed"))
    fill<<<2, 256>>>(static_cast<int *>(second), 250);
  const bool failed = cudaDeviceSynchronize() != cudaSuccess;
  blocks.deallocate_sync(first, 1000);
  return failed;
}
