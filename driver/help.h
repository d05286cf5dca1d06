/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints the driver's help and version. */
#ifndef GASAN_DRIVER_HELP_H
#define GASAN_DRIVER_HELP_H

void gasan_help_print(void);
void gasan_help_print_version(void);

#endif
