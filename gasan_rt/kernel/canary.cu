/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The kernels that compare canaries (base/canary_check.h) between or beside the kernels of a program without checks.
 * They are a module of their own, PTX inside libgasan_rt.so, which the driver compiles for the GPU.
 *
 * A warp compares a strip at a time. The kernels have no shared memory, for which an SM would have to be empty first.
 */
#define GASAN_DEVICE_CODE
#include "base/canary_check.h"

#define GASAN_INLINE static __attribute__((device, always_inline))
#define LANES 32u
#define PAUSE_NS 50000u

GASAN_INLINE uint64_t load_word(uint64_t address) {
  return *(const volatile __attribute__((address_space(1))) uint64_t *)address;
}

GASAN_INLINE uint8_t load_byte(uint64_t address) {
  return *(const volatile __attribute__((address_space(1))) uint8_t *)address;
}

/* Returns the first damaged byte of the strip from `address` to `end` in the aligned word; 0: none. Bytes of the word
 * outside of the strip may not be read, because they belong to the program. */
GASAN_INLINE uint64_t damage_in_word(uint64_t key, uint64_t word, uint64_t address, uint64_t end) {
  uint64_t expected = gasan_canary_word(key, word);
  if (word >= address && word + 8 <= end && load_word(word) == expected)
    return 0;
  for (uint32_t i = 0; i < 8; ++i)
    if (word + i >= address && word + i < end && load_byte(word + i) != (uint8_t)(expected >> 8 * i))
      return word + i;
  return 0;
}

/* Records the first damage only. */
GASAN_INLINE void record(struct gasan_canary_table *table, uint64_t number, uint64_t address) {
  uint64_t none = 0;
  if (__scoped_atomic_compare_exchange_n(&table->found_by, &none, number, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                         __MEMORY_SCOPE_SYSTEM))
    __scoped_atomic_store_n(&table->found_at, address, __ATOMIC_RELEASE, __MEMORY_SCOPE_SYSTEM);
}

GASAN_INLINE void compare(const struct gasan_canary_check *check, uint64_t address, uint64_t size, uint32_t lane) {
  for (uint64_t word = (address & ~7ull) + 8 * lane; size && word < address + size; word += 8 * LANES) {
    uint64_t damaged = damage_in_word(check->key, word, address, address + size);
    if (damaged)
      record((struct gasan_canary_table *)check->table, check->number, damaged);
  }
}

GASAN_INLINE void compare_table(const struct gasan_canary_check *check, uint64_t strips, uint32_t warp, uint32_t warps,
                                uint32_t lane) {
  const volatile struct gasan_canary_table *table = (const volatile struct gasan_canary_table *)check->table;
  for (uint32_t index = warp; index < strips; index += warps) {
    const volatile struct gasan_canary_strip *strip =
        (const volatile struct gasan_canary_strip *)table->segments[index / GASAN_CANARY_SEGMENT] +
        index % GASAN_CANARY_SEGMENT;
    /* Acquires, so that the address is not an older one. */
    uint64_t size = __scoped_atomic_load_n(&strip->size, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_SYSTEM);
    compare(check, strip->address, size, lane);
  }
}

/* Must be called by all threads at their end. The last block marks the check as finished. */
GASAN_INLINE void finish(const struct gasan_canary_check *check, uint32_t blocks) {
  uint32_t slot = check->number % GASAN_CANARY_CHECKS;
  __syncthreads();
  if (__nvvm_read_ptx_sreg_tid_x())
    return;
  uint32_t *arrived = (uint32_t *)check->arrived + slot;
  if (blocks > 1) {
    if (__scoped_atomic_fetch_add(arrived, 1u, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE) + 1 != blocks)
      return;
    *arrived = 0;
  }
  ((volatile struct gasan_canary_table *)check->table)->finished[slot] = check->number;
}

/* Returns true if the guard must compare again, after a pause that leaves the memory's bandwidth to the program. */
GASAN_INLINE bool goes_on(const struct gasan_canary_check *check, uint64_t start) {
  const volatile struct gasan_canary_table *table = (const volatile struct gasan_canary_table *)check->table;
  if (table->stop || table->found_by || __nvvm_read_ptx_sreg_globaltimer() - start >= check->limit)
    return false;
  __nvvm_nanosleep(PAUSE_NS);
  return true;
}

extern "C" __attribute__((global)) void gasan_canary_check(struct gasan_canary_check check) {
  uint32_t thread = __nvvm_read_ptx_sreg_tid_x(), threads = __nvvm_read_ptx_sreg_ntid_x();
  uint32_t blocks = __nvvm_read_ptx_sreg_nctaid_x();
  uint32_t warp = (__nvvm_read_ptx_sreg_ctaid_x() * threads + thread) / LANES;
  if (check.limit) {
    uint64_t start = __nvvm_read_ptx_sreg_globaltimer();
    do
      compare_table(&check, ((const volatile struct gasan_canary_table *)check.table)->strips, warp, threads / LANES,
                    thread % LANES);
    while (__nvvm_bar0_or(!thread && goes_on(&check, start)));
  } else {
    compare_table(&check, check.strips, warp, blocks * threads / LANES, thread % LANES);
  }
  finish(&check, blocks);
}

extern "C" __attribute__((global)) void gasan_canary_check_few(struct gasan_canary_check check) {
  uint32_t thread = __nvvm_read_ptx_sreg_tid_x(), threads = __nvvm_read_ptx_sreg_ntid_x();
  uint32_t blocks = __nvvm_read_ptx_sreg_nctaid_x();
  for (uint32_t index = (__nvvm_read_ptx_sreg_ctaid_x() * threads + thread) / LANES; index < check.strips;
       index += blocks * threads / LANES)
    compare(&check, check.few[index] >> 16, check.few[index] & 0xffff, thread % LANES);
  finish(&check, blocks);
}
