/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Kernels whose checks take so many registers that a block which the plain program may launch has no room for them.
 *
 * A multiprocessor has 65,536 registers. For a kernel with __launch_bounds__ ptxas keeps to what a block of that size
 * leaves each thread. For all others it takes what it wants: a kernel with 60 registers can be launched with 1,024
 * threads, and with 80 for its checks CUDA refuses that. So such a kernel is assembled twice: under its own name with
 * as few registers as the largest block needs, and as a variant, GASAN_WIDE_PREFIX and its name, with all that it
 * wants. The runtime launches the variant wherever it fits.
 *
 * A kernel that waits for its whole grid can be launched only if all blocks have room at once. The plain program may
 * fill the multiprocessors, so such a kernel gets as few registers as all threads of a multiprocessor need. */
#ifndef GASAN_DRIVER_REGISTERS_H
#define GASAN_DRIVER_REGISTERS_H

#include <stdbool.h>

/* `assembly` is PTX, and `binary` what ptxas has made of it. True: some kernel takes too many registers, and `fitted`
 * is PTX in which it does not. `variants`: with the variants; without, such kernels only get slower. */
bool gasan_registers_fit(const char *assembly, const char *binary, const char *fitted, bool variants);

/* For a GPU that ptxas was not asked about, whose driver compiles the PTX: `limited` is PTX in which no kernel can take
 * too many. False: it would be the same, and is not there. */
bool gasan_registers_limit(const char *assembly, const char *limited);

#endif
