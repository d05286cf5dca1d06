/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/evidence/core_dump.h"

#include <elf.h>
#include <string.h>

#include "gasan_rt/evidence/loaded_image.h"

#define MACHINE_CUDA 190

/* Types of sections, from SHT_LOUSER on. The link of a table is the section of its parent table, and its info is the
 * number of the parent's entry there. */
enum section_type {
  REGISTERS = 5, /* uint32_t for each register; parent: a lane */
  LOADED_IMAGE = 7,
  SM_TABLE = 11,    /* info: the device's number */
  GRID_TABLE = 12,  /* info: the device's number */
  BLOCK_TABLE = 13, /* parent: an SM */
  WARP_TABLE = 14,  /* parent: a block */
  LANE_TABLE = 15,  /* parent: a warp */
};

/* Offsets of the fields that are read here, and the least size of an entry that has them all. */
enum sm_entry { SM_EXCEPTION = 8, SM_PC_VALID = 12, SM_PC = 16, SM_SIZE = 24 };
enum grid_entry { GRID_ID = 0, GRID_CODE = 24, GRID_SHAPE = 72, GRID_BLOCK_SHAPE = 84, GRID_SIZE = 96 };
enum block_entry { BLOCK_GRID = 0, BLOCK_INDEX = 8, BLOCK_SIZE = 20 };
enum warp_entry { WARP_PC = 0, WARP_PC_VALID = 24, WARP_SIZE = 28 };
enum lane_entry { LANE_PC = 0, LANE_THREAD = 20, LANE_EXCEPTION = 32, LANE_SIZE = 36 };

#define INSTRUCTION_SIZE 16u

/* A section of the dump; type 0: another one. */
static enum section_type section_at(const struct gasan_elf *dump, uint32_t index, struct gasan_elf_section *section) {
  if (!gasan_elf_section(dump, index, section) || section->type < SHT_LOUSER)
    return (enum section_type)0;
  return (enum section_type)(section->type - SHT_LOUSER);
}

static uint64_t entries_of(const struct gasan_elf_section *table, uint64_t least_size) {
  return table->entry_size < least_size ? 0 : table->bytes.size / table->entry_size;
}

static struct gasan_bytes entry_of(const struct gasan_elf_section *table, uint64_t index) {
  return gasan_bytes_part(table->bytes, index * table->entry_size, table->entry_size);
}

/* Returns the parent's entry of a table; empty if the dump does not have it. Sets *parent to the parent's table. */
static struct gasan_bytes parent_of(const struct gasan_elf *dump, const struct gasan_elf_section *table,
                                    enum section_type type, uint64_t least_size, struct gasan_elf_section *parent) {
  if (section_at(dump, table->link, parent) != type || table->info >= entries_of(parent, least_size))
    return (struct gasan_bytes){NULL, 0};
  return entry_of(parent, table->info);
}

static void read_triple(struct gasan_bytes entry, uint64_t offset, uint32_t values[3]) {
  for (uint32_t i = 0; i < 3; i++)
    values[i] = gasan_bytes_u32(entry, offset + 4 * i);
}

/* Finds the instruction that an SM or a warp stopped at. That of a warp counts more, because more is known of it. */
static bool find_pc(const struct gasan_elf *dump, uint64_t *pc) {
  bool found = false;
  for (uint32_t i = 0; i < dump->count; i++) {
    struct gasan_elf_section table;
    const enum section_type type = section_at(dump, i, &table);
    for (uint64_t k = 0; type == SM_TABLE && !found && k < entries_of(&table, SM_SIZE); k++) {
      struct gasan_bytes entry = entry_of(&table, k);
      found = gasan_bytes_u32(entry, SM_EXCEPTION) && gasan_bytes_u32(entry, SM_PC_VALID);
      *pc = found ? gasan_bytes_u64(entry, SM_PC) : 0;
    }
    for (uint64_t k = 0; type == WARP_TABLE && k < entries_of(&table, WARP_SIZE); k++) {
      struct gasan_bytes entry = entry_of(&table, k);
      if (!gasan_bytes_u32(entry, WARP_PC_VALID))
        continue;
      *pc = gasan_bytes_u64(entry, WARP_PC);
      return true;
    }
  }
  return found;
}

/* The first stopped warp in grid order. */
struct first_warp {
  uint32_t lanes; /* the section of its lanes; 0: none */
  uint64_t order[2];
  uint32_t device;
  uint64_t grid;
};

/* Returns the order of an index that has x first. */
static uint64_t order_of(const uint32_t index[3]) {
  return ((uint64_t)index[2] << 42) ^ ((uint64_t)index[1] << 21) ^ index[0];
}

/* Counts the stopped lanes of a table, and remembers the first one. */
static void count_lanes(const struct gasan_elf *dump, uint32_t index, const struct gasan_elf_section *lanes,
                        struct gasan_dump_fault *fault, struct first_warp *first) {
  struct gasan_elf_section warps, blocks, sms;
  struct gasan_bytes warp = parent_of(dump, lanes, WARP_TABLE, WARP_SIZE, &warps);
  if (!warp.size || !gasan_bytes_u32(warp, WARP_PC_VALID) || gasan_bytes_u64(warp, WARP_PC) != fault->pc)
    return;
  struct gasan_bytes block = parent_of(dump, &warps, BLOCK_TABLE, BLOCK_SIZE, &blocks);
  if (!block.size || section_at(dump, blocks.link, &sms) != SM_TABLE)
    return;
  uint32_t block_index[3], thread[3];
  read_triple(block, BLOCK_INDEX, block_index);
  for (uint64_t k = 0; k < entries_of(lanes, LANE_SIZE) && k < GASAN_DUMP_LANES; k++) {
    struct gasan_bytes lane = entry_of(lanes, k);
    if (!gasan_bytes_u32(lane, LANE_EXCEPTION))
      continue;
    read_triple(lane, LANE_THREAD, thread);
    const uint64_t order[2] = {order_of(block_index), order_of(thread)};
    if (!fault->threads++ || order[0] < first->order[0] ||
        (order[0] == first->order[0] && order[1] < first->order[1])) {
      *first = (struct first_warp){index, {order[0], order[1]}, sms.info, gasan_bytes_u64(block, BLOCK_GRID)};
      memcpy(fault->block, block_index, sizeof block_index);
      memcpy(fault->thread, thread, sizeof thread);
    }
  }
}

/* Finds the grid of the first warp. Returns the address of its kernel; 0: not known. */
static uint64_t find_grid(const struct gasan_elf *dump, const struct first_warp *first,
                          struct gasan_dump_fault *fault) {
  for (uint32_t i = 0; first->lanes && i < dump->count; i++) {
    struct gasan_elf_section table;
    if (section_at(dump, i, &table) != GRID_TABLE || table.info != first->device)
      continue;
    for (uint64_t k = 0; k < entries_of(&table, GRID_SIZE); k++) {
      struct gasan_bytes grid = entry_of(&table, k);
      if (gasan_bytes_u64(grid, GRID_ID) != first->grid)
        continue;
      fault->has_grid = true;
      read_triple(grid, GRID_SHAPE, fault->grid_size);
      read_triple(grid, GRID_BLOCK_SHAPE, fault->block_size);
      return gasan_bytes_u64(grid, GRID_CODE);
    }
  }
  return 0;
}

/* Finds the loaded image with code at the address. */
static struct gasan_bytes find_image(const struct gasan_elf *dump, uint64_t address, struct gasan_loaded_code *code) {
  for (uint32_t i = 0; i < dump->count; i++) {
    struct gasan_elf_section image;
    if (section_at(dump, i, &image) == LOADED_IMAGE && gasan_loaded_image_find(image.bytes, address, code))
      return image.bytes;
  }
  *code = (struct gasan_loaded_code){.function = NULL};
  return (struct gasan_bytes){NULL, 0};
}

static void describe_code(const struct gasan_elf *dump, uint64_t kernel, struct gasan_dump_fault *fault) {
  struct gasan_loaded_code code;
  struct gasan_bytes image = find_image(dump, fault->pc, &code);
  fault->function = code.function;
  fault->offset = code.offset;
  fault->kernel = code.kernel;
  if (code.instruction.size)
    fault->instruction =
        gasan_instruction_decode(gasan_bytes_u64(code.instruction, 0), gasan_bytes_u64(code.instruction, 8));
  if (image.size)
    fault->line_count = gasan_loaded_image_lines(image, fault->pc, fault->lines, GASAN_DUMP_LINES);
  if (kernel && find_image(dump, kernel, &code).size && code.function)
    fault->kernel = code.function;
}

/* Reads the address that each stopped lane of the first warp has loaded from. The load reads its registers when it is
 * issued. So the registers still have the address only while the lane has run no other instruction: it waits at the
 * next one. */
static void read_addresses(const struct gasan_elf *dump, const struct first_warp *first,
                           struct gasan_dump_fault *fault) {
  struct gasan_elf_section lanes;
  if (!first->lanes || !fault->instruction.has_address || !gasan_elf_section(dump, first->lanes, &lanes))
    return;
  for (uint32_t i = 0; i < dump->count && fault->address_count < GASAN_DUMP_LANES; i++) {
    struct gasan_elf_section registers;
    if (section_at(dump, i, &registers) != REGISTERS || registers.link != first->lanes ||
        registers.info >= entries_of(&lanes, LANE_SIZE))
      continue;
    struct gasan_bytes lane = entry_of(&lanes, registers.info);
    struct gasan_bytes value = gasan_bytes_part(registers.bytes, 4ull * fault->instruction.address_register, 8);
    if (!value.size || !gasan_bytes_u32(lane, LANE_EXCEPTION) ||
        gasan_bytes_u64(lane, LANE_PC) != fault->pc + INSTRUCTION_SIZE)
      continue;
    fault->addresses[fault->address_count] = gasan_bytes_u64(value, 0) + (uint64_t)(int64_t)fault->instruction.offset;
    read_triple(lane, LANE_THREAD, fault->address_threads[fault->address_count++]);
  }
}

bool gasan_core_dump_read(struct gasan_bytes file, struct gasan_dump_fault *fault) {
  struct gasan_elf dump;
  struct first_warp first = {0};
  *fault = (struct gasan_dump_fault){.pc = 0};
  if (!gasan_elf_open(&dump, file) || dump.machine != MACHINE_CUDA || dump.type != ET_CORE ||
      !find_pc(&dump, &fault->pc))
    return false;
  for (uint32_t i = 0; i < dump.count; i++) {
    struct gasan_elf_section table;
    if (section_at(&dump, i, &table) == LANE_TABLE)
      count_lanes(&dump, i, &table, fault, &first);
  }
  describe_code(&dump, find_grid(&dump, &first, fault), fault);
  read_addresses(&dump, &first, fault);
  return true;
}

bool gasan_core_dump_is_complete(struct gasan_bytes file) {
  struct gasan_elf dump;
  if (!gasan_elf_open(&dump, file) || !dump.count)
    return false;
  for (uint32_t i = 1; i < dump.count; i++) {
    struct gasan_elf_section section;
    if (!gasan_elf_section(&dump, i, &section) || (section.size && section.type != SHT_NOBITS && !section.bytes.size))
      return false;
  }
  return true;
}
