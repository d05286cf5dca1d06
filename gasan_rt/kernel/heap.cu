/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* malloc and free of kernels in BST mode (base/heap.h). */
#include "gasan_rt/kernel/device_code.h"
#include "gasan_rt/kernel/heap_allocator.h"
#include "gasan_rt/kernel/thread_id.h"
#include "shadow/bounds.h"

/* size; offset and state */
typedef uint64_t gasan_chunk_head __attribute__((ext_vector_type(2)));
static_assert(__builtin_offsetof(struct gasan_heap_chunk, offset) == 8 &&
                  __builtin_offsetof(struct gasan_heap_chunk, state) == 12,
              "gasan_chunk_head is its beginning");

#define GASAN_PHASE static __attribute__((device, noinline))

extern "C" {

/* CUDA's functions. In a module without code from elsewhere, dropCudaHeap() in the pass removes the calls. */
GASAN_DEVICE void *malloc(unsigned long size);
GASAN_DEVICE void free(void *pointer);

GASAN_NOINLINE struct gasan_bounds __gasan_bounds_any(uint64_t pointer, uint32_t site);
GASAN_COLD void __gasan_report_bounds(uint64_t address, uint64_t size, uint32_t site, uint64_t base,
                                      uint64_t bounds_size, uint32_t object);
}

GASAN_PHASE void gasan_note_event(struct gasan_heap_event *event, uint32_t site) {
  event->module_id = __gasan_params.module_id;
  event->site = site;
  event->grid_id = (uint32_t)gasan_grid_id();
  event->order = gasan_thread_order();
  event->block_dim =
      __nvvm_read_ptx_sreg_ntid_x() | __nvvm_read_ptx_sreg_ntid_y() << 11 | __nvvm_read_ptx_sreg_ntid_z() << 22;
  event->grid_x = __nvvm_read_ptx_sreg_nctaid_x();
  event->grid_y = (uint16_t)__nvvm_read_ptx_sreg_nctaid_y();
  event->grid_z = (uint16_t)__nvvm_read_ptx_sreg_nctaid_z();
}

/* Frees a pointer outside the heap. Reports a pointer that is known to point to other memory. Any other pointer may
 * come from CUDA's malloc, called in code without checks, and goes to CUDA's free. In a module whose calls of CUDA's
 * functions were removed it stays allocated. */
GASAN_PHASE void gasan_free_foreign(void *pointer, uint32_t site) {
  if (__nvvm_isspacep_shared(pointer))
    __gasan_report_bounds((uint64_t)pointer, 0, site, 0, 0, GASAN_OBJECT_SHARED);
  if (__nvvm_isspacep_local(pointer))
    __gasan_report_bounds((uint64_t)pointer, 0, site, 0, 0, GASAN_OBJECT_LOCAL);
  struct gasan_bounds bounds = __gasan_bounds_any((uint64_t)pointer, site);
  if (bounds.size != ~(uint64_t)0 && bounds.object != GASAN_OBJECT_UNKNOWN)
    __gasan_report_bounds((uint64_t)pointer, 0, site, bounds.base, bounds.size, bounds.object);
  free(pointer);
}

/* Returns a number that differs between the threads of a block and between most warps of the grid. */
GASAN_PHASE uint32_t gasan_heap_first(void) {
  uint32_t block =
      __nvvm_read_ptx_sreg_ctaid_x() + __nvvm_read_ptx_sreg_ctaid_y() * 7 + __nvvm_read_ptx_sreg_ctaid_z() * 11;
  return gasan_thread_index() + block * (32 * 5);
}

extern "C" {

/* Allocates `size` bytes. `alignment` is a power of two; `site` is the site of the call. Returns null if the heap is
 * full, and if there is none and the calls of CUDA's functions were removed. */
GASAN_NOINLINE void *__gasan_malloc_aligned(uint64_t size, uint64_t alignment, uint32_t site) {
  struct gasan_heap *heap = (struct gasan_heap *)__gasan_params.heap;
  if (!heap)
    return malloc(size);
  struct gasan_heap_chunk *chunk = gasan_heap_allocate(heap, size, alignment, gasan_heap_first());
  if (!chunk)
    return 0;
  gasan_note_event(&chunk->allocated, site);
  return (void *)gasan_heap_publish(chunk);
}

GASAN_NOINLINE void *__gasan_malloc(uint64_t size, uint32_t site) {
  return __gasan_malloc_aligned(size, GASAN_HEAP_ALIGNMENT, site);
}

GASAN_NOINLINE void __gasan_free(void *pointer, uint32_t site) {
  struct gasan_heap *heap = (struct gasan_heap *)__gasan_params.heap;
  uint64_t address = (uint64_t)pointer;
  if (!pointer)
    return;
  if (!heap || !gasan_heap_contains(heap, address)) {
    gasan_free_foreign(pointer, site);
    return;
  }
  struct gasan_heap_chunk *chunk = gasan_heap_find(heap, address);
  if (!chunk)
    __gasan_report_bounds(address, 0, site, 0, 0, GASAN_OBJECT_HEAP);
  if (gasan_heap_base(chunk) != address || !gasan_heap_end(chunk))
    __gasan_report_bounds(address, 0, site, gasan_heap_base(chunk), 0, GASAN_OBJECT_HEAP);
  gasan_note_event(&chunk->freed, site);
  gasan_heap_put_back(heap, chunk);
}

/* Returns the bounds of an address in the arena. Reads the chunk by one load, past the caches. */
GASAN_NOINLINE struct gasan_bounds __gasan_bounds_heap(uint64_t address) {
  struct gasan_heap_chunk *chunk = gasan_heap_seek((struct gasan_heap *)__gasan_params.heap, address);
  if (!chunk)
    return gasan_bounds_make(0, 0, GASAN_OBJECT_HEAP);
  gasan_chunk_head head = *(const volatile gasan_chunk_head *)chunk;
  uint32_t offset = (uint32_t)head.y, state = (uint32_t)(head.y >> 32);
  if (state == GASAN_HEAP_NEVER)
    return gasan_bounds_make(0, 0, GASAN_OBJECT_HEAP);
  return gasan_bounds_make((uint64_t)chunk + offset, state == GASAN_HEAP_LIVE ? head.x : 0, GASAN_OBJECT_HEAP);
}
}
