/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The calls of the host compiler's code: registration of device code at start-up, and the configuration of <<<>>>. */
#include <stdlib.h>

#include "device/cpu/api.h"

void **gasan_cpu___cudaRegisterFatBinary(void *wrapper) {
  return (void **)gasan_cpu_module_add(wrapper);
}

void gasan_cpu___cudaRegisterFatBinaryEnd(void **handle) {}

void gasan_cpu___cudaUnregisterFatBinary(void **handle) {
  if (handle)
    gasan_cpu_module_remove((struct gasan_cpu_module *)handle);
}

char gasan_cpu___cudaInitModule(void **handle) {
  return 1;
}

void gasan_cpu___cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                                      uint3 *thread_id, uint3 *block_id, dim3 *block_dim, dim3 *grid_dim,
                                      int *warp_size) {
  if (handle)
    gasan_cpu_module_add_function((struct gasan_cpu_module *)handle, host, name);
}

void gasan_cpu___cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t size,
                                 int constant, int global) {
  if (handle)
    gasan_cpu_module_add_variable((struct gasan_cpu_module *)handle, host, name);
}

/* Points the host's pointer to the device variable, because host and device share their memory. */
void gasan_cpu___cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int external,
                                        size_t size, int constant, int global) {
  if (!handle)
    return;
  gasan_cpu_module_add_variable((struct gasan_cpu_module *)handle, host, name);
  const struct gasan_cpu_variable *variable = gasan_cpu_module_variable((struct gasan_cpu_module *)handle, name);
  if (variable)
    *host = variable->address;
}

/* A stack of configurations, because a kernel's arguments may contain launches. Only the outermost one is thread-local
 * data, because a library that is loaded late gets only a few hundred bytes of it; inner ones are on the heap. */
enum { MOST_CONFIGURATIONS = 32 };
struct configuration {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
  unsigned depth; /* from 1 */
  struct configuration *outer;
};
static __thread struct configuration outermost, *configurations;

unsigned gasan_cpu___cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream) {
  const unsigned depth = configurations ? configurations->depth + 1 : 1;
  if (depth > MOST_CONFIGURATIONS)
    return gasan_cpu_result(cudaErrorLaunchMaxDepthExceeded);
  struct configuration *pushed = configurations ? malloc(sizeof *pushed) : &outermost;
  if (!pushed)
    return gasan_cpu_result(cudaErrorMemoryAllocation);
  *pushed = (struct configuration){grid, block, shared, stream, depth, configurations};
  configurations = pushed;
  return cudaSuccess;
}

cudaError_t gasan_cpu___cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
  struct configuration *popped = configurations;
  if (!popped)
    return gasan_cpu_result(cudaErrorMissingConfiguration);
  *grid = popped->grid;
  *block = popped->block;
  *shared = popped->shared;
  *(cudaStream_t *)stream = popped->stream;
  configurations = popped->outer;
  if (popped != &outermost)
    free(popped);
  return cudaSuccess;
}
