/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bench/mlb/mlb_buffer.h"

#include <string.h>

static void move_to_front(struct mlb_buffer *buffer, uint32_t from, uint64_t allocation) {
  memmove(buffer->allocations + 1, buffer->allocations, from * sizeof *buffer->allocations);
  buffer->allocations[0] = allocation;
}

bool mlb_buffer_find(struct mlb_buffer *buffer, uint64_t allocation) {
  for (uint32_t i = 0; i < buffer->used; i++)
    if (buffer->allocations[i] == allocation) {
      if (!buffer->random)
        move_to_front(buffer, i, allocation);
      return true;
    }
  return false;
}

void mlb_buffer_put(struct mlb_buffer *buffer, uint64_t allocation) {
  if (!buffer->entries)
    return;
  if (buffer->random && buffer->used == buffer->entries) {
    buffer->state = buffer->state * 6364136223846793005u + 1442695040888963407u;
    buffer->allocations[(buffer->state >> 33) % buffer->entries] = allocation;
    return;
  }
  if (buffer->used < buffer->entries)
    buffer->used++;
  move_to_front(buffer, buffer->used - 1, allocation);
}
