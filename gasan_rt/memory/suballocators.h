/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Heaps and regions of sub-allocators, for the calls of include/gasan/gasan.h and of NVTX's memory API.
 *
 * Kernels that were launched before a region was unregistered may still use it, in any stream. So the region lingers in
 * the pool (gasan_pool_end_region) until a mark of the device shows that the work given before is complete. A launch
 * waits a short time for these marks, as for pending frees. A region that was registered or unregistered while a stream
 * captured may belong to a graph, and lingers as long as its heap exists.
 *
 * Any thread. One lock (`lock`), under which only the device's functions are called. `api` is the name of the program's
 * call, a string that is never freed. A call with an error prints a message and changes nothing. */
#ifndef GASAN_RT_SUBALLOCATORS_H
#define GASAN_RT_SUBALLOCATORS_H

#include <stdbool.h>
#include <stddef.h>

#include "pool/pool.h"

enum gasan_region_result gasan_suballocators_add_heap(const char *api, const void *base, size_t size);
enum gasan_region_result gasan_suballocators_remove_heap(const char *api, const void *base);
enum gasan_region_result gasan_suballocators_reset_heap(const char *api, const void *base);
enum gasan_region_result gasan_suballocators_add(const char *api, const void *base, size_t size);
enum gasan_region_result gasan_suballocators_resize(const char *api, const void *base, size_t size);
enum gasan_region_result gasan_suballocators_end(const char *api, const void *base);
/* Finds the live region that contains the address. Prints nothing. */
enum gasan_region_result gasan_suballocators_find(const void *address, struct gasan_chunk *region);

/* Ends the lingering of regions whose work is complete. Never waits. Does nothing while a stream captures. Costs one
 * load if no region lingers. */
void gasan_suballocators_poll(void);
/* Must be called before a launch. Waits up to report_wait_ms for the work before the frees of regions, once for each.
 * If an earlier wait was in vain and its work still runs, does not wait. */
void gasan_suballocators_settle(void);

#endif
