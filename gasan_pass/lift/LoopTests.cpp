// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/lift/LoopTests.h"
#include "gasan_pass/Options.h"
#include "gasan_pass/lift/WideDivisions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan::lift {

namespace {

// Returns X + Added, an existing sum if there is one in front of the place.
Value *sum(Value *X, const APInt &Added, Instruction &At, const DominatorTree &Tree) {
  for (User *U : X->users())
    if (match(U, m_Add(m_Specific(X), m_SpecificInt(Added))) && Tree.dominates(cast<Instruction>(U), &At))
      return U;
  return IRBuilder<>(&At).CreateAdd(X, ConstantInt::get(X->getType(), Added));
}

// Returns -(A - B), computed where the difference is.
Value *negated(BinaryOperator &Difference) {
  Value *A = Difference.getOperand(0), *B = Difference.getOperand(1);
  const APInt *Mask;
  IRBuilder<> Here(&Difference);
  return match(A, m_And(m_Specific(B), m_APInt(Mask))) ? Here.CreateAnd(B, ~*Mask) : Here.CreateSub(B, A);
}

bool change(ICmpInst &Test, const DominatorTree &Tree) {
  for (unsigned Index : {0, 1}) {
    Value *X;
    const APInt *Minuend;
    auto *Other = dyn_cast<BinaryOperator>(Test.getOperand(1 - Index));
    if (!match(Test.getOperand(Index), m_Sub(m_APInt(Minuend), m_Value(X))) || !Other ||
        Other->getOpcode() != Instruction::Sub)
      continue;
    Value *Before[] = {Test.getOperand(0), Test.getOperand(1)};
    Value *Left = sum(X, -*Minuend, Test, Tree), *Right = negated(*Other);
    Test.setOperand(0, Left);
    Test.setOperand(1, Right);
    for (Value *V : Before)
      RecursivelyDeleteTriviallyDeadInstructions(V);
    return true;
  }
  return false;
}

} // namespace

PreservedAnalyses LoopTestsPass::run(Function &F, FunctionAnalysisManager &Analyses) {
  if (!F.hasFnAttribute(kLiftedAttr))
    return PreservedAnalyses::all();
  bool Changed = false;
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Test = dyn_cast<ICmpInst>(&I);
        Test && Test->isEquality() && Test->getOperand(0)->getType()->isIntegerTy())
      Changed |= change(*Test, Analyses.getResult<DominatorTreeAnalysis>(F));
  if (!Changed)
    return PreservedAnalyses::all();
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}

} // namespace gasan::lift
