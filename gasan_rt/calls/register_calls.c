/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls of the program's static constructors and destructors. No public header declares these functions of
 * libcudart. */
#include <stddef.h>

#include "gasan_rt/calls/calls.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/launch/faults.h"
#include "gasan_rt/launch/registry.h"

void **gasan_call_register_fat_binary(struct gasan_call *call, void *wrapper) {
  return (void **)gasan_registry_add(wrapper);
}

void gasan_call_register_fat_binary_end(struct gasan_call *call, void **handle) {
  gasan_registry_end((struct gasan_module *)handle);
}

void gasan_call_unregister_fat_binary(struct gasan_call *call, void **handle) {
  struct gasan_module *module = (struct gasan_module *)handle;
  if (gasan_rt_forked())
    return;
  gasan_faults_before_unload(module);
  gasan_registry_remove(module);
}

int gasan_call_register_function(struct gasan_call *call, void **handle, const char *host, char *device,
                                 const char *name, int thread_limit, void *tid, void *bid, void *block, void *grid,
                                 int *warp_size) {
  (void)tid, (void)bid, (void)block, (void)grid, (void)warp_size;
  gasan_registry_add_kernel((struct gasan_module *)handle, host, device, name, thread_limit);
  return 0;
}

void gasan_call_register_var(struct gasan_call *call, void **handle, char *host, char *device, const char *name,
                             int external, size_t size, int constant, int global) {
  gasan_registry_add_variable((struct gasan_module *)handle, host, device, name, external, size, constant, global);
}

/* A managed variable needs its memory before main, so this starts the runtime. After the name, nvcc passes (external,
 * size), where external is always 0; clang passes (size, alignment). */
void gasan_call_register_managed_var(struct gasan_call *call, void **handle, void **host, char *device,
                                     const char *name, size_t fifth, size_t sixth) {
  gasan_rt_kind();
  gasan_registry_add_managed((struct gasan_module *)handle, host, device, name, fifth ? fifth : sixth);
}

void gasan_call_register_host_var(struct gasan_call *call, void **handle, const char *name, void *host, size_t size) {
  gasan_registry_add_host((struct gasan_module *)handle, name, host, size);
}

char gasan_call_init_module(struct gasan_call *call, void **handle) {
  gasan_rt_kind();
  return gasan_registry_init((struct gasan_module *)handle);
}
