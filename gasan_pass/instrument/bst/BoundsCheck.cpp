// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/BoundsCheck.h"
#include "gasan_pass/Options.h"
#include "gasan_pass/instrument/Count.h"
#include "gasan_pass/instrument/bst/Addresses.h"
#include "gasan_pass/instrument/bst/DeviceHeap.h"
#include "gasan_pass/instrument/bst/Promises.h"
#include "gasan_pass/instrument/bst/Vectors.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace gasan {

BoundsCheck::BoundsCheck(Module &M, SiteTable &Sites, VariableBounds &Variables, TravellingBounds &Travelling,
                         FastKernels &Fast)
    : M(M), Sites(Sites), Variables(Variables), Travelling(Travelling), Fast(Fast),
      Unlikely(MDBuilder(M.getContext()).createUnlikelyBranchWeights()), MayBeFreed(StrictTemporal || freesHeap(M)) {}

// A function that calls others has to store registers at each call of its own, for what it keeps over theirs, and each
// report takes some.
static bool isBetweenCalls(const Function &F) {
  return F.getCallingConv() != CallingConv::PTX_Kernel && any_of(instructions(F), [](const Instruction &I) {
           const auto *Call = dyn_cast<CallInst>(&I);
           const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
           return Call && !Call->isInlineAsm() &&
                  !(Callee && (Callee->isIntrinsic() || Callee->getName().starts_with("__gasan_")));
         });
}

// Blocks are split in the end: until then the analysis has to find them as they were.
void BoundsCheck::instrument(Function &F, bool WithChecks) {
  const bool CopiesLoops = WithChecks && (LoopChecks || HoistChecks) && !F.hasOptNone();
  if (CopiesLoops)
    prepareLoops(F);
  FoundAccesses Found;
  if (WithChecks)
    Found = findAccesses(F, AccessSpaces::All);
  for (const Access &A : Found.Checkable)
    ++Unproven[A.Where];
  joinVectors(F, Found.Checkable);
  if ((StaticProof || NarrowOffsets) && !F.hasOptNone())
    measureOffsets(F, Found.Checkable);
  Variables.enter(F);
  RootBounds Roots(F, Variables, MergedLookups && !MayBeFreed && !F.hasOptNone());
  Travelling.arrive(F, Roots);
  SmallVector<Check, 16> Checks;
  for (const Access &A : Found.Checkable)
    if (std::optional<Check> C = plan(A, Roots)) {
      Roots.nameSite(C->B, C->Site);
      Checks.push_back(*C);
    }
  Travelling.leave(F, Roots, Variables);
  dropClaimed(F, Checks, Roots);
  if (GroupChecks)
    group(F, Checks, Roots);
  if (DominatedChecks)
    dropDominated(F, Checks, Roots);
  for (const Access &A : Found.Checkable)
    countAccess(A);
  if (IndexChecks && FastKernels::isVariant(F))
    useIndices(F, Checks, Roots);
  if (CopiesLoops)
    copyLoops(F, Checks);
  Facts.reset();
  SharesReports = Checks.size() >= SharedReportsFrom || (Checks.size() > 1 && isBetweenCalls(F));
  SmallVector<Batch, 16> Batches;
  batch(F, Checks, Batches);
  if (LookupChecks && Tags != "on") // tagged pointers are in no page of the map as they are: each lookup is a call
    findLookups(F, Batches);
  insert(Batches, F);
  dropUnusedLimits(); // before: they use bounds
  Roots.finish();
  Variables.leave(F);
  if (!FastKernels::isVariant(F))
    Sites.addUnchecked(Found.Uncheckable);
  dropUnusedCopies();
  Offsets.clear();
  Limits.clear();
  AlignedLimits.clear();
  Counts.clear();
  Checked.clear();
  LookingUp.clear();
  Unproven.clear();
}

// Instructions need addresses that are multiples of their width, of vectors as a whole. What is said to be less aligned
// becomes several narrower ones, and so do short copies (`*to = *from` of structs; memcpy, if its pointers' types say
// so). What copies more is a loop over bytes.
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

// Whatever promise is broken on the way to the address: no other check is made of it.
static Align certainAlignment(const Value *Pointer, const DataLayout &DL) {
  const SimplifyQuery Query(DL, /*TLI=*/nullptr, /*DT=*/nullptr, /*AC=*/nullptr, /*CXTI=*/nullptr,
                            /*UseInstrInfo=*/false);
  const unsigned Zeros = computeKnownBits(Pointer, Query).countMinTrailingZeros();
  return Align(uint64_t(1) << std::min(Zeros, +Value::MaxAlignmentExponent));
}

// Before anything is put into the function: the analysis asks for it without its promises, which others need.
void BoundsCheck::measureOffsets(Function &F, ArrayRef<Access> Accesses) {
  constexpr unsigned kMostSteps = 64; // in code that never runs, pointers may be made of themselves
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

// Inside of a variable whose size is known, whatever the offset is.
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
  return StaticProof && Range && Range->getUnsignedMax().ule(Last);
}

// Then 32 bits say whether the offset is in bounds: of a variable that is known, so that the pointer's base is the
// bounds'.
bool BoundsCheck::isNarrow(const Access &A, const Bounds &B, Value *Root) {
  constexpr uint64_t kGreatest = 1 << 30; // members of a group may be a little farther
  auto *Size = dyn_cast<ConstantInt>(B.Size);
  if (!NarrowOffsets || !Root || !Size || Size->getZExtValue() > kGreatest)
    return false;
  const std::optional<ConstantRange> Range = offsetsFrom(Root, A.Pointer);
  return Range && Range->getSignedMin().sge(-int64_t(kGreatest)) && Range->getSignedMax().sle(kGreatest);
}

// The same bytes were checked before, on every way that leads here.
bool BoundsCheck::isRepeated(const Access &A, Align Alignment, Value *Size, RootBounds &Roots) {
  if (A.RunTimeSize || !DominatedChecks)
    return false;
  constexpr size_t kMostPoints = 16;
  SmallVector<Point, 2> &Before = Checked[{A.Pointer, Size}];
  for (const Point &P : Before)
    if (P.Width >= A.Size && P.Alignment >= Alignment &&
        (P.Where == A.Where || Roots.tree().dominates(P.Where, A.Where)))
      return true;
  if (!A.Guard && Before.size() < kMostPoints)
    Before.push_back({A.Where, A.Size, Alignment});
  return false;
}

// Empty: it cannot be said in time.
Value *BoundsCheck::alignedLimit(Value *Limit, Value *Root, Align Alignment, RootBounds &Roots) {
  auto [Entry, New] = AlignedLimits.try_emplace({Limit, {Root, Alignment.value()}}, nullptr);
  if (!New)
    return Entry->second;
  auto *LimitAt = dyn_cast<Instruction>(Limit), *RootAt = dyn_cast<Instruction>(Root);
  const bool LimitIsLater = LimitAt && (!RootAt || Roots.tree().dominates(RootAt, LimitAt));
  if (!LimitIsLater && LimitAt && !Roots.tree().dominates(LimitAt, RootAt))
    return nullptr;
  std::optional<BasicBlock::iterator> At = Roots.behind(LimitIsLater ? Limit : Root);
  if (!At)
    return nullptr;
  BoundsBuilder B(At->getNodeParent(), *At, InstSimplifyFolder(M.getDataLayout()));
  Value *Low = B.CreateAnd(B.CreatePtrToInt(Root, B.getInt64Ty()), Alignment.value() - 1);
  return Entry->second = B.CreateSelect(B.CreateIsNull(Low), Limit, B.getInt64(0));
}

// Of single accesses that became a group.
void BoundsCheck::dropUnusedLimits() {
  SmallVector<WeakTrackingVH, 32> Made(Counts.begin(), Counts.end()); // some are made of others
  for (const auto &Entry : AlignedLimits)
    if (auto *I = dyn_cast_or_null<Instruction>(Entry.second))
      Made.push_back(I);
  for (const auto &Entry : Limits)
    if (auto *I = dyn_cast_or_null<Instruction>(Entry.second))
      Made.push_back(I);
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Made);
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

// How many bytes printf reads of the string: one more than the object has if it is not terminated. Reads nothing beyond
// the object.
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

// The device reads the format and checks the strings that it names, inside the format's bounds: those are compared
// later.
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
  C.IsNarrow = C.Limit && isNarrow(A, Own, Root);
  if (A.Arguments)
    checkArguments(A, Own, C.Site);
  return C;
}

ProvableCheck BoundsCheck::provable(const Check &C) {
  const auto *Width = dyn_cast<ConstantInt>(C.Width);
  return {C.Where, C.Pointer, C.B, Width ? Width->getZExtValue() : 0, C.Guard, C.Site, C.Alignment, C.InLimit};
}

void BoundsCheck::maskClaimed(Function &F, SmallVectorImpl<Check> &Checks) {
  const KernelProof *Proof = Fast.claimsFor(F);
  Failed = Proof ? Fast.failedClaims(F) : nullptr;
  for (size_t Index = 0; Proof && Index < Checks.size(); ++Index)
    Checks[Index].ClaimBits = Proof->bitOf(Index, provable(Checks[Index]));
}

void BoundsCheck::dropClaimed(Function &F, SmallVectorImpl<Check> &Checks, RootBounds &Roots) {
  KernelProof *Proof = Fast.begin(F, Roots);
  Failed = nullptr;
  if (!Proof)
    return maskClaimed(F, Checks);
  SmallVector<std::optional<unsigned>, 16> Claims;
  for (const Check &C : Checks)
    Claims.push_back(Proof->claim(provable(C)));
  Fast.end(F);
  SmallVector<Check, 16> Left;
  for (auto [C, Claim] : zip(Checks, Claims))
    if (Claim && Proof->isClaimed(*Claim))
      --Unproven[C.Where];
    else
      Left.push_back(std::move(C));
  Checks = std::move(Left);
}

FunctionCallee BoundsCheck::report(bool OfAlignment) {
  FunctionCallee &Known = OfAlignment ? ReportAligned : Report;
  if (Known)
    return Known;
  LLVMContext &Context = M.getContext();
  Type *I64 = Type::getInt64Ty(Context), *I32 = Type::getInt32Ty(Context);
  SmallVector<Type *, 7> Parameters = {I64, I64, I32, I64, I64, I32};
  if (OfAlignment)
    Parameters.push_back(I32);
  Known = M.getOrInsertFunction(OfAlignment ? "__gasan_report_bounds_aligned" : "__gasan_report_bounds",
                                FunctionType::get(Type::getVoidTy(Context), Parameters, /*isVarArg=*/false));
  if (auto *F = dyn_cast<Function>(Known.getCallee())) {
    F->setDoesNotThrow();
    F->setDoesNotReturn();
    F->addFnAttr(Attribute::NoInline);
    F->addFnAttr(Attribute::Cold);
  }
  return Known;
}

void BoundsCheck::callReport(IRBuilderBase &B, const Check &C, Value *Address, Value *Width, Value *Site) {
  const unsigned Space = C.Pointer->getType()->getPointerAddressSpace();
  auto Generic = [&](Value *In) { return RootBounds::translate(B, In, Space, NVPTXAS::ADDRESS_SPACE_GENERIC); };
  SmallVector<Value *, 7> Arguments = {Generic(Address), Width, Site, Generic(C.B.Base), C.B.Size, C.B.Object};
  if (C.Alignment > 1)
    Arguments.push_back(B.getInt32(C.Alignment.value()));
  B.CreateCall(report(C.Alignment > 1), Arguments)->setDoesNotReturn();
}

// The guard comes first, and not `and`: the address of an access that does not happen may be poison.
Value *BoundsCheck::isBad(BoundsBuilder &B, const Check &C) {
  Value *Limit = C.Limit, *Guard = C.Guard ? B.CreateFreeze(C.Guard) : nullptr;
  if (C.Count) {
    IntegerType *Type = B.getIntNTy(C.IndexBits);
    Value *Number = B.CreateSub(B.CreateIntCast(C.Index, Type, C.IsSignedIndex), ConstantInt::get(Type, C.Back));
    if (C.IsSignedIndex)
      Number = B.CreateAdd(Number, B.CreateTrunc(C.Before, Type));
    Value *Bad = B.CreateICmpUGE(Number, B.CreateTrunc(C.Count, Type));
    return Guard ? B.CreateLogicalAnd(Guard, Bad) : Bad;
  }
  Value *Address = B.CreateAdd(addressOf(B, C.Pointer), B.getInt64(C.Lowest));
  Value *Offset = B.CreateSub(Address, C.B.Base);
  if (!Limit) { // touching nothing is allowed everywhere
    Value *Some = B.CreateICmpNE(C.Width, B.getInt64(0));
    Guard = Guard ? B.CreateLogicalAnd(Guard, Some) : Some;
    Limit = B.CreateBinaryIntrinsic(Intrinsic::usub_sat, C.B.Size, B.CreateSub(C.Width, B.getInt64(1)));
  }
  if (C.IsNarrow) {
    Type *I32 = B.getInt32Ty();
    Offset = B.CreateSub(B.CreateTrunc(Address, I32), B.CreateTrunc(C.B.Base, I32));
    Limit = B.CreateTrunc(Limit, I32);
  }
  Value *Bad = B.CreateICmpUGE(Offset, Limit);
  if (C.Alignment > 1 && !C.InLimit)
    Bad = B.CreateOr(Bad, B.CreateIsNotNull(B.CreateAnd(Address, C.Alignment.value() - 1)));
  RecursivelyDeleteTriviallyDeadInstructions(Address); // the offset of a variable's element needs no address
  return Guard ? B.CreateLogicalAnd(Guard, Bad) : Bad;
}

Value *BoundsCheck::isMade(IRBuilderBase &B, const Check &C) {
  return B.CreateIsNotNull(B.CreateAnd(Failed, C.ClaimBits));
}

Instruction *BoundsCheck::whereMade(const Check &C, Instruction *Before) {
  if (!C.ClaimBits)
    return Before;
  IRBuilder<> B(Before); // the same in all threads
  return SplitBlockAndInsertIfThen(isMade(B, C), Before->getIterator(), /*Unreachable=*/false, Unlikely);
}

void BoundsCheck::compare(const Check &C, Instruction *Before) {
  Instruction *Where = whereMade(C, Before);
  countCheck(*Where);
  BoundsBuilder B(Where->getParent(), Where->getIterator(), InstSimplifyFolder(M.getDataLayout()));
  Instruction *Unreachable =
      SplitBlockAndInsertIfThen(isBad(B, C), Where->getIterator(), /*Unreachable=*/true, Unlikely);
  IRBuilder<> Cold(Unreachable);
  Cold.SetCurrentDebugLocation(C.Where->getDebugLoc());
  Value *Address = addressOf(Cold, C.Pointer);
  if (C.Parts.empty())
    callReport(Cold, C, Address, C.Width, Cold.getInt32(C.Site));
  else
    callGroupReport(Cold, C, Address);
}

} // namespace gasan
