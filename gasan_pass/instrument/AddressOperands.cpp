// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/AddressOperands.h"
#include "gasan_pass/ptx/PtxAccess.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace gasan {
namespace {

using Operands = SmallVectorImpl<Use *>;

// Returns true for intrinsics that use a pointer's value and do not access its memory.
bool takesPointerAsValue(StringRef Intrinsic) {
  return Intrinsic.starts_with("llvm.nvvm.isspacep.") || Intrinsic.starts_with("llvm.nvvm.ptr.") ||
         Intrinsic.starts_with("llvm.nvvm.mapa");
}

void addPointerArguments(CallBase &Call, Operands &Found) {
  for (Use &Argument : Call.args())
    if (Argument->getType()->getScalarType()->isPointerTy())
      Found.push_back(&Argument);
}

size_t memoryOperands(const CallInst &Asm) {
  return StringRef(cast<InlineAsm>(Asm.getCalledOperand())->getAsmString()).count('[');
}

bool mayHoldAddress(const Value &Argument) {
  return Argument.getType()->isIntegerTy(64) || Argument.getType()->isPointerTy();
}

// Adds the asm's arguments from which the addresses of checked accesses are computed.
void addCheckedAddresses(CallInst &Asm, const PtxAccesses &Accesses, Operands &Found) {
  SmallPtrSet<Value *, 16> Seen;
  SmallVector<Value *, 16> Pending;
  for (const PtxAccess &A : Accesses.Known)
    Pending.push_back(A.Address);
  while (!Pending.empty()) {
    Value *V = Pending.pop_back_val();
    if (!Seen.insert(V).second)
      continue;
    bool IsArgument = false;
    for (Use &Argument : Asm.args())
      if (Argument.get() == V) {
        IsArgument = true;
        if (mayHoldAddress(*V) && !is_contained(Found, &Argument))
          Found.push_back(&Argument);
      }
    if (auto *I = dyn_cast<Instruction>(V);
        I && !IsArgument && (I->isBinaryOp() || I->isCast() || isa<GetElementPtrInst>(I)))
      append_range(Pending, I->operand_values());
  }
}

// Adds the asm's addresses. If the pass does not understand some memory operand, every other pointer may be an address,
// too. Asm without memory operands only computes with pointers; its results are the program's own pointers.
void addAsmAddresses(CallInst &Asm, Operands &Found) {
  PtxAccesses Accesses = findPtxAccesses(Asm);
  addCheckedAddresses(Asm, Accesses, Found);
  if (memoryOperands(Asm) == Accesses.Known.size())
    return;
  for (Use &Argument : Asm.args())
    if (Argument->getType()->isPointerTy() && !is_contained(Found, &Argument))
      Found.push_back(&Argument);
}

} // namespace

SmallVector<Use *, 4> addressOperands(Instruction &I) {
  SmallVector<Use *, 4> Found;
  if (auto *Load = dyn_cast<LoadInst>(&I))
    Found.push_back(&Load->getOperandUse(LoadInst::getPointerOperandIndex()));
  else if (auto *Store = dyn_cast<StoreInst>(&I))
    Found.push_back(&Store->getOperandUse(StoreInst::getPointerOperandIndex()));
  else if (auto *RMW = dyn_cast<AtomicRMWInst>(&I))
    Found.push_back(&RMW->getOperandUse(AtomicRMWInst::getPointerOperandIndex()));
  else if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    Found.push_back(&Exchange->getOperandUse(AtomicCmpXchgInst::getPointerOperandIndex()));
  else if (auto *Memory = dyn_cast<AnyMemIntrinsic>(&I)) {
    if (isa<AnyMemTransferInst>(Memory)) // the source comes first
      Found.push_back(&Memory->getArgOperandUse(1));
    Found.push_back(&Memory->getArgOperandUse(0));
  } else if (auto *Intrinsic = dyn_cast<IntrinsicInst>(&I)) {
    StringRef Name = Intrinsic->getCalledFunction()->getName();
    if ((Name.starts_with("llvm.nvvm.") && !takesPointerAsValue(Name)) || Name.starts_with("llvm.masked.") ||
        Name.starts_with("llvm.prefetch."))
      addPointerArguments(*Intrinsic, Found);
  } else if (auto *Call = dyn_cast<CallInst>(&I); Call && Call->isInlineAsm()) {
    addAsmAddresses(*Call, Found);
  } else if (auto *Call = dyn_cast<CallBase>(&I)) {
    for (unsigned Index = 0; Index < Call->arg_size(); ++Index)
      if (Call->isByValArgument(Index)) // copied at the call
        Found.push_back(&Call->getArgOperandUse(Index));
  }
  return Found;
}

SmallVector<Use *, 4> possibleAddresses(CallInst &Asm) {
  SmallVector<Use *, 4> Certain, Found;
  PtxAccesses Accesses = findPtxAccesses(Asm);
  addCheckedAddresses(Asm, Accesses, Certain);
  for (Use &Argument : Asm.args())
    if (memoryOperands(Asm) != Accesses.Known.size() && Argument->getType()->isIntegerTy(64) &&
        !is_contained(Certain, &Argument))
      Found.push_back(&Argument);
  return Found;
}

} // namespace gasan
