#include "gasan_pass/instrument/InlineReports.h"
#include "base/proof.h"
#include "gasan_pass/Options.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr const char *kReport = "__gasan_report_bounds";
constexpr const char *kReportAligned = "__gasan_report_bounds_aligned";
constexpr const char *kReportStraight = "__gasan_report_bounds_straight";
constexpr size_t kMostReports = 16; // each is about a hundred instructions

CallInst *calledFunction(Instruction &I) {
  auto *Call = dyn_cast<CallInst>(&I);
  return Call && !isa<IntrinsicInst>(Call) && !Call->isInlineAsm() ? Call : nullptr;
}

bool isReport(const CallInst *Call) {
  const Function *F = Call->getCalledFunction();
  return F && (F->getName() == kReport || F->getName() == kReportAligned);
}

bool loopsOverAtomics(Function &Kernel) {
  const DominatorTree Tree(Kernel);
  const LoopInfo Loops(Tree);
  return any_of(instructions(Kernel), [&](Instruction &I) {
    return (isa<AtomicRMWInst, AtomicCmpXchgInst>(I)) && Loops.getLoopFor(I.getParent());
  });
}

// Each way to a report gets a copy of it.
void separate(BasicBlock *Report, SmallVectorImpl<CallInst *> &Calls) {
  SmallVector<BasicBlock *, 8> Ways(predecessors(Report));
  for (BasicBlock *From : drop_begin(Ways)) {
    ValueToValueMapTy Copies;
    BasicBlock *Copy = CloneBasicBlock(Report, Copies, "", Report->getParent());
    for (PHINode &Phi : make_early_inc_range(Copy->phis())) {
      Phi.replaceAllUsesWith(Phi.getIncomingValueForBlock(From));
      Phi.eraseFromParent();
    }
    remapInstructionsInBlocks(Copy, Copies);
    From->getTerminator()->replaceSuccessorWith(Report, Copy);
    for (PHINode &Phi : Report->phis())
      Phi.removeIncomingValue(From, /*DeletePHIIfEmpty=*/false);
    for (Instruction &I : *Copy)
      if (CallInst *Call = calledFunction(I))
        Calls.push_back(Call);
  }
}

void reportStraight(CallInst *Call) {
  Module &M = *Call->getModule();
  IRBuilder<> B(Call);
  SmallVector<Value *, 7> Arguments(Call->args());
  SmallVector<Type *, 7> Types;
  if (Arguments.size() == 6)
    Arguments.push_back(B.getInt32(1));
  for (Value *V : Arguments)
    Types.push_back(V->getType());
  FunctionCallee Straight = M.getOrInsertFunction(kReportStraight, FunctionType::get(B.getVoidTy(), Types, /*isVarArg=*/false));
  CallInst *Instead = B.CreateCall(Straight, Arguments);
  Instead->setDoesNotReturn();
  Instead->setDebugLoc(Call->getDebugLoc());
  Call->eraseFromParent();
}

void choose(Function &Kernel) {
  SmallVector<CallInst *, 8> Calls;
  bool HasArray = false;
  for (Instruction &I : instructions(Kernel)) {
    HasArray |= isa<AllocaInst>(I);
    if (CallInst *Call = calledFunction(I))
      Calls.push_back(Call);
  }
  if (Kernel.hasOptNone() || Calls.empty() || !all_of(Calls, isReport))
    return;
  size_t Ways = 0;
  for (const CallInst *Call : Calls)
    Ways += std::max<size_t>(1, pred_size(Call->getParent()));
  const bool Separates = Ways <= kMostReports && loopsOverAtomics(Kernel);
  if (!HasArray && !Separates)
    return;
  if (Separates)
    for (size_t Index = 0, End = Calls.size(); Index < End; ++Index)
      separate(Calls[Index]->getParent(), Calls);
  for (CallInst *Call : Calls)
    reportStraight(Call);
}

} // namespace

void chooseInlineReports(Module &M) {
  for (Function &F : M)
    if (InlineReports && !F.isDeclaration() && (F.getName().starts_with(GASAN_FAST_PREFIX) || F.getName().starts_with(GASAN_BOUNDED_PREFIX)))
      choose(F);
}

void inlineReports(Module &M) {
  Function *Straight = M.getFunction(kReportStraight);
  if (!Straight)
    return;
  SmallVector<CallInst *, 16> Calls;
  for (User *U : Straight->users())
    if (auto *Call = dyn_cast<CallInst>(U))
      Calls.push_back(Call);
  while (!Calls.empty()) {
    InlineFunctionInfo Info;
    InlineFunction(*Calls.pop_back_val(), Info);
    for (CallBase *Inner : Info.InlinedCallSites)
      if (CallInst *Call = calledFunction(*Inner))
        Calls.push_back(Call);
  }
  Straight->eraseFromParent();
}

} // namespace gasan
