/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tells what an instruction of a GPU (SASS, 16 bytes, from sm_70 on) does to memory. Knows loads, stores and atomics of
 * global and generic addresses, as ptxas 13.0 encodes them for sm_75 to sm_121 and as an H100 ran them. Any thread. */
#ifndef GASAN_RT_INSTRUCTION_H
#define GASAN_RT_INSTRUCTION_H

#include <stdbool.h>
#include <stdint.h>

enum gasan_instruction_access { GASAN_INSTRUCTION_OTHER, GASAN_INSTRUCTION_READ, GASAN_INSTRUCTION_WRITE };

struct gasan_instruction {
  enum gasan_instruction_access access; /* WRITE for atomics, too */
  uint32_t size;                        /* in bytes; 0: not known (atomics) */
  /* For a load: the address is offset + the 64-bit value of the registers `address_register` and the next one, which
   * the load does not write. */
  bool has_address;
  uint32_t address_register;
  int32_t offset;
};

struct gasan_instruction gasan_instruction_decode(uint64_t low, uint64_t high);

#endif
