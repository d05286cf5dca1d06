/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Stacks that this thread captured lately: a program launches from the same place again and again, and unwinding costs
// a microsecond.
#ifndef GASAN_RT_SANITIZER_STACKCACHE_H
#define GASAN_RT_SANITIZER_STACKCACHE_H

#include "sanitizer_common/sanitizer_internal_defs.h"

namespace gasan {

using namespace __sanitizer;

/// What tells one call from another at a glance.
struct StackKey {
  uptr Pc;    // of the call
  uptr Frame; // of the called function
  const char *Api;
};

/// The depot's id of the stack with this key whose return addresses are all still where they were, 0 if there is none.
u32 findCachedStack(const StackKey &Key);

/// Remembers the calling thread's present stack. Does nothing if it is not all on the thread's own stack, [Bottom,
/// Top), or deeper than a cache entry holds.
void cacheStack(const StackKey &Key, u32 Id, uptr Bottom, uptr Top);

} // namespace gasan

#endif
