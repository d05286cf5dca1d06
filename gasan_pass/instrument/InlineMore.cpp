// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/InlineMore.h"
#include "gasan_pass/instrument/Prepare.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace gasan {
namespace {

// LLVM's threshold is 2475 for GPUs at -O2, and an instruction costs 5 of it.
constexpr unsigned kThreshold = 32000;
constexpr unsigned kMostCalls = 3; // of the function, as each may become a copy

bool isCalledRarely(const Function &F) {
  unsigned Calls = 0;
  for (const Use &U : F.uses()) {
    const auto *Call = dyn_cast<CallBase>(U.getUser());
    if (!Call || !Call->isCallee(&U) || ++Calls > kMostCalls)
      return false;
  }
  return true;
}

} // namespace

void inlineMore(Module &M) {
  for (Function &F : M)
    if (wantsInstrumentation(F) && F.getCallingConv() != CallingConv::PTX_Kernel &&
        !F.hasFnAttribute(Attribute::NoInline) && !F.hasOptSize() && isCalledRarely(F))
      F.addFnAttr("function-inline-threshold", utostr(kThreshold));
}

} // namespace gasan
