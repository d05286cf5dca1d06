// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/PointerFlow.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace gasan {

constexpr unsigned kMostSteps = 10000; // only unreachable code has more

const AllocaInst *PointerFlow::slotOf(const Value &Address) {
  const auto *Slot = dyn_cast<AllocaInst>(&Address);
  return Slot && Slot->getAllocatedType()->isPointerTy() && isAllocaPromotable(Slot) ? Slot : nullptr;
}

const Value *PointerFlow::stepFrom(const Value &Pointer) {
  if (const auto *Gep = dyn_cast<GEPOperator>(&Pointer))
    return Gep->getPointerOperand();
  if (const auto *Call = dyn_cast<CallBase>(&Pointer))
    return getArgumentAliasingToReturnedPointer(Call, /*MustPreserveNullness=*/false);
  const auto *Change = dyn_cast<Operator>(&Pointer);
  if (!Change)
    return nullptr;
  switch (Change->getOpcode()) {
  case Instruction::BitCast:
  case Instruction::AddrSpaceCast:
  case Instruction::Freeze:
    return Change->getOperand(0)->getType()->isPointerTy() ? Change->getOperand(0) : nullptr;
  default:
    return nullptr;
  }
}

SmallVector<const Value *, 2> PointerFlow::givenBack(const CallBase &Call, ReturnedArguments &Returned) {
  SmallVector<const Value *, 2> Given;
  const Function *Callee = Call.getCalledFunction();
  if (!Call.getType()->isPointerTy() || !Callee || Callee->isDeclaration() || Callee->isInterposable() ||
      Callee->isVarArg())
    return Given;
  for (unsigned Index : Returned.of(*Callee).set_bits())
    if (Index < Call.arg_size())
      Given.push_back(Call.getArgOperand(Index));
  return Given;
}

PointerFlow::PointerFlow(const Function &F, ArrayRef<const Value *> Roots, ReturnedArguments &Returned)
    : Returned(Returned), Count(Roots.size()) {
  for (const Value *Root : Roots)
    RootNumbers.try_emplace(Root, RootNumbers.size());
  for (const Instruction &I : instructions(F))
    if (slotOf(I))
      SlotNumbers.try_emplace(&I, SlotNumbers.size());
  ReversePostOrderTraversal<const Function *> Order(&F);
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const BasicBlock *Block : Order)
      Changed |= step(*Block);
  }
}

bool PointerFlow::step(const BasicBlock &Block) {
  State At(SlotNumbers.size(), BitVector(Count));
  for (const BasicBlock *Before : predecessors(&Block))
    if (auto Known = Out.find(Before); Known != Out.end())
      for (size_t Slot = 0; Slot < At.size(); ++Slot)
        At[Slot] |= Known->second[Slot];
  bool Changed = false;
  for (const Instruction &I : Block)
    Changed |= apply(At, I);
  auto [Known, New] = Out.try_emplace(&Block, At);
  if (!New && Known->second != At) {
    Known->second = At;
    Changed = true;
  }
  return Changed || New;
}

bool PointerFlow::add(const Value &Of, const BitVector &Roots) {
  if (Roots.none())
    return false;
  BitVector &Known = Values.try_emplace(&Of, Count).first->second;
  const unsigned Before = Known.count();
  Known |= Roots;
  return Known.count() != Before;
}

// Returns true if I's result may lead to more roots than before.
bool PointerFlow::apply(State &At, const Instruction &I) {
  auto slotNumber = [&](const Value *Address) {
    auto Known = SlotNumbers.find(Address);
    return Known == SlotNumbers.end() ? nullptr : &At[Known->second];
  };
  if (const auto *Store = dyn_cast<StoreInst>(&I)) {
    if (BitVector *Slot = slotNumber(Store->getPointerOperand()))
      *Slot = rootsOf(*Store->getValueOperand());
    return false;
  }
  if (const auto *Marker = dyn_cast<LifetimeIntrinsic>(&I)) { // the slot's old value is gone
    if (BitVector *Slot = slotNumber(Marker->getArgOperand(0)))
      Slot->reset();
    return false;
  }
  if (!I.getType()->isPointerTy())
    return false;
  if (const auto *Load = dyn_cast<LoadInst>(&I)) {
    const BitVector *Slot = slotNumber(Load->getPointerOperand());
    return Slot && add(I, *Slot);
  }
  BitVector Roots(Count);
  if (const auto *Phi = dyn_cast<PHINode>(&I)) {
    for (const Value *Incoming : Phi->incoming_values())
      Roots |= rootsOf(*Incoming);
  } else if (const auto *Select = dyn_cast<SelectInst>(&I)) {
    Roots = rootsOf(*Select->getTrueValue());
    Roots |= rootsOf(*Select->getFalseValue());
  } else if (const auto *Call = dyn_cast<CallBase>(&I)) {
    for (const Value *Given : givenBack(*Call, Returned))
      Roots |= rootsOf(*Given);
  }
  return add(I, Roots);
}

BitVector PointerFlow::rootsOf(const Value &Pointer) const {
  const Value *At = &Pointer;
  const Value *From = stepFrom(*At);
  for (unsigned Steps = 0; From && Steps < kMostSteps; From = stepFrom(*At), ++Steps)
    At = From;
  BitVector Roots(Count);
  if (auto Root = RootNumbers.find(At); Root != RootNumbers.end())
    Roots.set(Root->second);
  else if (auto Known = Values.find(At); Known != Values.end())
    Roots |= Known->second;
  return Roots;
}

const BitVector &ReturnedArguments::of(const Function &F) {
  auto [Entry, New] = Known.try_emplace(&F, F.arg_size());
  if (!New || F.isDeclaration() || !F.getReturnType()->isPointerTy())
    return Entry->second;
  SmallVector<const Value *, 4> Pointers;
  for (const Argument &A : F.args())
    if (A.getType()->isPointerTy() && !A.hasPassPointeeByValueCopyAttr())
      Pointers.push_back(&A);
  BitVector Found(F.arg_size());
  if (!Pointers.empty()) {
    const PointerFlow Flow(F, Pointers, *this);
    for (const BasicBlock &Block : F)
      if (const auto *Return = dyn_cast<ReturnInst>(Block.getTerminator())) {
        const BitVector Roots = Flow.rootsOf(*Return->getReturnValue());
        for (unsigned Root : Roots.set_bits())
          Found.set(cast<Argument>(Pointers[Root])->getArgNo());
      }
  }
  return Known[&F] = Found;
}

} // namespace gasan
