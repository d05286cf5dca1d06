// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/GoodIndices.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace gasan {

// Returns ceil((Limit -sat FirstOffset) / Factor) as an i32, computed behind Limit. Null: there is no place for it.
static Value *countBehind(Value *Limit, uint64_t FirstOffset, uint64_t Factor) {
  auto *Made = dyn_cast<Instruction>(Limit);
  std::optional<BasicBlock::iterator> At = Made ? Made->getInsertionPointAfterDef() : std::nullopt;
  if (!At)
    return nullptr;
  IRBuilder<> B(Made->getParent(), *At);
  Value *Bytes = B.CreateTrunc(Limit, B.getInt32Ty());
  if (FirstOffset)
    Bytes = B.CreateBinaryIntrinsic(Intrinsic::usub_sat, Bytes, B.getInt32(FirstOffset));
  return B.CreateUDiv(B.CreateAdd(Bytes, B.getInt32(Factor - 1)), B.getInt32(Factor));
}

std::optional<GoodIndices> goodIndices(const Multiple &Of, Value *Limit, const DataLayout &DL) {
  const SimplifyQuery Query(DL, /*TLI=*/nullptr, /*DT=*/nullptr, /*AC=*/nullptr, /*CXTI=*/nullptr,
                            /*UseInstrInfo=*/false);
  const APInt Greatest = computeKnownBits(Limit, Query).getMaxValue();
  if (Greatest.ugt(UINT32_MAX - uint64_t(Of.Factor)))
    return std::nullopt;
  const uint64_t Most = Greatest.getZExtValue();
  const int64_t Least = Of.IsSigned ? INT32_MIN : 0, First = std::max(divideCeilSigned(-Of.Start, Of.Factor), Least);
  const uint64_t FirstOffset = uint64_t(Of.Factor * First + Of.Start);
  if (FirstOffset >= Most)
    return std::nullopt;
  const uint64_t MostCount = divideCeil(Most - FirstOffset, uint64_t(Of.Factor));
  if (First + int64_t(MostCount) - 1 > INT32_MAX)
    return std::nullopt;
  if (isa<ConstantInt>(Limit))
    return GoodIndices{First, ConstantInt::get(Type::getInt32Ty(Limit->getContext()), MostCount)};
  if (Value *Count = countBehind(Limit, FirstOffset, uint64_t(Of.Factor)))
    return GoodIndices{First, Count};
  return std::nullopt;
}

} // namespace gasan
