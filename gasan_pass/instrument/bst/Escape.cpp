// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/Escape.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace gasan {

// Returns true for the runtime's functions that keep no pointer but have no attribute that says so.
static bool keepsNothing(const Function &Callee) {
  return Callee.getName() == "vprintf" || Callee.getName() == "__assertfail" ||
         Callee.getName().starts_with("__gasan_");
}

bool Escape::escapesInto(const CallBase &Call, unsigned Argument) {
  if (Call.doesNotCapture(Argument) || isa<LifetimeIntrinsic, AnyMemIntrinsic>(Call))
    return false;
  const Function *Callee = Call.getCalledFunction();
  if (!Callee)
    return true;
  if (keepsNothing(*Callee))
    return false;
  if (Callee->isDeclaration() || Callee->isInterposable() || Argument >= Callee->arg_size())
    return !Callee->isIntrinsic();
  const llvm::Argument *Parameter = Callee->getArg(Argument);
  auto [Entry, New] = Known.try_emplace(Parameter, false);
  if (!New)
    return Entry->second;
  const bool Result = mayEscape(*Parameter);
  return Known[Parameter] = Result;
}

bool Escape::escapesBy(const Use &U, SmallVectorImpl<const Value *> &Derived) {
  const auto *I = dyn_cast<Instruction>(U.getUser());
  if (!I)
    return true;
  switch (I->getOpcode()) {
  case Instruction::Load:
  case Instruction::ICmp:
  case Instruction::Sub: // the result is a distance
    return false;
  case Instruction::Store:
    return U.getOperandNo() != StoreInst::getPointerOperandIndex();
  case Instruction::AtomicRMW:
    return U.getOperandNo() != AtomicRMWInst::getPointerOperandIndex();
  case Instruction::AtomicCmpXchg:
    return U.getOperandNo() != AtomicCmpXchgInst::getPointerOperandIndex();
  case Instruction::GetElementPtr:
  case Instruction::AddrSpaceCast:
  case Instruction::PHI:
  case Instruction::Select:
  case Instruction::Freeze:
  case Instruction::PtrToInt:
    Derived.push_back(I);
    return false;
  case Instruction::Call: {
    const auto &Call = cast<CallBase>(*I);
    return !Call.isArgOperand(&U) || Call.isInlineAsm() || escapesInto(Call, Call.getArgOperandNo(&U));
  }
  default:
    return true;
  }
}

bool Escape::mayEscape(const Value &Pointer) {
  SmallVector<const Value *, 8> Pending{&Pointer};
  SmallPtrSet<const Value *, 16> Seen;
  while (!Pending.empty()) {
    const Value *At = Pending.pop_back_val();
    if (!Seen.insert(At).second)
      continue;
    for (const Use &U : At->uses())
      if (escapesBy(U, Pending))
        return true;
  }
  return false;
}

} // namespace gasan
