// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/InlineReports.h"
#include "base/proof_table.h"
#include "gasan_pass/Options.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr const char *kReport = "__gasan_report_bounds";
constexpr const char *kReportAligned = "__gasan_report_bounds_aligned";
constexpr const char *kReportStraight = "__gasan_report_bounds_straight";

constexpr unsigned kFewestSearched = 12; // elements; without checks, ptxas keeps such arrays in memory
constexpr unsigned kMostConstant = 3;    // elements that are accessed at constant places
constexpr unsigned kMostValues = 256;    // that lead to an array's accesses

CallInst *calledFunction(Instruction &I) {
  auto *Call = dyn_cast<CallInst>(&I);
  return Call && !isa<IntrinsicInst>(Call) && !Call->isInlineAsm() ? Call : nullptr;
}

bool isReport(const CallInst *Call) {
  const Function *F = Call->getCalledFunction();
  return F && (F->getName() == kReport || F->getName() == kReportAligned);
}

using Reports = SmallVector<CallInst *, 4>;

// Returns true for a loop with atomics whose threads do not wait for each other. In such a loop a thread that has
// reported can wait after the loop.
bool fits(const Loop *L) {
  bool HasAtomics = false;
  for (const BasicBlock *Block : L->blocks())
    for (const Instruction &I : *Block) {
      const auto *Call = dyn_cast<CallBase>(&I);
      if (Call && Call->isConvergent())
        return false;
      HasAtomics |= isa<AtomicRMWInst, AtomicCmpXchgInst>(I);
    }
  return HasAtomics;
}

using Blocks = SmallPtrSet<BasicBlock *, 16>;

// Returns the innermost loop from which all paths to a report come, or null. Adds the blocks on these paths to Cold,
// which must be empty: reports share such blocks, and a walk that stops at another report's blocks misses loops.
Loop *loopBefore(const CallInst *Report, const LoopInfo &Loops, Blocks &Cold) {
  SmallVector<BasicBlock *, 8> Left = {const_cast<BasicBlock *>(Report->getParent())};
  Loop *Found = nullptr;
  while (!Left.empty()) {
    BasicBlock *Block = Left.pop_back_val();
    if (Loop *L = Loops.getLoopFor(Block)) {
      if (Found && Found != L)
        return nullptr;
      Found = L;
    } else if (pred_empty(Block)) {
      return nullptr;
    } else if (Cold.insert(Block).second) {
      Left.append(pred_begin(Block), pred_end(Block));
    }
  }
  return Found;
}

// Returns the loop's only exit that does not lead to a report. Null: there are several.
BasicBlock *goesOnAt(const Loop &L, const Blocks &Cold) {
  SmallVector<BasicBlock *, 8> Exits;
  L.getUniqueExitBlocks(Exits);
  erase_if(Exits, [&](BasicBlock *Exit) { return Cold.contains(Exit) || isa<UnreachableInst>(Exit->getTerminator()); });
  return Exits.size() == 1 ? Exits.front() : nullptr;
}

void exitThread(Instruction *Unreachable) {
  IRBuilder<> B(Unreachable);
  B.CreateIntrinsic(Intrinsic::nvvm_exit, {});
}

// Makes a thread that has reported leave the loop through the other threads' exit and end there.
void leave(const Loop &L, BasicBlock *Exit, ArrayRef<CallInst *> Reports, DominatorTree &Tree, LoopInfo &Loops) {
  formLCSSARecursively(const_cast<Loop &>(L), Tree, &Loops, nullptr);
  SmallVector<BasicBlock *, 4> Exiting(
      make_filter_range(predecessors(Exit), [&](BasicBlock *Block) { return L.contains(Block); }));
  BasicBlock *Behind = SplitBlockPredecessors(Exit, Exiting, ".all", &Tree, &Loops, nullptr, /*PreserveLCSSA=*/true);
  IRBuilder<> B(Behind, Behind->begin());
  PHINode *Reported = B.CreatePHI(B.getInt1Ty(), Exiting.size() + Reports.size(), "gasan.reported");
  for (BasicBlock *From : Exiting)
    Reported->addIncoming(B.getFalse(), From);
  for (CallInst *Report : Reports) {
    BasicBlock *From = Report->getParent();
    for (PHINode &Phi : Behind->phis())
      Phi.addIncoming(&Phi == Reported ? cast<Value>(B.getTrue()) : PoisonValue::get(Phi.getType()), From);
    ReplaceInstWithInst(From->getTerminator(), BranchInst::Create(Behind));
  }
  exitThread(SplitBlockAndInsertIfThen(Reported, Behind->getFirstInsertionPt(), /*Unreachable=*/true, nullptr, nullptr,
                                       &Loops));
}

// Handles the reports of one loop. Returns false if no such loop is left. Afterwards, a reporting thread's path out of
// an inner loop is part of the outer loop.
bool leaveLoop(Function &Kernel, Reports &Calls) {
  DominatorTree Tree(Kernel);
  LoopInfo Loops(Tree);
  MapVector<Loop *, Reports> Found;
  Blocks Cold;
  for (CallInst *Call : Calls) {
    Blocks Ways;
    if (Loop *L = loopBefore(Call, Loops, Ways); L && fits(L))
      Found[L].push_back(Call);
    Cold.insert_range(Ways);
  }
  for (auto &[L, OfLoop] : Found)
    if (BasicBlock *Exit = goesOnAt(*L, Cold)) {
      leave(*L, Exit, OfLoop, Tree, Loops);
      erase_if(Calls, [&Left = OfLoop](CallInst *Call) { return is_contained(Left, Call); });
      return true;
    }
  return false;
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
  FunctionCallee Straight =
      M.getOrInsertFunction(kReportStraight, FunctionType::get(B.getVoidTy(), Types, /*isVarArg=*/false));
  B.CreateCall(Straight, Arguments);
  if (auto *End = dyn_cast<UnreachableInst>(Call->getParent()->getTerminator()))
    exitThread(End);
  Call->eraseFromParent();
}

// Returns true for an array that is best in memory, where a call keeps it: it has kFewestSearched elements or more,
// loops access them at computed places, and few are accessed at constant places, as in unrolled loops. In registers,
// ptxas would find a computed element by comparing the index with each possible one.
bool isSearchedInLoops(AllocaInst &Array, const LoopInfo &Loops) {
  const DataLayout &DL = Array.getDataLayout();
  const std::optional<TypeSize> Bytes = Array.getAllocationSize(DL);
  if (!Bytes || Bytes->isScalable())
    return false;
  const uint64_t MostBytes = Bytes->getFixedValue() / kFewestSearched;
  SmallVector<std::pair<Value *, std::optional<uint64_t>>, 16> Pending = {{&Array, 0}}; // with: the constant offset
  SmallPtrSet<Value *, 16> Seen;
  SmallSet<uint64_t, 16> Constant;
  bool IsSearched = false;
  while (!Pending.empty()) {
    auto [Pointer, Offset] = Pending.pop_back_val();
    for (User *U : Pointer->users()) {
      auto *I = dyn_cast<Instruction>(U);
      if (!I || Seen.size() > kMostValues)
        return false;
      if (getLoadStorePointerOperand(I) == Pointer &&
          DL.getTypeStoreSize(getLoadStoreType(I)).getKnownMinValue() <= MostBytes) {
        if (Offset)
          Constant.insert(*Offset);
        else
          IsSearched |= Loops.getLoopFor(I->getParent()) != nullptr;
      }
      const auto *Gep = dyn_cast<GetElementPtrInst>(I);
      if (!(Gep || isa<AddrSpaceCastInst, PHINode, SelectInst>(I)) || !Seen.insert(I).second)
        continue;
      APInt Moved(DL.getIndexTypeSizeInBits(I->getType()), 0);
      const bool Stays = Gep ? Gep->accumulateConstantOffset(DL, Moved) : isa<AddrSpaceCastInst>(I);
      Pending.push_back({I, Offset && Stays ? std::optional(*Offset + Moved.getZExtValue()) : std::nullopt});
    }
  }
  return IsSearched && Constant.size() <= kMostConstant;
}

void choose(Function &Kernel) {
  const DominatorTree Tree(Kernel);
  const LoopInfo Loops(Tree);
  Reports Calls;
  bool HasArray = false;
  for (Instruction &I : instructions(Kernel)) {
    if (auto *Array = dyn_cast<AllocaInst>(&I)) {
      if (isSearchedInLoops(*Array, Loops))
        return;
      HasArray = true;
    }
    if (CallInst *Call = calledFunction(I))
      Calls.push_back(Call);
  }
  if (Kernel.hasOptNone() || !all_of(Calls, isReport) || !(HasArray || any_of(Loops.getLoopsInPreorder(), fits)))
    return;
  for (Reports Left = Calls; leaveLoop(Kernel, Left);)
    ;
  for (CallInst *Call : Calls)
    reportStraight(Call);
}

} // namespace

void chooseInlineReports(Module &M) {
  for (Function &F : M)
    if (InlineReports && !F.isDeclaration() &&
        (F.getName().starts_with(GASAN_PROVEN_PREFIX) || F.getName().starts_with(GASAN_BOUNDED_PREFIX)))
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
