/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Host functions that call themselves, such as std::sort's: what they may change at most.
#include "scan/Effects.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace gasan::scan {

static void addGlobals(const llvm::Value *V, Effects &Result, unsigned Depth = 0) {
  if (auto *Variable = dyn_cast<GlobalVariable>(V)) {
    if (!Variable->isConstant())
      Result.Variables.insert(const_cast<GlobalVariable *>(Variable));
  } else if (auto *Expression = dyn_cast<ConstantExpr>(V); Expression && Depth < 8) {
    for (const Use &Operand : Expression->operands())
      addGlobals(Operand, Result, Depth + 1);
  }
}

Effects findEffects(const Function &Code) {
  Effects Result;
  std::set<const Function *> Seen;
  std::vector<const Function *> Work = {&Code};
  while (!Work.empty()) {
    const Function *Next = Work.back();
    Work.pop_back();
    for (const Instruction &I : instructions(*Next)) {
      for (const Use &Operand : I.operands())
        addGlobals(Operand, Result);
      const auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || isa<IntrinsicInst>(I))
        continue;
      const Function *Callee = Call->getCalledFunction();
      if (!Callee || Callee->getName().starts_with("cuda") || Callee->getName().starts_with("__cuda")) {
        Result.IsKnown = false;
        Result.Launches |= Callee && Callee->getName().contains("cudaLaunch");
        if (!Callee || Callee->isDeclaration())
          continue;
      }
      Result.IsRecursive |= Callee == &Code;
      if (!Callee->isDeclaration() && Seen.insert(Callee).second)
        Work.push_back(Callee);
    }
  }
  return Result;
}

} // namespace gasan::scan
