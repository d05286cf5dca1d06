#include "gasan_pass/instrument/bst/FunctionAnalyses.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace gasan {

std::optional<int64_t> FunctionAnalyses::distance(Value *From, Value *To) {
  if (From->getType() != To->getType() || !From->getType()->isPointerTy())
    return std::nullopt;
  const auto *Constant = dyn_cast<SCEVConstant>(SE.getMinusSCEV(SE.getSCEV(To), SE.getSCEV(From)));
  if (!Constant || Constant->getAPInt().getSignificantBits() > 32)
    return std::nullopt;
  return Constant->getAPInt().getSExtValue();
}

ConstantRange FunctionAnalyses::offsets(Value *Pointer, const Value *Variable) {
  const SCEV *Address = SE.getSCEV(Pointer);
  const auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(Address));
  if (!Base || Base->getValue()->stripPointerCasts() != Variable)
    return ConstantRange::getFull(64);
  const SCEV *Offset = SE.removePointerBase(Address);
  return SE.getSignedRange(Offset).intersectWith(SE.getUnsignedRange(Offset), ConstantRange::Signed).sextOrTrunc(64);
}

} // namespace gasan
