/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The output of kernels by printf. */
#ifndef GASAN_DEVICE_CPU_PRINT_H
#define GASAN_DEVICE_CPU_PRINT_H

/* Writes the text that kernels have printed so far to standard output. Any thread. */
void gasan_cpu_print_flush(void);

#endif
