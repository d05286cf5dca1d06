// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inserts the comparisons, and a branch to the report for each batch.
#include "gasan_pass/instrument/Count.h"
#include "gasan_pass/instrument/bst/BoundsCheck.h"
#include "gasan_pass/instrument/bst/Promises.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace gasan {

// Returns true if a promise about an offset could decide the comparison: the object's size may be a compile-time
// constant.
static bool mayBePromised(const PlannedCheck &C) {
  return !isa<ExtractValueInst, Argument>(C.B.Size);
}

// Returns an i1: the check fails. Combines guard and comparison by a select, not by an `and`: the address of an access
// that does not happen may be poison.
Value *BoundsCheck::isBad(BoundsBuilder &B, const Check &C) {
  Value *Limit = C.Limit, *Guard = C.Guard ? B.CreateFreeze(C.Guard) : nullptr;
  if (C.Count) {
    IntegerType *Type = B.getIntNTy(C.IndexBits);
    Value *Number = B.CreateSub(B.CreateIntCast(C.Index, Type, C.IsSignedIndex), ConstantInt::get(Type, C.Back));
    if (C.IsSignedIndex)
      Number = B.CreateAdd(Number, B.CreateTrunc(C.Before, Type));
    Value *Bad = B.CreateICmpUGE(Number, B.CreateTrunc(C.Count, Type));
    return Guard ? B.CreateLogicalAnd(Guard, Bad) : Bad;
  }
  Value *Address = B.CreateAdd(Numbers.of(B, C.Pointer), B.getInt64(C.Lowest));
  Value *Offset = B.CreateSub(Address, C.B.Base);
  if (!Limit) { // an access of 0 bytes is good everywhere
    Value *Some = B.CreateICmpNE(C.Width, B.getInt64(0));
    Guard = Guard ? B.CreateLogicalAnd(Guard, Some) : Some;
    Limit = B.CreateBinaryIntrinsic(Intrinsic::usub_sat, C.B.Size, B.CreateSub(C.Width, B.getInt64(1)));
  }
  if (mayBePromised(C))
    Offset = withoutPromises(B, Offset, Limit);
  Value *Bad = B.CreateICmpUGE(Offset, Limit);
  if (C.Alignment > 1 && !C.InLimit)
    Bad = B.CreateOr(Bad, B.CreateIsNotNull(B.CreateAnd(Address, C.Alignment.value() - 1)));
  Compared.push_back(Address);
  return Guard ? B.CreateLogicalAnd(Guard, Bad) : Bad;
}

// Returns the compared address as the machine computes it. The report compares this address once more.
Value *BoundsCheck::reportedAddress(IRBuilderBase &B, const Check &C) {
  Value *Address = Numbers.of(B, C.Pointer);
  return mayBePromised(C) ? B.CreateFreeze(Address) : Address;
}

void BoundsCheck::compare(const Check &C, Instruction *Before) {
  Instruction *Where = whereMade(C, Before);
  countCheck(*Where);
  BoundsBuilder B(Where->getParent(), Where->getIterator(), InstSimplifyFolder(M.getDataLayout()));
  Instruction *Unreachable =
      SplitBlockAndInsertIfThen(isBad(B, C), Where->getIterator(), /*Unreachable=*/true, Unlikely);
  IRBuilder<> Cold(Unreachable);
  Cold.SetCurrentDebugLocation(C.Where->getDebugLoc());
  Value *Address = reportedAddress(Cold, C);
  if (C.Parts.empty())
    callReport(Cold, C, Address, C.Width, Cold.getInt32(C.Site));
  else
    callGroupReport(Cold, C, Address);
}

// Returns the i1 as a value that is opaque to the code generator. Otherwise the code generator would turn `a >= limit
// || b >= limit` into one comparison with the maximum. In 64 bits, a GPU needs four instructions for a maximum, and two
// for a comparison.
static Value *ofUnknownOrigin(BoundsBuilder &B, Value *Comparison) {
  const auto *Own = dyn_cast<ICmpInst>(Comparison);
  if (!Own || !Own->getOperand(0)->getType()->isIntegerTy(64))
    return Comparison;
  auto *Same = InlineAsm::get(FunctionType::get(B.getInt1Ty(), {B.getInt1Ty()}, /*isVarArg=*/false), "", "=b,0",
                              /*hasSideEffects=*/false);
  CallInst *Call = B.CreateCall(Same, {Comparison});
  Call->setDoesNotAccessMemory();
  Call->setDoesNotThrow();
  Call->addFnAttr(Attribute::WillReturn);
  return Call;
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
    if (C != &First)
      Own = ofUnknownOrigin(B, Own);
    Bad = B.CreateOr(Bad, AreMadeTogether || !C->ClaimBits ? Own : B.CreateLogicalAnd(isMade(B, *C), Own));
  }
  Instruction *ColdEnd = SplitBlockAndInsertIfThen(Bad, Where->getIterator(), /*Unreachable=*/true, Unlikely);
  ColdEnd->setDebugLoc(First.Where->getDebugLoc());
  insertBatchReport(ColdEnd, Members);
}

// Inserts the checks in program order, all before the first access. A check that looks up its pointer itself has its
// own branch.
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

// Finds the loops before any block is split. Only proven variants have a separate report for each loop, because each
// call of a report costs registers. Kernels with all checks cannot afford them, since their blocks may be as large as
// the plain kernel's. Called functions cannot either, since they spill registers at each call.
void BoundsCheck::insert(ArrayRef<Batch> Batches, Function &F) {
  DominatorTree Tree(F);
  LoopInfo Loops(Tree);
  SmallVector<BasicBlock *, 16> Headers;
  for (const Batch &Members : Batches) {
    const Loop *Inner = Loops.getLoopFor(Members.front()->Where->getParent());
    Headers.push_back(Inner ? Inner->getHeader() : nullptr);
  }
  const bool IsProven = KernelVariants::isVariant(F) && !Variants.claimsFor(F);
  for (auto [Members, Header] : zip(Batches, Headers)) {
    LoopHeader = IsProven ? Header : nullptr;
    insert(Members);
  }
  CommonReports.clear();
  // Deletes addresses that are no longer needed: the offset of a variable's element needs no address. A report might
  // have needed the address or a part of it until here, because a comparison may fold to true.
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Compared);
  Compared.clear();
}

} // namespace gasan
