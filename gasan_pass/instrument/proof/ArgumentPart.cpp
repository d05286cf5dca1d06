// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/proof/ArgumentPart.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace gasan {

namespace {

constexpr unsigned kFarthest = 8; // steps of pointers from an argument

// Returns true if the use can neither write through the pointer nor keep it, as the report of a member's check
// (SourceFaults.h).
bool isOnlySeen(const Use &U) {
  const auto *Call = dyn_cast<CallBase>(U.getUser());
  return isa<LoadInst, ICmpInst>(U.getUser()) ||
         (Call && Call->isArgOperand(&U) && Call->onlyAccessesInaccessibleMemory() &&
          Call->doesNotCapture(Call->getArgOperandNo(&U)));
}

// Returns true also if the pointer is used in a way that is not understood.
bool isWrittenThrough(const Value &Pointer, unsigned Depth = 0) {
  return any_of(Pointer.uses(), [&](const Use &U) {
    if (isOnlySeen(U))
      return false;
    if (isa<GEPOperator, AddrSpaceCastOperator, BitCastOperator>(U.getUser()))
      return Depth > kFarthest || isWrittenThrough(*U.getUser(), Depth + 1);
    const auto *Copy = dyn_cast<MemTransferInst>(U.getUser());
    return !Copy || &Copy->getRawDestUse() == &U;
  });
}

// Returns the number of bytes that the use of a pointer writes, from the pointer on. Empty: not known.
std::optional<uint64_t> writtenBy(const Use &U, const DataLayout &DL) {
  if (const auto *Store = dyn_cast<StoreInst>(U.getUser()))
    return U.getOperandNo() == StoreInst::getPointerOperandIndex()
               ? std::optional<uint64_t>(DL.getTypeStoreSize(Store->getValueOperand()->getType()))
               : std::nullopt;
  const auto *Copy = dyn_cast<MemIntrinsic>(U.getUser());
  if (!Copy)
    return std::nullopt;
  if (&U != &Copy->getRawDestUse())
    return 0;
  const auto *Length = dyn_cast<ConstantInt>(Copy->getLength());
  return Length ? std::optional<uint64_t>(Length->getZExtValue()) : std::nullopt;
}

} // namespace

WrittenBytes::WrittenBytes(const Function &Kernel) : Unknown(Kernel.arg_size()) {
  for (const Argument &A : Kernel.args())
    if (A.hasByValAttr() && !follow(A, A.getArgNo(), 0, Kernel.getDataLayout(), 0))
      Unknown.set(A.getArgNo());
}

// Collects the bytes that are written through the pointer. Returns false if they are not known.
bool WrittenBytes::follow(const Value &Pointer, unsigned Argument, int64_t Offset, const DataLayout &DL,
                          unsigned Depth) {
  if (Depth > kFarthest)
    return false;
  for (const Use &U : Pointer.uses()) {
    const User &By = *U.getUser();
    if (isOnlySeen(U))
      continue;
    if (isa<GEPOperator, AddrSpaceCastOperator, BitCastOperator>(By)) {
      const auto *Gep = dyn_cast<GEPOperator>(&By);
      APInt Distance(DL.getIndexTypeSizeInBits(By.getType()), 0);
      const bool IsKnown = !Gep || Gep->accumulateConstantOffset(DL, Distance);
      if (IsKnown ? !follow(By, Argument, Offset + Distance.getSExtValue(), DL, Depth + 1) : isWrittenThrough(By))
        return false;
      continue;
    }
    const std::optional<uint64_t> Size = writtenBy(U, DL);
    if (!Size)
      return false;
    Known.push_back({Argument, Offset, int64_t(*Size)});
  }
  return true;
}

bool WrittenBytes::mayHave(unsigned Argument, uint64_t Offset, uint64_t Size) const {
  const int64_t First = Offset, End = Offset + Size;
  return Unknown[Argument] || any_of(Known, [&](const Range &R) {
           return R.Argument == Argument && R.Offset < End && First < R.Offset + R.Size;
         });
}

std::optional<ArgumentPart> argumentPart(const Value &V, const WrittenBytes &Written) {
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
  if (!Structure || !Structure->hasByValAttr())
    return std::nullopt;
  const uint64_t Size = DL.getTypeAllocSize(Structure->getParamByValType()), Width = DL.getTypeStoreSize(V.getType());
  if (Offset < 0 || Width > Size || uint64_t(Offset) > Size - Width ||
      Written.mayHave(Structure->getArgNo(), Offset, Width))
    return std::nullopt;
  return ArgumentPart{Structure->getArgNo(), uint64_t(Offset)};
}

} // namespace gasan
