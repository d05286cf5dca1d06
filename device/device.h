/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A device runs kernels. There are two kinds: "cuda" (device/cuda, an NVIDIA GPU through the driver) and "cpu"
 * (device/cpu, the embedded CPU device). All code above this header is the same for both.
 *
 * Threads: any thread may call any function. Locks are inside.
 *
 * Addresses are device addresses; on the cpu device they are host addresses too. Sizes are in bytes. An operation works
 * on its argument `device`, whichever device is current on the calling thread, and leaves the current device unchanged.
 * Memory operations are complete when they return, and no stream of the program orders them: the caller must make sure
 * that no kernel uses the bytes. They may be called while a stream captures. Where a member may be NULL, its comment
 * says so. */
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

  /* True if memory sets, and copies inside the device, may count as launches in gasan_record.grid_id. */
  bool sets_are_grids;

  /* Prepares the kind. Called once. ERR_NO_DEVICE: the machine has no such device (no driver, no GPU). ERR_DEVICE: the
   * machine has a device that does not work. After an error, *why is a static sentence that names the missing part. */
  struct gasan_status (*start)(const char **why);

  /* Returns the device's own implementation of a CUDA runtime API function, by symbol name ("cudaMemcpy",
   * "cudaMemcpy_ptds", "__cudaRegisterFatBinary", ...). NULL: there is none. cuda: libcudart's function. */
  void *(*api)(const char *symbol);
  /* The same for gasan's own calls, which do without libcudart where it was left out. NULL: api. */
  void *(*own_api)(const char *symbol);

  int (*count)(void);                  /* returns the number of devices */
  bool (*virtual_memory)(int ordinal); /* returns true if reserve works; does not open the device */
  int (*current)(void);                /* returns the ordinal that is current on the calling thread */

  /* Sets *device to the device with this ordinal. The kind owns the object, one for each ordinal, until the process
   * ends. */
  struct gasan_status (*open)(int ordinal, struct gasan_device **device);

  /* Writes the device's name for people, e.g. "NVIDIA H200", truncated to `size`. */
  void (*describe)(struct gasan_device *device, char *text, size_t size);
  uint64_t (*total_memory)(struct gasan_device *device);

  /* Returns the granularity of map and unmap, a power of two. */
  uint64_t (*page_size)(struct gasan_device *device);

  /* Reserves addresses without memory. `size` must be a power of two and a multiple of the page; the base is a multiple
   * of `align`. An access to them faults. ERR_OUT_OF_ADDRESSES. ERR_NOT_SUPPORTED: the device has no virtual memory
   * management (the pool then uses handles). */
  struct gasan_status (*reserve)(struct gasan_device *device, uint64_t size, uint64_t align, uint64_t *base);
  struct gasan_status (*release)(struct gasan_device *device, uint64_t base, uint64_t size);

  /* Maps new memory at a part of a reserved range, readable and writable, with undefined contents. ERR_OUT_OF_MEMORY.
   * unmap takes a range that map, memory_map or map_filled has mapped, or several adjacent ones together. */
  struct gasan_status (*map)(struct gasan_device *device, uint64_t base, uint64_t size);
  struct gasan_status (*unmap)(struct gasan_device *device, uint64_t base, uint64_t size);

  /* Allow or forbid another device, by ordinal, to use this device's memory. allow_peer: all memory that map gives from
   * now on. reach_peer: a part of a range that map has mapped. NULL: the kind has one device only. */
  void (*allow_peer)(struct gasan_device *device, int peer, bool may);
  struct gasan_status (*reach_peer)(struct gasan_device *device, uint64_t base, uint64_t size, int peer, bool may);

  /* Map in two steps. memory_create makes memory without addresses; `size` is a multiple of the page, and *memory is
   * not 0. ERR_OUT_OF_MEMORY. memory_map maps all of this memory at a part of a reserved range, with undefined
   * contents. Memory is mapped at one place at a time; after unmap, it can be mapped elsewhere or released. */
  struct gasan_status (*memory_create)(struct gasan_device *device, uint64_t size, uint64_t *memory);
  struct gasan_status (*memory_map)(struct gasan_device *device, uint64_t base, uint64_t size, uint64_t memory);
  struct gasan_status (*memory_release)(struct gasan_device *device, uint64_t size, uint64_t memory);

  /* Maps a part of a reserved range read-only, with `byte` everywhere. All such ranges share memory. `size` is a power
   * of two; all calls for one device must have the same size and byte. */
  struct gasan_status (*map_filled)(struct gasan_device *device, uint64_t base, uint64_t size, uint8_t byte);

  /* Writes host bytes to the device and waits until they are there. */
  struct gasan_status (*write)(struct gasan_device *device, uint64_t to, const void *from, uint64_t size);
  /* Writes like write, but does not wait; `from` may be changed at once. The bytes are visible to work that order or
   * finish_writes puts after the write. All three members are NULL if the kind has only write. */
  struct gasan_status (*write_later)(struct gasan_device *device, uint64_t to, const void *from, uint64_t size);
  /* Makes later work in a cudaStream_t begin after all writes of write_later. Fails if there is no such stream. */
  struct gasan_status (*order)(struct gasan_device *device, void *stream);
  /* Waits for all writes of write_later. */
  struct gasan_status (*finish_writes)(struct gasan_device *device);
  struct gasan_status (*read)(struct gasan_device *device, void *to, uint64_t from, uint64_t size);
  struct gasan_status (*fill)(struct gasan_device *device, uint64_t to, uint8_t byte, uint64_t size);

  /* Allocates zeroed host memory that kernels see at *device_address (for the ring). It lives until the process ends.
   */
  struct gasan_status (*host_alloc)(struct gasan_device *device, uint64_t size, void **host, uint64_t *device_address);
  /* Allocates zeroed device memory outside of the pool (for the ring's control block). It lives until the process ends.
   */
  struct gasan_status (*device_alloc)(struct gasan_device *device, uint64_t size, uint64_t *address);

  /* Allocates, frees and copies plain device memory, for a pool that moves. The memory is aligned to 256 bytes and has
   * undefined contents. ERR_OUT_OF_MEMORY. The copy must not overlap; it may count as a launch (sets_are_grids). */
  struct gasan_status (*plain_alloc)(struct gasan_device *device, uint64_t size, uint64_t *address);
  struct gasan_status (*plain_free)(struct gasan_device *device, uint64_t address);
  struct gasan_status (*plain_copy)(struct gasan_device *device, uint64_t to, uint64_t from, uint64_t size);

  uint64_t share_unit; /* `memory` and `size` of share are multiples of it; a power of two */
  /* Makes the process's own memory readable and writable for kernels, at *address. It may be shared already. Call
   * unshare before the memory is unmapped. */
  struct gasan_status (*share)(struct gasan_device *device, void *memory, uint64_t size, uint64_t *address);
  struct gasan_status (*unshare)(struct gasan_device *device, void *memory, uint64_t size);

  /* Finds the variable `name` in the image that contains the kernel of a host function (by whose address the program
   * launches). ERR_NOT_FOUND: the image has no such variable (it is not instrumented). */
  struct gasan_status (*symbol)(struct gasan_device *device, const void *kernel, const char *name, uint64_t *address,
                                uint64_t *size);

  /* Finds the kernel `name` in the image that contains the kernel of a host function, and loads the image. Launches and
   * cudaFuncSetAttribute of api accept *function in place of a host function while the image is registered. A launch
   * with more than *most_threads threads in a block fails, because of the kernel's registers or its launch bounds.
   * ERR_NOT_FOUND: the image has no such kernel. ERR_DEVICE. */
  struct gasan_status (*variant)(struct gasan_device *device, const void *kernel, const char *name,
                                 const void **function, uint32_t *most_threads);

  /* Like symbol and variant, of the image that contains a function of the driver, by whose handle the program launches.
   * NULL: the kind has no driver. */
  struct gasan_status (*function_symbol)(struct gasan_device *device, const void *function, const char *name,
                                         uint64_t *address, uint64_t *size);
  struct gasan_status (*function_variant)(struct gasan_device *device, const void *function, const char *name,
                                          const void **variant, uint32_t *most_threads);

  /* Loads a module, PTX in a string or a fat binary, and finds its kernels by name, which launch then takes. It stays
   * loaded until the process ends. After an error, no function is set. ERR_DEVICE. NULL: the kind has no compiler. */
  struct gasan_status (*load)(struct gasan_device *device, const char *image, const char *const *names, int count,
                              const void **functions);

  /* Launches a *function of variant or load like api's cudaLaunchKernel, but leaves the API's last error unchanged. On
   * any error nothing was launched, and the caller may try api's launch. NULL: only api launches. */
  struct gasan_status (*launch)(struct gasan_device *device, const void *function, const uint32_t grid[3],
                                const uint32_t block[3], uint64_t shared, void *stream, void **arguments);

  /* Launches one block of a *function of load beside all work of the program: in a stream of the device's own, which
   * waits for no other one and goes first. Any current context. Waits for the whole device wait for it, too. NULL: as
   * load. */
  struct gasan_status (*launch_aside)(struct gasan_device *device, const void *function, uint32_t threads,
                                      void **arguments);

  /* Returns true if the calling thread's current context is the one in which the device's memory and images are.
   * NULL: the kind has no contexts. */
  bool (*is_current)(struct gasan_device *device);

  /* Share mapped memory with other processes. export_memory sets *allocation to a value that is the same for all
   * addresses that one call of map has mapped, and *fd, unless fd is NULL, to a file descriptor that stands for the
   * whole allocation; the caller closes it. map_exported maps such an allocation of `size` bytes at `base`, until
   * unmap. ERR_NOT_SUPPORTED; ERR_DEVICE: nothing is mapped there. NULL: the kind cannot share. */
  struct gasan_status (*export_memory)(struct gasan_device *device, uint64_t address, uint64_t *allocation, int *fd);
  struct gasan_status (*map_exported)(struct gasan_device *device, uint64_t base, uint64_t size, int fd);

  /* Returns true if the host may access managed memory while kernels run. NULL: it may not. */
  bool (*shares_managed)(struct gasan_device *device);

  /* Waits for all work of all streams of the device. ERR_DEVICE with the driver's error if a kernel failed. */
  struct gasan_status (*synchronize)(struct gasan_device *device);

  /* Get and set the bytes of stack for each thread of a kernel whose need is unknown (cudaLimitStackSize). A GPU's
   * driver reserves them for every thread that can be resident. ERR_OUT_OF_MEMORY: the reserve would exceed half of the
   * free memory. NULL: the kind does not need these functions. */
  struct gasan_status (*stack_limit)(struct gasan_device *device, uint64_t *bytes);
  struct gasan_status (*set_stack_limit)(struct gasan_device *device, uint64_t bytes);

  /* Returns the driver's error that has stopped the device's kernels; 0: none is known. Does not wait. NULL: the kind
   * does not need this function. */
  int (*failure)(struct gasan_device *device);

  /* Returns true if all work given to the device so far is complete, or the device has failed. Does not wait. */
  int (*idle)(struct gasan_device *device);

  /* Marks all work given to the device so far, in all streams, without waiting. *mark is a mark for reuse; NULL: a new
   * one is made, which lives until the process ends. ERR_NOT_SUPPORTED: the driver is too old. ERR_DEVICE: a stream
   * captures, or the device has failed. is_reached returns true if the marked work is complete, or the device has
   * failed. NULL: the kind has only idle. */
  struct gasan_status (*mark_work)(struct gasan_device *device, void **mark);
  bool (*is_reached)(struct gasan_device *device, void *mark);

  /* Sets the id that the calling thread's next launch writes to gasan_record.grid_id. cuda: ignores it. */
  void (*set_launch_id)(uint64_t id);
  /* Returns the id after the launch of a graph. The ids of the graph's kernels count up from the id of set_launch_id.
   * cuda: NULL, because only the driver knows the ids. */
  uint64_t (*launch_id)(void);
};

extern const struct gasan_device_kind gasan_device_cuda;
extern const struct gasan_device_kind gasan_device_cpu;

#ifdef __cplusplus
}
#endif
#endif
