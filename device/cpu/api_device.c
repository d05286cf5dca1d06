/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls about the device: count, choice, reset, flags, peers and versions. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "device/cpu/api.h"
#include "device/cpu/engine.h"
#include "device/cpu/limits.h"
#include "device/cpu/memory.h"

#define PCI_BUS_ID "0000:00:00.0"

static cudaError_t check_device(int device) {
  return device == 0 ? cudaSuccess : gasan_cpu_result(cudaErrorInvalidDevice);
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
  gasan_cpu_device_lock(); /* waits for kernels of other threads */
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

/* There is one device, which is not its own peer. */
cudaError_t gasan_cpu_cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  if (!can)
    return gasan_cpu_result(cudaErrorInvalidValue);
  if (check_device(device) != cudaSuccess || check_device(peer) != cudaSuccess)
    return cudaErrorInvalidDevice;
  *can = 0;
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int from, int to) {
  return gasan_cpu_result(value ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
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

/* The device has no driver API, so no function of it is found. */
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
