/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* gasan-clang++: accepts the usual options of nvcc beside clang's own. */
#ifndef GASAN_DRIVER_NVCC_SPELLINGS_H
#define GASAN_DRIVER_NVCC_SPELLINGS_H

#include "driver/strings.h"

/* Returns the arguments with options of nvcc (--expt-relaxed-constexpr, -Xptxas, -gencode, ...) replaced by clang's.
 * Without -fsanitize=gpu-address, returns the arguments as they are: the command is clang's then. Ends the process with
 * a message for a wrong value. */
struct gasan_strings gasan_nvcc_spellings_translate(const struct gasan_strings *arguments);

#endif
