/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/evidence/instruction.h"

/* Bits 0 to 8: the operation. Bits 9 to 11: the form of its operands. */
#define OPERATION(low) ((uint32_t)(low) & 0x1ff)
#define FORM(low) ((uint32_t)(low) >> 9 & 7)
#define FORM_REGISTERS 1u
#define FORM_DESCRIPTOR 4u /* since sm_80, with a descriptor in uniform registers */

enum operation {
  LD = 0x180,
  LDG = 0x181,
  ST = 0x185,
  STG = 0x186,
  ATOM = 0x18a,
  ATOM_CAS = 0x18b,
  RED = 0x18e,
  ATOM_FLOAT = 0x1a2,
  ATOMG_FLOAT = 0x1a3,
  REDG = 0x1a6,
  ATOMG = 0x1a8,
  ATOMG_CAS = 0x1a9,
};

/* Fields of loads and stores. */
#define RESULT(low) ((uint32_t)((low) >> 16) & 0xff)
#define ADDRESS(low) ((uint32_t)((low) >> 24) & 0xff)
#define OFFSET(low) ((uint32_t)((low) >> 40))
#define IS_WIDE(high) ((high) >> 8 & 1) /* the address is in two registers */
#define TYPE(high) ((uint32_t)((high) >> 9) & 7)
#define NO_REGISTER 0xffu

static uint32_t size_of_type(uint32_t type) {
  static const uint8_t sizes[8] = {1, 1, 2, 2, 4, 8, 16, 0};
  return sizes[type];
}

static struct gasan_instruction decode_load(uint64_t low, uint64_t high) {
  struct gasan_instruction load = {.access = GASAN_INSTRUCTION_READ, .size = size_of_type(TYPE(high))};
  const uint32_t words = load.size > 4 ? load.size / 4 : 1, to = RESULT(low), from = ADDRESS(low);
  const bool overlaps = to != NO_REGISTER && to < from + 2 && from < to + words;
  load.has_address = load.size && IS_WIDE(high) && from < NO_REGISTER - 1 && !overlaps;
  load.address_register = from;
  load.offset = (int32_t)(OFFSET(low) << 8) / 256; /* 24 bits with a sign */
  return load;
}

struct gasan_instruction gasan_instruction_decode(uint64_t low, uint64_t high) {
  const uint32_t form = FORM(low);
  if (form == FORM_REGISTERS || form == FORM_DESCRIPTOR)
    switch (OPERATION(low)) {
    case LD:
    case LDG:
      return decode_load(low, high);
    case ST:
    case STG:
      return (struct gasan_instruction){.access = GASAN_INSTRUCTION_WRITE, .size = size_of_type(TYPE(high))};
    case ATOM:
    case ATOM_CAS:
    case RED:
    case ATOM_FLOAT:
    case ATOMG_FLOAT:
    case REDG:
    case ATOMG:
    case ATOMG_CAS:
      return (struct gasan_instruction){.access = GASAN_INSTRUCTION_WRITE};
    }
  return (struct gasan_instruction){.access = GASAN_INSTRUCTION_OTHER};
}
