/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Limits the registers of kernels whose checks take so many that a block no longer fits, although the plain program may
 * launch it.
 *
 * A multiprocessor has 65,536 registers. For a kernel with __launch_bounds__, ptxas stays below the registers that a
 * block of that size leaves each thread. For all other kernels it uses as many as it wants. A kernel with 60 registers
 * can be launched with 1,024 threads; with 80, because of its checks, CUDA refuses the launch. So such a kernel is
 * assembled twice. Under its own name it has as few registers as the largest block needs. As a variant, named
 * GASAN_WIDE_PREFIX and its name, it has as many as ptxas wants. The runtime launches the variant wherever it fits. A
 * kernel with a bounded variant needs no wide one, because all of its launches are proven at least in part. A proven
 * variant that takes too many registers gets a fitted copy, GASAN_FITTED_PREFIX and its name, which runs where the
 * variant does not fit; not in large PTX.
 *
 * A proven variant without checks shows how many registers the plain kernel takes, and so the largest block that the
 * plain program can launch. The limit lets this block fit.
 *
 * A bounded variant gets so few registers that as many of its blocks run at once as of the proven variant, if those are
 * half as many again as without a limit, and the limit takes at most 16 registers.
 *
 * A kernel that waits for its whole grid can be launched only if all blocks fit at once. The plain program may fill
 * the multiprocessors. So such a kernel gets as few registers as all threads of a multiprocessor need. */
#ifndef GASAN_DRIVER_REGISTERS_H
#define GASAN_DRIVER_REGISTERS_H

#include <stdbool.h>

/* Reads the registers of the kernels in `binary`, which ptxas made from the PTX file `assembly`. If some kernel or
 * bounded variant takes too many, writes PTX in which none does to `fitted`, and returns true. `variants`: also writes
 * the wide and the fitted variants, and limits the bounded ones; without them, the limited kernels only become
 * slower. */
bool gasan_registers_fit(const char *assembly, const char *binary, const char *fitted, bool variants);

/* Writes PTX with as few registers for some kernels as the largest block needs to `limited`, so that ptxas need not run
 * twice: for kernels that have a bounded variant, and in large PTX, which would take long, for those that have a proven
 * variant or much code. The latter keep a wide variant. `guesses`: also for smaller kernels and proven variants with
 * calls, which probably take more registers. Returns false, and writes nothing, if there are none. */
bool gasan_registers_limit_first(const char *assembly, const char *limited, bool guesses);

/* Writes PTX in which no kernel can take too many registers to `limited`, for a later GPU, whose CUDA driver compiles
 * the PTX. Returns false, and writes nothing, if `assembly` is such PTX already. */
bool gasan_registers_limit(const char *assembly, const char *limited);

/* Returns how many blocks of 256 threads fit on a multiprocessor at once if only registers limit their number. */
unsigned gasan_registers_blocks(unsigned registers);

#endif
