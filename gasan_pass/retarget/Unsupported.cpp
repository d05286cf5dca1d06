// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces code that the CPU device does not support.
#include "gasan_pass/Options.h"
#include "gasan_pass/retarget/Steps.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace gasan {

// A function whose address is taken may be called from anywhere; all others are reached by direct calls only.
Unsupported::Unsupported(Module &M, ArrayRef<Kernel> Kernels) {
  SmallVector<const Function *, 16> Pending;
  auto Reach = [&](const Function *F) {
    if (!F->isDeclaration() && Reached.insert(F).second)
      Pending.push_back(F);
  };
  for (const Kernel &K : Kernels)
    Reach(K.Body);
  for (const Function &F : M)
    if (F.hasAddressTaken())
      Reach(&F);
  while (!Pending.empty())
    for (const Instruction &I : instructions(Pending.pop_back_val()))
      if (auto *Call = dyn_cast<CallBase>(&I); Call && Call->getCalledFunction())
        Reach(Call->getCalledFunction());
}

void Unsupported::replace(CallInst &Call, const Twine &What) const {
  const std::string Text = What.str();
  if (Reached.contains(Call.getFunction())) {
    if (Devices == "cpu")
      Call.getContext().diagnose(DiagnosticInfoUnsupported(
          *Call.getFunction(), Text + " is not supported on the CPU device", Call.getDebugLoc()));
    else
      warnUnsupported(Call, Text);
  }
  callUnsupported(Call, Text);
  if (!Call.getType()->isVoidTy())
    Call.replaceAllUsesWith(PoisonValue::get(Call.getType()));
  Call.eraseFromParent();
}

} // namespace gasan
