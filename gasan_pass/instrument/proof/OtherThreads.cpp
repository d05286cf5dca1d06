// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/proof/OtherThreads.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace gasan {

static bool comesFromOthers(const Value *V, unsigned Depth) {
  constexpr unsigned kDeepest = 6;
  if (const auto *Load = dyn_cast<LoadInst>(V))
    return Load->isVolatile();
  if (const auto *Call = dyn_cast<CallInst>(V))
    return Call->isConvergent();
  if (Depth == kDeepest || !isa<CastInst, ExtractValueInst, BinaryOperator>(V))
    return false;
  const auto *I = cast<Instruction>(V);
  return any_of(I->operands(), [](const Value *Part) { return !isa<Constant>(Part); }) &&
         all_of(I->operands(),
                [&](const Value *Part) { return isa<Constant>(Part) || comesFromOthers(Part, Depth + 1); });
}

bool comesFromOthers(const Value *V) {
  return comesFromOthers(V, 0);
}

bool isBoundedByOthers(const Place *At) {
  for (const Place *P = At; P; P = P->Outer)
    if (any_of(P->Known, [&](const Relation &R) {
          return CmpInst::isRelational(R.Predicate) && (comesFromOthers(R.Left) || comesFromOthers(R.Right));
        }))
      return true;
  return false;
}

} // namespace gasan
