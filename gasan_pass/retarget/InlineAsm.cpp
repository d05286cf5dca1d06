// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces inline PTX by translated functions.
#include "llvm/IR/InlineAsm.h"
#include "gasan_pass/retarget/Ptx.h"
#include "gasan_pass/retarget/Steps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace gasan {

namespace {

// Replaces an empty asm, which only hinders the compiler from moving code, by its input value.
bool lowerEmpty(CallInst &Call, const InlineAsm &Asm) {
  if (!StringRef(Asm.getAsmString()).trim().empty())
    return false;
  if (Call.getType()->isVoidTy()) {
    Call.eraseFromParent();
    return true;
  }
  if (Call.arg_size() != 1 || Call.getArgOperand(0)->getType() != Call.getType())
    return false;
  Call.replaceAllUsesWith(Call.getArgOperand(0));
  Call.eraseFromParent();
  return true;
}

void callTranslation(CallInst &Call, Function &Translation) {
  IRBuilder<> Builder(&Call);
  CallInst *Replacement = Builder.CreateCall(&Translation, SmallVector<Value *, 8>(Call.args()));
  Replacement->setConvergent();
  Call.replaceAllUsesWith(Replacement);
  Call.eraseFromParent();
}

} // namespace

void lowerInlineAsm(Module &M, const Module &Helpers, const Unsupported &Policy) {
  SmallVector<CallInst *, 16> Calls;
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallInst>(&I); Call && Call->isInlineAsm())
        Calls.push_back(Call);
  DenseMap<const InlineAsm *, PtxTranslation> Translations;
  for (CallInst *Call : Calls) {
    const auto &Asm = *cast<InlineAsm>(Call->getCalledOperand());
    if (lowerEmpty(*Call, Asm))
      continue;
    auto [Known, IsNew] = Translations.try_emplace(&Asm);
    if (IsNew)
      Known->second = translatePtx(M, Asm, Helpers);
    if (Known->second.Function)
      callTranslation(*Call, *Known->second.Function);
    else
      Policy.replace(*Call, "inline PTX \"" + Known->second.Unknown + "\"");
  }
}

} // namespace gasan
