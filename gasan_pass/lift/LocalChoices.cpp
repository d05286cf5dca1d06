// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop over an array of the stack that nvcc has unrolled ends in several places, each with its own element:
//
//   at = phi [array + 28, first], [array + 24, second], ...
//   store x, at
//
// ptxas makes such an array registers. LLVM's SROA does not, because of the phi; its result has generic accesses, and
// then ptxas does not either. So the store goes into each predecessor, where SROA sees the element.
//
// Only arrays whose other accesses are all at constant places are worth it.
#include "gasan_pass/lift/LocalChoices.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace gasan::lift {

namespace {

constexpr unsigned kMostWays = 32; // of one phi
constexpr unsigned kMostUses = 1024;

bool isSimpleAccess(const User &U, const Value &Pointer) {
  if (const auto *Load = dyn_cast<LoadInst>(&U))
    return Load->isSimple();
  const auto *Store = dyn_cast<StoreInst>(&U);
  return Store && Store->isSimple() && Store->getPointerOperand() == &Pointer && Store->getValueOperand() != &Pointer;
}

// Finds the phis between addresses of the variable. Returns false if the variable has other uses than accesses at
// constant places and through these phis.
bool findChoices(AllocaInst &Variable, SmallSetVector<PHINode *, 4> &Choices) {
  SmallVector<Value *, 16> Pointers = {&Variable};
  unsigned Count = 0;
  while (!Pointers.empty()) {
    Value *Pointer = Pointers.pop_back_val();
    for (User *U : Pointer->users()) {
      if (++Count > kMostUses)
        return false;
      const auto *Gep = dyn_cast<GetElementPtrInst>(U);
      if (isa<AddrSpaceCastInst>(U) || (Gep && Gep->hasAllConstantIndices())) {
        Pointers.push_back(U);
      } else if (auto *Phi = dyn_cast<PHINode>(U)) {
        Choices.insert(Phi);
      } else if (!isSimpleAccess(*U, *Pointer)) {
        return false;
      }
    }
  }
  return true;
}

// Returns true if the value in front of the block is known: it is from outside, a phi's or a cast of such a value.
bool isKnownBefore(const Value *V, const BasicBlock &Block) {
  constexpr unsigned kDeepest = 4;
  for (unsigned Depth = 0; Depth < kDeepest; ++Depth) {
    const auto *I = dyn_cast<Instruction>(V);
    if (!I || I->getParent() != &Block || isa<PHINode>(I))
      return true;
    if (!isa<CastInst>(I))
      return false;
    V = I->getOperand(0);
  }
  return false;
}

// Returns the value on the way from this predecessor of its block; isKnownBefore() must be true.
Value *valueBefore(Value *V, const BasicBlock &Block, BasicBlock &From) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || I->getParent() != &Block)
    return V;
  if (auto *Choice = dyn_cast<PHINode>(I))
    return Choice->getIncomingValueForBlock(&From);
  Instruction *Own = I->clone();
  Own->setOperand(0, valueBefore(I->getOperand(0), Block, From));
  Own->insertBefore(From.getTerminator()->getIterator());
  return Own;
}

// Returns the access through the phi, the only use, if it may go in front of the block. Null: it may not.
Instruction *movable(PHINode &Phi) {
  BasicBlock *Block = Phi.getParent();
  auto *Access = Phi.hasOneUse() ? dyn_cast<Instruction>(*Phi.user_begin()) : nullptr;
  if (!Access || Access->getParent() != Block || !isSimpleAccess(*Access, Phi) ||
      Phi.getNumIncomingValues() > kMostWays)
    return nullptr;
  for (Instruction &I : *Block) {
    if (&I == Access)
      break;
    if (I.mayReadOrWriteMemory() || !isGuaranteedToTransferExecutionToSuccessor(&I))
      return nullptr;
  }
  if (auto *Store = dyn_cast<StoreInst>(Access); Store && !isKnownBefore(Store->getValueOperand(), *Block))
    return nullptr;
  SmallPtrSet<BasicBlock *, 8> Seen;
  for (BasicBlock *Before : Phi.blocks())
    if (!Seen.insert(Before).second || !isa<BranchInst>(Before->getTerminator()))
      return nullptr;
  return Access;
}

void move(PHINode &Phi, Instruction &Access) {
  BasicBlock *Block = Phi.getParent();
  for (BasicBlock *Before : SmallVector<BasicBlock *, 8>(Phi.blocks()))
    if (!Before->getSingleSuccessor())
      SplitBlockPredecessors(Block, Before, ".way");
  PHINode *Loaded = nullptr;
  if (isa<LoadInst>(Access))
    Loaded = IRBuilder<>(&Phi).CreatePHI(Access.getType(), Phi.getNumIncomingValues());
  for (BasicBlock *From : Phi.blocks()) {
    Instruction *Own = Access.clone();
    for (Use &Operand : Own->operands())
      Operand = valueBefore(Operand, *Block, *From);
    Own->insertBefore(From->getTerminator()->getIterator());
    if (Loaded)
      Loaded->addIncoming(Own, From);
  }
  if (Loaded)
    Access.replaceAllUsesWith(Loaded);
  Access.eraseFromParent();
  Phi.eraseFromParent();
}

} // namespace

bool moveBeforeChoices(Function &F) {
  SmallVector<AllocaInst *, 4> Variables;
  for (Instruction &I : F.getEntryBlock())
    if (auto *Variable = dyn_cast<AllocaInst>(&I); Variable && Variable->isStaticAlloca())
      Variables.push_back(Variable);
  bool Changed = false;
  for (AllocaInst *Variable : Variables) {
    SmallSetVector<PHINode *, 4> Choices;
    if (!findChoices(*Variable, Choices) || Choices.empty())
      continue;
    if (!all_of(Choices, [](PHINode *Phi) { return movable(*Phi) != nullptr; }))
      continue;
    for (PHINode *Phi : Choices)
      if (Instruction *Access = movable(*Phi)) { // another one in the same block may be in the way
        move(*Phi, *Access);
        Changed = true;
      }
  }
  return Changed;
}

} // namespace gasan::lift
