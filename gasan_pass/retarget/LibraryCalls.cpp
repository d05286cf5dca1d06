// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Redirects functions of CUDA's device runtime, and functions that work on a GPU only, to the engine or to helpers.
#include "gasan_pass/retarget/Steps.h"

using namespace llvm;

namespace gasan {

namespace {

struct Redirection {
  const char *From, *To;
};

constexpr Redirection kRedirections[] = {
    {"vprintf", "gasan_cpu_vprintf"},          {"malloc", "gasan_cpu_malloc"}, {"free", "gasan_cpu_free"},
    {"__assertfail", "gasan_cpu_assert_fail"}, {"_Z3nanPKc", "gasan_nan"},     {"_ZL3nanPKc", "gasan_nan"},
};

// Defined by the device runtime.
constexpr Redirection kReplacements[] = {{"__gasan_frames_slot", "gasan_frames_slot"}};

} // namespace

void redirectLibraryCalls(Module &M) {
  for (const Redirection &R : kReplacements)
    if (Function *From = M.getFunction(R.From)) {
      From->replaceAllUsesWith(M.getOrInsertFunction(R.To, From->getFunctionType()).getCallee());
      From->eraseFromParent();
    }
  for (const Redirection &R : kRedirections) {
    Function *From = M.getFunction(R.From);
    if (!From || !From->isDeclaration())
      continue;
    FunctionCallee To = M.getOrInsertFunction(R.To, From->getFunctionType());
    From->replaceAllUsesWith(To.getCallee());
    From->eraseFromParent();
  }
}

} // namespace gasan
