/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Allocation, registration and attributes of memory. */
#include <string.h>

#include "base/round.h"
#include "device/cpu/api.h"
#include "device/cpu/memory.h"

#define PITCH_ALIGNMENT 512u

static cudaError_t allocate(void **pointer, size_t size, enum gasan_cpu_memory kind, unsigned flags) {
  cudaError_t error = gasan_cpu_check();
  if (error != cudaSuccess)
    return error;
  if (!pointer)
    return gasan_cpu_result(cudaErrorInvalidValue);
  *pointer = NULL;
  if (size == 0)
    return cudaSuccess;
  void *memory = gasan_cpu_memory_alloc(size, kind, flags);
  if (!memory)
    return gasan_cpu_result(cudaErrorMemoryAllocation);
  *pointer = memory;
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaMalloc(void **pointer, size_t size) {
  return allocate(pointer, size, GASAN_CPU_MEMORY_DEVICE, 0);
}

cudaError_t gasan_cpu_cudaMallocHost(void **pointer, size_t size) {
  return allocate(pointer, size, GASAN_CPU_MEMORY_HOST, cudaHostAllocDefault);
}

cudaError_t gasan_cpu_cudaHostAlloc(void **pointer, size_t size, unsigned flags) {
  if (flags & ~(unsigned)(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined))
    return gasan_cpu_result(cudaErrorInvalidValue);
  return allocate(pointer, size, GASAN_CPU_MEMORY_HOST, flags);
}

cudaError_t gasan_cpu_cudaMallocManaged(void **pointer, size_t size, unsigned flags) {
  if (!pointer || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
    return gasan_cpu_result(cudaErrorInvalidValue);
  if (size == 0) { /* CUDA 13.0 on an H200 */
    *pointer = NULL;
    return gasan_cpu_check();
  }
  return allocate(pointer, size, GASAN_CPU_MEMORY_MANAGED, flags);
}

/* Computes pitch and size. Returns false if the size overflows. */
static bool pitched_size(size_t width, size_t height, size_t depth, size_t *pitch, size_t *size) {
  if (width > SIZE_MAX - PITCH_ALIGNMENT)
    return false;
  *pitch = gasan_round_up(width, PITCH_ALIGNMENT);
  return !__builtin_mul_overflow(*pitch, height, size) && !__builtin_mul_overflow(*size, depth, size);
}

cudaError_t gasan_cpu_cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
  size_t size;
  if (!pitch)
    return gasan_cpu_result(cudaErrorInvalidValue);
  if (!pitched_size(width, height, 1, pitch, &size))
    return gasan_cpu_result(cudaErrorMemoryAllocation);
  return allocate(pointer, size, GASAN_CPU_MEMORY_DEVICE, 0);
}

cudaError_t gasan_cpu_cudaMalloc3D(struct cudaPitchedPtr *pitched, struct cudaExtent extent) {
  size_t size;
  if (!pitched)
    return gasan_cpu_result(cudaErrorInvalidValue);
  if (!pitched_size(extent.width, extent.height, extent.depth, &pitched->pitch, &size))
    return gasan_cpu_result(cudaErrorMemoryAllocation);
  pitched->xsize = extent.width;
  pitched->ysize = extent.height;
  return allocate(&pitched->ptr, size, GASAN_CPU_MEMORY_DEVICE, 0);
}

/* Frees an allocation. Returns false if no allocation of these kinds begins at the pointer. */
static bool release(void *pointer, uint32_t kinds) {
  struct gasan_cpu_range range;
  if (!gasan_cpu_memory_dealloc(pointer, kinds, &range))
    return false;
  if (range.tag == GASAN_CPU_MEMORY_POOLED)
    gasan_cpu_pool_give_back(range.flags, range.size);
  if (range.tag == GASAN_CPU_MEMORY_MANAGED)
    gasan_cpu_managed_forget(pointer);
  return true;
}

static cudaError_t deallocate(void *pointer, uint32_t kinds) {
  cudaError_t error = gasan_cpu_synchronize();
  if (error != cudaSuccess)
    return error;
  if (pointer && !release(pointer, kinds))
    return gasan_cpu_result(cudaErrorInvalidValue);
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaFree(void *pointer) {
  return deallocate(pointer, GASAN_CPU_MEMORY_DEVICE | GASAN_CPU_MEMORY_POOLED | GASAN_CPU_MEMORY_MANAGED);
}

cudaError_t gasan_cpu_cudaFreeHost(void *pointer) {
  return deallocate(pointer, GASAN_CPU_MEMORY_HOST);
}

cudaError_t gasan_cpu_cudaFreeAsync(void *pointer, cudaStream_t stream) {
  cudaError_t error = gasan_cpu_check_stream(stream);
  if (error != cudaSuccess)
    return error;
  if (!release(pointer, GASAN_CPU_MEMORY_DEVICE | GASAN_CPU_MEMORY_POOLED))
    return gasan_cpu_result(cudaErrorInvalidValue);
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaHostRegister(void *pointer, size_t size, unsigned flags) {
  cudaError_t error = gasan_cpu_check();
  if (error != cudaSuccess)
    return error;
  unsigned known =
      cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
  if (!pointer || size == 0 || flags & ~known)
    return gasan_cpu_result(cudaErrorInvalidValue);
  if (!gasan_cpu_memory_register(pointer, size, flags))
    return gasan_cpu_result(cudaErrorHostMemoryAlreadyRegistered);
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaHostUnregister(void *pointer) {
  if (!gasan_cpu_memory_unregister(pointer))
    return gasan_cpu_result(pointer ? cudaErrorHostMemoryNotRegistered : cudaErrorInvalidValue);
  return gasan_cpu_check();
}

static bool is_host_memory(uint32_t kind) {
  return kind == GASAN_CPU_MEMORY_HOST || kind == GASAN_CPU_MEMORY_REGISTERED;
}

cudaError_t gasan_cpu_cudaHostGetDevicePointer(void **device, void *host, unsigned flags) {
  if (!device || flags || !is_host_memory(gasan_cpu_memory_kind(host, NULL)))
    return gasan_cpu_result(cudaErrorInvalidValue);
  *device = host;
  return gasan_cpu_check();
}

cudaError_t gasan_cpu_cudaHostGetFlags(unsigned *flags, void *host) {
  uint32_t given;
  if (!flags || !is_host_memory(gasan_cpu_memory_kind(host, &given)))
    return gasan_cpu_result(cudaErrorInvalidValue);
  *flags = (given & ~(unsigned)cudaHostAllocPortable) | cudaHostAllocMapped; /* as on an H200 */
  return gasan_cpu_check();
}

cudaError_t gasan_cpu_cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer) {
  if (!attributes)
    return gasan_cpu_result(cudaErrorInvalidValue);
  memset(attributes, 0, sizeof *attributes);
  uint32_t kind = gasan_cpu_memory_kind(pointer, NULL);
  if (!kind && gasan_cpu_address_is_variable(pointer))
    kind = GASAN_CPU_MEMORY_DEVICE;
  switch (kind) {
  case GASAN_CPU_MEMORY_DEVICE:
  case GASAN_CPU_MEMORY_POOLED:
    attributes->type = cudaMemoryTypeDevice;
    break;
  case GASAN_CPU_MEMORY_MANAGED:
  case GASAN_CPU_MEMORY_MANAGED_VARIABLE:
    attributes->type = cudaMemoryTypeManaged;
    break;
  case GASAN_CPU_MEMORY_HOST:
  case GASAN_CPU_MEMORY_REGISTERED:
    attributes->type = cudaMemoryTypeHost;
    break;
  default: /* the program's own memory, which the device can use too (pageableMemoryAccess) */
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = cudaInvalidDeviceId;
    break;
  }
  attributes->devicePointer = (void *)pointer;
  attributes->hostPointer = attributes->type == cudaMemoryTypeDevice ? NULL : (void *)pointer;
  return gasan_cpu_check();
}

/* Finds a __device__, __constant__ or managed variable. */
static const struct gasan_cpu_variable *find_variable(const void *symbol, cudaError_t *error) {
  *error = gasan_cpu_check();
  if (*error != cudaSuccess)
    return NULL;
  const struct gasan_cpu_variable *variable = gasan_cpu_variable_find(symbol);
  if (!variable)
    *error = gasan_cpu_result(cudaErrorInvalidSymbol);
  return variable;
}

cudaError_t gasan_cpu_cudaGetSymbolAddress(void **pointer, const void *symbol) {
  cudaError_t error;
  const struct gasan_cpu_variable *variable = find_variable(symbol, &error);
  if (!variable)
    return error;
  if (!pointer)
    return gasan_cpu_result(cudaErrorInvalidValue);
  *pointer = variable->address;
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaGetSymbolSize(size_t *size, const void *symbol) {
  cudaError_t error;
  const struct gasan_cpu_variable *variable = find_variable(symbol, &error);
  if (!variable)
    return error;
  if (!size)
    return gasan_cpu_result(cudaErrorInvalidValue);
  *size = variable->size;
  return cudaSuccess;
}
