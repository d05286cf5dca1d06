/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The C++ library refers to arc4random, which glibc has since 2.36. The symbolizer runs with glibc 2.34, too. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

uint32_t arc4random(void);
uint32_t arc4random(void) {
  uint32_t number;
  if (getrandom(&number, sizeof number, 0) != sizeof number)
    abort();
  return number;
}
