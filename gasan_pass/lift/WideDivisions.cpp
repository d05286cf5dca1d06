// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/lift/WideDivisions.h"
#include "gasan_pass/Options.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace gasan::lift {

namespace {

const char *textOf(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::UDiv:
    return "div.u64 $0, $1, $2;";
  case Instruction::SDiv:
    return "div.s64 $0, $1, $2;";
  case Instruction::URem:
    return "rem.u64 $0, $1, $2;";
  case Instruction::SRem:
    return "rem.s64 $0, $1, $2;";
  default:
    return nullptr;
  }
}

// Returns true if the back end makes a division of 32 bits of it without a branch.
bool isNarrow(const Instruction &I) {
  const DataLayout &DL = I.getDataLayout();
  return all_of(I.operands(), [&](const Use &U) { return computeKnownBits(U, DL).countMinLeadingZeros() >= 32; });
}

} // namespace

PreservedAnalyses WideDivisionsPass::run(Function &F, FunctionAnalysisManager &) {
  if (!F.hasFnAttribute(kLiftedAttr))
    return PreservedAnalyses::all();
  SmallVector<Instruction *, 8> Divisions;
  for (Instruction &I : instructions(F))
    if (textOf(I) && I.getType()->isIntegerTy(64) && !isa<Constant>(I.getOperand(1)) && !isNarrow(I))
      Divisions.push_back(&I);
  for (Instruction *I : Divisions) {
    IRBuilder<> B(I);
    Type *Number = I->getType();
    InlineAsm *Text = InlineAsm::get(FunctionType::get(Number, {Number, Number}, false), textOf(*I), "=l,l,l",
                                     /*hasSideEffects=*/false);
    CallInst *Call = B.CreateCall(Text, {I->getOperand(0), I->getOperand(1)});
    Call->setDoesNotAccessMemory();
    Call->setDoesNotThrow();
    Call->addFnAttr(Attribute::WillReturn);
    I->replaceAllUsesWith(Call);
    I->eraseFromParent();
  }
  return Divisions.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace gasan::lift
