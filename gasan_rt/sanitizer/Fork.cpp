// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fork: the locks are held across it, and the child gets a symbolizer of its own.
#include "gasan_rt/sanitizer/SanitizerInternal.h"
#include "gasan_rt/sanitizer/sanitizer.h"

#include "sanitizer_common/sanitizer_allocator_internal.h"
#include "sanitizer_common/sanitizer_mutex.h"
#include "sanitizer_common/sanitizer_stackdepot.h"

#include <pthread.h>

using namespace gasan;

namespace gasan {

// sanitizer_common has no way to drop a symbolizer. The child of a fork must: its pipes lead to the parent's symbolizer
// process, and two processes would read each other's answers. Naming private members as template arguments of an
// explicit instantiation is allowed.
Symbolizer *&currentSymbolizer();
StaticSpinMutex &symbolizerLock();

template <Symbolizer **Instance, StaticSpinMutex *Lock>
struct SymbolizerMembers {
  friend Symbolizer *&currentSymbolizer() { return *Instance; }
  friend StaticSpinMutex &symbolizerLock() { return *Lock; }
};
template struct SymbolizerMembers<&Symbolizer::symbolizer_, &Symbolizer::init_mu_>;

} // namespace gasan

// The order is that in which a report takes them.
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
    currentSymbolizer() = nullptr; // the next report makes one; the old one's memory is the parent's copy and stays
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
