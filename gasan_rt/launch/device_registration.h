/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Declares the registration functions of the device's own libcudart, which no public header declares. Any thread. The
 * caller calls them in order for each module. */
#ifndef GASAN_RT_DEVICE_REGISTRATION_H
#define GASAN_RT_DEVICE_REGISTRATION_H

#include <stddef.h>

#include "device/device.h"

enum gasan_symbol_kind { GASAN_SYMBOL_FUNCTION, GASAN_SYMBOL_VARIABLE, GASAN_SYMBOL_MANAGED, GASAN_SYMBOL_HOST };

/* The parameters of __cudaRegisterFunction, -Var, -ManagedVar or -HostVar. The strings and variables belong to the
 * program. */
struct gasan_symbol {
  enum gasan_symbol_kind kind;
  void *host;
  char *device;
  const char *name;
  int thread_limit, external, constant, global;
  size_t size;
};

/* Registers a fat binary and returns the device's handle for it. */
void **gasan_device_register_module(const struct gasan_device_kind *kind, void *wrapper);
void gasan_device_register_symbol(const struct gasan_device_kind *kind, void **module,
                                  const struct gasan_symbol *symbol);
/* Tells the device that the module has no more symbols. */
void gasan_device_end_module(const struct gasan_device_kind *kind, void **module);
void gasan_device_unregister_module(const struct gasan_device_kind *kind, void **module);

/* Calls __cudaInitModule. Starts the runtime. */
char gasan_device_init_module(void **module);

#endif
