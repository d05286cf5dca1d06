#include "gasan_pass/instrument/bst/BoundsCheck.h"
#include "gasan_pass/instrument/bst/DeviceHeap.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace gasan {

BoundsCheck::BoundsCheck(Module &M, SiteTable &Sites, VariableBounds &Variables, TravellingBounds &Travelling)
    : M(M), Sites(Sites), Variables(Variables), Travelling(Travelling),
      Unlikely(MDBuilder(M.getContext()).createUnlikelyBranchWeights()), HeapFrees(freesHeap(M)) {
  Type *I64 = Type::getInt64Ty(M.getContext()), *I32 = Type::getInt32Ty(M.getContext());
  Report = M.getOrInsertFunction("__gasan_report_bounds", Type::getVoidTy(M.getContext()), I64, I64, I32, I64, I64, I32);
  if (auto *F = dyn_cast<Function>(Report.getCallee())) {
    F->setDoesNotThrow();
    F->setDoesNotReturn();
    F->addFnAttr(Attribute::NoInline);
    F->addFnAttr(Attribute::Cold);
  }
}

// Blocks are split in the end: until then the analysis has to find them as they were.
void BoundsCheck::instrument(Function &F, bool WithChecks) {
  FoundAccesses Found;
  if (WithChecks)
    Found = findAccesses(F, AccessSpaces::All);
  Variables.enter(F);
  RootBounds Roots(F, Variables);
  Travelling.arrive(F, Roots);
  SmallVector<Check, 16> Checks;
  for (const Access &A : Found.Checkable)
    if (std::optional<Check> C = plan(A, Roots))
      Checks.push_back(*C);
  Travelling.leave(F, Roots, Variables);
  for (const Check &C : Checks)
    insert(C);
  Roots.finish();
  Variables.leave(F);
  Sites.addUnchecked(Found.Uncheckable);
  Limits.clear();
  Checked.clear();
}

// At a constant offset inside of a variable whose size is known.
bool BoundsCheck::isProven(const Access &A, const Bounds &B, Value *Root, RootBounds &Roots) const {
  auto *Size = dyn_cast<ConstantInt>(B.Size);
  if (!Size || A.RunTimeSize)
    return false;
  if (Size->isMinusOne())
    return true;
  if (!Root || !(Roots.of(Root).Object == B.Object)) // a part of it
    return false;
  APInt Offset(M.getDataLayout().getIndexTypeSizeInBits(A.Pointer->getType()), 0);
  const Value *Base = A.Pointer->stripAndAccumulateConstantOffsets(M.getDataLayout(), Offset, /*AllowNonInbounds=*/true);
  return Base == Root && !Offset.isNegative() && A.Size <= Size->getZExtValue() &&
         Offset.ule(Size->getZExtValue() - A.Size);
}

// The same bytes were checked before, on every way that leads here.
bool BoundsCheck::isRepeated(const Access &A, Value *Pointer, Value *Size, RootBounds &Roots) {
  if (A.RunTimeSize)
    return false;
  constexpr size_t kMostPoints = 16;
  SmallVector<Point, 2> &Before = Checked[{Pointer, Size}];
  for (const auto &[Where, Width] : Before)
    if (Width >= A.Size && (Where == A.Where || Roots.tree().dominates(Where, A.Where)))
      return true;
  if (!A.Guard && Before.size() < kMostPoints)
    Before.push_back({A.Where, A.Size});
  return false;
}

Value *BoundsCheck::limitOf(Value *Size, uint64_t Width, RootBounds &Roots) {
  if (Width == 1)
    return Size;
  auto [Entry, New] = Limits.try_emplace({Size, Width}, nullptr);
  if (!New)
    return Entry->second;
  std::optional<BasicBlock::iterator> At = Roots.behind(Size);
  if (!At)
    return nullptr;
  BoundsBuilder B(At->getNodeParent(), *At, InstSimplifyFolder(M.getDataLayout()));
  Value *Less = B.getInt64(Width - 1);
  if (auto *Known = dyn_cast<ConstantInt>(Size))
    return Entry->second = B.getInt64(Known->getZExtValue() < Width ? 0 : Known->getZExtValue() - (Width - 1));
  return Entry->second = B.CreateBinaryIntrinsic(Intrinsic::usub_sat, Size, Less, nullptr, "gasan.limit");
}

// The memory may have been freed since its bounds were fetched.
Value *BoundsCheck::sizeWithFrees(const Access &A, const Bounds &B) {
  const unsigned Space = A.Pointer->getType()->getPointerAddressSpace();
  if ((Space != NVPTXAS::ADDRESS_SPACE_GENERIC && Space != NVPTXAS::ADDRESS_SPACE_GLOBAL) || isa<Constant>(B.Size) ||
      !mayBeFreedBetween(*B.Size, *A.Where))
    return B.Size;
  return sizeNow(B, *A.Where);
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
  if (HeapFrees && !Root)
    Own.Size = sizeWithFrees(A, Own);
  if (isProven(A, Own, Root, Roots) || isRepeated(A, A.Pointer, Own.Size, Roots))
    return std::nullopt;
  Check C = {A.Where, A.Pointer, Own, nullptr, nullptr, A.Guard, Sites.add(Found)};
  C.Width = A.RunTimeSize ? B.CreateZExtOrTrunc(A.RunTimeSize, B.getInt64Ty()) : B.getInt64(A.Size);
  if (!A.RunTimeSize)
    C.Limit = limitOf(Own.Size, A.Size, Roots);
  return C;
}

void BoundsCheck::callReport(IRBuilderBase &B, const Check &C, Value *Address) {
  const unsigned Space = C.Pointer->getType()->getPointerAddressSpace();
  auto Generic = [&](Value *In) { return RootBounds::translate(B, In, Space, NVPTXAS::ADDRESS_SPACE_GENERIC); };
  CallInst *Call = B.CreateCall(
      Report, {Generic(Address), C.Width, B.getInt32(C.Site), Generic(C.B.Base), C.B.Size, C.B.Object});
  Call->setDoesNotReturn();
}

// The guard comes first, and not `and`: the address of an access that does not happen may be poison.
void BoundsCheck::insert(const Check &C) {
  BoundsBuilder B(C.Where->getParent(), C.Where->getIterator(), InstSimplifyFolder(M.getDataLayout()));
  Value *Address = B.CreatePtrToInt(C.Pointer, B.getInt64Ty());
  Value *Offset = B.CreateSub(Address, C.B.Base);
  Value *Limit = C.Limit, *Guard = C.Guard ? B.CreateFreeze(C.Guard) : nullptr;
  if (!Limit) { // touching nothing is allowed everywhere
    Value *Some = B.CreateICmpNE(C.Width, B.getInt64(0));
    Guard = Guard ? B.CreateLogicalAnd(Guard, Some) : Some;
    Limit = B.CreateBinaryIntrinsic(Intrinsic::usub_sat, C.B.Size, B.CreateSub(C.Width, B.getInt64(1)));
  }
  Value *Bad = B.CreateICmpUGE(Offset, Limit);
  if (Guard)
    Bad = B.CreateLogicalAnd(Guard, Bad);
  Instruction *Unreachable = SplitBlockAndInsertIfThen(Bad, C.Where->getIterator(), /*Unreachable=*/true, Unlikely);
  IRBuilder<> Cold(Unreachable);
  Cold.SetCurrentDebugLocation(C.Where->getDebugLoc());
  callReport(Cold, C, Address);
}

} // namespace gasan
