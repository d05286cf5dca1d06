/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The driver's functions and the state of one GPU, for the files of device/cuda. Any thread, after start. */
#ifndef GASAN_DEVICE_CUDA_GPU_H
#define GASAN_DEVICE_CUDA_GPU_H

#include <cuda.h>
#include <driver_types.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "device/device.h"

/* The driver's functions. They are looked up in libcuda.so.1 at start, because the runtime must load on machines
 * without it. */
struct gasan_cuda_driver {
#define GASAN_DRIVER(function) __typeof__(&function) function;
#include "device/cuda/driver.inc"
#undef GASAN_DRIVER
};
extern struct gasan_cuda_driver gasan_cuda_driver;
#define CU(function) gasan_cuda_driver.function

/* The functions of the real runtime that we call ourselves. */
struct gasan_cuda_runtime {
  cudaError_t (*cudaGetDevice)(int *);
  cudaError_t (*cudaGetFuncBySymbol)(cudaFunction_t *, const void *);
  cudaError_t (*cudaGetKernel)(cudaKernel_t *, const void *);
  cudaError_t (*cudaPeekAtLastError)(void);
  cudaError_t (*cudaGetLastError)(void);
};
extern struct gasan_cuda_runtime gasan_cuda_runtime;

/* Find the driver and libcudart (with gasan_cuda_set_driver_only: nothing). On failure, return false and set *why to a
 * sentence with the reason. */
bool gasan_cuda_load_driver(const char **why);
bool gasan_cuda_load_runtime(const char **why);
/* Loads libcudart, if that was left out at start (gasan_cuda_set_driver_only). Must be called before a function of
 * gasan_cuda_runtime that needs an image. Returns false if there is none. */
bool gasan_cuda_need_runtime(void);
/* Members of struct gasan_device_kind, `api` and `own_api`. */
void *gasan_cuda_runtime_symbol(const char *name);
void *gasan_cuda_own_symbol(const char *name);
/* Returns the driver's answer for a function of the runtime API; NULL: it has none (driver_api.c). */
void *gasan_cuda_driver_answer(const char *symbol);

struct gasan_cuda_device {
  struct gasan_device base;
  CUdevice device;
  _Atomic CUcontext context; /* the primary context, retained */
  CUstream stream;           /* our own, non-blocking: not ordered with the program's streams */
  CUstream aside;            /* of launch_aside, non-blocking; NULL: not yet made; under writes_lock */
  uint64_t page_size;
  bool exports;                /* memory has handles for other processes */
  bool shares_managed;         /* the host may access managed memory while kernels run */
  pthread_mutex_t writes_lock; /* guards `written` and changes of `writes` */
  CUevent written;             /* after the latest write of write_later in our stream */
  _Atomic int writes;          /* enum gasan_cuda_writes */
  pthread_mutex_t filled_lock;
  CUmemGenericAllocationHandle filled_handle; /* the memory that all ranges of map_filled map */
  uint64_t filled_size;
  _Atomic uint64_t peers; /* a bit for each ordinal that may use memory of map */
};

/* The state of the writes by write_later. */
enum gasan_cuda_writes {
  GASAN_CUDA_WRITES_DONE,
  GASAN_CUDA_WRITES_NEW,  /* issued since the last order: certainly not complete yet */
  GASAN_CUDA_WRITES_OPEN, /* perhaps not complete yet */
};

static inline struct gasan_cuda_device *gasan_cuda_device_of(struct gasan_device *device) {
  return (struct gasan_cuda_device *)device;
}

/* From enter to leave, the device's context is current on the calling thread, and a stream capture permits all
 * calls. */
struct gasan_cuda_scope {
  CUstreamCaptureMode mode;
  bool entered;
};
struct gasan_status gasan_cuda_enter(struct gasan_cuda_device *device, struct gasan_cuda_scope *scope);
void gasan_cuda_leave(struct gasan_cuda_scope *scope);

struct gasan_status gasan_cuda_status(CUresult result);

/* Members of struct gasan_device_kind: memory.c, then module.c. */
uint64_t gasan_cuda_page_size(struct gasan_device *device);
struct gasan_status gasan_cuda_reserve(struct gasan_device *device, uint64_t size, uint64_t align, uint64_t *base);
struct gasan_status gasan_cuda_release(struct gasan_device *device, uint64_t base, uint64_t size);
struct gasan_status gasan_cuda_map(struct gasan_device *device, uint64_t base, uint64_t size);
struct gasan_status gasan_cuda_unmap(struct gasan_device *device, uint64_t base, uint64_t size);
void gasan_cuda_allow_peer(struct gasan_device *device, int peer, bool may);
struct gasan_status gasan_cuda_export_memory(struct gasan_device *device, uint64_t address, uint64_t *allocation,
                                             int *fd);
struct gasan_status gasan_cuda_map_exported(struct gasan_device *device, uint64_t base, uint64_t size, int fd);
struct gasan_status gasan_cuda_reach_peer(struct gasan_device *device, uint64_t base, uint64_t size, int peer,
                                          bool may);
struct gasan_status gasan_cuda_memory_create(struct gasan_device *device, uint64_t size, uint64_t *memory);
struct gasan_status gasan_cuda_memory_map(struct gasan_device *device, uint64_t base, uint64_t size, uint64_t memory);
struct gasan_status gasan_cuda_memory_release(struct gasan_device *device, uint64_t size, uint64_t memory);
struct gasan_status gasan_cuda_map_filled(struct gasan_device *device, uint64_t base, uint64_t size, uint8_t byte);
struct gasan_status gasan_cuda_write(struct gasan_device *device, uint64_t to, const void *from, uint64_t size);
struct gasan_status gasan_cuda_write_later(struct gasan_device *device, uint64_t to, const void *from, uint64_t size);
struct gasan_status gasan_cuda_order(struct gasan_device *device, void *stream);
struct gasan_status gasan_cuda_finish_writes(struct gasan_device *device);
struct gasan_status gasan_cuda_read(struct gasan_device *device, void *to, uint64_t from, uint64_t size);
struct gasan_status gasan_cuda_fill(struct gasan_device *device, uint64_t to, uint8_t byte, uint64_t size);
struct gasan_status gasan_cuda_share(struct gasan_device *device, void *memory, uint64_t size, uint64_t *address);
struct gasan_status gasan_cuda_unshare(struct gasan_device *device, void *memory, uint64_t size);
struct gasan_status gasan_cuda_host_alloc(struct gasan_device *device, uint64_t size, void **host, uint64_t *address);
struct gasan_status gasan_cuda_device_alloc(struct gasan_device *device, uint64_t size, uint64_t *address);
struct gasan_status gasan_cuda_plain_alloc(struct gasan_device *device, uint64_t size, uint64_t *address);
struct gasan_status gasan_cuda_plain_free(struct gasan_device *device, uint64_t address);
struct gasan_status gasan_cuda_plain_copy(struct gasan_device *device, uint64_t to, uint64_t from, uint64_t size);
struct gasan_status gasan_cuda_symbol(struct gasan_device *device, const void *kernel, const char *name,
                                      uint64_t *address, uint64_t *size);
struct gasan_status gasan_cuda_variant(struct gasan_device *device, const void *kernel, const char *name,
                                       const void **function, uint32_t *most_threads);
struct gasan_status gasan_cuda_function_symbol(struct gasan_device *device, const void *function, const char *name,
                                               uint64_t *address, uint64_t *size);
struct gasan_status gasan_cuda_function_variant(struct gasan_device *device, const void *function, const char *name,
                                                const void **variant, uint32_t *most_threads);
struct gasan_status gasan_cuda_load(struct gasan_device *device, const char *image, const char *const *names, int count,
                                    const void **functions);
struct gasan_status gasan_cuda_launch_aside(struct gasan_device *device, const void *function, uint32_t threads,
                                            void **arguments);
struct gasan_status gasan_cuda_launch(struct gasan_device *device, const void *function, const uint32_t grid[3],
                                      const uint32_t block[3], uint64_t shared, void *stream, void **arguments);

#endif
