/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The loop of a block whose threads never wait for each other. */
#include "device/cpu/helpers/helper.h"

/* Runs the threads from the context's linear index on, so that the engine can continue after a thread that called exit.
 * Where this function is inlined, `thread` is a constant and is inlined, too. */
HELPER void gasan_run_block(void (*thread)(void **), void **arguments) {
  const uint32_t width = THREAD.ntid[0], height = THREAD.ntid[1], depth = THREAD.ntid[2];
  uint32_t linear = THREAD.linear;
  uint32_t x = linear % width, y = linear / width % height, z = linear / width / height;
  for (; z < depth; ++z, y = 0) {
    THREAD.tid[2] = z;
    for (; y < height; ++y, x = 0) {
      THREAD.tid[1] = y;
      for (; x < width; ++x, ++linear) {
        THREAD.tid[0] = x;
        THREAD.linear = linear;
        thread(arguments);
      }
    }
  }
}

/* CUDA's nan(const char *): the payload is implementation defined. */
HELPER double gasan_nan(const char *tag) {
  (void)tag;
  return __builtin_nan("");
}
