/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes traces of accesses (gasan_pass/instrument/Trace.h) to the buffer of base/trace_format.h. */
#include "gasan_rt/kernel/thread_id.h"

#include "base/trace_format.h"
#include "shadow/bounds.h"

GASAN_INLINE uint64_t gasan_trace_add(uint64_t *counter, uint64_t number) {
  return __scoped_atomic_fetch_add(counter, number, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

GASAN_INLINE uint32_t gasan_trace_block(void) {
  uint32_t block = __nvvm_read_ptx_sreg_ctaid_z();
  block = block * __nvvm_read_ptx_sreg_nctaid_y() + __nvvm_read_ptx_sreg_ctaid_y();
  return block * __nvvm_read_ptx_sreg_nctaid_x() + __nvvm_read_ptx_sreg_ctaid_x();
}

/* Returns the buffer, or 0 if nothing of this block is wanted: counting in each block would take minutes where billions
 * of threads add to one address. */
GASAN_INLINE struct gasan_trace_buffer *gasan_trace(void) {
  const struct gasan_counters *counters = (const struct gasan_counters *)__gasan_params.counters;
  struct gasan_trace_buffer *trace = counters ? (struct gasan_trace_buffer *)counters->trace : 0;
  return trace && gasan_trace_block() % trace->sample == 0 ? trace : 0;
}

/* Returns the index of the first of so many words, or ~0u if there is no room. */
GASAN_INLINE uint32_t gasan_trace_claim(struct gasan_trace_buffer *trace, uint32_t words) {
  uint64_t first = gasan_trace_add(&trace->used, words);
  if (first + words <= trace->capacity)
    return (uint32_t)first;
  gasan_trace_add(&trace->dropped, 1);
  return ~0u;
}

GASAN_NOINLINE void __gasan_trace_record(struct gasan_trace_buffer *trace, uint64_t address, uint32_t size,
                                         uint32_t site, uint32_t type) {
  uint32_t block = gasan_trace_block(), thread = gasan_thread_index(), lane = thread % 32, mask = 1u << lane;
  uint32_t first, before = 0;
  bool leads = true;
  if (trace->warps) {
    mask = __nvvm_activemask();
    uint32_t leader = __builtin_ctz(mask);
    leads = lane == leader;
    before = __builtin_popcount(mask & ((1u << lane) - 1));
    first = leads ? gasan_trace_claim(trace, GASAN_TRACE_HEADER_WORDS + __builtin_popcount(mask)) : 0;
    first = (uint32_t)__nvvm_shfl_sync_idx_i32(mask, (int)first, (int)leader, 31);
  } else {
    first = gasan_trace_claim(trace, GASAN_TRACE_HEADER_WORDS + 1);
  }
  if (first == ~0u)
    return;
  uint64_t *words = (uint64_t *)trace->words + first;
  words[GASAN_TRACE_HEADER_WORDS + before] = address;
  if (leads) {
    uint32_t sm = trace->warps ? __nvvm_read_ptx_sreg_smid() : 0;
    words[0] = (uint64_t)site | (uint64_t)type << 32 | (uint64_t)sm << 48;
    words[1] = (uint64_t)block | (uint64_t)mask << 32;
    words[2] = (uint64_t)(thread / 32) | (uint64_t)(__gasan_params.module_id & 0xffff) << 16 | (uint64_t)size << 32;
  }
}

extern "C" {

GASAN_NOINLINE void __gasan_trace_instructions(uint32_t number) {
  struct gasan_trace_buffer *trace = gasan_trace();
  if (trace)
    gasan_trace_add(&trace->instructions, number);
}

GASAN_NOINLINE void __gasan_trace_lookup(uint64_t pointer, uint32_t site) {
  struct gasan_trace_buffer *trace = gasan_trace();
  if (!trace)
    return;
  gasan_trace_add(&trace->lookups, 1);
  __gasan_trace_record(trace, pointer, 0, site, GASAN_TRACE_LOOKUP);
}

/* Size 0: the access does not happen. */
GASAN_NOINLINE void __gasan_trace_access(uint64_t address, uint32_t size, uint32_t site, uint32_t type) {
  struct gasan_trace_buffer *trace = gasan_trace();
  if (!trace || !size)
    return;
  const char *pointer = (const char *)address;
  bool shared = __nvvm_isspacep_shared(pointer), local = __nvvm_isspacep_local(pointer);
  gasan_trace_add(shared ? &trace->shared : local ? &trace->local : &trace->global, 1);
  if (!shared && !local)
    __gasan_trace_record(trace, address, size, site, type);
}
}
