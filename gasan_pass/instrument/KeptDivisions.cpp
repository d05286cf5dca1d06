// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/KeptDivisions.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/ProfDataUtils.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr unsigned kBits = 32; // the code generator makes narrower divisions wider; ptxas calls a function for 64 bits

// Returns the block after a check that does not fail, or null. Checks have weights, as other unlikely branches do.
const BasicBlock *goesOnAt(const BasicBlock &Block) {
  const auto *Branch = dyn_cast<BranchInst>(Block.getTerminator());
  uint64_t First, Second;
  if (!Branch || !Branch->isConditional() || !extractBranchWeights(*Branch, First, Second) || First == Second)
    return nullptr;
  return Branch->getSuccessor(First > Second ? 0 : 1);
}

bool isKept(const Instruction &I, const Loop &L, const BasicBlock *Next) {
  if (!I.isIntDivRem() || !I.getType()->isIntegerTy(kBits) || isa<Constant>(I.getOperand(1)) ||
      !L.isLoopInvariant(I.getOperand(1)))
    return false;
  return any_of(I.users(), [&](const User *U) { return cast<Instruction>(U)->getParent() == Next; });
}

// Inserts a use that no pass moves, and that ptxas drops.
void keep(Instruction &Division) {
  Type *T = Division.getType();
  IRBuilder<> B(Division.getParent(), std::next(Division.getIterator()));
  auto *Copy = InlineAsm::get(FunctionType::get(T, {T}, /*isVarArg=*/false), "mov.b32 $0, $1;", "=r,r",
                              /*hasSideEffects=*/true);
  CallInst *Kept = B.CreateCall(Copy, {&Division}, "gasan.kept");
  Division.replaceUsesWithIf(Kept, [&](const Use &U) { return U.getUser() != Kept; });
}

} // namespace

void keepDivisions(Function &F) {
  if (F.isDeclaration() || F.hasOptNone())
    return;
  const DominatorTree Tree(F);
  const LoopInfo Loops(Tree);
  SmallVector<Instruction *, 4> Found;
  for (const Loop *L : Loops.getLoopsInPreorder())
    for (BasicBlock *Block : L->blocks())
      if (const BasicBlock *Next = Loops.getLoopFor(Block) == L ? goesOnAt(*Block) : nullptr)
        for (Instruction &I : *Block)
          if (isKept(I, *L, Next))
            Found.push_back(&I);
  for (Instruction *Division : Found)
    keep(*Division);
}

} // namespace gasan
