/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Cubins in which a linker has joined code with checks and other code (LTO-IR, machine code without PTX): which of
 * their kernels have no checks. For the lines that count kernels. Any thread. One lock, under which nothing is called.
 */
#ifndef GASAN_RT_MIXED_CODE_H
#define GASAN_RT_MIXED_CODE_H

#include <stdbool.h>

/* Remembers the kernels that the cubin's site table does not have. `image`: code in any form, as the program loads it;
 * only a cubin with a site table counts. `api`: the driver's function, for the line that verbosity=1 prints. */
void gasan_mixed_code_note(const char *api, const void *image);

/* Returns true for the symbol of such a kernel. */
bool gasan_mixed_code_has(const char *symbol);

#endif
