/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Properties and attributes of the device, from one table (attributes.inc). */
#include <stdio.h>
#include <string.h>

#include "device/cpu/api.h"
#include "device/cpu/cpu.h"
#include "device/cpu/engine.h"
#include "device/cpu/memory.h"

int gasan_cpu_attribute(enum cudaDeviceAttr attribute) {
  switch ((int)attribute) {
#define GASAN_CPU_ATTRIBUTE(name, value)                                                                               \
  case cudaDevAttr##name:                                                                                              \
    return (int)(value);
#define GASAN_CPU_PROPERTY(name, field, value) GASAN_CPU_ATTRIBUTE(name, value)
#include "device/cpu/attributes.inc"
#undef GASAN_CPU_PROPERTY
#undef GASAN_CPU_ATTRIBUTE
  default:
    return 0;
  }
}

cudaError_t gasan_cpu_cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device) {
  if (!value || attribute < cudaDevAttrMaxThreadsPerBlock || attribute >= cudaDevAttrMax)
    return gasan_cpu_result(cudaErrorInvalidValue);
  if (device != 0)
    return gasan_cpu_result(cudaErrorInvalidDevice);
  *value = gasan_cpu_attribute(attribute);
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device) {
  if (!properties)
    return gasan_cpu_result(cudaErrorInvalidValue);
  if (device != 0)
    return gasan_cpu_result(cudaErrorInvalidDevice);
  memset(properties, 0, sizeof *properties);
  snprintf(properties->name, sizeof properties->name, "%s", GASAN_CPU_DEVICE_NAME);
  memcpy(properties->uuid.bytes, "gasan-cpu-device", sizeof properties->uuid.bytes);
  properties->totalGlobalMem = gasan_cpu_memory_total();
#define GASAN_CPU_ATTRIBUTE(name, value)
#define GASAN_CPU_PROPERTY(name, field, value) properties->field = value;
#include "device/cpu/attributes.inc"
#undef GASAN_CPU_PROPERTY
#undef GASAN_CPU_ATTRIBUTE
  return cudaSuccess;
}
