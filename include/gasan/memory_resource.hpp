/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Adaptors for memory resources in RMM's forms. For C++14, in code of the host. gasan.h has the contract of the
 * functions behind them; without gasan the adaptors pass the calls on.
 *
 * A resource of cuda::mr (CCCL 3.2, RMM 26.10) is any class with `allocate(stream, bytes, alignment)`,
 * `deallocate(stream, memory, bytes, alignment)`, and the same with `_sync` and without a stream. A pool takes its
 * memory from a heap_adaptor, and the program takes blocks from the pool by a region_adaptor:
 *
 *     using any_resource = cuda::mr::any_resource<cuda::mr::device_accessible>;
 *     gasan::heap_adaptor<any_resource> heaps(rmm::mr::cuda_memory_resource{});
 *     rmm::mr::pool_memory_resource pool(heaps, pool_size);
 *     rmm::mr::set_current_device_resource(gasan::region_adaptor<any_resource>(pool));
 *
 * A resource of an older RMM is derived from a class with `void *do_allocate(std::size_t bytes, Stream stream)` and
 * `void do_deallocate(void *memory, std::size_t bytes, Stream stream)`, which may be noexcept, and the public functions
 * `allocate` and `deallocate` with the same parameters. There the adaptors are heap_resource and region_resource:
 *
 *     using device_resource = rmm::mr::device_memory_resource;
 *     rmm::mr::cuda_memory_resource cuda;
 *     gasan::heap_resource<device_resource, rmm::cuda_stream_view> heaps(&cuda);
 *     rmm::mr::pool_memory_resource<device_resource> pool(&heaps, pool_size);
 *     gasan::region_resource<device_resource, rmm::cuda_stream_view> blocks(&pool);
 *     rmm::mr::set_current_device_resource(&blocks);
 *
 * Threads: as the resources that they wrap. heap_adaptor and region_adaptor have a copy of that resource; heap_resource
 * and region_resource do not own it. */
#ifndef GASAN_MEMORY_RESOURCE_HPP
#define GASAN_MEMORY_RESOURCE_HPP

#include <gasan/gasan.h>

#include <cstddef>
#include <utility>

namespace gasan {

/* The functions of cuda::mr's resources, for both adaptors. Derived has `added` and `removed`, which are called after
 * an allocation and before a deallocation. */
template <class Derived, class Upstream>
class resource_adaptor {
public:
  explicit resource_adaptor(Upstream upstream) : upstream(std::move(upstream)) {}

  template <class Stream>
  void *allocate(Stream stream, std::size_t bytes, std::size_t alignment = default_alignment) {
    return Derived::added(upstream.allocate(stream, bytes, alignment), bytes);
  }

  template <class Stream>
  void deallocate(Stream stream, void *memory, std::size_t bytes, std::size_t alignment = default_alignment) noexcept {
    Derived::removed(memory, bytes);
    upstream.deallocate(stream, memory, bytes, alignment);
  }

  void *allocate_sync(std::size_t bytes, std::size_t alignment = default_alignment) {
    return Derived::added(upstream.allocate_sync(bytes, alignment), bytes);
  }

  void deallocate_sync(void *memory, std::size_t bytes, std::size_t alignment = default_alignment) noexcept {
    Derived::removed(memory, bytes);
    upstream.deallocate_sync(memory, bytes, alignment);
  }

  const Upstream &upstream_resource() const noexcept { return upstream; }

  friend bool operator==(const Derived &a, const Derived &b) noexcept { return a.upstream == b.upstream; }
  friend bool operator!=(const Derived &a, const Derived &b) noexcept { return !(a.upstream == b.upstream); }

  /* The properties are those of the wrapped resource. */
  template <class Property>
  friend auto get_property(const Derived &adaptor, Property property) noexcept
      -> decltype(get_property(std::declval<const Upstream &>(), property)) {
    return get_property(adaptor.upstream, property);
  }

private:
  static constexpr std::size_t default_alignment = 256; /* of cudaMalloc */
  Upstream upstream;
};

/* The resource from which a pool takes its memory. All of it becomes a heap: nothing is accessible until it is in a
 * block of a region_adaptor. */
template <class Upstream>
class heap_adaptor final : public resource_adaptor<heap_adaptor<Upstream>, Upstream> {
public:
  using resource_adaptor<heap_adaptor, Upstream>::resource_adaptor;

private:
  friend class resource_adaptor<heap_adaptor, Upstream>;

  static void *added(void *memory, std::size_t bytes) {
    if (memory && bytes)
      gasan_heap_register(memory, bytes);
    return memory;
  }

  static void removed(void *memory, std::size_t bytes) noexcept {
    if (memory && bytes)
      gasan_heap_unregister(memory);
  }
};

/* A pool whose blocks are regions, of the size that was asked for. */
template <class Upstream>
class region_adaptor final : public resource_adaptor<region_adaptor<Upstream>, Upstream> {
public:
  using resource_adaptor<region_adaptor, Upstream>::resource_adaptor;

private:
  friend class resource_adaptor<region_adaptor, Upstream>;

  static void *added(void *memory, std::size_t bytes) {
    if (memory && bytes)
      gasan_region_register(memory, bytes);
    return memory;
  }

  static void removed(void *memory, std::size_t bytes) noexcept {
    if (memory && bytes)
      gasan_region_unregister(memory);
  }
};

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
