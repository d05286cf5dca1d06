// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/FunctionAnalyses.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace gasan {

std::optional<int64_t> FunctionAnalyses::distance(Value *From, Value *To) {
  if (From->getType() != To->getType() || !From->getType()->isPointerTy())
    return std::nullopt;
  const auto *Constant = dyn_cast<SCEVConstant>(Believing.getMinusSCEV(Believing.getSCEV(To), Believing.getSCEV(From)));
  if (!Constant || Constant->getAPInt().getSignificantBits() > 32)
    return std::nullopt;
  return Constant->getAPInt().getSExtValue();
}

std::optional<FunctionAnalyses::Offsets> FunctionAnalyses::offsets(Value *Pointer) {
  const SCEV *Address = PromiseFree.getSCEV(Pointer);
  const auto *Base = dyn_cast<SCEVUnknown>(PromiseFree.getPointerBase(Address));
  if (!Base)
    return std::nullopt;
  const SCEV *Offset = PromiseFree.removePointerBase(Address);
  const ConstantRange Range =
      PromiseFree.getSignedRange(Offset).intersectWith(PromiseFree.getUnsignedRange(Offset), ConstantRange::Signed);
  return Offsets{Base->getValue()->stripPointerCasts(), Range.sextOrTrunc(64)};
}

} // namespace gasan
