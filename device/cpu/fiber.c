/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
#include "device/cpu/fiber.h"

#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102 /* Linux 6.13 */
#endif

/* The number of guards that may be made by mprotect. Each takes two of the process's memory areas, whose number is
 * limited. Many workers with 1024 stacks each would leave none for the program. */
static atomic_long guard_areas_left = -1;

static bool take_guard_areas(long count) {
  if (atomic_load(&guard_areas_left) < 0) {
    long limit = 65530;
    FILE *file = fopen("/proc/sys/vm/max_map_count", "re");
    if (file) {
      if (fscanf(file, "%ld", &limit) != 1)
        limit = 65530;
      fclose(file);
    }
    long unset = -1;
    atomic_compare_exchange_strong(&guard_areas_left, &unset, limit / 2);
  }
  long left = atomic_load(&guard_areas_left);
  while (left >= count)
    if (atomic_compare_exchange_weak(&guard_areas_left, &left, left - count))
      return true;
  return false;
}

static void guard_stack(char *low, bool *light_guards) {
  if (*light_guards && madvise(low, GASAN_CPU_STACK_GUARD, MADV_GUARD_INSTALL) == 0)
    return;
  *light_guards = false;
  if (take_guard_areas(2))
    mprotect(low, GASAN_CPU_STACK_GUARD, PROT_NONE);
}

bool gasan_cpu_stacks_reserve(struct gasan_cpu_stacks *stacks, uint32_t count, uint32_t size) {
  const uint32_t stride = size + GASAN_CPU_STACK_GUARD;
  if (stacks->count >= count && stacks->stride == stride)
    return true;
  gasan_cpu_stacks_release(stacks);
  count = count <= 1 ? 1 : count <= 64 ? 64 : count <= 256 ? 256 : 1024;
  /* One more guard, after the last stack, because the worker itself may follow it. */
  void *base = mmap(NULL, (size_t)count * stride + GASAN_CPU_STACK_GUARD, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED)
    return false;
  /* Most stacks use one page. A huge page for it would waste 512 times as much. */
  madvise(base, (size_t)count * stride, MADV_NOHUGEPAGE);
  stacks->base = base;
  stacks->stride = stride;
  stacks->count = count;
  bool light_guards = true;
  for (uint32_t i = 0; i < count; i++)
    guard_stack(stacks->base + (size_t)i * stride, &light_guards);
  mprotect(stacks->base + (size_t)count * stride, GASAN_CPU_STACK_GUARD, PROT_NONE);
  return true;
}

void gasan_cpu_stacks_release(struct gasan_cpu_stacks *stacks) {
  if (!stacks->base)
    return;
  gasan_cpu_stacks_unpoison(stacks, stacks->count);
  munmap(stacks->base, (size_t)stacks->count * stacks->stride + GASAN_CPU_STACK_GUARD);
  stacks->base = NULL;
  stacks->count = 0;
}

extern void __asan_unpoison_memory_region(const volatile void *address, size_t size) __attribute__((weak));

void gasan_cpu_stacks_unpoison(struct gasan_cpu_stacks *stacks, uint32_t index) {
  if (!__asan_unpoison_memory_region || !stacks->base)
    return;
  if (index == stacks->count)
    __asan_unpoison_memory_region(stacks->base, (size_t)stacks->count * stacks->stride);
  else
    __asan_unpoison_memory_region(stacks->base + (size_t)index * stacks->stride, stacks->stride);
}

/* Code may use 128 bytes below the stack pointer (the x86-64 ABI). */
#define RED_ZONE 128

bool gasan_cpu_stacks_overflowed(const struct gasan_cpu_stacks *stacks, uint32_t index, uintptr_t address,
                                 uintptr_t stack_pointer) {
  uintptr_t low = (uintptr_t)stacks->base + (size_t)index * stacks->stride;
  uintptr_t end = low + GASAN_CPU_STACK_GUARD;
  return address >= low && address < end && stack_pointer >= low && stack_pointer <= end + RED_ZONE;
}

__asm__(".text\n"
        ".hidden gasan_cpu_fiber_entry\n"
        ".hidden gasan_cpu_fiber_main\n"
        ".globl gasan_cpu_fiber_entry\n"
        ".type gasan_cpu_fiber_entry, @function\n"
        "gasan_cpu_fiber_entry:\n"
        "  .cfi_startproc\n"
        "  .cfi_undefined rip\n"
        "  xor %ebp, %ebp\n"
        "  call gasan_cpu_fiber_main\n"
        "  ud2\n"
        "  .cfi_endproc\n"
        ".size gasan_cpu_fiber_entry, . - gasan_cpu_fiber_entry\n");
