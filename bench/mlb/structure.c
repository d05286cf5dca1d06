/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bench/mlb/structure.h"

#define ENTRY_BYTES 16u
#define NODE_BYTES 32u

static uint64_t stride(enum mlb_structure structure) {
  return structure == MLB_TABLE ? ENTRY_BYTES : NODE_BYTES;
}

uint64_t mlb_structure_size(enum mlb_structure structure, uint64_t allocations) {
  return allocations * stride(structure);
}

uint64_t mlb_structure_location(enum mlb_structure structure, uint64_t allocation) {
  return MLB_METADATA_BASE + allocation * stride(structure);
}

uint64_t mlb_structure_search(enum mlb_structure structure, uint64_t allocations, uint64_t allocation, uint64_t most,
                              void (*visit)(uint64_t address, void *context), void *context) {
  uint64_t loads = 0;
  if (structure == MLB_TABLE) {
    visit(mlb_structure_location(structure, allocation), context);
    return 1;
  }
  if (structure == MLB_LIST) {
    for (; loads <= allocation && loads < most; loads++)
      visit(mlb_structure_location(structure, loads), context);
    return allocation + 1;
  }
  for (uint64_t low = 0, high = allocations; low < high;) {
    const uint64_t middle = low + (high - low) / 2;
    visit(mlb_structure_location(structure, middle), context);
    loads++;
    if (middle == allocation)
      break;
    if (middle < allocation)
      low = middle + 1;
    else
      high = middle;
  }
  return loads;
}
