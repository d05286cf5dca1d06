/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the bounds of loaded pointers to local variables whose address was stored to memory (cucatch 4.3).
 *
 * These variables are not in their function's frame. They are in an arena in the kernel's frame, each in a block with a
 * header. The block of a function that has returned is reused as late as possible, so that a dangling pointer does not
 * lead to the next function's variables. Each thread has its own arena. */
#include "gasan_rt/kernel/device_code.h"
#include "gasan_rt/kernel/local_bounds.h"

/* The alignment of blocks, and so of variables. */
#define GASAN_FRAME_ALIGNMENT 16u

enum gasan_frame_state { GASAN_FRAME_DEAD, GASAN_FRAME_ALIVE, GASAN_FRAME_OUT_OF_SCOPE };

/* The header before each variable. */
struct __attribute__((aligned(16))) gasan_frame_block {
  uint32_t length; /* bytes, with this header */
  uint32_t state;  /* enum gasan_frame_state */
  uint32_t object; /* number of the variable */
  uint32_t size;   /* bytes of the variable */
};

struct __attribute__((aligned(16))) gasan_frame_arena {
  uint32_t used, size; /* bytes after this header */
};

/* Returns the place where the arena's address is stored. One shared word serves all threads of a block: they run the
 * same kernel, and local memory has the same addresses in all of them. This does not hold on the CPU device, so there
 * each thread has a word of its own. The function is weak, so that it stays a call. */
extern "C" __attribute__((weak)) GASAN_NOINLINE uint64_t *__gasan_frames_slot(void) {
  static __attribute__((shared)) uint64_t slot;
  return &slot;
}

GASAN_INLINE struct gasan_frame_arena *gasan_arena(void) {
  return (struct gasan_frame_arena *)*(volatile uint64_t *)__gasan_frames_slot();
}

GASAN_INLINE struct gasan_frame_block *gasan_block_at(struct gasan_frame_arena *arena, uint32_t offset) {
  return (struct gasan_frame_block *)((char *)(arena + 1) + offset);
}

/* Splits the run of dead blocks [begin, end): its first `length` bytes become one block, the rest another. */
GASAN_INLINE void gasan_split(struct gasan_frame_arena *arena, uint32_t begin, uint32_t end, uint32_t length) {
  gasan_block_at(arena, begin)->length = length;
  if (begin + length == end)
    return;
  struct gasan_frame_block *rest = gasan_block_at(arena, begin + length);
  rest->length = end - begin - length;
  rest->state = GASAN_FRAME_DEAD;
}

/* Returns room for a block: unused memory if there is enough, else the first sufficiently long run of dead blocks.
 * Returns null if there is none. */
GASAN_INLINE struct gasan_frame_block *gasan_find_room(struct gasan_frame_arena *arena, uint32_t length) {
  if (length <= arena->size - arena->used) {
    struct gasan_frame_block *block = gasan_block_at(arena, arena->used);
    block->length = length;
    arena->used += length;
    return block;
  }
  uint32_t begin = 0;
  for (uint32_t at = 0; at < arena->used;) {
    struct gasan_frame_block *block = gasan_block_at(arena, at);
    at += block->length;
    /* Code without checks has overwritten the header. */
    if (block->length == 0)
      return 0;
    if (block->state != GASAN_FRAME_DEAD) {
      begin = at;
    } else if (at - begin >= length) {
      gasan_split(arena, begin, at, length);
      return gasan_block_at(arena, begin);
    }
  }
  return 0;
}

extern "C" {

/* Must be called at the start of each kernel, with `size` bytes at `memory` in the kernel's frame, or with 0 and 0 if
 * no function that the kernel reaches needs an arena. */
GASAN_NOINLINE void __gasan_frames_begin(void *memory, uint32_t size) {
  struct gasan_frame_arena *arena = (struct gasan_frame_arena *)memory;
  if (arena) {
    arena->used = 0;
    arena->size = size - (uint32_t)sizeof *arena;
  }
  *(volatile uint64_t *)__gasan_frames_slot() = (uint64_t)arena;
}

/* Returns memory for a variable. If the arena is full, returns `own`, the variable in its function's frame; such a
 * variable has no bounds. A block is one byte longer than its variable, so that the pointer past the end does not point
 * to the next variable. */
GASAN_NOINLINE void *__gasan_frame_enter(void *own, uint32_t size, uint32_t object, uint32_t in_scope) {
  struct gasan_frame_arena *arena = gasan_arena();
  uint32_t length = (uint32_t)sizeof(struct gasan_frame_block) + size / GASAN_FRAME_ALIGNMENT * GASAN_FRAME_ALIGNMENT +
                    GASAN_FRAME_ALIGNMENT;
  struct gasan_frame_block *block = arena ? gasan_find_room(arena, length) : 0;
  if (!block)
    return own;
  block->object = object;
  block->size = size;
  block->state = in_scope ? GASAN_FRAME_ALIVE : GASAN_FRAME_OUT_OF_SCOPE;
  return block + 1;
}

GASAN_NOINLINE void __gasan_frame_scope(void *variable, void *own, uint32_t in_scope) {
  if (variable != own)
    ((struct gasan_frame_block *)variable - 1)->state = in_scope ? GASAN_FRAME_ALIVE : GASAN_FRAME_OUT_OF_SCOPE;
}

GASAN_NOINLINE void __gasan_frame_leave(void *variable, void *own) {
  if (variable != own)
    ((struct gasan_frame_block *)variable - 1)->state = GASAN_FRAME_DEAD;
}

GASAN_NOINLINE struct gasan_bounds __gasan_bounds_local(uint64_t pointer) {
  struct gasan_frame_arena *arena = gasan_arena();
  uint64_t offset = pointer - (uint64_t)(arena + 1);
  if (!arena || offset >= arena->used)
    return gasan_not_checked();
  for (uint32_t at = 0;;) {
    struct gasan_frame_block *block = gasan_block_at(arena, at);
    at += block->length;
    if (block->length == 0)
      return gasan_not_checked();
    if (offset >= at)
      continue;
    if (block->state == GASAN_FRAME_DEAD)
      return gasan_bounds_make((uint64_t)(block + 1), 0, GASAN_OBJECT_DEAD_FRAME);
    return gasan_bounds_make((uint64_t)(block + 1), block->state == GASAN_FRAME_ALIVE ? block->size : 0, block->object);
  }
}
}
