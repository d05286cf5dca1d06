// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/proof/ArgumentPart.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace gasan {

// Returns true also if the pointer is used in a way that is not understood.
static bool isWrittenThrough(const Value &Pointer, unsigned Depth = 0) {
  constexpr unsigned kFarthest = 8;
  return any_of(Pointer.users(), [&](const User *U) {
    if (isa<LoadInst>(U) || isa<ICmpInst>(U))
      return false;
    if (isa<GEPOperator, AddrSpaceCastOperator, BitCastOperator>(U))
      return Depth > kFarthest || isWrittenThrough(*U, Depth + 1);
    const auto *Copy = dyn_cast<MemTransferInst>(U);
    return !Copy || Copy->getRawDest() == &Pointer;
  });
}

BitVector writtenStructures(const Function &Kernel) {
  BitVector Written(Kernel.arg_size());
  for (const Argument &A : Kernel.args())
    if (A.hasByValAttr() && isWrittenThrough(A))
      Written.set(A.getArgNo());
  return Written;
}

std::optional<ArgumentPart> argumentPart(const Value &V, const BitVector &Written) {
  if (const auto *A = dyn_cast<Argument>(&V); A && !A->hasPassPointeeByValueCopyAttr())
    return ArgumentPart{A->getArgNo(), 0};
  const auto *Load = dyn_cast<LoadInst>(&V);
  if (!Load || Load->isVolatile() || Load->isAtomic())
    return std::nullopt;
  const DataLayout &DL = Load->getDataLayout();
  const Value *Place = Load->getPointerOperand();
  int64_t Offset = 0;
  for (;;) { // casts between address spaces change nothing
    APInt Distance(DL.getIndexTypeSizeInBits(Place->getType()), 0);
    const Value *From = Place->stripAndAccumulateConstantOffsets(DL, Distance, /*AllowNonInbounds=*/true);
    Offset += Distance.getSExtValue();
    const auto *Cast = dyn_cast<AddrSpaceCastOperator>(From);
    Place = Cast ? Cast->getPointerOperand() : From;
    if (!Cast)
      break;
  }
  const auto *Structure = dyn_cast<Argument>(Place);
  if (!Structure || !Structure->hasByValAttr() || Written[Structure->getArgNo()])
    return std::nullopt;
  const uint64_t Size = DL.getTypeAllocSize(Structure->getParamByValType()), Width = DL.getTypeStoreSize(V.getType());
  if (Offset < 0 || Width > Size || uint64_t(Offset) > Size - Width)
    return std::nullopt;
  return ArgumentPart{Structure->getArgNo(), uint64_t(Offset)};
}

} // namespace gasan
