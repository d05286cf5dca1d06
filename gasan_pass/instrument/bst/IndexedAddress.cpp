// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/IndexedAddress.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan {

// Takes a constant factor out of the index if the rest has at most 32 bits. nvcc's code multiplies indices by the size
// of elements itself. Sums and products of 64 bits wrap equally in both forms.
static void takeFactor(Value *&Index, APInt &Scale) {
  constexpr unsigned kMostBits = 31; // of the factor
  Value *Rest;
  const APInt *By;
  APInt Factor(Scale.getBitWidth(), 1);
  if (match(Index, m_Shl(m_Value(Rest), m_APInt(By))) && By->ult(kMostBits))
    Factor <<= By->getZExtValue();
  else if (match(Index, m_Mul(m_Value(Rest), m_APInt(By))) && By->isStrictlyPositive() && By->isIntN(kMostBits))
    Factor = By->zextOrTrunc(Scale.getBitWidth());
  else
    return;
  const auto *Wide = dyn_cast<CastInst>(Rest);
  if (!Wide || !isa<ZExtInst, SExtInst>(Wide) || Wide->getSrcTy()->getScalarSizeInBits() > 32 ||
      !Wide->getType()->isIntegerTy(Scale.getBitWidth()) || Scale.getSignificantBits() > 32)
    return;
  Index = Rest;
  Scale *= Factor;
}

std::optional<IndexedAddress> indexedAddress(Value *Pointer, const DataLayout &DL,
                                             function_ref<bool(const Value *)> Accepts) {
  constexpr unsigned kBits = 64;
  SmallMapVector<Value *, APInt, 4> Variable;
  APInt Constant(kBits, 0);
  bool MayWrap = false;
  for (;;) {
    if (!Accepts(Pointer))
      return std::nullopt;
    if (auto *Cast = dyn_cast<AddrSpaceCastOperator>(Pointer)) {
      Pointer = Cast->getPointerOperand();
      continue;
    }
    auto *Gep = dyn_cast<GEPOperator>(Pointer);
    if (!Gep)
      break;
    if (DL.getIndexTypeSizeInBits(Gep->getType()) != kBits || !Gep->collectOffset(DL, kBits, Variable, Constant))
      return std::nullopt;
    MayWrap |= !Gep->hasAllConstantIndices() && !Gep->hasNoUnsignedSignedWrap();
    Pointer = Gep->getPointerOperand();
  }
  if (Variable.size() != 1)
    return std::nullopt;
  auto &[Index, Scale] = Variable.front();
  takeFactor(Index, Scale);
  return IndexedAddress{Pointer, Index, Scale, Constant, MayWrap};
}

} // namespace gasan
