/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fibers: stacks on which CUDA threads run, and the switch between them.
 *
 * A parked fiber is represented by its stack pointer, which points to [resume address][frame pointer]. Files that
 * switch fibers must be compiled with -mno-red-zone, because the switch pushes below the stack pointer.
 *
 * Threads: stacks belong to one OS thread; a fiber never moves to another OS thread. */
#ifndef GASAN_DEVICE_CPU_FIBER_H
#define GASAN_DEVICE_CPU_FIBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GASAN_CPU_STACK_SIZE (256u << 10) /* default, and minimum */
#define GASAN_CPU_STACK_GUARD (16u << 10) /* inaccessible bytes below each stack, part of the next stride */

struct gasan_cpu_stacks {
  char *base;      /* stack i: [base + i * stride + guard, base + (i + 1) * stride); a guard follows the last one */
  uint32_t stride; /* bytes of a stack and its guard */
  uint32_t count;
};

/* Makes room for `count` stacks (1 to 1024) of `size` bytes, a multiple of the page size. Releases existing stacks that
 * are too small or too few; they must not be in use. Returns false without memory. */
bool gasan_cpu_stacks_reserve(struct gasan_cpu_stacks *stacks, uint32_t count, uint32_t size);
void gasan_cpu_stacks_release(struct gasan_cpu_stacks *stacks);

/* Removes host ASan's poison from stack frames that were left without returning. `index`: a stack, or the count for all
 * stacks. */
void gasan_cpu_stacks_unpoison(struct gasan_cpu_stacks *stacks, uint32_t index);

/* Returns true if a fault at `address` means that stack `index` was too small: both the address and the stack pointer
 * are in the stack's guard. */
bool gasan_cpu_stacks_overflowed(const struct gasan_cpu_stacks *stacks, uint32_t index, uintptr_t address,
                                 uintptr_t stack_pointer);

/* The first code of a fiber. Marks the end of the stack for unwinders, and calls gasan_cpu_fiber_main. */
void gasan_cpu_fiber_entry(void);

/* The main function of every fiber. The user of fibers defines it (block.c). */
__attribute__((noreturn)) void gasan_cpu_fiber_main(void);

/* Prepares a fiber that begins in gasan_cpu_fiber_main on stack `index`. Writes only at the top of the stack, so a
 * fiber on that stack may prepare its own successor and jump to it. */
static inline void *gasan_cpu_fiber_prepare(struct gasan_cpu_stacks *stacks, uint32_t index) {
  /* The tops are staggered. At one offset, the most used lines of all fibers would fall into one cache set. */
  char *top = stacks->base + (size_t)(index + 1) * stacks->stride - 64 - ((index * 5) & 31) * 64;
  void **frame = (void **)((uintptr_t)top & ~(uintptr_t)15);
  *--frame = (void *)gasan_cpu_fiber_entry;
  return frame;
}

/* Parks the running fiber in *save and continues with `to`. Jumps instead of returning, so that the processor's return
 * predictor stays in step. The clobbers make the compiler save only the registers that it needs. */
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

/* Continues with `to` and abandons the running fiber. */
static inline __attribute__((always_inline, noreturn)) void gasan_cpu_fiber_jump(void *to) {
  __asm__ volatile("mov %0, %%rsp\n\tpop %%rax\n\tjmp *%%rax" : : "S"(to) : "memory");
  __builtin_unreachable();
}

#endif
