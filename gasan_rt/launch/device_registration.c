/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/device_registration.h"

#include "gasan_rt/core/runtime.h"

typedef void **(*register_fat_binary)(void *wrapper);
typedef void (*on_handle)(void **handle);
typedef void (*register_function)(void **handle, const char *host, char *device, const char *name, int thread_limit,
                                  void *tid, void *bid, void *block, void *grid, int *warp_size);
typedef void (*register_variable)(void **handle, char *host, char *device, const char *name, int external, size_t size,
                                  int constant, int global);
typedef void (*register_managed)(void **handle, void **host, char *device, const char *name, int external, size_t size,
                                 int constant, int global);
typedef void (*register_host)(void **handle, const char *name, void *host, size_t size);
typedef char (*init_module)(void **handle);

void **gasan_device_register_module(const struct gasan_device_kind *kind, void *wrapper) {
  return ((register_fat_binary)kind->api("__cudaRegisterFatBinary"))(wrapper);
}

void gasan_device_register_symbol(const struct gasan_device_kind *kind, void **module, const struct gasan_symbol *s) {
  switch (s->kind) {
  case GASAN_SYMBOL_FUNCTION:
    ((register_function)kind->api("__cudaRegisterFunction"))(module, s->host, s->device, s->name, s->thread_limit, NULL,
                                                             NULL, NULL, NULL, NULL);
    break;
  case GASAN_SYMBOL_VARIABLE:
    ((register_variable)kind->api("__cudaRegisterVar"))(module, s->host, s->device, s->name, s->external, s->size,
                                                        s->constant, s->global);
    break;
  case GASAN_SYMBOL_MANAGED:
    ((register_managed)kind->api("__cudaRegisterManagedVar"))(module, s->host, s->device, s->name, s->external, s->size,
                                                              s->constant, s->global);
    break;
  case GASAN_SYMBOL_HOST:
    if (kind->api("__cudaRegisterHostVar"))
      ((register_host)kind->api("__cudaRegisterHostVar"))(module, s->name, s->host, s->size);
    break;
  }
}

void gasan_device_end_module(const struct gasan_device_kind *kind, void **module) {
  ((on_handle)kind->api("__cudaRegisterFatBinaryEnd"))(module);
}

void gasan_device_unregister_module(const struct gasan_device_kind *kind, void **module) {
  ((on_handle)kind->api("__cudaUnregisterFatBinary"))(module);
}

char gasan_device_init_module(void **module) {
  return ((init_module)gasan_forward_target("__cudaInitModule"))(module);
}
