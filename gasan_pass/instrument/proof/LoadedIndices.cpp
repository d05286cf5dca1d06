// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds accesses whose index is a number that was loaded from memory (`values[keys[i]]`), so that a report can name it.
// Nothing is proven by it, and no code depends on it.
#include "gasan_pass/instrument/proof/KernelProof.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace gasan {

namespace {

// The address is Root + Number * Scale + Added, and the number is an integer of memory.
struct Index {
  LoadInst *Number = nullptr;
  bool IsSigned = true;
  int64_t Scale = 0, Added = 0;
};

// Finds the number below conversions and additions of constants. Additions of 32 bits may have wrapped: a report
// computes the number modulo its size.
bool findNumber(Value *V, Index &Found) {
  for (unsigned Depth = 0; Depth < 8; ++Depth) {
    Value *A;
    const APInt *C;
    if (isa<SExtInst, ZExtInst>(V)) {
      Found.IsSigned = isa<SExtInst>(V);
      V = cast<CastInst>(V)->getOperand(0);
    } else if (Formulas::isSum(V, A, C) && C->getSignificantBits() <= 32) {
      Found.Added += C->getSExtValue() * Found.Scale;
      V = A;
    } else {
      Found.Number = dyn_cast<LoadInst>(V);
      return Found.Number && V->getType()->isIntegerTy() && V->getType()->getIntegerBitWidth() <= 64;
    }
  }
  return false;
}

std::optional<Index> findIndex(Value *Pointer, const Value *Root, const DataLayout &DL) {
  SmallMapVector<Value *, APInt, 4> Variables;
  APInt Added(64, 0);
  for (unsigned Depth = 0; Pointer != Root; ++Depth) {
    if (auto *Cast = dyn_cast<AddrSpaceCastOperator>(Pointer)) {
      Pointer = Cast->getPointerOperand();
      continue;
    }
    auto *Step = dyn_cast<GEPOperator>(Pointer);
    if (!Step || Depth == 8 || !Step->collectOffset(DL, 64, Variables, Added))
      return std::nullopt;
    Pointer = Step->getPointerOperand();
  }
  if (Variables.size() != 1)
    return std::nullopt;
  auto [Variable, Scale] = Variables.front();
  Index Found;
  Found.Scale = Scale.getSExtValue();
  Found.Added = Added.getSExtValue();
  if (Found.Scale < 1 || !findNumber(Variable, Found))
    return std::nullopt;
  return Found;
}

} // namespace

void KernelProof::noteLoadedIndex(const ProvableCheck &Check, const gasan_claim &To) {
  if (To.root != GASAN_ROOT_ARGUMENT)
    return;
  Value *Root = Roots.steps().soleSource(Check.Pointer);
  const std::optional<Index> Found = findIndex(Check.Pointer, Root, Kernel.getDataLayout());
  Value *From = Found ? Roots.steps().soleSource(Found->Number->getPointerOperand()) : nullptr;
  const std::optional<ArgumentPart> Part = From ? argumentPart(*From, Written) : std::nullopt;
  if (!Part)
    return;
  Candidate New = {};
  New.Index.site = Check.Site;
  New.Index.argument = To.argument;
  New.Index.offset = To.offset;
  New.Index.bits = Found->Number->getType()->getIntegerBitWidth();
  New.Index.is_signed = Found->IsSigned;
  New.Index.scale = Found->Scale;
  New.Index.added = Found->Added;
  New.From = *Part;
  Values.startClaim();
  New.Offset = Nodes.splitConstant(Values.ofAccess(Found->Number->getPointerOperand(), *Found->Number), New.Low);
  Candidates.push_back(New);
}

void KernelProof::finishLoadedIndices() {
  for (const Candidate &C : Candidates)
    for (const Claim &Of : Claims) {
      if (!Of.IsPlausible || Of.To.root != GASAN_ROOT_ARGUMENT || Of.To.argument != C.From.Number ||
          Of.To.offset != C.From.Offset || !(Of.Offset == C.Offset))
        continue;
      Loaded.push_back(C.Index);
      Loaded.back().claim = Of.Number;
      Loaded.back().distance = C.Low - Of.Low;
      break;
    }
}

} // namespace gasan
