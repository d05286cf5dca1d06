/* Kernels whose checks take so many registers that a block which the plain program may launch finds no room for them.
 *
 * A multiprocessor has 65,536 registers. For a kernel with __launch_bounds__ ptxas keeps to what a block of that size
 * leaves each thread, and for all others it takes what it wants: a kernel with 60 registers can be launched with 1,024
 * threads, and with 80 for its checks CUDA refuses that. So such a kernel is assembled twice: under its own name with
 * as few registers as the largest block needs, and with all that it wants as a variant, GASAN_WIDE_PREFIX and its name,
 * which the runtime launches wherever it fits. */
#ifndef GASAN_DRIVER_REGISTERS_H
#define GASAN_DRIVER_REGISTERS_H

#include <stdbool.h>

/* `assembly` is PTX, and `binary` what ptxas has made of it. True: some kernel takes too many registers, and `fitted`
 * is PTX in which it does not. `variants`: with the variants; without, such kernels only get slower. */
bool gasan_registers_fit(const char *assembly, const char *binary, const char *fitted, bool variants);

#endif
