// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that one branch decides: in straight-line code, what the checked loads are not needed for comes first, then
// all checks' conditions or-ed, then the loads. So a GPU can have all of them under way at once, where a branch before
// each would have it wait; the cold path finds the first check, in program order, that fails.
//
//   i = load index; check array[i]; x = load array[i]; j = load index + 1; check array[j]; y = load array[j]
//   i = load index; j = load index + 1; check array[i], array[j]; x = load array[i]; y = load array[j]
//
// Nothing moves over what others can see or wait for (stores, atomics, barriers, calls), nor over a way out, so a batch
// ends there, with the check of that access itself. What is not proven comes behind the checks, since one of them may
// stand for it, too.
#include "gasan_pass/Options.h"
#include "gasan_pass/instrument/Count.h"
#include "gasan_pass/instrument/bst/Addresses.h"
#include "gasan_pass/instrument/bst/BoundsCheck.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr size_t kMostTogether = 8; // addresses and what was loaded have to be kept in registers

bool isLookup(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  return Call && Call->getCalledFunction() && Call->getCalledFunction()->getName().starts_with("__gasan_bounds");
}

bool endsBatch(const Instruction &I) {
  if (isa<DbgInfoIntrinsic, AssumeInst>(I) || isLookup(I))
    return false;
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return !Load->isSimple();
  const auto *Call = dyn_cast<CallBase>(&I);
  return I.isTerminator() || isa<AllocaInst>(I) || (Call && Call->isConvergent()) || I.mayWriteToMemory() ||
         !isGuaranteedToTransferExecutionToSuccessor(&I);
}

} // namespace

// Finds the batches of a block.
class BoundsCheck::Batching {
public:
  Batching(ArrayRef<Check> Checks, const DenseMap<Instruction *, unsigned> &Unproven, SmallVectorImpl<Batch> &Found)
      : Unproven(Unproven), Found(Found) {
    for (const Check &C : Checks)
      At[C.Where].push_back(&C);
  }

  void run(BasicBlock &Block) {
    for (Instruction &I : Block) {
      auto Here = At.find(&I);
      if (Here != At.end()) {
        if (!Members.empty() && (Members.size() + Here->second.size() > kMostTogether ||
                                 any_of(Here->second, [&](const Check *C) { return isLate(*C); })))
          close();
        Members.append(Here->second.begin(), Here->second.end());
        Late.insert(&I);
      } else if (!Members.empty() &&
                 (Unproven.lookup(&I) || any_of(I.operands(), [&](Value *V) { return isLate(V); }))) {
        Late.insert(&I);
      }
      if (endsBatch(I))
        close();
    }
  }

private:
  const DenseMap<Instruction *, unsigned> &Unproven;
  SmallVectorImpl<Batch> &Found;
  DenseMap<Instruction *, Batch> At;
  Batch Members;
  SmallSetVector<Instruction *, 32> Late; // what comes behind the checks of this batch

  bool isLate(Value *V) const { return V && isa<Instruction>(V) && Late.contains(cast<Instruction>(V)); }
  bool isLate(const Check &C) const {
    return any_of(ArrayRef<Value *>{C.Pointer, C.B.Base, C.B.Size, C.B.Object, C.Width, C.Limit, C.Guard, C.Index,
                                    C.Before, C.Count},
                  [&](Value *V) { return isLate(V); });
  }

  void close() {
    if (!Members.empty()) {
      Instruction *Last = Members.back()->Where;
      for (Instruction *I : Late) {
        if (I == Last)
          break;
        I->moveBefore(Last->getIterator());
      }
      Found.push_back(std::move(Members));
    }
    Members.clear();
    Late.clear();
  }
};

void BoundsCheck::batch(Function &F, ArrayRef<Check> Checks, SmallVectorImpl<Batch> &Found) {
  if (!BatchChecks || F.hasOptNone()) {
    for (const Check &C : Checks)
      Found.push_back({&C});
    return;
  }
  Batching Blocks(Checks, Unproven, Found);
  for (BasicBlock &Block : F)
    Blocks.run(Block);
}

// The call is most of a check's code, needs registers, and assemblers take more than proportionally longer for many of
// them. But each loop has its own: where ways out of several loops come together, ptxas brings a warp's threads
// together, and not behind each loop.
BoundsCheck::CommonReport &BoundsCheck::commonReport(IRBuilderBase &Near, bool OfAlignment) {
  CommonReport &Common = CommonReports[{LoopHeader, OfAlignment}];
  if (Common.Block)
    return Common;
  Type *I64 = Near.getInt64Ty(), *I32 = Near.getInt32Ty();
  Common.Block = BasicBlock::Create(M.getContext(), "gasan.report", Near.GetInsertBlock()->getParent());
  IRBuilder<> B(Common.Block);
  B.SetCurrentDebugLocation(Near.getCurrentDebugLocation()); // the site says which it is
  for (Type *Part : {I64, I64, I32, I64, I64, I32, I32})
    if (Common.Parts.size() < (OfAlignment ? 7 : 6))
      Common.Parts.push_back(B.CreatePHI(Part, 4));
  B.CreateCall(report(OfAlignment), SmallVector<Value *, 7>(Common.Parts.begin(), Common.Parts.end()))
      ->setDoesNotReturn();
  B.CreateUnreachable();
  return Common;
}

// Compares one after the other; the last one need not be compared.
void BoundsCheck::insertBatchReport(Instruction *ColdEnd, ArrayRef<const Check *> Members) {
  BoundsBuilder B(ColdEnd->getParent(), ColdEnd->getIterator(), InstSimplifyFolder(M.getDataLayout()));
  for (const Check *C : Members) {
    const unsigned Space = C->Pointer->getType()->getPointerAddressSpace();
    auto Generic = [&](Value *In) { return RootBounds::translate(B, In, Space, NVPTXAS::ADDRESS_SPACE_GENERIC); };
    const Part Own = {0, 0, C->Site};
    const ArrayRef<Part> Parts = C->Parts.empty() ? ArrayRef<Part>(Own) : ArrayRef<Part>(C->Parts);
    for (const Part &P : Parts) {
      Value *Address = B.CreateAdd(addressOf(B, C->Pointer), B.getInt64(P.Distance));
      Value *Width = C->Parts.empty() ? C->Width : B.getInt64(P.Width);
      Value *Told[] = {Generic(Address),
                       Width,
                       B.getInt32(P.Site),
                       Generic(C->B.Base),
                       C->B.Size,
                       C->B.Object,
                       B.getInt32(C->Alignment.value())};
      Value *Bad = B.getTrue();
      if (C != Members.back() || &P != &Parts.back()) {
        // Not a limit: the code generator would find it before a loop, and keep it in registers.
        Value *Offset = B.CreateSub(Address, C->B.Base);
        Bad = B.CreateOr(B.CreateICmpUGE(Offset, C->B.Size), B.CreateICmpULT(B.CreateSub(C->B.Size, Offset), Width));
        if (C->Alignment > 1)
          Bad = B.CreateOr(Bad, B.CreateIsNotNull(B.CreateAnd(Address, C->Alignment.value() - 1)));
        if (!isa<ConstantInt>(Width))
          Bad = B.CreateAnd(Bad, B.CreateIsNotNull(Width));
        if (C->Guard)
          Bad = B.CreateLogicalAnd(B.CreateFreeze(C->Guard), Bad);
      }
      CommonReport &Common = commonReport(B, C->Alignment > 1);
      BasicBlock *From = B.GetInsertBlock();
      BasicBlock *Next = SplitBlock(From, ColdEnd);
      ReplaceInstWithInst(From->getTerminator(), BranchInst::Create(Common.Block, Next, Bad));
      for (auto [Phi, Value] : zip(Common.Parts, Told))
        Phi->addIncoming(Value, From);
      B.SetInsertPoint(ColdEnd);
    }
  }
}

// Loops are as they were before blocks were split. Each call of a report costs registers: too many for kernels with all
// checks, whose blocks may be as large as the plain kernel allows, and functions that are called store them at each
// call.
void BoundsCheck::insert(ArrayRef<Batch> Batches, Function &F) {
  DominatorTree Tree(F);
  LoopInfo Loops(Tree);
  SmallVector<BasicBlock *, 16> Headers;
  for (const Batch &Members : Batches) {
    const Loop *Inner = Loops.getLoopFor(Members.front()->Where->getParent());
    Headers.push_back(Inner ? Inner->getHeader() : nullptr);
  }
  const bool IsFast = FastKernels::isVariant(F) && !Fast.claimsFor(F);
  for (auto [Members, Header] : zip(Batches, Headers)) {
    LoopHeader = IsFast ? Header : nullptr;
    insert(Members);
  }
  CommonReports.clear();
}

// In program order, and all before the first access: what looks its pointers up has a branch of its own.
void BoundsCheck::insert(const Batch &Members) {
  Instruction *Before = Members.front()->Where;
  ArrayRef<const Check *> Left = Members;
  while (!Left.empty()) {
    if (LookingUp.contains(Left.front())) {
      callCheck(*Left.front(), Before);
      Left = Left.drop_front();
      continue;
    }
    auto Compared = Left.take_until([&](const Check *C) { return LookingUp.contains(C); });
    compare(Compared, Before);
    Left = Left.drop_front(Compared.size());
  }
}

void BoundsCheck::compare(ArrayRef<const Check *> Members, Instruction *Before) {
  const Check &First = *Members.front();
  if (Members.size() == 1 && !SharesReports)
    return compare(First, Before);
  const bool AreMadeTogether = all_of(Members, [&](const Check *C) { return C->ClaimBits == First.ClaimBits; });
  Instruction *Where = AreMadeTogether ? whereMade(First, Before) : Before;
  BoundsBuilder B(Where->getParent(), Where->getIterator(), InstSimplifyFolder(M.getDataLayout()));
  Value *Bad = B.getFalse();
  for (const Check *C : Members) {
    countCheck(*Where);
    Value *Own = isBad(B, *C);
    Bad = B.CreateOr(Bad, AreMadeTogether || !C->ClaimBits ? Own : B.CreateLogicalAnd(isMade(B, *C), Own));
  }
  Instruction *ColdEnd = SplitBlockAndInsertIfThen(Bad, Where->getIterator(), /*Unreachable=*/true, Unlikely);
  ColdEnd->setDebugLoc(First.Where->getDebugLoc());
  insertBatchReport(ColdEnd, Members);
}

} // namespace gasan
