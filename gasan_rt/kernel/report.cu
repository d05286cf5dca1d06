/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports a bad access: the thread counts the fault, writes a record if it is the first in grid order so far, and
 * exits. It uses `exit` and not `trap`, so that the context stays usable.
 *
 * Each kernel gets at least as many registers as the functions that it calls. So this code is split into phases that
 * share few values, and computes a value again rather than keep it in a register. */
#include "gasan_rt/kernel/device_code.h"
#include "gasan_rt/kernel/local_bounds.h"
#include "gasan_rt/kernel/thread_id.h"
#include "shadow/bounds.h"

#define GASAN_PHASE static __attribute__((device, noinline, cold))

GASAN_PHASE uint64_t gasan_fault_key(uint32_t site) {
  uint64_t key = ((uint64_t)__gasan_params.module_id << 32 | site) * 0x9e3779b97f4a7c15ull;
  key = (key ^ key >> 29) + gasan_grid_id();
  key *= 0xbf58476d1ce4e5b9ull;
  key ^= key >> 32;
  return key == 0 ? 1 : key;
}

/* Makes accesses to the control block global-space instructions wherever this is inlined. With generic accesses nearby,
 * ptxas keeps no local array in registers. */
GASAN_INLINE struct gasan_ring_control *gasan_control(void) {
  return (struct gasan_ring_control *)(GASAN_GLOBAL struct gasan_ring_control *)__gasan_params.ring_control;
}

GASAN_INLINE struct gasan_ring *gasan_ring(void) {
  return (struct gasan_ring *)(GASAN_GLOBAL struct gasan_ring *)__gasan_params.ring;
}

/* Returns the slot of this site and launch, which is claimed if needed. Returns null if other sites and launches have
 * all slots. */
GASAN_PHASE struct gasan_fault_slot *gasan_find_slot(uint32_t site) {
  uint64_t key = gasan_fault_key(site);
  for (uint32_t probe = 0; probe < GASAN_FAULT_SLOTS; ++probe) {
    struct gasan_fault_slot *slot = &gasan_control()->slots[((uint32_t)key + probe) % GASAN_FAULT_SLOTS];
    uint64_t owner = 0;
    if (__scoped_atomic_compare_exchange_n(&slot->key, &owner, key, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                           __MEMORY_SCOPE_DEVICE) ||
        owner == key)
      return slot;
  }
  return 0;
}

GASAN_INLINE void gasan_count(uint64_t *counter) {
  __scoped_atomic_fetch_add(counter, 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

/* Counts a fault in `slot` (null: there is no slot). Returns true if the thread is the first in grid order so far. */
GASAN_PHASE bool gasan_is_first(struct gasan_fault_slot *slot) {
  gasan_count(&gasan_control()->faults);
  if (!slot)
    return true;
  gasan_count(&slot->count);
  uint64_t inverted = ~gasan_thread_order();
  return __scoped_atomic_fetch_max(&slot->best_order_inverted, inverted, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE) <
         inverted;
}

/* Returns the place for a record; null if there is none. */
GASAN_PHASE struct gasan_record *gasan_claim_record(void) {
  uint32_t index = __scoped_atomic_fetch_add(&gasan_control()->claimed, 1u, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  if (index < GASAN_RING_RECORDS)
    return &gasan_ring()->records[index];
  gasan_count(&gasan_control()->dropped);
  return 0;
}

/* Defines a function that stores a special register's x, y and z in the record, which is host memory. The record is
 * volatile, so that each member is stored at once. ptxas reads all of a function's values before it stores the first,
 * so each function has only three. */
#define GASAN_WRITE(member, name)                                                                                      \
  GASAN_PHASE void gasan_write_##member(volatile struct gasan_record *record) {                                        \
    record->member[0] = GASAN_READ(name ".x");                                                                         \
    record->member[1] = GASAN_READ(name ".y");                                                                         \
    record->member[2] = GASAN_READ(name ".z");                                                                         \
  }

GASAN_WRITE(thread, "tid")
GASAN_WRITE(block, "ctaid")
GASAN_WRITE(block_dim, "ntid")
GASAN_WRITE(grid_dim, "nctaid")

GASAN_PHASE void gasan_write_launch(volatile struct gasan_record *record, uint32_t site) {
  record->site = site;
  record->module_id = __gasan_params.module_id;
  record->grid_id = gasan_grid_id();
  record->key = gasan_fault_key(site);
  record->order = gasan_thread_order();
  gasan_write_thread(record);
  gasan_write_block(record);
  gasan_write_block_dim(record);
  gasan_write_grid_dim(record);
}

/* Returns the first byte, from the handle `address` on, that is outside the object; 0 if `address` is not a handle. */
GASAN_PHASE uint64_t gasan_handle_fault(uint64_t address) {
  const volatile struct gasan_handle_entry *entry = gasan_find_handle(address);
  if (!entry)
    return 0;
  uint64_t offset = gasan_handle_offset(64 - __gasan_params.handle_shift, address), size = entry->size;
  return offset < size ? address + (size - offset) : address;
}

GASAN_INLINE void gasan_write_fault(volatile struct gasan_record *record, uint32_t scale, uint64_t address,
                                    uint64_t size) {
  record->address = address;
  record->size = size;
  uint64_t last = address + (size - 1);
  uint64_t fault = gasan_handle_fault(address);
  if (fault == 0)
    fault = gasan_first_fault(scale, address, last < address ? ~(uint64_t)0 : last);
  if (fault == 0) /* the host has changed the shadow since the check */
    fault = address;
  record->fault = fault;
  record->shadow_value = gasan_has_shadow(fault) ? gasan_load_shadow(scale, fault) : 0;
  record->code = GASAN_CODE_WINDOW;
}

/* Returns the record to fill in; null if this fault needs none. */
GASAN_PHASE struct gasan_record *gasan_begin_record(uint32_t site) {
  struct gasan_ring *ring = gasan_ring();
  if (!ring || __scoped_atomic_load_n(&ring->stop, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM))
    return 0;
  if (!gasan_is_first(gasan_find_slot(site)))
    return 0;
  struct gasan_record *record = gasan_claim_record();
  if (record)
    gasan_write_launch(record, site);
  return record;
}

/* Uses a fence and a relaxed store, because GPUs before sm_70 have no release stores. */
GASAN_INLINE void gasan_end_record(struct gasan_record *record) {
  __nvvm_membar_sys();
  __scoped_atomic_store_n(&record->ready, 1u, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM);
}

GASAN_INLINE void gasan_report(uint32_t scale, uint64_t address, uint64_t size, uint32_t site) {
  struct gasan_record *record = gasan_begin_record(site);
  if (!record)
    return;
  gasan_write_fault(record, scale, address, size);
  gasan_end_record(record);
}

/* Returns the first byte of the access that is out of bounds. */
GASAN_INLINE uint64_t gasan_bounds_fault(uint64_t address, uint64_t base, uint64_t size) {
  uint64_t offset = address - base;
  return offset < size ? base + size : address;
}

/* Returns the object code of bounds that the host has passed to a kernel. */
GASAN_INLINE uint32_t gasan_object_of_bounds(uint64_t base, uint64_t size) {
  if (base == GASAN_NULL_PAGE)
    return GASAN_OBJECT_UNKNOWN;
  return base | size ? GASAN_OBJECT_MEMORY : GASAN_OBJECT_NULL;
}

GASAN_INLINE void gasan_write_bounds_fault(volatile struct gasan_record *record, uint64_t address, uint64_t size,
                                           uint64_t base, uint64_t bounds_size, uint32_t object) {
  record->address = address;
  record->size = size;
  record->fault = gasan_bounds_fault(address, base, bounds_size);
  record->bounds_base = base;
  record->bounds_size = bounds_size;
  record->object = object == GASAN_OBJECT_OF_BOUNDS ? gasan_object_of_bounds(base, bounds_size) : object;
  record->code = GASAN_CODE_BST;
}

/* Does the same as gasan_find_slot, without a branch: tries a few slots, and then returns the spare slot. */
GASAN_INLINE struct gasan_fault_slot *gasan_find_slot_straight(uint32_t site) {
  uint64_t key = gasan_fault_key(site);
  struct gasan_fault_slot *slot = &gasan_control()->spare_slot;
  bool found = false;
#pragma unroll
  for (uint32_t probe = 0; probe < 4; ++probe) {
    struct gasan_fault_slot *next = &gasan_control()->slots[((uint32_t)key + probe) % GASAN_FAULT_SLOTS];
    uint64_t owner = found ? key : 0; /* if the slot is found already, the exchange changes nothing */
    bool claimed = __scoped_atomic_compare_exchange_n(&next->key, &owner, key, false, __ATOMIC_RELAXED,
                                                      __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
    bool own = !found & (claimed | (owner == key));
    slot = own ? next : slot;
    found |= own;
  }
  return slot;
}

/* Does the same as gasan_begin_record, without a branch: a record that is not needed goes to the spare record. */
GASAN_INLINE struct gasan_record *gasan_begin_record_straight(uint32_t site) {
  struct gasan_ring_control *control = gasan_control();
  struct gasan_fault_slot *slot = gasan_find_slot_straight(site);
  gasan_count(&control->faults);
  gasan_count(&slot->count);
  uint64_t inverted = ~gasan_thread_order();
  uint64_t best =
      __scoped_atomic_fetch_max(&slot->best_order_inverted, inverted, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  bool stopped = __scoped_atomic_load_n(&gasan_ring()->stop, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM);
  bool first = !stopped & ((best < inverted) | (slot == &control->spare_slot));
  uint32_t index = __scoped_atomic_fetch_add(first ? &control->claimed : &control->spare_claimed, 1u, __ATOMIC_RELAXED,
                                             __MEMORY_SCOPE_DEVICE);
  bool full = index >= GASAN_RING_RECORDS;
  gasan_count((first & full) ? &control->dropped : &control->spare_slot.count);
  struct gasan_record *record = (first & !full) ? &gasan_ring()->records[index] : &control->spare_record;
  gasan_write_launch(record, site);
  return record;
}

extern "C" {

#define GASAN_REPORT(granule, scale)                                                                                   \
  GASAN_COLD void __gasan_report_##granule(uint64_t address, uint64_t size, uint32_t site) {                           \
    gasan_report(scale, address, size, site);                                                                          \
    __nvvm_exit();                                                                                                     \
    __builtin_unreachable();                                                                                           \
  }                                                                                                                    \
                                                                                                                       \
  /* ASan's recover mode: the thread continues. */                                                                     \
  GASAN_COLD_RETURNS void __gasan_report_noabort_##granule(uint64_t address, uint64_t size, uint32_t site) {           \
    gasan_report(scale, address, size, site);                                                                          \
  }

/* Reports that not all of the `size` bytes at `address` are in the bounds of the pointer's object. */
GASAN_COLD void __gasan_report_bounds(uint64_t address, uint64_t size, uint32_t site, uint64_t base,
                                      uint64_t bounds_size, uint32_t object) {
  struct gasan_record *record = gasan_begin_record(site);
  if (record) {
    gasan_write_bounds_fault(record, address, size, base, bounds_size, object);
    gasan_end_record(record);
  }
  __nvvm_exit();
  __builtin_unreachable();
}

GASAN_INLINE bool gasan_only_misaligned(uint64_t address, uint64_t size, uint64_t base, uint64_t bounds_size,
                                        uint32_t object, uint32_t alignment) {
  /* If the multiple of an index wraps (a[i] with i = 2^62), the address may be neither out of bounds nor misaligned. */
  return (address & (alignment - 1)) != 0 &&
         gasan_bounds_allow(gasan_bounds_make(base, bounds_size, object), address, size);
}

/* Reports the same, or, if the bytes are in the bounds, that `address` is not a multiple of `alignment`. */
GASAN_COLD void __gasan_report_bounds_aligned(uint64_t address, uint64_t size, uint32_t site, uint64_t base,
                                              uint64_t bounds_size, uint32_t object, uint32_t alignment) {
  if (gasan_only_misaligned(address, size, base, bounds_size, object, alignment)) {
    base = 0;
    bounds_size = alignment;
    object = GASAN_OBJECT_MISALIGNED;
  }
  __gasan_report_bounds(address, size, site, base, bounds_size, object);
}

/* Reports like __gasan_report_bounds_aligned, for kernels that calls or joining control flow would slow down
 * (gasan_pass/instrument/InlineReports.h). This code is inlined and has no branch, and the thread does not end here.
 * The host launches such kernels only when all parameters are set. */
GASAN_COLD_RETURNS void __gasan_report_bounds_straight(uint64_t address, uint64_t size, uint32_t site, uint64_t base,
                                                       uint64_t bounds_size, uint32_t object, uint32_t alignment) {
  bool misaligned = gasan_only_misaligned(address, size, base, bounds_size, object, alignment);
  struct gasan_record *record = gasan_begin_record_straight(site);
  gasan_write_bounds_fault(record, address, size, misaligned ? 0 : base, misaligned ? alignment : bounds_size,
                           misaligned ? (uint32_t)GASAN_OBJECT_MISALIGNED : object);
  gasan_end_record(record);
}

/* Reports like __gasan_report_bounds_aligned. The thread goes on if the options say so; the caller then makes no access
 * (gasan_pass/instrument/bst/BoundsCheckRecover.cpp). */
GASAN_COLD_RETURNS void __gasan_recover_bounds(uint64_t address, uint64_t size, uint32_t site, uint64_t base,
                                               uint64_t bounds_size, uint32_t object, uint32_t alignment) {
  bool misaligned = gasan_only_misaligned(address, size, base, bounds_size, object, alignment);
  struct gasan_record *record = gasan_begin_record(site);
  if (record) {
    gasan_write_bounds_fault(record, address, size, misaligned ? 0 : base, misaligned ? alignment : bounds_size,
                             misaligned ? (uint32_t)GASAN_OBJECT_MISALIGNED : object);
    gasan_end_record(record);
  }
  if (!(__gasan_params.flags & GASAN_FLAG_CONTINUE))
    __nvvm_exit();
}

/* Records the first unknown pointer of each site, launch and 64 KiB of addresses; the table may forget some. This
 * function must be cheap, because memory that only libraries know is unknown, too. */
GASAN_COLD_RETURNS void __gasan_note_unknown(uint64_t pointer, uint32_t site) {
  struct gasan_ring *ring = gasan_ring();
  if (!ring)
    return;
  uint64_t key = (gasan_fault_key(site) ^ pointer >> 16) * 0x9e3779b97f4a7c15ull | 1;
  uint64_t *seen = &gasan_control()->unknown_seen[(key >> 32) % GASAN_UNKNOWN_SEEN];
  if (*(volatile uint64_t *)seen == key ||
      __scoped_atomic_exchange_n(seen, key, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE) == key)
    return;
  uint32_t number = __scoped_atomic_fetch_add(&gasan_control()->unknown, 1u, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  struct gasan_record *record = &ring->unknown[number % GASAN_UNKNOWN_RECORDS];
  __scoped_atomic_store_n(&record->ready, 0u, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM);
  gasan_write_launch(record, site);
  gasan_write_bounds_fault(record, pointer, 1, 0, 0, GASAN_OBJECT_UNKNOWN);
  gasan_end_record(record);
  __scoped_atomic_thread_fence(__ATOMIC_SEQ_CST, __MEMORY_SCOPE_SYSTEM); /* the access may be the context's last */
}

GASAN_REPORT(8, GASAN_SCALE_8)
GASAN_REPORT(128, GASAN_SCALE_128)
GASAN_REPORT(256, GASAN_SCALE_256)
}
