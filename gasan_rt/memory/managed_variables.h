/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Implements __managed__ variables (gasan_pass/instrument/Managed.h). The host's variable is the memory. Each module
 * has a pointer to it, which is set before the module's first launch. Any thread. One lock (`lock`), under which the
 * device's functions are called. */
#ifndef GASAN_RT_MANAGED_VARIABLES_H
#define GASAN_RT_MANAGED_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gasan_module;
struct gasan_rt_device;

/* Must be called when a variable is registered. If the variable is managed, copies its initial value to the host's
 * variable. */
void gasan_managed_add(const struct gasan_module *module, const void *wrapper, void *host, const char *name,
                       size_t size);

/* Sets the module's pointers. host_function is the host function of one of the module's kernels. */
void gasan_managed_prepare(const struct gasan_module *module, const void *host_function, struct gasan_rt_device *state);

/* Forgets the variables of a module that is being unloaded. */
void gasan_managed_remove(const struct gasan_module *module);

/* Returns true if `symbol` is a managed variable; *size is then its size. */
bool gasan_managed_find(const void *symbol, size_t *size);

/* Returns the device's address of the managed variable, or 0 if the device cannot access it. */
uint64_t gasan_managed_address(const void *symbol, struct gasan_rt_device *state);

#endif
