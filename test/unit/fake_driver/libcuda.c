/* A libcuda.so.1 for tests on machines without one: memory is the host's, no kernel can run. It has the functions that
 * gasan's cuda device calls and those of gasan_rt/calls/driver_calls.inc. A pointer that it did not allocate, or that
 * was freed, is an invalid value. */
#define _GNU_SOURCE
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define DEVICE_MEMORY (1ull << 30)
#define PAGE (2ull << 20)
#define MOST_BLOCKS 256
#define HANDLE_OF_FILE (1ull << 40) /* handles of memory that has a file: this plus the file descriptor */

enum kind { NOTHING, DEVICE, HOST, REGISTERED, ORDERED, MAPPING };

static struct block {
  enum kind kind;
  char *base;
  size_t size;
  CUmemGenericAllocationHandle handle; /* of a mapping that other processes may open; else 0 */
} blocks[MOST_BLOCKS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUctx_st *current;
static bool exports; /* FAKE_EXPORTS is set: memory has files, so that processes can share it */

static bool add(enum kind kind, void *base, size_t size) {
  struct block *block = blocks;
  pthread_mutex_lock(&lock);
  while (block < blocks + MOST_BLOCKS && block->kind != NOTHING)
    block++;
  bool added = block < blocks + MOST_BLOCKS;
  if (added)
    *block = (struct block){kind, base, size, 0};
  pthread_mutex_unlock(&lock);
  return added;
}

static bool take(enum kind kind, const void *base) {
  struct block *block = blocks;
  pthread_mutex_lock(&lock);
  while (block < blocks + MOST_BLOCKS && !(block->kind == kind && block->base == base))
    block++;
  bool taken = block < blocks + MOST_BLOCKS;
  if (taken)
    block->kind = NOTHING;
  pthread_mutex_unlock(&lock);
  return taken;
}

static CUresult allocate(enum kind kind, void **pointer, size_t size) {
  if (!pointer || !size)
    return CUDA_ERROR_INVALID_VALUE;
  *pointer = size <= DEVICE_MEMORY ? aligned_alloc(512, (size + 511) / 512 * 512) : NULL;
  return *pointer && add(kind, *pointer, size) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* The memory is not freed, so its addresses are not reused. A test can rely on that. */
static CUresult deallocate(enum kind kind, void *pointer) {
  return !pointer || take(kind, pointer) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static void *pointer_of(CUdeviceptr address) {
  return (void *)(uintptr_t)address;
}

CUresult cuInit(unsigned flags) {
  return CUDA_SUCCESS;
}
/* NVRTC asks for one. */
CUresult cuGetExportTable(const void **table, const CUuuid *id) {
  return CUDA_ERROR_NOT_FOUND;
}
CUresult cuCtxGetDevice(CUdevice *device) {
  *device = 0;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext *context) {
  *context = current;
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  current = context;
  return CUDA_SUCCESS;
}
CUresult cuCtxPushCurrent_v2(CUcontext context) {
  current = context;
  return CUDA_SUCCESS;
}
CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  *context = current;
  return CUDA_SUCCESS;
}
/* Like a GPU with 20480 threads: 26214 bytes for each are half of its memory. */
static size_t stack_limit = 1024;
CUresult cuCtxGetLimit(size_t *value, CUlimit limit) {
  *value = stack_limit;
  return limit == CU_LIMIT_STACK_SIZE ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  if (limit != CU_LIMIT_STACK_SIZE || value > 512 << 10)
    return CUDA_ERROR_INVALID_VALUE;
  stack_limit = value;
  return CUDA_SUCCESS;
}
CUresult cuMemGetInfo_v2(size_t *available, size_t *total) {
  *available = *total = DEVICE_MEMORY;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  const int *shares_managed = dlsym(RTLD_DEFAULT, "fake_shares_managed");
  if (attribute == CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS) {
    *value = shares_managed ? *shares_managed : 1;
    return CUDA_SUCCESS;
  }
  if (attribute == CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED) {
    *value = exports = getenv("FAKE_EXPORTS") != NULL;
    return CUDA_SUCCESS;
  }
  *value = attribute == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED ? 1
           : attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR          ? 9
           : attribute == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT              ? 10
           : attribute == CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR    ? 2048
                                                                                : 0;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int *count) {
  *count = 1;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char *name, int size, CUdevice device) {
  strncpy(name, "a fake GPU", (size_t)size);
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetPCIBusId(char *text, int size, CUdevice device) {
  strncpy(text, "0000:00:06.0", (size_t)size);
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  *context = (CUcontext)&current;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return CUDA_SUCCESS;
}
CUresult cuStreamGetCtx(CUstream stream, CUcontext *context) {
  *context = (CUcontext)&current;
  return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem_v2(size_t *size, CUdevice device) {
  *size = DEVICE_MEMORY;
  return CUDA_SUCCESS;
}
CUresult cuStreamQuery(CUstream stream) {
  int *error = dlsym(RTLD_DEFAULT, "fake_error");
  return error ? (CUresult)*error : CUDA_SUCCESS;
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr *pointer, size_t size, size_t alignment, CUdeviceptr hint,
                             unsigned long long flags) {
  size_t align = alignment > PAGE ? alignment : PAGE;
  char *start = mmap(NULL, size + align, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  *pointer = ((uintptr_t)start + align - 1) & ~(align - 1);
  return start == MAP_FAILED ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}
CUresult cuMemAddressFree(CUdeviceptr pointer, size_t size) {
  return munmap(pointer_of(pointer), size) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
CUresult cuMemGetAllocationGranularity(size_t *size, const CUmemAllocationProp *properties,
                                       CUmemAllocationGranularity_flags option) {
  *size = PAGE;
  return CUDA_SUCCESS;
}
CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *properties,
                     unsigned long long flags) {
  const int file = exports ? memfd_create("fake-memory", MFD_CLOEXEC) : -1;
  *handle = file >= 0 ? HANDLE_OF_FILE + (unsigned)file : size;
  return file >= 0 && ftruncate(file, (off_t)size) ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}
static int file_of(CUmemGenericAllocationHandle handle) {
  return handle >= HANDLE_OF_FILE ? (int)(handle - HANDLE_OF_FILE) : -1;
}
CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return CUDA_SUCCESS;
}
/* A mapping of a file lasts as long as the file, so a handle is a file descriptor that is never closed. */
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address) {
  for (size_t i = 0; i < MOST_BLOCKS; i++)
    if (blocks[i].kind == MAPPING && (size_t)((char *)address - blocks[i].base) < blocks[i].size && blocks[i].handle) {
      *handle = blocks[i].handle;
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemExportToShareableHandle(void *file, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType type,
                                      unsigned long long flags) {
  *(int *)file = dup(file_of(handle));
  return *(int *)file >= 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *file,
                                        CUmemAllocationHandleType type) {
  *handle = HANDLE_OF_FILE + (unsigned)dup((int)(intptr_t)file);
  return CUDA_SUCCESS;
}
CUresult cuMemMap(CUdeviceptr pointer, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
  void *base = pointer_of(pointer);
  const int file = file_of(handle);
  if (mprotect(base, size, PROT_READ | PROT_WRITE) || !add(MAPPING, base, size))
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; file >= 0 && i < MOST_BLOCKS; i++)
    if (blocks[i].kind == MAPPING && blocks[i].base == base)
      blocks[i].handle = handle;
  if (file >= 0 && mmap(base, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED)
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}
CUresult cuMemSetAccess(CUdeviceptr pointer, size_t size, const CUmemAccessDesc *description, size_t count) {
  return CUDA_SUCCESS;
}
CUresult cuMemUnmap(CUdeviceptr pointer, size_t size) {
  char *base = pointer_of(pointer);
  size_t done = 0;
  for (size_t i = 0; i < MOST_BLOCKS; i++)
    if (blocks[i].kind == MAPPING && blocks[i].base >= base && blocks[i].base < base + size)
      done += take(MAPPING, blocks[i].base) ? blocks[i].size : 0;
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  if (done != size || mmap(base, size, PROT_NONE, flags, -1, 0) == MAP_FAILED)
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream) {
  memcpy(pointer_of(to), pointer_of(from), size);
  return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t size) {
  memcpy(to, pointer_of(from), size);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t size) {
  memcpy(pointer_of(to), from, size);
  return CUDA_SUCCESS;
}
/* Between addresses. */
CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy) {
  for (size_t row = 0; row < copy->Height; row++)
    memcpy((char *)pointer_of(copy->dstDevice) + row * copy->dstPitch,
           (const char *)copy->srcHost + row * copy->srcPitch, copy->WidthInBytes);
  return CUDA_SUCCESS;
}
CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t size) {
  memset(pointer_of(to), value, size);
  return CUDA_SUCCESS;
}
CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size, CUdeviceptr pointer) {
  return CUDA_ERROR_NOT_FOUND;
}
CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr pointer) {
  for (size_t i = 0; i < MOST_BLOCKS && attribute == CU_POINTER_ATTRIBUTE_MEMORY_TYPE; i++)
    if (blocks[i].kind == MAPPING && pointer - (uintptr_t)blocks[i].base < blocks[i].size) {
      *(unsigned *)data = CU_MEMORYTYPE_DEVICE;
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_INVALID_VALUE;
}
CUresult cuGetErrorName(CUresult error, const char **name) {
  *name = "CUDA_ERROR_UNKNOWN";
  return CUDA_SUCCESS;
}
/* A kernel's handle is its name. */
CUresult cuFuncGetName(const char **name, CUfunction function) {
  *name = (const char *)function;
  return CUDA_SUCCESS;
}
CUresult cuKernelGetName(const char **name, CUkernel kernel) {
  return CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t size) {
  return allocate(DEVICE, (void **)pointer, size);
}
CUresult cuMemAllocPitch_v2(CUdeviceptr *pointer, size_t *pitch, size_t width, size_t height, unsigned element) {
  *pitch = (width + 511) / 512 * 512;
  return allocate(DEVICE, (void **)pointer, *pitch * height);
}
CUresult cuMemAllocManaged(CUdeviceptr *pointer, size_t size, unsigned flags) {
  return allocate(DEVICE, (void **)pointer, size);
}
CUresult cuMemFree_v2(CUdeviceptr pointer) {
  return deallocate(DEVICE, pointer_of(pointer));
}
CUresult cuMemAllocHost_v2(void **pointer, size_t size) {
  return allocate(HOST, pointer, size);
}
CUresult cuMemHostAlloc(void **pointer, size_t size, unsigned flags) {
  return allocate(HOST, pointer, size);
}
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *pointer, unsigned flags) {
  *device = (uintptr_t)pointer;
  return CUDA_SUCCESS;
}
CUresult cuMemFreeHost(void *pointer) {
  return deallocate(HOST, pointer);
}
CUresult cuMemHostRegister_v2(void *pointer, size_t size, unsigned flags) {
  return add(REGISTERED, pointer, size) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                const cuuint64_t *sizes, const cuuint64_t *strides, const cuuint32_t *box,
                                const cuuint32_t *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  (void)type, (void)rank, (void)address, (void)sizes, (void)strides, (void)box, (void)steps, (void)interleave;
  (void)swizzle, (void)promotion, (void)fill;
  return map ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemHostUnregister(void *pointer) {
  return take(REGISTERED, pointer) ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}

#define ASYNC(suffix)                                                                                                  \
  CUresult cuMemAllocAsync##suffix(CUdeviceptr *pointer, size_t size, CUstream stream) {                               \
    return allocate(ORDERED, (void **)pointer, size);                                                                  \
  }                                                                                                                    \
  CUresult cuMemAllocFromPoolAsync##suffix(CUdeviceptr *pointer, size_t size, CUmemoryPool pool, CUstream stream) {    \
    return allocate(ORDERED, (void **)pointer, size);                                                                  \
  }                                                                                                                    \
  CUresult cuMemFreeAsync##suffix(CUdeviceptr pointer, CUstream stream) {                                              \
    return deallocate(ORDERED, pointer_of(pointer));                                                                   \
  }
ASYNC()
CUresult cuMemAllocAsync_ptsz(CUdeviceptr *pointer, size_t size, CUstream stream);
CUresult cuMemAllocFromPoolAsync_ptsz(CUdeviceptr *pointer, size_t size, CUmemoryPool pool, CUstream stream);
CUresult cuMemFreeAsync_ptsz(CUdeviceptr pointer, CUstream stream);
ASYNC(_ptsz)

/* Like the real one: returns the newest form that the version has. */
CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuGetProcAddress_v2(const char *name, void **function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *found) {
  char symbol[100];
  static void *self;
  static const char *const suffixes[] = {"_ptsz", "_v2", ""};
  self = self ? self : dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  *function = NULL;
  for (int i = flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM ? 0 : 1; i < 3 && !*function && strlen(name) < 80;
       i++)
    *function = dlsym(self, strcat(strcpy(symbol, name), suffixes[i]));
  if (found)
    *found = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr pointer) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *pointer, CUipcMemHandle handle, unsigned flags) {
  return CUDA_ERROR_INVALID_HANDLE;
}
CUresult cuIpcCloseMemHandle(CUdeviceptr pointer) {
  return CUDA_ERROR_INVALID_HANDLE;
}
