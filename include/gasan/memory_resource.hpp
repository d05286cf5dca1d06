/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Adaptors for memory resources in RMM's form: a class with `void *do_allocate(std::size_t bytes, Stream stream)` and
 * `void do_deallocate(void *memory, std::size_t bytes, Stream stream)`, which may be noexcept, and the public functions
 * `allocate` and `deallocate` with the same parameters. For C++14, in code of the host. gasan.h has the contract of the
 * functions behind them; without gasan the adaptors pass the calls on.
 *
 * A pool takes its memory from a heap_resource, and the program takes blocks from the pool by a region_resource:
 *
 *     using device_resource = rmm::mr::device_memory_resource;
 *     rmm::mr::cuda_memory_resource cuda;
 *     gasan::heap_resource<device_resource, rmm::cuda_stream_view> heaps(&cuda);
 *     rmm::mr::pool_memory_resource<device_resource> pool(&heaps, pool_size);
 *     gasan::region_resource<device_resource, rmm::cuda_stream_view> blocks(&pool);
 *     rmm::mr::set_current_device_resource(&blocks);
 *
 * Threads: as the resources that they wrap. The adaptors do not own these. */
#ifndef GASAN_MEMORY_RESOURCE_HPP
#define GASAN_MEMORY_RESOURCE_HPP

#include <gasan/gasan.h>

#include <cstddef>

namespace gasan {

/* The resource from which a pool takes its memory. All of it becomes a heap: nothing is accessible until it is in a
 * block of a region_resource. */
template <class Resource, class Stream>
class heap_resource final : public Resource {
public:
  explicit heap_resource(Resource *upstream) : upstream(upstream) {}

private:
  Resource *upstream;

  void *do_allocate(std::size_t bytes, Stream stream) override {
    void *memory = upstream->allocate(bytes, stream);
    if (memory)
      gasan_heap_register(memory, bytes);
    return memory;
  }

  void do_deallocate(void *memory, std::size_t bytes, Stream stream) noexcept override {
    if (memory)
      gasan_heap_unregister(memory);
    upstream->deallocate(memory, bytes, stream);
  }
};

/* A pool whose blocks are regions, of the size that was asked for. */
template <class Resource, class Stream>
class region_resource final : public Resource {
public:
  explicit region_resource(Resource *pool) : pool(pool) {}

private:
  Resource *pool;

  void *do_allocate(std::size_t bytes, Stream stream) override {
    void *memory = pool->allocate(bytes, stream);
    if (memory && bytes)
      gasan_region_register(memory, bytes);
    return memory;
  }

  void do_deallocate(void *memory, std::size_t bytes, Stream stream) noexcept override {
    if (memory && bytes)
      gasan_region_unregister(memory);
    pool->deallocate(memory, bytes, stream);
  }
};

} // namespace gasan

#endif
