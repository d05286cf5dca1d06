/* The device itself: which there are, what they can do, limits, peers, versions. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "device/cpu/api.h"
#include "device/cpu/cpu.h"
#include "device/cpu/engine.h"
#include "device/cpu/memory.h"

#define PCI_BUS_ID "0000:00:00.0"

static cudaError_t check_device(int device) {
  return device == 0 ? cudaSuccess : gasan_cpu_result(cudaErrorInvalidDevice);
}

int gasan_cpu_attribute(enum cudaDeviceAttr attribute) {
  switch (attribute) {
  case cudaDevAttrMaxThreadsPerBlock:
  case cudaDevAttrMaxBlockDimX:
  case cudaDevAttrMaxBlockDimY:
    return GASAN_CPU_BLOCK_THREADS;
  case cudaDevAttrMaxBlockDimZ:
    return 64;
  case cudaDevAttrMaxGridDimX:
  case cudaDevAttrMaxPitch:
    return 0x7fffffff;
  case cudaDevAttrMaxGridDimY:
  case cudaDevAttrMaxGridDimZ:
    return 65535;
  case cudaDevAttrMaxSharedMemoryPerBlock:
    return GASAN_CPU_SHARED_DEFAULT;
  case cudaDevAttrMaxSharedMemoryPerBlockOptin:
    return GASAN_CPU_SHARED_LIMIT;
  case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
    return GASAN_CPU_SHARED_LIMIT + GASAN_CPU_SHARED_RESERVED;
  case cudaDevAttrReservedSharedMemoryPerBlock:
    return GASAN_CPU_SHARED_RESERVED;
  case cudaDevAttrTotalConstantMemory:
    return 65536;
  case cudaDevAttrWarpSize:
    return 32;
  case cudaDevAttrMaxRegistersPerBlock:
  case cudaDevAttrMaxRegistersPerMultiprocessor:
    return 65536;
  case cudaDevAttrMultiProcessorCount:
    return gasan_cpu_threads();
  case cudaDevAttrMaxThreadsPerMultiProcessor:
    return 2048;
  case cudaDevAttrMaxBlocksPerMultiprocessor:
    return 32;
  case cudaDevAttrComputeCapabilityMajor:
    return (int)gasan_cpu_images_arch() / 10;
  case cudaDevAttrComputeCapabilityMinor:
    return (int)gasan_cpu_images_arch() % 10;
  case cudaDevAttrClockRate:
  case cudaDevAttrMemoryClockRate:
    return 1000000; /* kHz: so that programs that compute a bandwidth from it divide by no zero */
  case cudaDevAttrGlobalMemoryBusWidth:
    return 64;
  case cudaDevAttrTextureAlignment:
  case cudaDevAttrSurfaceAlignment:
    return 512;
  case cudaDevAttrTexturePitchAlignment:
    return 32;
  case cudaDevAttrL2CacheSize:
    return 1 << 20;
#define GASAN_TEXTURE_LIMIT(name, member, value) \
  case cudaDevAttr##name:                        \
    return value;
#include "device/cpu/texture_limits.inc"
#undef GASAN_TEXTURE_LIMIT
  case cudaDevAttrMaxTexture1DLinearWidth:
    return 1 << 28;
  case cudaDevAttrIntegrated:
  case cudaDevAttrCanMapHostMemory:
  case cudaDevAttrUnifiedAddressing:
  case cudaDevAttrGlobalL1CacheSupported:
  case cudaDevAttrLocalL1CacheSupported:
  case cudaDevAttrManagedMemory:
  case cudaDevAttrHostNativeAtomicSupported:
  case cudaDevAttrPageableMemoryAccess:
  case cudaDevAttrPageableMemoryAccessUsesHostPageTables:
  case cudaDevAttrConcurrentManagedAccess:
  case cudaDevAttrDirectManagedMemAccessFromHost:
  case cudaDevAttrCanUseHostPointerForRegisteredMem:
  case cudaDevAttrCooperativeLaunch:
  case cudaDevAttrHostRegisterSupported:
  case cudaDevAttrMemoryPoolsSupported:
    return 1;
  case cudaDevAttrSingleToDoublePrecisionPerfRatio:
    return 2;
  case cudaDevAttrNumaId:
  case cudaDevAttrHostNumaId:
    return -1;
  default:
    return 0;
  }
}

cudaError_t gasan_cpu_cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device) {
  if (!value || attribute < cudaDevAttrMaxThreadsPerBlock || attribute >= cudaDevAttrMax)
    return gasan_cpu_result(cudaErrorInvalidValue);
  if (check_device(device) != cudaSuccess)
    return cudaErrorInvalidDevice;
  *value = gasan_cpu_attribute(attribute);
  return cudaSuccess;
}

static void fill_limits(struct cudaDeviceProp *properties) {
  properties->sharedMemPerBlock = (size_t)gasan_cpu_attribute(cudaDevAttrMaxSharedMemoryPerBlock);
  properties->sharedMemPerBlockOptin = (size_t)gasan_cpu_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  properties->sharedMemPerMultiprocessor = (size_t)gasan_cpu_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  properties->reservedSharedMemPerBlock = (size_t)gasan_cpu_attribute(cudaDevAttrReservedSharedMemoryPerBlock);
  properties->regsPerBlock = gasan_cpu_attribute(cudaDevAttrMaxRegistersPerBlock);
  properties->regsPerMultiprocessor = gasan_cpu_attribute(cudaDevAttrMaxRegistersPerMultiprocessor);
  properties->warpSize = gasan_cpu_attribute(cudaDevAttrWarpSize);
  properties->memPitch = (size_t)gasan_cpu_attribute(cudaDevAttrMaxPitch);
  properties->maxThreadsPerBlock = gasan_cpu_attribute(cudaDevAttrMaxThreadsPerBlock);
  properties->maxThreadsPerMultiProcessor = gasan_cpu_attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
  properties->maxBlocksPerMultiProcessor = gasan_cpu_attribute(cudaDevAttrMaxBlocksPerMultiprocessor);
  properties->multiProcessorCount = gasan_cpu_attribute(cudaDevAttrMultiProcessorCount);
  for (int i = 0; i < 3; i++) {
    properties->maxThreadsDim[i] = gasan_cpu_attribute(cudaDevAttrMaxBlockDimX + i);
    properties->maxGridSize[i] = gasan_cpu_attribute(cudaDevAttrMaxGridDimX + i);
  }
  properties->totalConstMem = (size_t)gasan_cpu_attribute(cudaDevAttrTotalConstantMemory);
  properties->textureAlignment = (size_t)gasan_cpu_attribute(cudaDevAttrTextureAlignment);
  properties->texturePitchAlignment = (size_t)gasan_cpu_attribute(cudaDevAttrTexturePitchAlignment);
  properties->surfaceAlignment = (size_t)gasan_cpu_attribute(cudaDevAttrSurfaceAlignment);
#define GASAN_TEXTURE_LIMIT(name, member, value) properties->member = value;
#include "device/cpu/texture_limits.inc"
#undef GASAN_TEXTURE_LIMIT
  properties->memoryBusWidth = gasan_cpu_attribute(cudaDevAttrGlobalMemoryBusWidth);
  properties->l2CacheSize = gasan_cpu_attribute(cudaDevAttrL2CacheSize);
}

static void fill_abilities(struct cudaDeviceProp *properties) {
  properties->integrated = gasan_cpu_attribute(cudaDevAttrIntegrated);
  properties->canMapHostMemory = gasan_cpu_attribute(cudaDevAttrCanMapHostMemory);
  properties->unifiedAddressing = gasan_cpu_attribute(cudaDevAttrUnifiedAddressing);
  properties->globalL1CacheSupported = gasan_cpu_attribute(cudaDevAttrGlobalL1CacheSupported);
  properties->localL1CacheSupported = gasan_cpu_attribute(cudaDevAttrLocalL1CacheSupported);
  properties->managedMemory = gasan_cpu_attribute(cudaDevAttrManagedMemory);
  properties->hostNativeAtomicSupported = gasan_cpu_attribute(cudaDevAttrHostNativeAtomicSupported);
  properties->pageableMemoryAccess = gasan_cpu_attribute(cudaDevAttrPageableMemoryAccess);
  properties->pageableMemoryAccessUsesHostPageTables =
      gasan_cpu_attribute(cudaDevAttrPageableMemoryAccessUsesHostPageTables);
  properties->concurrentManagedAccess = gasan_cpu_attribute(cudaDevAttrConcurrentManagedAccess);
  properties->directManagedMemAccessFromHost = gasan_cpu_attribute(cudaDevAttrDirectManagedMemAccessFromHost);
  properties->canUseHostPointerForRegisteredMem = gasan_cpu_attribute(cudaDevAttrCanUseHostPointerForRegisteredMem);
  properties->cooperativeLaunch = gasan_cpu_attribute(cudaDevAttrCooperativeLaunch);
  properties->hostRegisterSupported = gasan_cpu_attribute(cudaDevAttrHostRegisterSupported);
  properties->memoryPoolsSupported = gasan_cpu_attribute(cudaDevAttrMemoryPoolsSupported);
  properties->deviceNumaId = gasan_cpu_attribute(cudaDevAttrNumaId);
  properties->hostNumaId = gasan_cpu_attribute(cudaDevAttrHostNumaId);
}

cudaError_t gasan_cpu_cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device) {
  if (!properties)
    return gasan_cpu_result(cudaErrorInvalidValue);
  if (check_device(device) != cudaSuccess)
    return cudaErrorInvalidDevice;
  memset(properties, 0, sizeof *properties);
  snprintf(properties->name, sizeof properties->name, "%s", GASAN_CPU_DEVICE_NAME);
  memcpy(properties->uuid.bytes, "gasan-cpu-device", sizeof properties->uuid.bytes);
  properties->totalGlobalMem = gasan_cpu_memory_total();
  properties->major = gasan_cpu_attribute(cudaDevAttrComputeCapabilityMajor);
  properties->minor = gasan_cpu_attribute(cudaDevAttrComputeCapabilityMinor);
  fill_limits(properties);
  fill_abilities(properties);
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaGetDeviceCount(int *count) {
  if (!count)
    return gasan_cpu_result(cudaErrorInvalidValue);
  *count = 1;
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaGetDevice(int *device) {
  if (!device)
    return gasan_cpu_result(cudaErrorInvalidValue);
  *device = 0;
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaSetDevice(int device) {
  return check_device(device);
}

cudaError_t gasan_cpu_cudaInitDevice(int device, unsigned device_flags, unsigned flags) {
  return check_device(device);
}

cudaError_t gasan_cpu_cudaChooseDevice(int *device, const struct cudaDeviceProp *properties) {
  return properties ? gasan_cpu_cudaGetDevice(device) : gasan_cpu_result(cudaErrorInvalidValue);
}

cudaError_t gasan_cpu_cudaSetValidDevices(int *devices, int count) {
  for (int i = 0; devices && i < count; i++)
    if (check_device(devices[i]) != cudaSuccess)
      return cudaErrorInvalidDevice;
  return cudaSuccess;
}

static _Atomic unsigned device_flags;

cudaError_t gasan_cpu_cudaSetDeviceFlags(unsigned flags) {
  if (flags & ~(unsigned)cudaDeviceMask)
    return gasan_cpu_result(cudaErrorInvalidValue);
  atomic_store(&device_flags, flags);
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaGetDeviceFlags(unsigned *flags) {
  if (!flags)
    return gasan_cpu_result(cudaErrorInvalidValue);
  *flags = atomic_load(&device_flags) | cudaDeviceMapHost;
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaDeviceReset(void) {
  gasan_cpu_clear_errors();
  gasan_cpu_limits_reset();
  gasan_cpu_heap_reset();
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaDeviceSynchronize(void) {
  gasan_cpu_device_lock(); /* another thread's kernel may run */
  gasan_cpu_device_unlock();
  return gasan_cpu_synchronize();
}

cudaError_t gasan_cpu_cudaDriverGetVersion(int *version) {
  if (!version)
    return gasan_cpu_result(cudaErrorInvalidValue);
  *version = GASAN_CPU_CUDA_VERSION;
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaRuntimeGetVersion(int *version) {
  return gasan_cpu_cudaDriverGetVersion(version);
}

cudaError_t gasan_cpu_cudaMemGetInfo(size_t *free, size_t *total) {
  if (!free || !total)
    return gasan_cpu_result(cudaErrorInvalidValue);
  *free = gasan_cpu_memory_free();
  *total = gasan_cpu_memory_total();
  return gasan_cpu_check();
}

static _Atomic int cache_config, shared_config = cudaSharedMemBankSizeFourByte;

cudaError_t gasan_cpu_cudaDeviceSetCacheConfig(enum cudaFuncCache config) {
  atomic_store(&cache_config, (int)config);
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaDeviceGetCacheConfig(enum cudaFuncCache *config) {
  if (!config)
    return gasan_cpu_result(cudaErrorInvalidValue);
  *config = (enum cudaFuncCache)atomic_load(&cache_config);
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config) {
  atomic_store(&shared_config, (int)config);
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config) {
  if (!config)
    return gasan_cpu_result(cudaErrorInvalidValue);
  *config = (enum cudaSharedMemConfig)atomic_load(&shared_config);
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaCtxResetPersistingL2Cache(void) {
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaDeviceGetPCIBusId(char *id, int length, int device) {
  if (!id || length <= (int)strlen(PCI_BUS_ID))
    return gasan_cpu_result(cudaErrorInvalidValue);
  if (check_device(device) != cudaSuccess)
    return cudaErrorInvalidDevice;
  memcpy(id, PCI_BUS_ID, sizeof PCI_BUS_ID);
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaDeviceGetByPCIBusId(int *device, const char *id) {
  if (!device || !id)
    return gasan_cpu_result(cudaErrorInvalidValue);
  if (strcmp(id, PCI_BUS_ID) != 0)
    return gasan_cpu_result(cudaErrorInvalidDevice);
  *device = 0;
  return cudaSuccess;
}

/* There is one device and it is no peer of its own. */
cudaError_t gasan_cpu_cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  if (!can)
    return gasan_cpu_result(cudaErrorInvalidValue);
  if (check_device(device) != cudaSuccess || check_device(peer) != cudaSuccess)
    return cudaErrorInvalidDevice;
  *can = 0;
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return gasan_cpu_result(cudaErrorInvalidDevice);
}

cudaError_t gasan_cpu_cudaDeviceDisablePeerAccess(int peer) {
  return gasan_cpu_result(peer == 0 ? cudaErrorPeerAccessNotEnabled : cudaErrorInvalidDevice);
}

cudaError_t gasan_cpu_cudaProfilerStart(void) {
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaProfilerStop(void) {
  return cudaSuccess;
}

/* The driver API is not there; programs that look for a function of it are told so. */
cudaError_t gasan_cpu_cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                                       unsigned long long flags,
                                                       enum cudaDriverEntryPointQueryResult *result) {
  if (!symbol || !function)
    return gasan_cpu_result(cudaErrorInvalidValue);
  *function = NULL;
  if (!result)
    return gasan_cpu_result(cudaErrorSymbolNotFound);
  *result = cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                              enum cudaDriverEntryPointQueryResult *result) {
  return gasan_cpu_cudaGetDriverEntryPointByVersion(symbol, function, GASAN_CPU_CUDA_VERSION, flags, result);
}
