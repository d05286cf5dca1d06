/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* __managed__ variables (gasan_pass/instrument/Managed.h): the host's variable is the memory, and each module's pointer
 * to it is set before the module's first launch. Any thread. */
#ifndef GASAN_RT_MANAGED_H
#define GASAN_RT_MANAGED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gasan_module;
struct gasan_rt_device;

/* A variable was registered: if it is managed, gives the host's variable its initial value. */
void gasan_managed_add(const struct gasan_module *module, const void *wrapper, void *host, const char *name,
                       size_t size);

/* Sets the pointers in the module, one of whose kernels is registered under `host_function`. */
void gasan_managed_prepare(const struct gasan_module *module, const void *host_function, struct gasan_rt_device *state);

/* The module is unloaded, and its variables with it. */
void gasan_managed_remove(const struct gasan_module *module);

/* True if `symbol` is a managed variable; *size is then its size. */
bool gasan_managed_find(const void *symbol, size_t *size);

/* The device's address of the managed variable; 0: the device cannot have it. */
uint64_t gasan_managed_address(const void *symbol, struct gasan_rt_device *state);

#endif
