/* The driver API's memory: what a program takes past the runtime, by libcuda or by an entry point that it asked for, is
 * registered as foreign ranges. What gasan and libcudart call themselves does not come here: they hold libcuda's own
 * functions. With the CPU device the driver, if there is one, is none of our business. */
#define __CUDA_API_VERSION_INTERNAL /* every function by its symbol */
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <string.h>

#include "gasan_rt/calls/driver_calls.h"
#include "gasan_rt/calls/export.h"
#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/core/stream_capture.h"
#include "gasan_rt/launch/stack_limit.h"
#include "gasan_rt/memory/allocation_stream.h"
#include "gasan_rt/memory/caller.h"
#include "gasan_rt/memory/foreign.h"
#include "gasan_rt/memory/foreign_free.h"
#include "gasan_rt/memory/free.h"
#include "gasan_rt/memory/ordered.h"
#include "gasan_rt/report/report.h"
#include "gasan_rt/sanitizer/sanitizer.h"

/* Older forms of these functions, which cuGetProcAddress gives to who asks for an older CUDA, are left alone. */
#define FIRST_OF_TODAYS_FORM 6050
#define FIRST_OF_TODAYS_GRAPHS 12000

static bool watches(void) {
  if (gasan_rt_kind() != &gasan_device_cuda)
    return false;
  struct gasan_rt_device *state = gasan_rt_current();
  return state && state->pool;
}

static CUresult noted(CUresult result, enum gasan_foreign_kind kind, uint64_t base, size_t size, const char *api) {
  if (result == CUDA_SUCCESS && base && size && watches())
    gasan_foreign_add(kind, (const void *)(uintptr_t)base, size, gasan_memory_caller(api));
  return result;
}

EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t size) {
  CUresult result = GASAN_DRIVER_REAL(cuMemAlloc_v2)(pointer, size);
  return noted(result, GASAN_FOREIGN_DRIVER, result ? 0 : *pointer, size, "cuMemAlloc");
}

EXPORT CUresult cuMemAllocPitch_v2(CUdeviceptr *pointer, size_t *pitch, size_t width, size_t height, unsigned element) {
  CUresult result = GASAN_DRIVER_REAL(cuMemAllocPitch_v2)(pointer, pitch, width, height, element);
  return noted(result, GASAN_FOREIGN_DRIVER, result ? 0 : *pointer, result ? 0 : *pitch * height, "cuMemAllocPitch");
}

EXPORT CUresult cuMemAllocManaged(CUdeviceptr *pointer, size_t size, unsigned flags) {
  CUresult result = GASAN_DRIVER_REAL(cuMemAllocManaged)(pointer, size, flags);
  return noted(result, GASAN_FOREIGN_DRIVER, result ? 0 : *pointer, size, "cuMemAllocManaged");
}

EXPORT CUresult cuMemAllocHost_v2(void **pointer, size_t size) {
  CUresult result = GASAN_DRIVER_REAL(cuMemAllocHost_v2)(pointer, size);
  return noted(result, GASAN_FOREIGN_DRIVER_HOST, result ? 0 : (uintptr_t)*pointer, size, "cuMemAllocHost");
}

EXPORT CUresult cuMemHostAlloc(void **pointer, size_t size, unsigned flags) {
  CUresult result = GASAN_DRIVER_REAL(cuMemHostAlloc)(pointer, size, flags);
  return noted(result, GASAN_FOREIGN_DRIVER_HOST, result ? 0 : (uintptr_t)*pointer, size, "cuMemHostAlloc");
}

EXPORT CUresult cuMemHostRegister_v2(void *pointer, size_t size, unsigned flags) {
  CUresult result = GASAN_DRIVER_REAL(cuMemHostRegister_v2)(pointer, size, flags);
  if (result == CUDA_SUCCESS && watches())
    gasan_foreign_register(pointer, size, "cuMemHostRegister");
  return result;
}

EXPORT CUresult cuMemHostUnregister(void *pointer) {
  void *alias = gasan_rt_kind() == &gasan_device_cuda ? gasan_foreign_alias(pointer) : NULL;
  CUresult result = GASAN_DRIVER_REAL(cuMemHostUnregister)(pointer);
  if (result == CUDA_SUCCESS)
    gasan_foreign_unregister(pointer, alias);
  return result;
}

/* The memory that a capture allocates is the graph's. */
static CUresult noted_async(CUresult result, CUdeviceptr *pointer, size_t size, CUstream stream, const char *api) {
  bool known = result == CUDA_SUCCESS && gasan_rt_kind() == &gasan_device_cuda && !gasan_capture_in(stream);
  if (known)
    gasan_home_allocated(*pointer, stream);
  return noted(result, GASAN_FOREIGN_POOLED, known ? *pointer : 0, size, api);
}

/* The runtime's names of the default streams are the driver's too. */
#define ASYNC(suffix, as_called)                                                                                       \
  EXPORT CUresult cuMemAllocAsync##suffix(CUdeviceptr *pointer, size_t size, CUstream stream);                         \
  EXPORT CUresult cuMemAllocAsync##suffix(CUdeviceptr *pointer, size_t size, CUstream stream) {                        \
    CUresult result = GASAN_DRIVER_REAL(cuMemAllocAsync##suffix)(pointer, size, stream);                                            \
    return noted_async(result, pointer, size, as_called(stream), "cuMemAllocAsync");                                   \
  }                                                                                                                    \
  EXPORT CUresult cuMemAllocFromPoolAsync##suffix(CUdeviceptr *pointer, size_t size, CUmemoryPool pool, CUstream stream); \
  EXPORT CUresult cuMemAllocFromPoolAsync##suffix(CUdeviceptr *pointer, size_t size, CUmemoryPool pool, CUstream stream) { \
    CUresult result = GASAN_DRIVER_REAL(cuMemAllocFromPoolAsync##suffix)(pointer, size, pool, stream);                              \
    return noted_async(result, pointer, size, as_called(stream), "cuMemAllocFromPoolAsync");                           \
  }                                                                                                                    \
  EXPORT CUresult cuMemFreeAsync##suffix(CUdeviceptr pointer, CUstream stream);                                        \
  static cudaError_t free_async##suffix(void *pointer, cudaStream_t stream) {                                          \
    return (cudaError_t)GASAN_DRIVER_REAL(cuMemFreeAsync##suffix)((CUdeviceptr)(uintptr_t)pointer, stream);                         \
  }                                                                                                                    \
  EXPORT CUresult cuMemFreeAsync##suffix(CUdeviceptr pointer, CUstream stream) {                                       \
    if (!pointer || !watches())                                                                                        \
      return GASAN_DRIVER_REAL(cuMemFreeAsync##suffix)(pointer, stream);                                                            \
    cudaError_t before = gasan_last_error();                                                                           \
    cudaError_t error = gasan_ordered_free("cuMemFreeAsync", (void *)(uintptr_t)pointer, stream, as_called(stream),    \
                                           free_async##suffix);                                                        \
    gasan_restore_error(before);                                                                                       \
    return (CUresult)error;                                                                                            \
  }
ASYNC(, GASAN_AS_CALLED)
ASYNC(_ptsz, GASAN_AS_CALLED_ptsz)

static cudaError_t free_device(void *pointer) {
  return (cudaError_t)GASAN_DRIVER_REAL(cuMemFree_v2)((CUdeviceptr)(uintptr_t)pointer);
}

static cudaError_t free_host(void *pointer) {
  return (cudaError_t)GASAN_DRIVER_REAL(cuMemFreeHost)(pointer);
}

/* The driver's and the runtime's errors share their numbers; but what the driver returns is no last error of the runtime. */
EXPORT CUresult cuMemFree_v2(CUdeviceptr pointer) {
  if (!pointer || !watches())
    return GASAN_DRIVER_REAL(cuMemFree_v2)(pointer);
  cudaError_t before = gasan_last_error();
  cudaError_t error = gasan_memory_free_any("cuMemFree", (void *)(uintptr_t)pointer, free_device);
  gasan_restore_error(before);
  return (CUresult)error;
}

EXPORT CUresult cuMemFreeHost(void *pointer) {
  if (!pointer || !watches())
    return GASAN_DRIVER_REAL(cuMemFreeHost)(pointer);
  cudaError_t before = gasan_last_error();
  cudaError_t error = gasan_foreign_free_host("cuMemFreeHost", pointer, free_host);
  gasan_restore_error(before);
  return (CUresult)error;
}

EXPORT CUresult cuMemMap(CUdeviceptr pointer, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                         unsigned long long flags) {
  CUresult result = GASAN_DRIVER_REAL(cuMemMap)(pointer, size, offset, handle, flags);
  return noted(result, GASAN_FOREIGN_MAPPED, pointer, size, "cuMemMap");
}

/* Of a mapping that is gone already the driver says no more than "invalid value". */
static CUresult unmapped(CUresult result, CUdeviceptr pointer, size_t size, const char *api) {
  struct gasan_foreign range;
  void *base = (void *)(uintptr_t)pointer;
  if ((result != CUDA_SUCCESS && result != CUDA_ERROR_INVALID_VALUE) || !watches())
    return result;
  struct gasan_pool_caller caller = gasan_memory_caller(api);
  if (result == CUDA_SUCCESS)
    gasan_foreign_end_inside(base, size, GASAN_FOREIGN_MAPPED, caller);
  else if (gasan_foreign_find(base, &range) && range.kind == GASAN_FOREIGN_MAPPED && range.chunk.base == pointer &&
           range.chunk.state == GASAN_CHUNK_FREED)
    gasan_report_double_free(gasan_rt_current(), &caller, pointer, &range.chunk);
  return result;
}

EXPORT CUresult cuMemUnmap(CUdeviceptr pointer, size_t size) {
  return unmapped(GASAN_DRIVER_REAL(cuMemUnmap)(pointer, size), pointer, size, "cuMemUnmap");
}

EXPORT CUresult cuMemAddressFree(CUdeviceptr pointer, size_t size) {
  CUresult result = GASAN_DRIVER_REAL(cuMemAddressFree)(pointer, size);
  return result == CUDA_SUCCESS ? unmapped(result, pointer, size, "cuMemAddressFree") : result;
}

EXPORT CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  struct gasan_rt_device *state = limit == CU_LIMIT_STACK_SIZE && watches() ? gasan_rt_current() : NULL;
  if (state)
    gasan_stack_limit_before_change(state);
  CUresult result = GASAN_DRIVER_REAL(cuCtxSetLimit)(limit, value);
  if (state && result == CUDA_SUCCESS)
    gasan_stack_limit_changed(state);
  return result;
}

EXPORT CUresult cuCtxGetLimit(size_t *value, CUlimit limit) {
  CUresult result = GASAN_DRIVER_REAL(cuCtxGetLimit)(value, limit);
  struct gasan_rt_device *state = limit == CU_LIMIT_STACK_SIZE && result == CUDA_SUCCESS && watches() ? gasan_rt_current() : NULL;
  if (state)
    gasan_stack_limit_read(state, value);
  return result;
}

static const struct {
  const char *name;
  void *function, *per_thread;
} calls[] = {
#define GASAN_DRIVER_CALL(name, symbol, per_thread) {#name, (void *)symbol, (void *)per_thread},
#include "gasan_rt/calls/driver_calls.inc"
#undef GASAN_DRIVER_CALL
};

static bool has_todays_form(const char *name, int version) {
  return version >= (strncmp(name, "cuGraph", strlen("cuGraph")) == 0 ? FIRST_OF_TODAYS_GRAPHS : FIRST_OF_TODAYS_FORM);
}

/* What the program gets for *function, which is libcuda's. */
static void replace(const char *name, void **function, int version, bool per_thread) {
  if (!name || !function || !*function || !has_todays_form(name, version) || gasan_rt_kind() != &gasan_device_cuda)
    return;
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    if (strcmp(name, calls[i].name) == 0)
      *function = per_thread ? calls[i].per_thread : calls[i].function;
}

EXPORT CUresult cuGetProcAddress_v2(const char *name, void **function, int version, cuuint64_t flags,
                                    CUdriverProcAddressQueryResult *found) {
  CUresult result = GASAN_DRIVER_REAL(cuGetProcAddress_v2)(name, function, version, flags, found);
  if (result == CUDA_SUCCESS)
    replace(name, function, version, flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
  return result;
}

/* standard: whether the default stream is the thread's, if the flags do not say. */
static cudaError_t replaced(cudaError_t error, const char *name, void **function, unsigned version, unsigned long long flags,
                            bool standard) {
  bool per_thread = flags & cudaEnablePerThreadDefaultStream || (standard && !(flags & cudaEnableLegacyStream));
  if (error == cudaSuccess)
    replace(name, function, (int)version, per_thread);
  return error;
}

#define ENTRY_POINT(suffix, standard)                                                                                    \
  EXPORT cudaError_t cudaGetDriverEntryPoint##suffix(const char *name, void **function, unsigned long long flags,        \
                                                     enum cudaDriverEntryPointQueryResult *found);                       \
  EXPORT cudaError_t cudaGetDriverEntryPoint##suffix(const char *name, void **function, unsigned long long flags,        \
                                                     enum cudaDriverEntryPointQueryResult *found) {                      \
    cudaError_t error = GASAN_REAL(cudaGetDriverEntryPoint##suffix)(name, function, flags, found);                       \
    return replaced(error, name, function, CUDART_VERSION, flags, standard);                                             \
  }                                                                                                                      \
  EXPORT cudaError_t cudaGetDriverEntryPointByVersion##suffix(const char *name, void **function, unsigned version,       \
                                                              unsigned long long flags,                                  \
                                                              enum cudaDriverEntryPointQueryResult *found);              \
  EXPORT cudaError_t cudaGetDriverEntryPointByVersion##suffix(const char *name, void **function, unsigned version,       \
                                                              unsigned long long flags,                                  \
                                                              enum cudaDriverEntryPointQueryResult *found) {             \
    cudaError_t error = GASAN_REAL(cudaGetDriverEntryPointByVersion##suffix)(name, function, version, flags, found);     \
    return replaced(error, name, function, version, flags, standard);                                                    \
  }
ENTRY_POINT(, false)
ENTRY_POINT(_ptsz, true)
