// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/CertainOverflows.h"
#include "gasan_pass/Options.h"
#include "gasan_pass/instrument/bst/SourceFaults.h"
#include "gasan_pass/instrument/bst/VariableNames.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr const char *kDoneMetadata = "gasan.certain"; // on accesses that have their check
constexpr size_t kMostSteps = 16; // for one address; in unreachable code, a pointer may be derived from itself
constexpr uint64_t kMostRounds = 1 << 20;
constexpr int64_t kFarthest = int64_t(1) << 32;

// An access of an element, and the steps from the variable to its address.
struct ElementAccess {
  SourceAccess Access;
  Value *Start;    // the variable's address
  Value *Variable; // local, or a constant
  SmallVector<GEPOperator *, 4> Steps;
  uint64_t Size; // of the variable
};

// Returns the bytes of a local variable, or of a constant whose value LLVM knows. Empty: it is something else.
std::optional<uint64_t> sizeOf(const Value &Variable, const DataLayout &DL) {
  if (const auto *Alloca = dyn_cast<AllocaInst>(&Variable)) {
    const std::optional<TypeSize> Size = Alloca->getAllocationSize(DL);
    return Size ? std::optional<uint64_t>(Size->getFixedValue()) : std::nullopt;
  }
  const auto *Constant = dyn_cast<GlobalVariable>(&Variable);
  return Constant && Constant->isConstant() && Constant->hasDefinitiveInitializer()
             ? std::optional<uint64_t>(DL.getTypeAllocSize(Constant->getValueType()))
             : std::nullopt;
}

// Empty: the access is something else, or surely is longer than the variable. Calls do not count.
std::optional<ElementAccess> elementAccess(Instruction &I) {
  std::optional<SourceAccess> Access = isa<CallBase>(I) ? std::nullopt : sourceAccess(I);
  if (!Access || I.hasMetadata(LLVMContext::MD_nosanitize) || I.hasMetadata(kDoneMetadata))
    return std::nullopt;
  ElementAccess Found = {*Access, nullptr, nullptr, {}, 0};
  Value *At = Access->Pointer;
  for (GEPOperator *Step; Found.Steps.size() < kMostSteps && (Step = dyn_cast<GEPOperator>(At));
       At = Step->getPointerOperand())
    Found.Steps.push_back(Step);
  Found.Start = At;
  Found.Variable = At->stripPointerCasts();
  const std::optional<uint64_t> Size = sizeOf(*Found.Variable, I.getDataLayout());
  if (Found.Steps.empty() || !Size || Access->Size > *Size ||
      I.getDataLayout().getIndexTypeSizeInBits(Access->Pointer->getType()) != 64)
    return std::nullopt;
  Found.Size = *Size;
  return Found;
}

// The offsets of an access in all rounds of its loops.
class Rounds {
public:
  Rounds(Function &F, FunctionAnalysisManager &Analyses)
      : SE(Analyses.getResult<ScalarEvolutionAnalysis>(F)), Loops(Analyses.getResult<LoopAnalysis>(F)),
        Tree(Analyses.getResult<DominatorTreeAnalysis>(F)) {}

  // Returns true if the access certainly has an offset outside of the variable in some round.
  bool leaves(const ElementAccess &E) {
    Value *Pointer = E.Access.Pointer;
    const SCEV *Offset = SE.getMinusSCEV(SE.getSCEV(Pointer), SE.getSCEV(E.Start));
    int64_t Least = 0, Most = 0;
    const BasicBlock *Block = E.Access.Where->getParent();
    if (isa<SCEVCouldNotCompute>(Offset) || !addOffsets(Offset, Block, Least, Most))
      return false;
    return Least < 0 || uint64_t(Most) > E.Size - E.Access.Size;
  }

private:
  ScalarEvolution &SE;
  LoopInfo &Loops;
  DominatorTree &Tree;

  // Returns the greatest number of a round in which the block is executed, from 0. Empty: it is not constant, or the
  // block is not executed in each round.
  std::optional<uint64_t> lastRound(const Loop &L, const BasicBlock *Block) {
    const BasicBlock *Exit = L.getExitingBlock(), *Latch = L.getLoopLatch();
    const auto *Taken = Exit ? dyn_cast<SCEVConstant>(SE.getBackedgeTakenCount(&L)) : nullptr;
    if (!Taken || !Latch || Taken->getAPInt().ugt(kMostRounds) || !Tree.dominates(Block, Latch))
      return std::nullopt;
    const uint64_t Count = Taken->getAPInt().getZExtValue();
    if (Tree.dominates(Block, Exit))
      return Count;
    return Count && Tree.dominates(Exit, Block) ? std::optional(Count - 1) : std::nullopt;
  }

  // Adds the least and the greatest value of S, which the block computes. Returns false if they are not known.
  bool addOffsets(const SCEV *S, const BasicBlock *Block, int64_t &Least, int64_t &Most) {
    while (const auto *Linear = dyn_cast<SCEVAddRecExpr>(S)) {
      const auto *Step = Linear->isAffine() ? dyn_cast<SCEVConstant>(Linear->getStepRecurrence(SE)) : nullptr;
      if (!Step || Step->getAPInt().abs().ugt(kFarthest) || !Linear->getLoop()->contains(Block))
        return false;
      std::optional<uint64_t> Last;
      for (const Loop *L = nullptr; L != Linear->getLoop(); Block = L->getLoopPredecessor()) {
        L = Block ? Loops.getLoopFor(Block) : nullptr;
        Last = L ? lastRound(*L, Block) : std::nullopt;
        if (!Last)
          return false;
      }
      const int64_t Way = Step->getAPInt().getSExtValue() * int64_t(*Last);
      (Way < 0 ? Least : Most) += Way;
      S = Linear->getStart();
    }
    const auto *Start = dyn_cast<SCEVConstant>(S);
    if (!Start || Start->getAPInt().abs().ugt(kFarthest))
      return false;
    Least += Start->getAPInt().getSExtValue();
    Most += Start->getAPInt().getSExtValue();
    return true;
  }
};

bool hasConstantOffsetOutside(const ElementAccess &E) {
  APInt Offset(64, 0);
  for (GEPOperator *Step : E.Steps)
    if (!Step->accumulateConstantOffset(E.Access.Where->getDataLayout(), Offset))
      return false;
  return Offset.ugt(E.Size - E.Access.Size);
}

bool isConstant(const ElementAccess &E) {
  return all_of(E.Steps, [](const GEPOperator *Step) { return Step->hasAllConstantIndices(); });
}

void check(const ElementAccess &E) {
  IRBuilder<> B(E.Access.Where);
  const DataLayout &DL = E.Access.Where->getDataLayout();
  Value *Offset = B.getInt64(0);
  for (GEPOperator *Step : E.Steps)
    Offset =
        B.CreateAdd(Offset, B.CreateSExtOrTrunc(emitGEPOffset(&B, DL, Step, /*NoAssumptions=*/true), B.getInt64Ty()));
  Value *Bad = B.CreateICmpUGT(Offset, B.getInt64(E.Size - E.Access.Size));
  SourceObject Object = describeVariable(*E.Variable);
  Object.Size = E.Size;
  E.Access.Where->setMetadata(kDoneMetadata, MDNode::get(B.getContext(), {}));
  insertSourceFault(E.Access, Bad, E.Start, E.Size, Object);
}

} // namespace

PreservedAnalyses CertainOverflowsPass::run(Function &F, FunctionAnalysisManager &Analyses) {
  if (!F.getParent()->getTargetTriple().isNVPTX() || F.hasOptNone() ||
      !(F.hasFnAttribute(kSanitizeAttr) || F.hasFnAttribute(Attribute::SanitizeAddress)))
    return PreservedAnalyses::all();
  SmallVector<ElementAccess, 4> Constant, Variable;
  for (Instruction &I : instructions(F)) {
    std::optional<ElementAccess> Found = elementAccess(I);
    if (!Found)
      continue;
    if (!isConstant(*Found))
      Variable.push_back(std::move(*Found));
    else if (hasConstantOffsetOutside(*Found))
      Constant.push_back(std::move(*Found));
  }
  if (InLoops && !Variable.empty() && !Analyses.getResult<LoopAnalysis>(F).empty()) {
    Rounds Of(F, Analyses);
    erase_if(Variable, [&](const ElementAccess &E) { return !Of.leaves(E); });
    Constant.append(Variable);
  }
  for (const ElementAccess &E : Constant) // last, because blocks are split
    check(E);
  return Constant.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace gasan
