// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/IndexedAddress.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace gasan {

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
  return IndexedAddress{Pointer, Index, Scale, Constant, MayWrap};
}

} // namespace gasan
