// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides for each access whether it needs a check, and which values the check compares.
//
// An access needs no check if every possible offset lies inside a variable of known size, or if a check on every path
// to the access compares the same bytes.
#include "gasan_pass/Options.h"
#include "gasan_pass/instrument/bst/BoundsCheck.h"
#include "gasan_pass/instrument/bst/DeviceHeap.h"
#include "gasan_pass/instrument/bst/Promises.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace gasan {

// Returns the alignment that the check tests.
//
// Instructions need addresses that are multiples of their width; a vector counts as a whole. If the source declares
// less alignment, clang splits the access, or a short copy, into narrower accesses. A longer copy is a loop over bytes,
// which needs no alignment.
static Align wantedAlignment(const Access &A) {
  const auto *Call = dyn_cast<CallBase>(A.Where);
  const bool Passes = Call && !Call->isInlineAsm() && !isa<IntrinsicInst>(Call); // by value
  constexpr uint64_t kShortestLoop = 128;
  const bool Loops = isa<AnyMemIntrinsic>(A.Where) && A.Size >= kShortestLoop;
  if (Passes || Loops || A.Mask || A.RunTimeSize || A.Size == 0)
    return Align(1);
  constexpr uint64_t kWidest = 16;
  return std::min({A.Alignment, Align(bit_floor(A.Size)), Align(kWidest)});
}

// Returns the alignment that the pointer certainly has. Relies on no promise, since nothing else tests the alignment.
static Align certainAlignment(const Value *Pointer, const DataLayout &DL) {
  const SimplifyQuery Query(DL, /*TLI=*/nullptr, /*DT=*/nullptr, /*AC=*/nullptr, /*CXTI=*/nullptr,
                            /*UseInstrInfo=*/false);
  const unsigned Zeros = computeKnownBits(Pointer, Query).countMinTrailingZeros();
  return Align(uint64_t(1) << std::min(Zeros, +Value::MaxAlignmentExponent));
}

// Computes the offsets from variables that the accesses' pointers can have. Must be called before anything is inserted
// into the function. Suspends the promises of the function's instructions while it runs, because other analyses need
// these promises.
void BoundsCheck::measureOffsets(Function &F, ArrayRef<Access> Accesses) {
  constexpr unsigned kMostSteps = 64; // in unreachable code, a pointer may be derived from itself
  auto mayLeadToVariable = [](const Value *Pointer) {
    const Value *Object = getUnderlyingObject(Pointer, kMostSteps);
    const auto *Parameter = dyn_cast<Argument>(Object);
    return Pointer->getType()->isPointerTy() && !isa<LoadInst, Constant>(Pointer) &&
           (isa<AllocaInst, GlobalVariable, PHINode, SelectInst, CallBase>(Object) ||
            (Parameter && Parameter->hasByValAttr()));
  };
  std::optional<PromiseFreeScope> Scope;
  for (const Access &A : Accesses) {
    if (Offsets.contains(A.Pointer) || !mayLeadToVariable(A.Pointer))
      continue;
    if (!Scope)
      Scope.emplace(F);
    if (std::optional<FunctionAnalyses::Offsets> Found = facts(F).offsets(A.Pointer))
      Offsets.try_emplace(A.Pointer, *Found);
  }
}

std::optional<ConstantRange> BoundsCheck::offsetsFrom(const Value *Variable, Value *Pointer) const {
  auto Found = Offsets.find(Pointer);
  return Found == Offsets.end() || Found->second.Base != Variable ? std::nullopt : std::optional(Found->second.Range);
}

// Returns true if the access stays inside of a variable of known size, for every offset.
bool BoundsCheck::isProven(const Access &A, const Bounds &B, Value *Root, RootBounds &Roots) {
  auto *Size = dyn_cast<ConstantInt>(B.Size);
  if (!Size || A.RunTimeSize)
    return false;
  if (Size->isMinusOne())
    return true;
  if (!Root || !(Roots.of(Root).Object == B.Object)) // a part of it
    return false;
  if (A.Size > Size->getZExtValue())
    return false;
  const uint64_t Last = Size->getZExtValue() - A.Size;
  APInt Offset(M.getDataLayout().getIndexTypeSizeInBits(A.Pointer->getType()), 0);
  const Value *Base =
      A.Pointer->stripAndAccumulateConstantOffsets(M.getDataLayout(), Offset, /*AllowNonInbounds=*/true);
  if (Base == Root)
    return !Offset.isNegative() && Offset.ule(Last);
  const std::optional<ConstantRange> Range = offsetsFrom(Root, A.Pointer);
  return Range && Range->getUnsignedMax().ule(Last);
}

// Returns true if a check on every path to the access compares the same bytes.
bool BoundsCheck::isRepeated(const Access &A, Align Alignment, Value *Size, RootBounds &Roots) {
  if (A.RunTimeSize || !DominatedChecks)
    return false;
  constexpr size_t kMostPoints = 16;
  SmallVector<Point, 2> &Before = Checked[{A.Pointer, Size}];
  for (const Point &P : Before)
    if (P.Width >= A.Size && P.Alignment >= Alignment &&
        (P.Where == A.Where || Roots.tree().dominates(P.Where, A.Where))) {
      CoveredBy[A.Where].push_back(P.Where);
      return true;
    }
  if (!A.Guard && Before.size() < kMostPoints)
    Before.push_back({A.Where, A.Size, Alignment});
  return false;
}

// Returns the object's size at the access: the memory may have been freed since its bounds were fetched.
Value *BoundsCheck::sizeWithFrees(const Access &A, const Bounds &B) {
  const unsigned Space = A.Pointer->getType()->getPointerAddressSpace();
  if ((Space != NVPTXAS::ADDRESS_SPACE_GENERIC && Space != NVPTXAS::ADDRESS_SPACE_GLOBAL) || isa<Constant>(B.Size) ||
      !mayBeFreedBetween(*B.Size, *A.Where))
    return B.Size;
  return sizeNow(B, *A.Where);
}

// Returns the number of bytes that printf reads of the string: one more than the object has if the string is not
// terminated. The call reads nothing beyond the object.
Value *BoundsCheck::stringSize(const Access &A, const Bounds &Own) {
  IRBuilder<> B(A.Where);
  Type *I64 = B.getInt64Ty();
  FunctionCallee Callee = M.getOrInsertFunction("__gasan_string_size", I64, I64, I64, I64, I64);
  CallInst *Size = B.CreateCall(Callee, {B.CreatePtrToInt(A.Pointer, I64), Own.Base, Own.Size, A.Most});
  Size->setOnlyReadsMemory(); // so that other checks may be batched with this one
  Size->setDoesNotThrow();
  Size->addFnAttr(Attribute::WillReturn);
  return Size;
}

// Calls the device runtime, which reads the format inside the format's bounds and checks the strings that the format
// names. The format itself is compared later.
void BoundsCheck::checkArguments(const Access &Format, const Bounds &Own, uint32_t Site) {
  IRBuilder<> B(Format.Where);
  Type *I64 = B.getInt64Ty();
  FunctionCallee Callee =
      M.getOrInsertFunction("__gasan_check_printf", B.getVoidTy(), I64, I64, I64, I64, I64, B.getInt32Ty());
  B.CreateCall(Callee, {B.CreatePtrToInt(Format.Pointer, I64), Own.Base, Own.Size,
                        B.CreatePtrToInt(Format.Arguments, I64), Format.Room, B.getInt32(Site)});
}

std::optional<BoundsCheck::Check> BoundsCheck::plan(const Access &Found, RootBounds &Roots) {
  if (!Roots.isReachable(*Found.Where))
    return std::nullopt;
  Access A = Found;
  BoundsBuilder B(A.Where->getParent(), A.Where->getIterator(), InstSimplifyFolder(M.getDataLayout()));
  Bounds Own;
  if (A.Mask) {
    Value *On = B.CreateExtractElement(A.Mask, A.Lane);
    A.Guard = A.Guard ? B.CreateLogicalAnd(A.Guard, On) : On;
  }
  if (A.Pointer->getType()->isVectorTy()) {
    Own = Roots.ofLane(A.Pointer, A.Lane);
    A.Pointer = B.CreateExtractElement(A.Pointer, A.Lane);
  } else {
    Own = Roots.of(A.Pointer);
    if (A.Mask)
      A.Pointer = B.CreateConstGEP1_64(B.getInt8Ty(), A.Pointer, A.Lane * A.Size);
  }
  Value *Root = Roots.steps().soleSource(A.Pointer);
  if (Root && Roots.isVariable(Root))
    Own.Size = Variables.sizeAt(Root, Own, *A.Where);
  else
    Root = nullptr;
  if (MayBeFreed && !Root)
    Own.Size = sizeWithFrees(A, Own);
  if (A.Most)
    A.RunTimeSize = stringSize(A, Own);
  Align Alignment = wantedAlignment(A);
  const DataLayout &DL = M.getDataLayout();
  if (Alignment <= certainAlignment(A.Pointer, DL) ||
      (Root && Alignment <= certainAlignment(Root, DL) && Roots.steps().sourceAsAligned(A.Pointer, Alignment, DL)))
    Alignment = Align(1);
  if (Alignment == 1 && isProven(A, Own, Root, Roots)) {
    --Unproven[A.Where];
    return std::nullopt;
  }
  if (isRepeated(A, Alignment, Own.Size, Roots))
    return std::nullopt;
  Check C = {A.Where, A.Pointer, Own, nullptr, nullptr, A.Guard, Sites.add(Found), Alignment, false, 0, {}};
  C.Width = A.RunTimeSize ? B.CreateZExtOrTrunc(A.RunTimeSize, B.getInt64Ty()) : B.getInt64(A.Size);
  if (!A.RunTimeSize)
    C.Limit = limitOf(Own.Size, A.Size, Roots);
  Value *Aligner = Alignment > 1 && C.Limit ? Roots.steps().sourceAsAligned(A.Pointer, Alignment, DL) : nullptr;
  if (Value *Limit = Aligner ? alignedLimit(C.Limit, Aligner, Alignment, Roots) : nullptr) {
    C.Limit = Limit;
    C.InLimit = true;
  }
  if (A.Arguments)
    checkArguments(A, Own, C.Site);
  return C;
}

} // namespace gasan
