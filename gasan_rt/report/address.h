/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Describes a device address for the program. Any thread; takes the pool's lock, and the report lock to print. */
#ifndef GASAN_RT_REPORT_ADDRESS_H
#define GASAN_RT_REPORT_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

/* Prints the allocation or region that explains the address, with its stacks. Returns false if there is none. */
bool gasan_address_describe(const void *address);
/* Finds the live or freed memory that contains the address. Returns false if there is none. */
bool gasan_address_locate(const void *address, const void **base, size_t *size);
/* Copies the return addresses of the allocation, or of the free, of the memory that contains the address. Returns their
 * number; 0: it was not freed, or is not known. *thread (unless NULL): the number of the thread. */
size_t gasan_address_stack(const void *address, bool of_free, void **frames, size_t count, int *thread);

#endif
