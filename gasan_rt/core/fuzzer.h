/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Serves programs of libFuzzer (-fsanitize=fuzzer,gpu-address). Any thread. No locks. */
#ifndef GASAN_RT_FUZZER_H
#define GASAN_RT_FUZZER_H

#include <stdbool.h>

/* Returns true if the program defines a fuzz target. The program then runs the same input many times, and expects the
 * same result each time. */
bool gasan_fuzzer_has_target(void);

#endif
