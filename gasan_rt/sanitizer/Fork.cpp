// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handles fork: locks the runtime's locks of this folder during the fork, and gives the child a symbolizer of its own.
#include "gasan_rt/sanitizer/SanitizerInternal.h"
#include "gasan_rt/sanitizer/sanitizer.h"

#include "sanitizer_common/sanitizer_allocator_internal.h"
#include "sanitizer_common/sanitizer_mutex.h"
#include "sanitizer_common/sanitizer_stackdepot.h"

#include <pthread.h>

using namespace gasan;

namespace gasan {

// sanitizer_common cannot drop a symbolizer, but the child of a fork must: the pipes lead to the parent's symbolizer
// process, and two processes would read each other's answers. An explicit instantiation may name private members as
// template arguments, so it gives access to the private symbolizer.
Symbolizer *&currentSymbolizer();
StaticSpinMutex &symbolizerLock();

template <Symbolizer **Instance, StaticSpinMutex *Lock>
struct SymbolizerMembers {
  friend Symbolizer *&currentSymbolizer() { return *Instance; }
  friend StaticSpinMutex &symbolizerLock() { return *Lock; }
};
template struct SymbolizerMembers<&Symbolizer::symbolizer_, &Symbolizer::init_mu_>;

} // namespace gasan

// A report takes the locks in this order.
static void beforeFork() {
  gasan_report_begin();
  symbolizerLock().Lock();
  InternalAllocatorLock();
  StackDepotLockBeforeFork();
}

static void unlockAfterFork(bool InChild) {
  StackDepotUnlockAfterFork(InChild);
  InternalAllocatorUnlock();
  if (InChild)
    // The next report makes a symbolizer. The old one's memory is a copy of the parent's and is not freed.
    currentSymbolizer() = nullptr;
  symbolizerLock().Unlock();
  gasan_report_end();
}

static void afterForkInParent() {
  unlockAfterFork(false);
}

static void afterForkInChild() {
  unlockAfterFork(true);
}

void gasan::initializeFork() {
  CHECK_EQ(0, pthread_atfork(beforeFork, afterForkInParent, afterForkInChild));
}
