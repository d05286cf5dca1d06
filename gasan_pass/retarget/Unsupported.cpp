// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces code that the CPU device does not support.
#include "gasan_pass/Options.h"
#include "gasan_pass/retarget/Steps.h"
#include "llvm/Demangle/Demangle.h"
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

// Lifted code of templates has the same instructions many times, in functions whose names have a thousand characters.
// So each instruction is named once, with the function's name without its parameters.
void Unsupported::warn(const CallInst &Call, const std::string &Text) const {
  const Function &F = *Call.getFunction();
  if (!F.hasFnAttribute(kLiftedAttr))
    return warnUnsupported(Call, Text);
  if (!Named.insert(Text).second)
    return;
  ItaniumPartialDemangler Demangler;
  std::string Name = F.getName().str();
  if (!Demangler.partialDemangle(Name.c_str())) {
    size_t Size = 0;
    if (char *Base = Demangler.getFunctionBaseName(nullptr, &Size)) {
      Name = Base;
      free(Base);
    }
  }
  const std::string Message = "in " + Name + ": " + Text + " is not supported on the CPU device";
  F.getContext().diagnose(DiagnosticInfoGenericWithLoc(Message, F, Call.getDebugLoc(), DS_Warning));
}

void Unsupported::replace(CallInst &Call, const Twine &What) const {
  const std::string Text = What.str();
  if (Reached.contains(Call.getFunction())) {
    if (Devices == "cpu")
      Call.getContext().diagnose(DiagnosticInfoUnsupported(
          *Call.getFunction(), Text + " is not supported on the CPU device", Call.getDebugLoc()));
    else
      warn(Call, Text);
  }
  callUnsupported(Call, Text);
  if (!Call.getType()->isVoidTy())
    Call.replaceAllUsesWith(PoisonValue::get(Call.getType()));
  Call.eraseFromParent();
}

} // namespace gasan
