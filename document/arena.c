/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "document/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

#define BLOCK_SIZE ((size_t)4 << 10)

struct gasan_arena_block {
  struct gasan_arena_block *next;
  size_t used, size;
  _Alignas(max_align_t) unsigned char bytes[];
};

static struct gasan_arena_block *add_block(struct gasan_arena *arena, size_t size) {
  const size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
  struct gasan_arena_block *block = room < SIZE_MAX / 2 ? calloc(1, sizeof *block + room) : NULL;
  GASAN_CHECK(block);
  block->size = room;
  block->next = arena->blocks;
  arena->blocks = block;
  return block;
}

void *gasan_arena_allocate(struct gasan_arena *arena, size_t size) {
  const size_t unit = _Alignof(max_align_t), rounded = (size + unit - 1) / unit * unit;
  struct gasan_arena_block *block = arena->blocks;
  if (!block || rounded > block->size - block->used)
    block = add_block(arena, rounded);
  void *memory = block->bytes + block->used;
  block->used += rounded;
  return memory;
}

const char *gasan_arena_copy_part(struct gasan_arena *arena, const char *text, size_t length) {
  char *copy = gasan_arena_allocate(arena, length + 1);
  memcpy(copy, text, length);
  return copy;
}

const char *gasan_arena_copy(struct gasan_arena *arena, const char *text) {
  return text ? gasan_arena_copy_part(arena, text, strlen(text)) : NULL;
}

void gasan_arena_free(struct gasan_arena *arena) {
  while (arena->blocks) {
    struct gasan_arena_block *next = arena->blocks->next;
    free(arena->blocks);
    arena->blocks = next;
  }
}
