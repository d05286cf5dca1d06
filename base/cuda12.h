/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Structures of CUDA 12 that CUDA 13 changed. gasan is compiled with CUDA 13's headers, so these are the sizes and
 * offsets of CUDA 12.4 to 12.9, in bytes. All other structures of the runtime API have one layout in 12 and 13. */
#ifndef GASAN_BASE_CUDA12_H
#define GASAN_BASE_CUDA12_H

#include <stddef.h>
#include <string.h>

/* CUDA 13 appended members to these. */
#define GASAN_CUDA12_POINTER_ATTRIBUTES_SIZE 24
#define GASAN_CUDA12_RESOURCE_SIZE 64
#define GASAN_CUDA12_RESOURCE_VIEW_SIZE 48
#define GASAN_CUDA12_EXTERNAL_MEMORY_SIZE 40
#define GASAN_CUDA12_EXTERNAL_BUFFER_SIZE 24
#define GASAN_CUDA12_EXTERNAL_ARRAY_SIZE 64
#define GASAN_CUDA12_EXTERNAL_SEMAPHORE_SIZE 32

/* cudaDeviceProp. CUDA 13 removed eight members, which are device attributes. */
#define GASAN_CUDA12_PROPERTIES_SIZE 1032
/* cudaDeviceProp of CUDA 11, a prefix of CUDA 12's. In CUDA 12, cudaGetDeviceProperties without _v2 fills it. */
#define GASAN_CUDA11_PROPERTIES_SIZE 712

/* Members that lie together in both versions of cudaDeviceProp. */
static const struct gasan_cuda12_run {
  unsigned short at12, at13, size;
} gasan_cuda12_runs[] = {
    {0, 0, 348},     {352, 352, 32}, {388, 384, 4},  {396, 388, 8},  {408, 396, 8},
    {420, 404, 188}, {612, 592, 28}, {640, 624, 28}, {672, 652, 20}, {696, 672, 84},
};

/* A removed member: its offset in CUDA 12, and the number of its cudaDeviceAttr. */
static const struct gasan_cuda12_removed {
  unsigned short at12, attribute;
} gasan_cuda12_removed[] = {
    {348, 13}, /* clockRate */
    {384, 15}, /* deviceOverlap */
    {392, 17}, /* kernelExecTimeoutEnabled */
    {404, 20}, /* computeMode */
    {416, 69}, /* maxTexture1DLinear */
    {608, 36}, /* memoryClockRate */
    {668, 87}, /* singleToDoublePrecisionPerfRatio */
    {692, 96}, /* cooperativeMultiDeviceLaunch */
};

/* Copies the members that both versions have; clears those that only CUDA 12 has. */
static inline void gasan_cuda12_properties_from_13(void *to12, const void *from13) {
  memset(to12, 0, GASAN_CUDA12_PROPERTIES_SIZE);
  for (size_t i = 0; i < sizeof gasan_cuda12_runs / sizeof *gasan_cuda12_runs; i++)
    memcpy((char *)to12 + gasan_cuda12_runs[i].at12, (const char *)from13 + gasan_cuda12_runs[i].at13,
           gasan_cuda12_runs[i].size);
}

/* Copies the members that both versions have; clears those that only CUDA 13 has. */
static inline void gasan_cuda12_properties_to_13(void *to13, size_t size13, const void *from12) {
  memset(to13, 0, size13);
  for (size_t i = 0; i < sizeof gasan_cuda12_runs / sizeof *gasan_cuda12_runs; i++)
    memcpy((char *)to13 + gasan_cuda12_runs[i].at13, (const char *)from12 + gasan_cuda12_runs[i].at12,
           gasan_cuda12_runs[i].size);
}

#endif
