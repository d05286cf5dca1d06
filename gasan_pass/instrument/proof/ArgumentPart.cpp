// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/proof/ArgumentPart.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include <numeric>

using namespace llvm;

namespace gasan {

namespace {

constexpr unsigned kFarthest = 8; // steps of pointers from an argument

// Returns true if the use neither writes through the pointer nor stores the pointer, for example in the report of a
// member's check (SourceFaults.h).
bool isOnlySeen(const Use &U) {
  const auto *Call = dyn_cast<CallBase>(U.getUser());
  return isa<LoadInst, ICmpInst>(U.getUser()) ||
         (Call && Call->isArgOperand(&U) && Call->onlyAccessesInaccessibleMemory() &&
          Call->doesNotCapture(Call->getArgOperandNo(&U)));
}

// Returns true if something may be written through the pointer, or if a use of the pointer is not understood.
bool isWrittenThrough(const Value &Pointer, SmallPtrSetImpl<const Value *> &Seen) {
  constexpr size_t kMost = 64;
  if (!Seen.insert(&Pointer).second) // in a loop
    return false;
  return Seen.size() > kMost || any_of(Pointer.uses(), [&](const Use &U) {
           if (isOnlySeen(U))
             return false;
           if (isa<GEPOperator, AddrSpaceCastOperator, BitCastOperator, PHINode, SelectInst>(U.getUser()))
             return isWrittenThrough(*U.getUser(), Seen);
           const auto *Copy = dyn_cast<MemTransferInst>(U.getUser());
           return !Copy || &Copy->getRawDestUse() == &U;
         });
}

bool isWrittenThrough(const Value &Pointer) {
  SmallPtrSet<const Value *, 16> Seen;
  return isWrittenThrough(Pointer, Seen);
}

// Returns the number of bytes that this use of a pointer writes, starting at the pointer. Empty: not known.
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
    if (isa<PHINode, SelectInst>(By)) {
      if (isWrittenThrough(By))
        return false;
      continue;
    }
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

// Returns true if the type has a pointer at this offset.
static bool hasPointerAt(Type *T, APInt Offset, const DataLayout &DL) {
  while (!T->isPointerTy())
    if (!DL.getGEPIndexForOffset(T, Offset))
      return false;
  return Offset.isZero();
}

namespace {

struct ComputedPlace { // in a by-value structure
  const Argument *Structure;
  SmallMapVector<Value *, APInt, 4> Terms;
  APInt Constant = APInt(64, 0); // bytes
  uint64_t Stride = 0;           // divides all terms

  uint64_t bytes(const DataLayout &DL) const { return DL.getTypeAllocSize(Structure->getParamByValType()); }
};

} // namespace

// Returns the place from which the load reads. Empty: the place is known, or is not in a by-value structure.
static std::optional<ComputedPlace> computedPlace(const LoadInst &Load) {
  const DataLayout &DL = Load.getDataLayout();
  const Value *Place = Load.getPointerOperand();
  ComputedPlace Found;
  for (;;) {
    if (const auto *Gep = dyn_cast<GEPOperator>(Place)) {
      if (DL.getIndexTypeSizeInBits(Gep->getType()) != 64 || !Gep->collectOffset(DL, 64, Found.Terms, Found.Constant))
        return std::nullopt;
      Place = Gep->getPointerOperand();
    } else if (const auto *Cast = dyn_cast<AddrSpaceCastOperator>(Place)) {
      Place = Cast->getPointerOperand();
    } else {
      break;
    }
  }
  Found.Structure = dyn_cast<Argument>(Place);
  if (!Found.Structure || !Found.Structure->hasByValAttr())
    return std::nullopt;
  for (const auto &[Term, Factor] : Found.Terms)
    Found.Stride = std::gcd(Found.Stride, uint64_t(Factor.abs().getZExtValue()));
  return Found.Stride ? std::optional(Found) : std::nullopt;
}

std::optional<ArgumentElements> argumentElements(const Value &V, const WrittenBytes &Written) {
  constexpr uint64_t kMostBytes = 128; // each is an input of the decision
  const auto *Load = dyn_cast<LoadInst>(&V);
  std::optional<ComputedPlace> Place = Load && Load->isSimple() ? computedPlace(*Load) : std::nullopt;
  if (!Place)
    return std::nullopt;
  const DataLayout &DL = Load->getDataLayout();
  const uint64_t Size = Place->bytes(DL);
  if (Place->Constant.uge(Size))
    return std::nullopt;
  const uint64_t Offset = Place->Constant.getZExtValue(), Bytes = std::min(Size - Offset, kMostBytes);
  ArgumentElements Found = {Place->Structure->getArgNo(), Offset, Place->Stride, Bytes, {}};
  if (DL.getTypeStoreSize(V.getType()) > Bytes || Written.mayHave(Found.Number, Offset, Bytes))
    return std::nullopt;
  for (const auto &[Term, Factor] : Place->Terms)
    Found.Terms.push_back({Term, Factor.getSExtValue()});
  return Found;
}

std::optional<ArgumentTable> argumentTable(const Value &Pointer, const WrittenBytes &Written) {
  constexpr uint64_t kMostPlaces = 64, kWidth = 8;
  const auto *Load = dyn_cast<LoadInst>(&Pointer);
  if (!Load || !Load->isSimple() || !Load->getType()->isPointerTy())
    return std::nullopt;
  const DataLayout &DL = Load->getDataLayout();
  std::optional<ComputedPlace> Place = computedPlace(*Load);
  if (!Place)
    return std::nullopt;
  const Argument *Structure = Place->Structure;
  const APInt &Constant = Place->Constant;
  ArgumentTable Table = {Structure->getArgNo(), 0, Place->Stride, 0, 0, {}};
  Type *Passed = Structure->getParamByValType();
  const uint64_t Bytes = Place->bytes(DL);
  if (Table.Stride % kWidth || Bytes / Table.Stride > kMostPlaces)
    return std::nullopt;
  const int64_t Stride = Table.Stride, Phase = ((Constant.getSExtValue() % Stride) + Stride) % Stride;
  uint64_t End = 0; // after the last pointer
  for (uint64_t At = Phase; At + kWidth <= Bytes; At += Stride)
    if (hasPointerAt(Passed, APInt(64, At), DL)) {
      if (!End)
        Table.Offset = At;
      End = At + kWidth;
    }
  if (End <= Table.Offset + kWidth || Written.mayHave(Table.Number, Table.Offset, End - Table.Offset))
    return std::nullopt;
  Table.Size = (End - kWidth - Table.Offset) / Stride + 1;
  Table.First = (Constant.getSExtValue() - int64_t(Table.Offset)) / Stride;
  for (const auto &[Term, Factor] : Place->Terms)
    Table.Terms.push_back({Term, Factor.getSExtValue() / Stride});
  return Table;
}

} // namespace gasan
