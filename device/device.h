/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A device: what kernels run on. Two kinds implement it: "cuda" (device/cuda, an NVIDIA GPU through the driver) and
 * "cpu" (device/cpu, the embedded CPU device). Everything above this header is the same for both.
 *
 * Threads: every function may be called from any thread. Addresses are device addresses (on the cpu device they are
 * host addresses too). Sizes are bytes. Every operation works on the device it is given, whichever is current on the
 * thread, and leaves the current one as it was. Memory operations are complete when they return and are ordered with no
 * stream of the user's: the caller sees to it that no kernel works on the bytes. They may be called while a stream
 * captures. */
#ifndef GASAN_DEVICE_DEVICE_H
#define GASAN_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gasan_device {
  const struct gasan_device_kind *kind;
  int ordinal; /* CUDA's device number */
};

struct gasan_device_kind {
  const char *name; /* "cuda" or "cpu", as in GASAN_OPTIONS=device= and in reports */

  /* Sets of memory and copies inside the device may count as launches in gasan_record.grid_id. */
  bool sets_are_grids;

  /* Makes the kind ready. ERR_NO_DEVICE: this machine has none (no driver, no GPU); ERR_DEVICE: it has, but it does not
   * work. *why is then a static sentence that says what is missing. Called once. */
  struct gasan_status (*start)(const char **why);

  /* The device's own implementation of a CUDA runtime API function by symbol name ("cudaMemcpy", "cudaMemcpy_ptds",
   * "__cudaRegisterFatBinary", ...), or NULL if it has none. cuda: libcudart's. */
  void *(*api)(const char *symbol);

  int (*count)(void);
  bool (*virtual_memory)(int ordinal); /* does reserve work? Opens nothing. */
  int (*current)(void);                /* ordinal that is current on the calling thread */

  /* One object per ordinal, owned by the kind, alive until the process ends. */
  struct gasan_status (*open)(int ordinal, struct gasan_device **device);

  /* Human name, e.g. "NVIDIA H200"; truncated to size. */
  void (*describe)(struct gasan_device *device, char *text, size_t size);
  uint64_t (*total_memory)(struct gasan_device *device);

  /* Granularity of map and unmap: a power of two. */
  uint64_t (*page_size)(struct gasan_device *device);

  /* Reserves addresses without memory: size a power of two of pages, base a multiple of align. Touching them faults.
   * ERR_OUT_OF_ADDRESSES; ERR_NOT_SUPPORTED: no virtual memory management (pool falls back to handles). */
  struct gasan_status (*reserve)(struct gasan_device *device, uint64_t size, uint64_t align, uint64_t *base);
  struct gasan_status (*release)(struct gasan_device *device, uint64_t base, uint64_t size);

  /* Gives memory to a part of a reserved range, readable and writable; contents undefined. ERR_OUT_OF_MEMORY.
   * unmap takes exactly ranges that map, memory_map or map_filled were given (one, or several adjacent ones together).
   */
  struct gasan_status (*map)(struct gasan_device *device, uint64_t base, uint64_t size);
  struct gasan_status (*unmap)(struct gasan_device *device, uint64_t base, uint64_t size);

  /* May the device of that ordinal use this one's memory? allow_peer: all that map gives from now on. reach_peer: all
   * of a range that lies in what map was given. NULL: the kind has one device only. */
  void (*allow_peer)(struct gasan_device *device, int peer, bool may);
  struct gasan_status (*reach_peer)(struct gasan_device *device, uint64_t base, uint64_t size, int peer, bool may);

  /* The same in steps. Memory without addresses: *memory is not 0, size is a multiple of the page. ERR_OUT_OF_MEMORY.
   * memory_map puts it under a part of a reserved range of the memory's size, contents undefined; it is in one place at
   * a time. After unmap it can be mapped elsewhere, or be released. */
  struct gasan_status (*memory_create)(struct gasan_device *device, uint64_t size, uint64_t *memory);
  struct gasan_status (*memory_map)(struct gasan_device *device, uint64_t base, uint64_t size, uint64_t memory);
  struct gasan_status (*memory_release)(struct gasan_device *device, uint64_t size, uint64_t memory);

  /* Makes a part of a reserved range readable as `byte` everywhere; costs (nearly) no memory however large it is.
   * size is a power of two; all calls for one device use the same size and byte. Must not be written. */
  struct gasan_status (*map_filled)(struct gasan_device *device, uint64_t base, uint64_t size, uint8_t byte);

  struct gasan_status (*write)(struct gasan_device *device, uint64_t to, const void *from, uint64_t size);
  /* Like write, but it does not wait for the device: `from` may be changed at once, and who needs the bytes calls one
   * of the next two. order: work that is given to this cudaStream_t from now on begins when all these writes are done.
   * It fails if there is no such stream. finish_writes: they are done. NULL, all three: write is all there is. */
  struct gasan_status (*write_later)(struct gasan_device *device, uint64_t to, const void *from, uint64_t size);
  struct gasan_status (*order)(struct gasan_device *device, void *stream);
  struct gasan_status (*finish_writes)(struct gasan_device *device);
  struct gasan_status (*read)(struct gasan_device *device, void *to, uint64_t from, uint64_t size);
  struct gasan_status (*fill)(struct gasan_device *device, uint64_t to, uint8_t byte, uint64_t size);

  /* Zeroed host memory that the device sees at *device_address; for the ring. Lives until the process ends. */
  struct gasan_status (*host_alloc)(struct gasan_device *device, uint64_t size, void **host, uint64_t *device_address);
  /* Zeroed device memory outside the pool; for the ring's control block. Lives until the process ends. */
  struct gasan_status (*device_alloc)(struct gasan_device *device, uint64_t size, uint64_t *address);

  /* Plain device memory, for a pool that moves; contents undefined, aligned to 256 bytes. ERR_OUT_OF_MEMORY. copy:
   * inside the device, without overlap; it may count as a launch (sets_are_grids). */
  struct gasan_status (*plain_alloc)(struct gasan_device *device, uint64_t size, uint64_t *address);
  struct gasan_status (*plain_free)(struct gasan_device *device, uint64_t address);
  struct gasan_status (*plain_copy)(struct gasan_device *device, uint64_t to, uint64_t from, uint64_t size);

  uint64_t share_unit; /* what share takes: a power of two, and memory and size are multiples of it */
  /* Makes the process's own memory readable and writable for kernels, at *address. It may be shared already.
   * unshare: it is about to be unmapped. */
  struct gasan_status (*share)(struct gasan_device *device, void *memory, uint64_t size, uint64_t *address);
  struct gasan_status (*unshare)(struct gasan_device *device, void *memory, uint64_t size);

  /* The variable `name` in the image that holds the kernel registered under the host function `kernel` (the address
   * the program launches by). ERR_NOT_FOUND: the image has no such variable (it was not instrumented). */
  struct gasan_status (*symbol)(struct gasan_device *device, const void *kernel, const char *name, uint64_t *address,
                                uint64_t *size);

  /* The kernel `name` in the image that holds the kernel registered under the host function `kernel`: *function is what
   * api's launches and cudaFuncSetAttribute take in a host function's place, for as long as the image is registered.
   * The image is loaded. A launch with more than *most_threads a block fails, because of its registers or because it
   * was compiled for fewer.
   * ERR_NOT_FOUND: it has no such kernel. ERR_DEVICE. */
  struct gasan_status (*variant)(struct gasan_device *device, const void *kernel, const char *name,
                                 const void **function, uint32_t *most_threads);

  /* Launches what variant gave, as api's cudaLaunchKernel does, but so that the API's last error stays as it is. Not
   * OK, for whatever reason: it is not launched, and api's may do. NULL: api's is the only way. */
  struct gasan_status (*launch)(struct gasan_device *device, const void *function, const uint32_t grid[3],
                                const uint32_t block[3], uint64_t shared, void *stream, void **arguments);

  /* Is the context that is current on the calling thread the one that memory, images and the other operations are in?
   * NULL: there are no contexts. */
  bool (*is_current)(struct gasan_device *device);

  /* Waits for all work of all streams of the device. ERR_DEVICE with the driver's error if a kernel failed. */
  struct gasan_status (*synchronize)(struct gasan_device *device);

  /* Bytes of stack for each thread of a kernel whose need nobody knows (cudaLimitStackSize); a GPU's driver keeps as
   * much for every thread that can be resident. ERR_OUT_OF_MEMORY: more than half of the memory that is free. NULL: the
   * kind has no need of it. */
  struct gasan_status (*stack_limit)(struct gasan_device *device, uint64_t *bytes);
  struct gasan_status (*set_stack_limit)(struct gasan_device *device, uint64_t bytes);

  /* The driver's error that has stopped the device's kernels, 0: none is known. Does not wait. NULL: the kind has no
   * need of it. */
  int (*failure)(struct gasan_device *device);

  /* True if all work given to the device so far is complete (or the device has failed). Does not wait. */
  int (*idle)(struct gasan_device *device);

  /* cpu device: the id that the next launch of this thread puts in gasan_record.grid_id; cuda: ignored. */
  void (*set_launch_id)(uint64_t id);
  /* cpu device: what that id is after the launch of a graph, whose kernels have counted up from it; cuda: NULL, since
   * only the driver knows. */
  uint64_t (*launch_id)(void);
};

extern const struct gasan_device_kind gasan_device_cuda;
extern const struct gasan_device_kind gasan_device_cpu;

#ifdef __cplusplus
}
#endif
#endif
