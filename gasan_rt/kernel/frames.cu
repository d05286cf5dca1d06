/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Local variables whose address gets into memory (cucatch 4.3): what a pointer that comes back from there points to.
 *
 * They do not lie in their functions' frames but in an arena in the frame of the kernel, block after block, each with a
 * head that says what it is. A block whose function has returned is reused as late as possible, so that a pointer to it
 * is told apart from one to whatever its function's frame would be reused for. Every thread has an arena of its own. */
#include "gasan_rt/kernel/device_code.h"
#include "gasan_rt/kernel/frames.h"

#define GASAN_FRAME_ALIGNMENT 16u /* of blocks, and so of variables */

enum gasan_frame_state { GASAN_FRAME_DEAD, GASAN_FRAME_ALIVE, GASAN_FRAME_OUT_OF_SCOPE };

/* In front of each variable. */
struct __attribute__((aligned(16))) gasan_frame_block {
  uint32_t length; /* bytes, this head included */
  uint32_t state;  /* enum gasan_frame_state */
  uint32_t object; /* number of the variable */
  uint32_t size;   /* bytes of the variable */
};

struct __attribute__((aligned(16))) gasan_frame_arena {
  uint32_t used, size; /* bytes behind this head */
};

/* Where the running thread keeps the address of its arena. Local memory lies at the same addresses in all threads of a
 * block, and they all run the same kernel: one word serves them all. The CPU device, where that is not so, has a word
 * for each thread. */
extern "C" __attribute__((weak)) GASAN_NOINLINE uint64_t *__gasan_frames_slot(void) { /* weak: stays a call */
  static __attribute__((shared)) uint64_t slot;
  return &slot;
}

GASAN_INLINE struct gasan_frame_arena *gasan_arena(void) {
  return (struct gasan_frame_arena *)*(volatile uint64_t *)__gasan_frames_slot();
}

GASAN_INLINE struct gasan_frame_block *gasan_block_at(struct gasan_frame_arena *arena, uint32_t offset) {
  return (struct gasan_frame_block *)((char *)(arena + 1) + offset);
}

/* Makes a dead block of the first `length` bytes of the run of dead blocks that begins and ends there. */
GASAN_INLINE void gasan_split(struct gasan_frame_arena *arena, uint32_t begin, uint32_t end, uint32_t length) {
  gasan_block_at(arena, begin)->length = length;
  if (begin + length == end)
    return;
  struct gasan_frame_block *rest = gasan_block_at(arena, begin + length);
  rest->length = end - begin - length;
  rest->state = GASAN_FRAME_DEAD;
}

/* Room for a block: never used if there is, else the first run of dead blocks that is long enough; null if there is
 * none. */
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
    if (block->length == 0) /* code without checks has written here */
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

/* At the start of every kernel: `size` bytes at `memory`, in its frame; 0 and 0 if nothing that it reaches needs them.
 */
GASAN_NOINLINE void __gasan_frames_begin(void *memory, uint32_t size) {
  struct gasan_frame_arena *arena = (struct gasan_frame_arena *)memory;
  if (arena) {
    arena->used = 0;
    arena->size = size - (uint32_t)sizeof *arena;
  }
  *(volatile uint64_t *)__gasan_frames_slot() = (uint64_t)arena;
}

/* Memory for a variable, or `own`, that of its function's frame, about which nothing is known then. One byte more than
 * its size is its: one past the end is not the next one's. */
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
