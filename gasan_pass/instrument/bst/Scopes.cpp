// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/Scopes.h"
#include "gasan_pass/instrument/Access.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace gasan {

static bool isStart(const LifetimeIntrinsic &Marker) {
  return Marker.getIntrinsicID() == Intrinsic::lifetime_start;
}

static const AllocaInst *variableOf(const LifetimeIntrinsic &Marker) {
  return dyn_cast<AllocaInst>(Marker.getArgOperand(0));
}

void Scopes::enter(Function &F) {
  Variables.clear();
  Numbers.clear();
  States.clear();
  StateIn.clear();
  findMarkers(F);
  if (!Variables.empty())
    flow(F);
}

// A variable without a marker for its beginning is in scope from the start, even if it has markers for its end.
void Scopes::findMarkers(Function &F) {
  SmallVector<LifetimeIntrinsic *, 16> Markers;
  for (Instruction &I : instructions(F))
    if (auto *Marker = dyn_cast<LifetimeIntrinsic>(&I); Marker && variableOf(*Marker)) {
      Markers.push_back(Marker);
      if (isStart(*Marker) && Numbers.try_emplace(variableOf(*Marker), Variables.size()).second)
        Variables.emplace_back();
    }
  for (LifetimeIntrinsic *Marker : Markers)
    if (auto Known = Numbers.find(variableOf(*Marker)); Known != Numbers.end())
      Variables[Known->second].Markers.push_back(Marker);
}

void Scopes::apply(BitVector &State, const Instruction &I) const {
  auto *Marker = dyn_cast<LifetimeIntrinsic>(&I);
  if (!Marker)
    return;
  auto Known = Numbers.find(variableOf(*Marker));
  if (Known == Numbers.end())
    return;
  if (isStart(*Marker))
    State.set(Known->second);
  else
    State.reset(Known->second);
}

void Scopes::flow(Function &F) {
  const unsigned Count = Variables.size();
  ReversePostOrderTraversal<Function *> Order(&F);
  DenseMap<const BasicBlock *, BitVector> Out;
  auto In = [&](BasicBlock *Block) {
    BitVector State(Count, Block != &F.getEntryBlock());
    for (BasicBlock *Before : predecessors(Block))
      if (auto Known = Out.find(Before); Known != Out.end()) // a block that was not visited yet removes nothing
        State &= Known->second;
    return State;
  };
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (BasicBlock *Block : Order) {
      BitVector State = In(Block);
      for (const Instruction &I : *Block)
        apply(State, I);
      auto [Known, New] = Out.try_emplace(Block, State);
      if (!New && Known->second != State) {
        Known->second = State;
        Changed = true;
      }
      Changed |= New;
    }
  }
  for (BasicBlock *Block : Order) {
    States.push_back(In(Block));
    for (const Instruction &I : *Block) {
      if (isa<LifetimeIntrinsic>(I)) {
        States.push_back(States.back());
        apply(States.back(), I);
      } else if (mayAccessMemory(I)) {
        StateIn[&I] = States.size() - 1;
      }
    }
  }
}

AllocaInst *Scopes::flagOf(Variable &V, Function &F) {
  if (V.Flag)
    return V.Flag;
  IRBuilder<> B(&F.getEntryBlock(), F.getEntryBlock().begin());
  V.Flag = B.CreateAlloca(B.getInt1Ty(), nullptr, "gasan.in.scope");
  B.SetInsertPoint(&F.getEntryBlock(), F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  B.CreateStore(B.getFalse(), V.Flag);
  for (LifetimeIntrinsic *Marker : V.Markers) {
    B.SetInsertPoint(Marker->getNextNode());
    B.CreateStore(B.getInt1(isStart(*Marker)), V.Flag);
  }
  return V.Flag;
}

Value *Scopes::aliveAt(const AllocaInst &Of, Instruction &At) {
  auto Number = Numbers.find(&Of);
  auto State = StateIn.find(&At);
  if (Number == Numbers.end() || State == StateIn.end() || States[State->second].test(Number->second))
    return nullptr;
  AllocaInst *Flag = flagOf(Variables[Number->second], *At.getFunction());
  return IRBuilder<>(&At).CreateLoad(Flag->getAllocatedType(), Flag);
}

void Scopes::leave(Function &F) {
  SmallVector<AllocaInst *, 8> Flags;
  for (const Variable &V : Variables)
    if (V.Flag)
      Flags.push_back(V.Flag);
  if (Flags.empty())
    return;
  DominatorTree Tree(F);
  PromoteMemToReg(Flags, Tree);
}

} // namespace gasan
