/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Caches the thread's latest stacks: a program launches from the same places again and again, and unwinding is slow.
// Each thread has its own cache; no lock.
#ifndef GASAN_RT_SANITIZER_STACKCACHE_H
#define GASAN_RT_SANITIZER_STACKCACHE_H

#include "sanitizer_common/sanitizer_internal_defs.h"

namespace gasan {

using namespace __sanitizer;

/// Identifies a call without unwinding the stack.
struct StackKey {
  uptr Pc;    // of the call
  uptr Frame; // of the called function
  const char *Api;
  u64 Python; // gasan_python_position: the Python frames may change while the C stack stays
};

/// Returns the depot's id of the stack with this key, if all its return addresses are still in place; else 0.
u32 findCachedStack(const StackKey &Key);

/// Caches the calling thread's present stack. Does nothing if the stack leaves [Bottom, Top), the thread's own, or is
/// too deep for an entry.
void cacheStack(const StackKey &Key, u32 Id, uptr Bottom, uptr Top);

} // namespace gasan

#endif
