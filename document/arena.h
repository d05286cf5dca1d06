/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory that is freed as a whole. No locks: an arena belongs to one thread at a time. */
#ifndef GASAN_DOCUMENT_ARENA_H
#define GASAN_DOCUMENT_ARENA_H

#include <stddef.h>

struct gasan_arena {
  struct gasan_arena_block *blocks; /* NULL: empty */
};

/* Returns zeroed memory, aligned for each type. Never NULL: the process ends if there is no memory. */
void *gasan_arena_allocate(struct gasan_arena *arena, size_t size);
/* Return copies of a text, or of its first `length` bytes, with a null byte at the end. NULL stays NULL. */
const char *gasan_arena_copy(struct gasan_arena *arena, const char *text);
const char *gasan_arena_copy_part(struct gasan_arena *arena, const char *text, size_t length);
/* Frees all memory of the arena, which is then empty. */
void gasan_arena_free(struct gasan_arena *arena);

#endif
