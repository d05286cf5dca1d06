/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fibers: stacks that CUDA threads run on, and the switch between them.
 *
 * A parked fiber is its stack pointer; on the stack lie [resume address][frame pointer]. Files that switch are compiled
 * with -mno-red-zone, because the switch pushes below the stack pointer. */
#ifndef GASAN_DEVICE_CPU_FIBER_H
#define GASAN_DEVICE_CPU_FIBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GASAN_CPU_STACK_SIZE (256u << 10) /* unless the program wants more */
#define GASAN_CPU_STACK_GUARD (16u << 10) /* inaccessible bytes below each stack, part of the next stride */

struct gasan_cpu_stacks {
  char *base;      /* stack i: [base + i * stride + guard, base + (i + 1) * stride); a guard lies behind the last */
  uint32_t stride; /* a stack and its guard */
  uint32_t count;
};

/* Makes room for `count` stacks (1..1024) of `size` bytes, a multiple of the page size; old ones, which must not be in
 * use, are given up if they do not fit. False: no memory. */
bool gasan_cpu_stacks_reserve(struct gasan_cpu_stacks *stacks, uint32_t count, uint32_t size);
void gasan_cpu_stacks_release(struct gasan_cpu_stacks *stacks);

/* Frames that are left without returning keep host ASan's poison. Index: one stack, or count for all. */
void gasan_cpu_stacks_unpoison(struct gasan_cpu_stacks *stacks, uint32_t index);

/* True if an access to `address` with this stack pointer means that stack `index` was too small: the address is in its
 * guard, and the stack pointer has come down there too. */
bool gasan_cpu_stacks_overflowed(const struct gasan_cpu_stacks *stacks, uint32_t index, uintptr_t address,
                                 uintptr_t stack_pointer);

/* First code of a fiber: calls gasan_cpu_fiber_main with an end-of-stack mark for unwinders. */
void gasan_cpu_fiber_entry(void);

/* What a fiber runs; never returns. Defined in block.c. */
__attribute__((noreturn)) void gasan_cpu_fiber_main(void);

/* A fiber that begins in gasan_cpu_fiber_main on stack `index`. Writes only at the top of the stack, so the fiber that
 * runs on that very stack may prepare its own successor and jump to it. */
static inline void *gasan_cpu_fiber_prepare(struct gasan_cpu_stacks *stacks, uint32_t index) {
  /* Tops are staggered: with all of them at one offset, the hot lines of all fibers would fall into one cache set. */
  char *top = stacks->base + (size_t)(index + 1) * stacks->stride - 64 - ((index * 5) & 31) * 64;
  void **frame = (void **)((uintptr_t)top & ~(uintptr_t)15);
  *--frame = (void *)gasan_cpu_fiber_entry;
  return frame;
}

/* Parks the running fiber in *save and goes on with `to`. A jump in place of a return keeps the processor's return
 * predictor in step; the clobbers make the compiler save what it needs, and no more. */
static inline __attribute__((always_inline)) void gasan_cpu_fiber_switch(void **save, void *to) {
  __asm__ volatile("push %%rbp\n\t"
                   "lea 1f(%%rip), %%rax\n\t"
                   "push %%rax\n\t"
                   "mov %%rsp, (%0)\n\t"
                   "mov %1, %%rsp\n\t"
                   "pop %%rax\n\t"
                   "jmp *%%rax\n"
                   "1:\n\t"
                   "pop %%rbp"
                   : "+D"(save), "+S"(to)
                   :
                   : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1",
                     "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13",
                     "xmm14", "xmm15", "memory", "cc");
}

/* Goes on with `to` and gives the running fiber up. */
static inline __attribute__((always_inline, noreturn)) void gasan_cpu_fiber_jump(void *to) {
  __asm__ volatile("mov %0, %%rsp\n\tpop %%rax\n\tjmp *%%rax" : : "S"(to) : "memory");
  __builtin_unreachable();
}

#endif
