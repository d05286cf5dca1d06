/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads gasan's part of the command line: -fsanitize=gpu-address in lists, and -fsanitize-gpu-address-...=. */
#ifndef GASAN_DRIVER_GPU_ADDRESS_H
#define GASAN_DRIVER_GPU_ADDRESS_H

#include "driver/arguments.h"

void gasan_gpu_address_set_defaults(struct gasan_driver_options *options);

/* Sets the values that the command line left open. Ends the process with a message if options contradict each other,
 * whatever their order. */
void gasan_gpu_address_resolve(struct gasan_driver_options *options);

/* Chooses the values for -fsanitize=fuzzer or fuzzer-no-link. Ends the process with a message if options exclude it. */
void gasan_gpu_address_choose_fuzzing(struct gasan_driver_options *options);

/* Warns of options that have no effect with the others. */
void gasan_gpu_address_warn(const struct gasan_driver_options *options);

/* Reads gasan's part of `argument`, and removes it from the argument. Returns false if nothing is left for clang.
 * Ends the process with a message if the value is wrong. */
bool gasan_gpu_address_take(struct gasan_arguments *arguments, struct gasan_argument *argument);

#endif
