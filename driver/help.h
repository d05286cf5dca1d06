/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the driver says about itself. */
#ifndef GASAN_DRIVER_HELP_H
#define GASAN_DRIVER_HELP_H

void gasan_help_print(void);
void gasan_help_print_version(void);

#endif
