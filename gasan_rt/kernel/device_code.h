/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shared by the files of the device runtime. It uses neither CUDA's headers nor inline PTX, because the same bitcode
 * also becomes x86-64 code on the CPU device. Each entry point exists once for each encoding; its name ends with the
 * granule (128, 256, 8). gasan_pass links the entry point that the module needs, without the suffix.
 *
 * The folder kernel/ is the device runtime: functions that instrumented code calls to check an access, to look up
 * bounds, and to report a fault. It has no locks: threads of a kernel synchronise by atomic operations. */
#ifndef GASAN_RT_KERNEL_DEVICE_CODE_H
#define GASAN_RT_KERNEL_DEVICE_CODE_H

#define GASAN_DEVICE_CODE
#include "base/abi.h"
#include "handles/codec.h"
#include "shadow/encoding.h"

#define GASAN_DEVICE __attribute__((device))
#define GASAN_GLOBAL __attribute__((address_space(1)))
#define GASAN_INLINE static __attribute__((device, always_inline))
#define GASAN_NOINLINE __attribute__((device, noinline))
/* Marks an entry point that gasan_pass inlines at each call. */
#define GASAN_INLINED __attribute__((device, always_inline))
#define GASAN_COLD_RETURNS __attribute__((device, noinline, cold))
#define GASAN_COLD __attribute__((device, noinline, cold, noreturn))

extern "C" __attribute__((device, constant)) const struct gasan_params __gasan_params;

GASAN_INLINE bool gasan_in_window(uint64_t address) {
  return ((uint32_t)(address >> 32) & __gasan_params.window_mask_high) == __gasan_params.window_base_high;
}

/* Returns true if the address has a shadow byte. If all code of the program is in BST mode, the window has no shadow,
 * and calls of ASan's entry points check nothing. */
GASAN_INLINE bool gasan_has_shadow(uint64_t address) {
  return __gasan_params.shadow_base != 0 && gasan_in_window(address);
}

GASAN_INLINE uint8_t gasan_load_shadow(uint32_t scale, uint64_t address) {
  uint64_t shadow = __gasan_params.shadow_base + gasan_shadow_offset(scale, __gasan_params.shadow_mask, address);
  return *(const volatile uint8_t *)shadow;
}

/* Returns the table entry of a handle's id. Returns null for a plain address, or without handles. The entry is
 * volatile, because the host adds entries while kernels run. */
GASAN_INLINE const volatile struct gasan_handle_entry *gasan_find_handle(uint64_t address) {
  uint64_t table = __gasan_params.handle_table;
  uint64_t id = table ? address >> __gasan_params.handle_shift : 0;
  return id ? (const volatile struct gasan_handle_entry *)table + id : 0;
}

/* Returns the first inaccessible byte from `address` to `last`, both included; 0 if there is none. */
GASAN_INLINE uint64_t gasan_first_fault(uint32_t scale, uint64_t address, uint64_t last) {
  uint64_t block_mask = (1u << scale) - 1;
  for (;;) {
    uint64_t block = address & ~block_mask;
    if (gasan_has_shadow(block)) {
      uint32_t accessible = gasan_shadow_decode(scale, gasan_load_shadow(scale, block));
      uint64_t barrier = block + accessible; /* the first inaccessible byte of the block, or its end */
      if (barrier <= last && accessible <= block_mask)
        return barrier > address ? barrier : address;
    }
    if (last - block <= block_mask)
      return 0;
    address = block + block_mask + 1;
  }
}

#endif
