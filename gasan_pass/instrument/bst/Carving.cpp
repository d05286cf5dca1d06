// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/Carving.h"
#include "gasan_pass/Options.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan {

constexpr unsigned kDeepest = 32;

bool isDynamicShared(const GlobalVariable &Variable) {
  return Variable.getAddressSpace() == NVPTXAS::ADDRESS_SPACE_SHARED && Variable.isDeclaration();
}

StringRef markOf(const IntrinsicInst &Annotation) {
  auto *Text = dyn_cast<GlobalVariable>(Annotation.getArgOperand(1)->stripPointerCasts());
  auto *Data = Text && Text->hasInitializer() ? dyn_cast<ConstantDataArray>(Text->getInitializer()) : nullptr;
  return Data && Data->isCString() ? Data->getAsCString() : "";
}

// Returns the only value that the called function returns, or null. Unoptimised code calls `SharedMemory<T>()` and
// similar functions, which return the region.
static const Value *returned(const CallInst &Call) {
  const Function *Callee = Call.getCalledFunction();
  const Value *Result = nullptr;
  if (Callee && !Callee->isDeclaration())
    for (const BasicBlock &Block : *Callee)
      if (auto *Return = dyn_cast<ReturnInst>(Block.getTerminator())) {
        if (Result)
          return nullptr;
        Result = Return->getReturnValue();
      }
  return Result;
}

// Returns the pointer's distance from the region's beginning. Empty: it does not point into a dynamic region, or the
// distance is not certain.
std::optional<Sum> Carving::distanceOf(Value *Pointer, unsigned Depth) {
  if (Depth > kDeepest)
    return std::nullopt;
  if (auto *Variable = dyn_cast<GlobalVariable>(Pointer))
    return isDynamicShared(*Variable) ? std::optional<Sum>(Sum{}) : std::nullopt;
  if (auto *Gep = dyn_cast<GEPOperator>(Pointer)) {
    std::optional<Sum> From = distanceOf(Gep->getPointerOperand(), Depth + 1);
    return From ? std::optional<Sum>(From->plus(Sums.stepOf(*Gep))) : std::nullopt;
  }
  if (auto *Cast = dyn_cast<AddrSpaceCastOperator>(Pointer))
    return distanceOf(Cast->getPointerOperand(), Depth + 1);
  if (auto *Load = dyn_cast<LoadInst>(Pointer)) {
    auto *Variable = dyn_cast<AllocaInst>(Load->getPointerOperand());
    StoreInst *Set = Variable ? Sums.soleSetOf(*Variable) : nullptr;
    return Set ? distanceOf(Set->getValueOperand(), Depth + 1) : std::nullopt;
  }
  if (auto *Call = dyn_cast<CallInst>(Pointer))
    if (const Value *Result = returned(*Call))
      if (auto *Region = dyn_cast<GlobalVariable>(Result->stripPointerCasts()); Region && isDynamicShared(*Region))
        return Sum{};
  return std::nullopt;
}

// Returns true for a barrier, and for an access to anything but local variables. Views that are set after such an
// instruction may reuse the memory of earlier views.
static bool endsStretch(const Instruction &I) {
  if (auto *Store = dyn_cast<StoreInst>(&I))
    return !isa<AllocaInst>(Store->getPointerOperand()->stripInBoundsOffsets());
  auto *Call = dyn_cast<CallInst>(&I);
  return isa<AtomicRMWInst, AtomicCmpXchgInst, FenceInst>(I) || I.isTerminator() ||
         (Call && Call->getType()->isVoidTy() && !isa<DbgInfoIntrinsic, LifetimeIntrinsic, AssumeInst>(I) &&
          Call->getIntrinsicID() != Intrinsic::var_annotation) ||
         (Call && Call->getIntrinsicID() != Intrinsic::not_intrinsic && Call->isConvergent());
}

void Carving::collect() {
  for (Instruction &I : instructions(F))
    if (auto *Annotation = dyn_cast<IntrinsicInst>(&I);
        Annotation && Annotation->getIntrinsicID() == Intrinsic::var_annotation)
      if (auto *Variable = dyn_cast<AllocaInst>(Annotation->getArgOperand(0)->stripPointerCasts()))
        if (StringRef Mark = markOf(*Annotation); Mark == kPartitionMark || Mark == kNoPartitionMark)
          Marks[Variable] = Mark;
  unsigned Stretch = 0;
  for (Instruction &I : instructions(F)) {
    auto *Store = dyn_cast<StoreInst>(&I);
    auto *Variable = Store ? dyn_cast<AllocaInst>(Store->getPointerOperand()) : nullptr;
    if (Variable && Variable->getAllocatedType()->isPointerTy() && Sums.soleSetOf(*Variable) == Store &&
        Marks.lookup(Variable) != kNoPartitionMark)
      if (std::optional<Sum> Start = distanceOf(Store->getValueOperand()); Start && All.isUniform(*Start))
        Views.push_back({Variable, Store, *Start, Stretch, AllPartitions || Marks.lookup(Variable) == kPartitionMark});
    Stretch += endsStretch(I);
  }
}

// Returns the next view among those that are set together with V. Null: there is none, the order is not certain, or
// another view of the kernel begins where V begins. In the last case, one of the two views may be the whole region, or
// reuse the other's memory.
const Carving::View *Carving::endOf(const View &V) const {
  const View *End = nullptr;
  for (const View &Other : Views) {
    const Sum Distance = Other.Start.plus(V.Start, -1);
    if (&Other == &V || (V.IsMarked && !Other.IsMarked))
      continue;
    if (Distance.Factors.empty()) {
      if (V.IsMarked)
        continue;
      return nullptr;
    }
    if (Other.Stretch != V.Stretch || V.Start.plus(Other.Start, -1).isNeverNegative())
      continue;
    if (!Distance.isNeverNegative())
      return nullptr;
    const Sum Closer = End ? End->Start.plus(Other.Start, -1) : Sum{};
    if (!End || (Closer.isNeverNegative() && !Closer.Factors.empty()))
      End = &Other;
    else if (!Other.Start.plus(End->Start, -1).isNeverNegative())
      return nullptr;
  }
  return End;
}

// Returns true if, at the time of the access At, the next array (not only one element of it) holds unread data: data
// that was stored before and is read later. A store through the first array's name would destroy this data.
static bool holdsUnread(const ViewUses &End, const ViewUse &At) {
  const ViewUse *Before = nullptr, *After = nullptr;
  for (const ViewUse &U : End.Accesses) {
    if (U.Order < At.Order && (!Before || U.Order > Before->Order))
      Before = &U;
    if (U.Order > At.Order && (!After || U.Order < After->Order))
      After = &U;
  }
  return Before && Before->Stores && !Before->Loads && !Before->Offset.isConstant() && After && After->Loads;
}

// Returns true if the threads that make this access also make the same access to the same element of the next array.
// Then the two arrays lie side by side.
static bool hasParallel(const ViewUses &End, const ViewUse &Of) {
  auto HoldsToo = [&](const SourceLimit *Guards) {
    const SourceLimit *L = Of.Guards;
    while (L && L != Guards)
      L = L->Next;
    return L == Guards;
  };
  return any_of(End.Accesses, [&](const ViewUse &U) {
    return U.Width && U.Loads == Of.Loads && U.Stores == Of.Stores && HoldsToo(U.Guards) &&
           Of.Offset.times(Sum::of(U.Width)).Factors == U.Offset.times(Sum::of(Of.Width)).Factors;
  });
}

// Returns true if the element is read and then stored: an in-place change, which may run over any memory up to its end.
static bool isChange(const ViewUses &Own, const ViewUse &U) {
  return U.Stores && (U.Loads || any_of(Own.Accesses, [&](const ViewUse &Read) {
                        return Read.Loads && Read.Order < U.Order && Read.Offset.Factors == U.Offset.Factors;
                      }));
}

bool Carving::allowsEnd(const ViewUses &Own, const ViewUses &Next, const ViewUse &U, const Sum &Size) {
  const Extent Reached = extentOf(All, U.End, Size, U.Width, U.Limits);
  // A constant size this small is an offset, or one warp's results: `ends = starts + 1`.
  constexpr int64_t kFewElements = 16;
  const bool IsSmall = Size.isConstant() && Size.constant() < kFewElements * U.Width;
  switch (Reached) {
  case Extent::Within:
    return true;
  case Extent::OneMore: {
    // `a[t + 1] - a[t]` may read the next array's first element, and `a[n]` may be a name for all of `b`.
    const bool IsNeighbour = U.Loads && !U.Offset.isConstant() && U.Offset.constant() > 0;
    const bool IsArray = any_of(Next.Accesses, [](const ViewUse &V) { return !V.Offset.isConstant(); });
    return U.Width && !IsSmall && !IsNeighbour && (IsArray || !Next.AreAll);
  }
  case Extent::Open: {
    // Code that means an element of the next array computes the array's beginning: a constant offset does not.
    if (!U.Width || U.Offset.isConstant())
      return U.Width;
    // The first name may be used to read or change all elements of both arrays, but hardly to access the one element
    // whose index is an argument.
    const bool IsPlace = All.isUniform(U.Offset) && U.Offset.Factors.size() == 1 &&
                         U.Offset.Factors.begin()->first.size() == 1 && U.Offset.Factors.begin()->second == U.Width;
    return !IsSmall && (IsPlace || !isChange(Own, U)) &&
           (hasParallel(Next, U) || ((U.Stores || IsPlace) && holdsUnread(Next, U)));
  }
  case Extent::Beyond:
    return false;
  }
  llvm_unreachable("an extent");
}

const ViewUses &Carving::usesOf(const View &V) {
  ViewUses &Result = Known[V.Variable];
  if (Result.Accesses.empty() && Result.AreAll) {
    SmallVector<AllocaInst *, 8> Others;
    for (const View &Other : Views)
      if (Other.Stretch == V.Stretch)
        Others.push_back(Other.Variable);
    Result = Finder->find(*V.Variable, Others);
  }
  return Result;
}

bool Carving::isBuffer(const View &V, const View &End) {
  if (V.IsMarked && End.IsMarked)
    return true;
  const Sum Size = End.Start.plus(V.Start, -1);
  if (All.hasHalf(Size))
    return false;
  const ViewUses &Own = usesOf(V), &Next = usesOf(End);
  auto HoldsData = [](const ViewUses &U) {
    return !U.AreAll || any_of(U.Accesses, [](const ViewUse &Access) { return Access.Stores; });
  };
  auto HasNegative = [&](const ViewUses &U) {
    return any_of(U.Accesses, [&](const ViewUse &Access) { return All.mayBeNegative(Access.Offset); });
  };
  return Own.AreAll && HoldsData(Own) && HoldsData(Next) && !HasNegative(Own) && !HasNegative(Next) &&
         all_of(Own.Accesses, [&](const ViewUse &U) { return allowsEnd(Own, Next, U, Size); });
}

std::vector<CarvedBuffer> Carving::find() {
  collect();
  constexpr size_t kMostViews = 64;
  if (Views.size() < 2 || Views.size() > kMostViews)
    return {};
  Finder = std::make_unique<ViewUseFinder>(F, Sums, All);
  std::vector<CarvedBuffer> Result;
  for (const View &V : Views)
    if (const View *End = endOf(V); End && isBuffer(V, *End)) {
      StoreInst *Last = V.Set;
      for (const View &Other : Views)
        if (Other.Stretch == V.Stretch && Last->comesBefore(Other.Set))
          Last = Other.Set;
      Result.push_back({V.Set, End->Set, Last});
    }
  return Result;
}

} // namespace gasan
