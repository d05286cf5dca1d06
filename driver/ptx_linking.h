/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decides from a PTX file's text whether ptxas may assemble it as an object that nvlink links
 * (driver/cubin.h). */
#ifndef GASAN_DRIVER_PTX_LINKING_H
#define GASAN_DRIVER_PTX_LINKING_H

#include <stdbool.h>

/* Returns true if assembling and linking the file gives the same program as assembling it as a whole, and not a slower
 * one. */
bool gasan_ptx_linking_suits(const char *assembly);

#endif
