// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inserts the comparisons, and a branch to the report for each batch.
#include "gasan_pass/Options.h"
#include "gasan_pass/instrument/Count.h"
#include "gasan_pass/instrument/bst/BoundsCheck.h"
#include "gasan_pass/instrument/bst/GoodIndices.h"
#include "gasan_pass/instrument/bst/Promises.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan {

namespace {

constexpr int64_t kGreatest = 1 << 24; // of the constants in an offset

bool isSmall(const ConstantInt &Number) {
  return Number.getValue().abs().ult(kGreatest);
}

// Takes constant summands from V and adds them to Start.
Value *withoutConstants(Value *V, int64_t &Start) {
  Value *Inner;
  ConstantInt *Number;
  while (match(V, m_c_Add(m_Value(Inner), m_ConstantInt(Number))) && isSmall(*Number) && std::abs(Start) < kGreatest) {
    Start += Number->getSExtValue();
    V = Inner;
  }
  return V;
}

// Returns Address - Base - Start for a sum of Base, Start and that value, or null.
Value *distance(Value *Address, Value *Base, int64_t &Start) {
  Value *Inner;
  Start = 0;
  Address = withoutConstants(Address, Start);
  return match(Address, m_c_Add(m_Specific(Base), m_Value(Inner))) ? Inner : nullptr;
}

} // namespace

// Returns V + Start as a multiple of a number that was extended to 64 bits. Empty: it is something else.
static std::optional<Multiple> multipleOf(Value *V, int64_t Start) {
  Multiple Result = {nullptr, false, 1, Start};
  ConstantInt *Number;
  Value *Inner;
  V = withoutConstants(V, Result.Start);
  if (match(V, m_Mul(m_Value(Inner), m_ConstantInt(Number))) && isSmall(*Number) &&
      Number->getValue().isStrictlyPositive()) {
    Result.Factor = Number->getSExtValue();
    V = Inner;
  } else if (match(V, m_Shl(m_Value(Inner), m_ConstantInt(Number))) && Number->getValue().ult(24)) {
    Result.Factor = int64_t(1) << Number->getZExtValue();
    V = Inner;
  }
  auto *Extended = dyn_cast<CastInst>(V);
  if (!isa_and_nonnull<SExtInst, ZExtInst>(Extended) || Extended->getSrcTy()->getScalarSizeInBits() > 32)
    return std::nullopt;
  Result.Index = Extended->getOperand(0);
  Result.IsSigned = isa<SExtInst>(Extended);
  return Result;
}

// Returns true if a promise about an offset could decide the comparison: the object's size may be a compile-time
// constant.
static bool mayBePromised(const PlannedCheck &C) {
  return !isa<ExtractValueInst, Argument>(C.B.Size);
}

// Returns an i1, Address - Base >= Limit, that compares 32 bits. Null: 64 bits are necessary. A GPU needs two
// instructions for each operation with 64 bits. A multiple of a 32-bit index is compared as the index.
static Value *compareIn32Bits(BoundsBuilder &B, Value *Address, Value *Base, Value *Limit) {
  const SimplifyQuery Query(B.GetInsertBlock()->getDataLayout(), /*TLI=*/nullptr, /*DT=*/nullptr, /*AC=*/nullptr,
                            /*CXTI=*/nullptr, /*UseInstrInfo=*/false);
  const APInt Most = computeKnownBits(Limit, Query).getMaxValue();
  int64_t Start;
  Value *Distance = Most.ule(UINT32_MAX) && !Most.isZero() ? distance(Address, Base, Start) : nullptr;
  if (!Distance)
    return nullptr;
  Type *I32 = B.getInt32Ty();
  auto isAtLeast = [&](Value *Number, Value *Count) {
    return B.CreateICmpUGE(withoutPromises(B, Number, Count), Count);
  };
  if (const std::optional<Multiple> Of = multipleOf(Distance, Start))
    if (const std::optional<GoodIndices> Good = goodIndices(*Of, Limit, B.GetInsertBlock()->getDataLayout()))
      return isAtLeast(B.CreateSub(B.CreateIntCast(Of->Index, I32, Of->IsSigned), B.getInt32(uint32_t(Good->First))),
                       Good->Count);
  const bool Fits = Start >= 0 && computeKnownBits(Distance, Query).getMaxValue().ule(UINT32_MAX - uint64_t(Start));
  return Fits ? isAtLeast(B.CreateAdd(B.CreateTrunc(Distance, I32), B.getInt32(uint32_t(Start))),
                          B.CreateTrunc(Limit, I32))
              : nullptr;
}

// Returns an i1: the check fails. Combines guard and comparison by a select, not by an `and`: the address of an access
// that does not happen may be poison.
Value *BoundsCheck::isBad(BoundsBuilder &B, const Check &C) {
  Value *Limit = C.Limit, *Guard = C.Guard ? B.CreateFreeze(C.Guard) : nullptr;
  if (C.Count) {
    IntegerType *Type = B.getIntNTy(C.IndexBits);
    Value *Number = B.CreateSub(B.CreateIntCast(C.Index, Type, C.IsSignedIndex),
                                ConstantInt::get(Type, uint64_t(C.Back), /*IsSigned=*/true));
    if (C.Before)
      Number = B.CreateAdd(Number, B.CreateTrunc(C.Before, Type));
    Value *Count = B.CreateTrunc(C.Count, Type);
    if (C.IsOfVariable)
      Number = withoutPromises(B, Number, Count);
    Value *Bad = B.CreateICmpUGE(Number, Count);
    return Guard ? B.CreateLogicalAnd(Guard, Bad) : Bad;
  }
  Value *Address = B.CreateAdd(Numbers.of(B, C.Pointer), B.getInt64(C.Lowest));
  Compared.push_back(Address);
  if (!Limit) { // an access of 0 bytes is good everywhere
    Value *Some = B.CreateICmpNE(C.Width, B.getInt64(0));
    Guard = Guard ? B.CreateLogicalAnd(Guard, Some) : Some;
    Limit = B.CreateBinaryIntrinsic(Intrinsic::usub_sat, C.B.Size, B.CreateSub(C.Width, B.getInt64(1)));
  }
  Value *Bad = compareIn32Bits(B, Address, C.B.Base, Limit);
  if (!Bad) {
    int64_t Start;
    Value *Distance = distance(Address, C.B.Base, Start);
    Value *Offset = Distance ? B.CreateAdd(Distance, B.getInt64(Start)) : B.CreateSub(Address, C.B.Base);
    if (mayBePromised(C))
      Offset = withoutPromises(B, Offset, Limit);
    Bad = B.CreateICmpUGE(Offset, Limit);
  }
  if (C.Alignment > 1 && !C.InLimit)
    Bad = B.CreateOr(Bad, B.CreateIsNotNull(B.CreateAnd(Address, C.Alignment.value() - 1)));
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
  if (Recover) {
    for (const Check *C : Members)
      compareAndRecover(*C);
    return;
  }
  Instruction *Before = Members.front()->MadeAt;
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
    const Loop *Inner = Loops.getLoopFor(Members.front()->MadeAt->getParent());
    Headers.push_back(Inner ? Inner->getHeader() : nullptr);
  }
  const bool IsProven = KernelVariants::isVariant(F) && !Variants.claimsFor(F);
  for (auto [Members, Header] : zip(Batches, Headers)) {
    LoopHeader = IsProven ? Header : nullptr;
    insert(Members);
  }
  CommonReports.clear();
  // Deletes addresses that are no longer needed: the offset of a variable's element needs no address. If one stayed,
  // the code generator would take a report's address from it, and convert it before each check (S2R SR_SWINHI). A
  // report might have needed the address or a part of it until here, because a comparison may fold to true.
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Compared);
  Compared.clear();
}

} // namespace gasan
