/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* libcudart.so.12 behind CUDA 13's parameters. This program stands for the library. */
#define cudaMemcpyBatchAsync cudaMemcpyBatchAsync_of_13 /* the library has another prototype */
#include <cuda_runtime_api.h>
#undef cudaMemcpyBatchAsync
#include <dlfcn.h>
#include <greatest.h>
#include <stdint.h>
#include <string.h>

#include "base/cuda12.h"
#include "base/export.h"
#include "device/cuda/runtime12.h"

static struct {
  int advised;
  size_t count;
  cudaStream_t stream;
} seen;

GASAN_EXPORT cudaError_t cudaMemAdvise_v2(const void *at, size_t size, enum cudaMemoryAdvise advice,
                                          struct cudaMemLocation where);
cudaError_t cudaMemAdvise_v2(const void *at, size_t size, enum cudaMemoryAdvise advice, struct cudaMemLocation where) {
  seen.advised = where.id;
  return cudaSuccess;
}

GASAN_EXPORT cudaError_t cudaGetDeviceProperties_v2(unsigned char *properties, int device);
cudaError_t cudaGetDeviceProperties_v2(unsigned char *properties, int device) {
  const int bus_width = 384;
  const size_t shared = 232448;
  memset(properties, 0x55, GASAN_CUDA12_PROPERTIES_SIZE);
  strcpy((char *)properties, "a GPU");
  memcpy(properties + 612, &bus_width, sizeof bus_width);
  memcpy(properties + 696, &shared, sizeof shared);
  return device ? cudaErrorInvalidDevice : cudaSuccess;
}

GASAN_EXPORT cudaError_t cudaMemcpyBatchAsync(void **to, void **from, size_t *sizes, size_t count,
                                              struct cudaMemcpyAttributes *attributes, size_t *indices,
                                              size_t attribute_count, size_t *failed, cudaStream_t stream);
cudaError_t cudaMemcpyBatchAsync(void **to, void **from, size_t *sizes, size_t count,
                                 struct cudaMemcpyAttributes *attributes, size_t *indices, size_t attribute_count,
                                 size_t *failed, cudaStream_t stream) {
  *failed = 0;
  seen.count = count;
  seen.stream = stream;
  return cudaSuccess;
}

GASAN_EXPORT cudaError_t cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                                                 enum cudaDriverEntryPointQueryResult *found);
cudaError_t cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *found) {
  *function = &seen;
  return cudaSuccess;
}

GASAN_EXPORT cudaError_t cudaFree(void *pointer);
cudaError_t cudaFree(void *pointer) {
  return pointer ? cudaErrorInvalidValue : cudaSuccess;
}

#define FUNCTION(name) __typeof__(&name) name##_found = (__typeof__(&name))gasan_cuda_runtime12_symbol(#name)

TEST renamed_functions(void) {
  FUNCTION(cudaMemAdvise);
  ASSERT(cudaMemAdvise_found);
  ASSERT_EQ(cudaSuccess, cudaMemAdvise_found(NULL, 1, cudaMemAdviseSetReadMostly, (struct cudaMemLocation){.id = 7}));
  ASSERT_EQ(7, seen.advised);
  FUNCTION(cudaFree);
  ASSERT_EQ((void *)cudaFree, (void *)cudaFree_found);
  ASSERT_EQ(NULL, gasan_cuda_runtime12_symbol("cudaGraphGetEdges")); /* the library lacks cudaGraphGetEdges_v2 */
  ASSERT_EQ(NULL, gasan_cuda_runtime12_symbol("cudaMemDiscardBatchAsync"));
  PASS();
}

TEST properties_are_moved(void) {
  struct cudaDeviceProp properties;
  FUNCTION(cudaGetDeviceProperties);
  ASSERT_EQ(cudaSuccess, cudaGetDeviceProperties_found(&properties, 0));
  ASSERT_STR_EQ("a GPU", properties.name);
  ASSERT_EQ(384, properties.memoryBusWidth);
  ASSERT_EQ(232448, properties.sharedMemPerBlockOptin);
  ASSERT_EQ(0x55555555, properties.unifiedFunctionPointers);
  ASSERT_EQ(0, properties.hostNumaId); /* CUDA 12 does not know it */
  ASSERT_EQ(cudaErrorInvalidDevice, cudaGetDeviceProperties_found(&properties, 1));
  PASS();
}

TEST properties_come_back(void) {
  unsigned char before[GASAN_CUDA12_PROPERTIES_SIZE], after[GASAN_CUDA12_PROPERTIES_SIZE];
  struct cudaDeviceProp properties;
  for (size_t i = 0; i < sizeof before; i++)
    before[i] = (unsigned char)(i * 7);
  gasan_cuda12_properties_to_13(&properties, sizeof properties, before);
  gasan_cuda12_properties_from_13(after, &properties);
  for (size_t i = 0; i < sizeof gasan_cuda12_removed / sizeof *gasan_cuda12_removed; i++)
    memset(before + gasan_cuda12_removed[i].at12, 0, sizeof(int));
  ASSERT_MEM_EQ(before, after, 780); /* behind this come reserved members */
  PASS();
}

TEST batches_have_no_index(void) {
  cudaStream_t stream = (cudaStream_t)(uintptr_t)16;
  __typeof__(&cudaMemcpyBatchAsync_of_13) found = gasan_cuda_runtime12_symbol("cudaMemcpyBatchAsync");
  ASSERT_EQ(cudaSuccess, found(NULL, NULL, NULL, 3, NULL, NULL, 0, stream));
  ASSERT_EQ(3, seen.count);
  ASSERT_EQ(stream, seen.stream);
  PASS();
}

TEST entry_points_without_versions(void) {
  void *function = NULL;
  enum cudaDriverEntryPointQueryResult result;
  FUNCTION(cudaGetDriverEntryPointByVersion);
  ASSERT_EQ(cudaSuccess, cudaGetDriverEntryPointByVersion_found("cuInit", &function, 12040, 0, &result));
  ASSERT_EQ(&seen, function);
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  gasan_cuda_runtime12_use(dlopen(NULL, RTLD_NOW));
  RUN_TEST(renamed_functions);
  RUN_TEST(properties_are_moved);
  RUN_TEST(properties_come_back);
  RUN_TEST(batches_have_no_index);
  RUN_TEST(entry_points_without_versions);
  GREATEST_MAIN_END();
}
