/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Virtual memory and copies of the cuda device. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/round.h"
#include "device/cuda/gpu.h"

#define FILL_PIECE (4ull << 20)

/* Evaluates `call`, of type CUresult, with the device's context current. The result is the call's status. */
#define IN_CONTEXT(device, call)                                                                                       \
  ({                                                                                                                   \
    struct gasan_cuda_scope scope_;                                                                                    \
    struct gasan_status status_ = gasan_cuda_enter(device, &scope_);                                                   \
    if (gasan_ok(status_)) {                                                                                           \
      status_ = gasan_cuda_status(call);                                                                               \
      gasan_cuda_leave(&scope_);                                                                                       \
    }                                                                                                                  \
    status_;                                                                                                           \
  })

uint64_t gasan_cuda_page_size(struct gasan_device *device) {
  return gasan_cuda_device_of(device)->page_size;
}

static CUresult reserve(uint64_t size, uint64_t align, uint64_t page, uint64_t *base) {
  CUdeviceptr address = 0;
  CUresult result = CU(cuMemAddressReserve)(&address, size, align, 0, 0);
  if (result == CUDA_SUCCESS && address % align != 0) {
    /* The driver ignores large alignments. Find addresses for twice the size, and request an aligned place in them. */
    CU(cuMemAddressFree)(address, size);
    result = CU(cuMemAddressReserve)(&address, size + align, page, 0, 0);
    if (result != CUDA_SUCCESS)
      return result;
    CUdeviceptr hint = gasan_round_up(address, align);
    CU(cuMemAddressFree)(address, size + align);
    result = CU(cuMemAddressReserve)(&address, size, page, hint, 0);
    if (result == CUDA_SUCCESS && address % align != 0) {
      CU(cuMemAddressFree)(address, size);
      return CUDA_ERROR_OUT_OF_MEMORY;
    }
  }
  *base = address;
  return result;
}

struct gasan_status gasan_cuda_reserve(struct gasan_device *device, uint64_t size, uint64_t align, uint64_t *base) {
  struct gasan_cuda_device *gpu = gasan_cuda_device_of(device);
  if (!gpu->page_size)
    return gasan_status_make(GASAN_ERR_NOT_SUPPORTED);
  if (align < gpu->page_size)
    align = gpu->page_size;
  struct gasan_status status = IN_CONTEXT(gpu, reserve(size, align, gpu->page_size, base));
  if (status.code == GASAN_ERR_OUT_OF_MEMORY)
    status.code = GASAN_ERR_OUT_OF_ADDRESSES;
  return status;
}

struct gasan_status gasan_cuda_release(struct gasan_device *device, uint64_t base, uint64_t size) {
  return IN_CONTEXT(gasan_cuda_device_of(device), CU(cuMemAddressFree)(base, size));
}

static CUresult create(struct gasan_cuda_device *gpu, uint64_t size, CUmemGenericAllocationHandle *handle) {
  CUmemAllocationProp properties = {
      .type = CU_MEM_ALLOCATION_TYPE_PINNED,
      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = gpu->device},
      .requestedHandleTypes = gpu->exports ? CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR : CU_MEM_HANDLE_TYPE_NONE,
  };
  return CU(cuMemCreate)(handle, size, &properties, 0);
}

static CUresult map_handle(struct gasan_cuda_device *gpu, uint64_t base, uint64_t size,
                           CUmemGenericAllocationHandle handle, CUmemAccess_flags flags) {
  CUresult result = CU(cuMemMap)(base, size, 0, handle, 0);
  if (result != CUDA_SUCCESS)
    return result;
  CUmemAccessDesc access = {
      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = gpu->device},
      .flags = flags,
  };
  result = CU(cuMemSetAccess)(base, size, &access, 1);
  if (result != CUDA_SUCCESS)
    CU(cuMemUnmap)(base, size);
  return result;
}

static CUresult set_peer(uint64_t base, uint64_t size, int peer, bool may) {
  CUmemAccessDesc access = {
      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE},
      .flags = may ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE,
  };
  CUdevice device;
  CUresult result = CU(cuDeviceGet)(&device, peer);
  if (result != CUDA_SUCCESS)
    return result;
  access.location.id = device;
  return CU(cuMemSetAccess)(base, size, &access, 1);
}

static CUresult map(struct gasan_cuda_device *gpu, uint64_t base, uint64_t size) {
  CUmemGenericAllocationHandle handle;
  CUresult result = create(gpu, size, &handle);
  if (result != CUDA_SUCCESS)
    return result;
  result = map_handle(gpu, base, size, handle, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  uint64_t peers = result == CUDA_SUCCESS ? atomic_load(&gpu->peers) : 0;
  for (int peer = 0; peers && result == CUDA_SUCCESS; peer++, peers >>= 1) {
    if (peers & 1)
      result = set_peer(base, size, peer, true);
    if (result != CUDA_SUCCESS)
      CU(cuMemUnmap)(base, size);
  }
  CU(cuMemRelease)(handle); /* the mapping keeps the memory until it is unmapped */
  return result;
}

struct gasan_status gasan_cuda_map(struct gasan_device *device, uint64_t base, uint64_t size) {
  struct gasan_cuda_device *gpu = gasan_cuda_device_of(device);
  return IN_CONTEXT(gpu, map(gpu, base, size));
}

struct gasan_status gasan_cuda_unmap(struct gasan_device *device, uint64_t base, uint64_t size) {
  return IN_CONTEXT(gasan_cuda_device_of(device), CU(cuMemUnmap)(base, size));
}

static CUresult export_memory(uint64_t address, uint64_t *allocation, int *fd) {
  CUmemGenericAllocationHandle handle;
  CUresult result = CU(cuMemRetainAllocationHandle)(&handle, (void *)(uintptr_t)address);
  if (result != CUDA_SUCCESS)
    return result;
  *allocation = handle;
  if (fd)
    result = CU(cuMemExportToShareableHandle)(fd, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
  CU(cuMemRelease)(handle);
  return result;
}

struct gasan_status gasan_cuda_export_memory(struct gasan_device *device, uint64_t address, uint64_t *allocation,
                                             int *fd) {
  struct gasan_cuda_device *gpu = gasan_cuda_device_of(device);
  return gpu->exports ? IN_CONTEXT(gpu, export_memory(address, allocation, fd))
                      : gasan_status_make(GASAN_ERR_NOT_SUPPORTED);
}

static CUresult map_exported(struct gasan_cuda_device *gpu, uint64_t base, uint64_t size, int fd) {
  CUmemGenericAllocationHandle handle;
  CUresult result =
      CU(cuMemImportFromShareableHandle)(&handle, (void *)(uintptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  if (result != CUDA_SUCCESS)
    return result;
  result = map_handle(gpu, base, size, handle, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  CU(cuMemRelease)(handle);
  return result;
}

struct gasan_status gasan_cuda_map_exported(struct gasan_device *device, uint64_t base, uint64_t size, int fd) {
  struct gasan_cuda_device *gpu = gasan_cuda_device_of(device);
  return IN_CONTEXT(gpu, map_exported(gpu, base, size, fd));
}

void gasan_cuda_allow_peer(struct gasan_device *device, int peer, bool may) {
  struct gasan_cuda_device *gpu = gasan_cuda_device_of(device);
  if (may)
    atomic_fetch_or(&gpu->peers, 1ull << peer);
  else
    atomic_fetch_and(&gpu->peers, ~(1ull << peer));
}

struct gasan_status gasan_cuda_reach_peer(struct gasan_device *device, uint64_t base, uint64_t size, int peer,
                                          bool may) {
  return IN_CONTEXT(gasan_cuda_device_of(device), set_peer(base, size, peer, may));
}

struct gasan_status gasan_cuda_memory_create(struct gasan_device *device, uint64_t size, uint64_t *memory) {
  struct gasan_cuda_device *gpu = gasan_cuda_device_of(device);
  CUmemGenericAllocationHandle handle = 0;
  struct gasan_status status = IN_CONTEXT(gpu, create(gpu, size, &handle));
  *memory = handle;
  return status;
}

struct gasan_status gasan_cuda_memory_map(struct gasan_device *device, uint64_t base, uint64_t size, uint64_t memory) {
  struct gasan_cuda_device *gpu = gasan_cuda_device_of(device);
  return IN_CONTEXT(gpu, map_handle(gpu, base, size, memory, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
}

struct gasan_status gasan_cuda_memory_release(struct gasan_device *device, uint64_t size, uint64_t memory) {
  return IN_CONTEXT(gasan_cuda_device_of(device), CU(cuMemRelease)(memory));
}

/* Fills memory by copies. The driver's memory sets are kernels, and so would count in %gridid
 * (gasan_rt/launch/launch_log.h). */
static CUresult fill(struct gasan_cuda_device *gpu, uint64_t to, uint8_t byte, uint64_t size) {
  uint64_t piece = size < FILL_PIECE ? size : FILL_PIECE;
  void *bytes = malloc(piece);
  if (!bytes)
    return CUDA_ERROR_OUT_OF_MEMORY;
  memset(bytes, byte, piece);
  CUresult result = CUDA_SUCCESS;
  for (uint64_t done = 0; done < size && result == CUDA_SUCCESS; done += piece) {
    piece = size - done < piece ? size - done : piece;
    result = CU(cuMemcpyHtoDAsync)(to + done, bytes, piece, gpu->stream);
  }
  CUresult waited = CU(cuStreamSynchronize)(gpu->stream); /* the copies read `bytes` until then */
  free(bytes);
  return result == CUDA_SUCCESS ? waited : result;
}

/* Makes the memory that all filled ranges map, when the first of them is mapped. It is mapped writable, filled, and
 * unmapped. */
static CUresult make_filled(struct gasan_cuda_device *gpu, uint64_t base, uint64_t size, uint8_t byte) {
  CUmemGenericAllocationHandle handle;
  CUresult result = create(gpu, size, &handle);
  if (result != CUDA_SUCCESS)
    return result;
  result = map_handle(gpu, base, size, handle, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  if (result == CUDA_SUCCESS) {
    result = fill(gpu, base, byte, size);
    CU(cuMemUnmap)(base, size);
  }
  if (result != CUDA_SUCCESS) {
    CU(cuMemRelease)(handle);
    return result;
  }
  gpu->filled_handle = handle;
  gpu->filled_size = size;
  return CUDA_SUCCESS;
}

static CUresult map_filled(struct gasan_cuda_device *gpu, uint64_t base, uint64_t size, uint8_t byte) {
  CUresult result = gpu->filled_size ? CUDA_SUCCESS : make_filled(gpu, base, size, byte);
  if (result != CUDA_SUCCESS)
    return result;
  GASAN_CHECK(gpu->filled_size == size);
  return map_handle(gpu, base, size, gpu->filled_handle, CU_MEM_ACCESS_FLAGS_PROT_READ);
}

struct gasan_status gasan_cuda_map_filled(struct gasan_device *device, uint64_t base, uint64_t size, uint8_t byte) {
  struct gasan_cuda_device *gpu = gasan_cuda_device_of(device);
  pthread_mutex_lock(&gpu->filled_lock);
  struct gasan_status status = IN_CONTEXT(gpu, map_filled(gpu, base, size, byte));
  pthread_mutex_unlock(&gpu->filled_lock);
  return status;
}

static CUresult wait_for(struct gasan_cuda_device *gpu, CUresult result) {
  return result == CUDA_SUCCESS ? CU(cuStreamSynchronize)(gpu->stream) : result;
}

struct gasan_status gasan_cuda_write(struct gasan_device *device, uint64_t to, const void *from, uint64_t size) {
  struct gasan_cuda_device *gpu = gasan_cuda_device_of(device);
  return IN_CONTEXT(gpu, wait_for(gpu, CU(cuMemcpyHtoDAsync)(to, from, size, gpu->stream)));
}

/* When a copy from pageable memory returns, the driver has already read the bytes (CUDA Driver API, API synchronization
 * behavior). */
static CUresult write_later(struct gasan_cuda_device *gpu, uint64_t to, const void *from, uint64_t size) {
  CUresult result = CU(cuMemcpyHtoDAsync)(to, from, size, gpu->stream);
  if (result == CUDA_SUCCESS)
    result = CU(cuEventRecord)(gpu->written, gpu->stream);
  atomic_store(&gpu->writes, GASAN_CUDA_WRITES_NEW);
  return result;
}

struct gasan_status gasan_cuda_write_later(struct gasan_device *device, uint64_t to, const void *from, uint64_t size) {
  struct gasan_cuda_device *gpu = gasan_cuda_device_of(device);
  pthread_mutex_lock(&gpu->writes_lock);
  struct gasan_status status = IN_CONTEXT(gpu, write_later(gpu, to, from, size));
  pthread_mutex_unlock(&gpu->writes_lock);
  return status;
}

/* Must be called with the lock. New writes are certainly not complete yet, so the event is not queried. */
static CUresult order(struct gasan_cuda_device *gpu, CUstream stream) {
  bool done = atomic_load(&gpu->writes) == GASAN_CUDA_WRITES_OPEN && CU(cuEventQuery)(gpu->written) == CUDA_SUCCESS;
  CUresult result = done ? CUDA_SUCCESS : CU(cuStreamWaitEvent)(stream, gpu->written, CU_EVENT_WAIT_DEFAULT);
  atomic_store(&gpu->writes, done ? GASAN_CUDA_WRITES_DONE : GASAN_CUDA_WRITES_OPEN);
  return result;
}

struct gasan_status gasan_cuda_order(struct gasan_device *device, void *stream) {
  struct gasan_cuda_device *gpu = gasan_cuda_device_of(device);
  if (atomic_load_explicit(&gpu->writes, memory_order_acquire) == GASAN_CUDA_WRITES_DONE)
    return gasan_status_make(GASAN_OK);
  pthread_mutex_lock(&gpu->writes_lock);
  struct gasan_status status = gasan_status_make(GASAN_OK);
  if (atomic_load(&gpu->writes) != GASAN_CUDA_WRITES_DONE)
    status = IN_CONTEXT(gpu, order(gpu, stream));
  pthread_mutex_unlock(&gpu->writes_lock);
  return status;
}

struct gasan_status gasan_cuda_finish_writes(struct gasan_device *device) {
  struct gasan_cuda_device *gpu = gasan_cuda_device_of(device);
  if (atomic_load_explicit(&gpu->writes, memory_order_acquire) == GASAN_CUDA_WRITES_DONE)
    return gasan_status_make(GASAN_OK);
  pthread_mutex_lock(&gpu->writes_lock);
  struct gasan_status status = IN_CONTEXT(gpu, CU(cuStreamSynchronize)(gpu->stream));
  if (gasan_ok(status))
    atomic_store(&gpu->writes, GASAN_CUDA_WRITES_DONE);
  pthread_mutex_unlock(&gpu->writes_lock);
  return status;
}

struct gasan_status gasan_cuda_read(struct gasan_device *device, void *to, uint64_t from, uint64_t size) {
  struct gasan_cuda_device *gpu = gasan_cuda_device_of(device);
  return IN_CONTEXT(gpu, wait_for(gpu, CU(cuMemcpyDtoHAsync)(to, from, size, gpu->stream)));
}

struct gasan_status gasan_cuda_fill(struct gasan_device *device, uint64_t to, uint8_t byte, uint64_t size) {
  struct gasan_cuda_device *gpu = gasan_cuda_device_of(device);
  return IN_CONTEXT(gpu, fill(gpu, to, byte, size));
}

static CUresult host_alloc(uint64_t size, void **host, uint64_t *address) {
  CUresult result = CU(cuMemHostAlloc)(host, size, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
  if (result != CUDA_SUCCESS)
    return result;
  memset(*host, 0, size);
  CUdeviceptr mapped = 0;
  result = CU(cuMemHostGetDevicePointer)(&mapped, *host, 0);
  *address = mapped;
  return result;
}

struct gasan_status gasan_cuda_host_alloc(struct gasan_device *device, uint64_t size, void **host, uint64_t *address) {
  return IN_CONTEXT(gasan_cuda_device_of(device), host_alloc(size, host, address));
}

static CUresult device_alloc(struct gasan_cuda_device *gpu, uint64_t size, uint64_t *address) {
  CUdeviceptr memory = 0;
  CUresult result = CU(cuMemAlloc)(&memory, size);
  if (result == CUDA_SUCCESS)
    result = fill(gpu, memory, 0, size);
  *address = memory;
  return result;
}

struct gasan_status gasan_cuda_device_alloc(struct gasan_device *device, uint64_t size, uint64_t *address) {
  struct gasan_cuda_device *gpu = gasan_cuda_device_of(device);
  return IN_CONTEXT(gpu, device_alloc(gpu, size, address));
}

static CUresult share(void *memory, uint64_t size, uint64_t *address) {
  CUresult result = CU(cuMemHostRegister)(memory, size, CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP);
  if (result != CUDA_SUCCESS && result != CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED)
    return result;
  CUdeviceptr mapped = 0;
  result = CU(cuMemHostGetDevicePointer)(&mapped, memory, 0);
  *address = mapped;
  return result;
}

struct gasan_status gasan_cuda_share(struct gasan_device *device, void *memory, uint64_t size, uint64_t *address) {
  return IN_CONTEXT(gasan_cuda_device_of(device), share(memory, size, address));
}

struct gasan_status gasan_cuda_unshare(struct gasan_device *device, void *memory, uint64_t size) {
  return IN_CONTEXT(gasan_cuda_device_of(device), CU(cuMemHostUnregister)(memory));
}

static CUresult plain_alloc(uint64_t size, uint64_t *address) {
  CUdeviceptr memory = 0;
  CUresult result = CU(cuMemAlloc)(&memory, size);
  *address = memory;
  return result;
}

struct gasan_status gasan_cuda_plain_alloc(struct gasan_device *device, uint64_t size, uint64_t *address) {
  return IN_CONTEXT(gasan_cuda_device_of(device), plain_alloc(size, address));
}

struct gasan_status gasan_cuda_plain_free(struct gasan_device *device, uint64_t address) {
  return IN_CONTEXT(gasan_cuda_device_of(device), CU(cuMemFree)(address));
}

struct gasan_status gasan_cuda_plain_copy(struct gasan_device *device, uint64_t to, uint64_t from, uint64_t size) {
  struct gasan_cuda_device *gpu = gasan_cuda_device_of(device);
  return IN_CONTEXT(gpu, wait_for(gpu, CU(cuMemcpyDtoDAsync)(to, from, size, gpu->stream)));
}
