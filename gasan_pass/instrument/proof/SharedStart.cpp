// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/proof/SharedStart.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr unsigned kStart = 16; // of a block's shared memory; the PTX ISA does not say more

// Returns true for external functions that certainly have no shared variables.
bool isHarmless(const Function &Declared) {
  static const char *const Names[] = {"vprintf", "__assertfail", "malloc", "free"};
  return Declared.isIntrinsic() || is_contained(Names, Declared.getName()) ||
         Declared.getName().starts_with("__gasan_");
}

bool isStatic(const GlobalVariable &Variable, const DataLayout &DL) {
  return Variable.getAddressSpace() == NVPTXAS::ADDRESS_SPACE_SHARED &&
         !DL.getTypeAllocSize(Variable.getValueType()).isZero();
}

// Returns true if a constant has a static shared variable in it.
bool namesStatic(const Constant &C, const DataLayout &DL) {
  if (const auto *Variable = dyn_cast<GlobalVariable>(&C))
    return isStatic(*Variable, DL);
  return any_of(C.operands(), [&](const Use &Operand) {
    const auto *Inner = dyn_cast<Constant>(Operand.get());
    return Inner && namesStatic(*Inner, DL);
  });
}

// Returns true if the instruction may use a static shared variable. Sets *Callee to the function that it calls.
bool mayUseStatic(const Instruction &I, const DataLayout &DL, const Function *&Callee) {
  for (const Value *Operand : I.operands())
    if (const auto *C = dyn_cast<Constant>(Operand); C && !isa<Function>(C) && namesStatic(*C, DL))
      return true;
  const auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return false;
  if (const auto *Asm = dyn_cast<InlineAsm>(Call->getCalledOperand()))
    return StringRef(Asm->getAsmString()).contains(".shared ") || StringRef(Asm->getAsmString()).contains("call");
  Callee = dyn_cast<Function>(Call->getCalledOperand()->stripPointerCastsAndAliases());
  return !Callee || (Callee->isDeclaration() && !isHarmless(*Callee));
}

} // namespace

Align alignmentOfDynamicShared(const Function &Kernel) {
  const DataLayout &DL = Kernel.getDataLayout();
  SetVector<const Function *> Reached;
  Reached.insert(&Kernel);
  for (size_t Next = 0; Next < Reached.size(); ++Next)
    for (const Instruction &I : instructions(*Reached[Next])) {
      const Function *Callee = nullptr;
      if (mayUseStatic(I, DL, Callee))
        return Align(1);
      if (Callee && !Callee->isDeclaration())
        Reached.insert(Callee);
    }
  return Align(kStart);
}

} // namespace gasan
