#include "gasan_pass/instrument/bst/Carving.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan {

constexpr unsigned kDeepest = 32;
// An index that is beyond the end by a constant is a mistake up to so many bytes, and an intention from there on.
constexpr int64_t kGreatestMistake = 64;

bool isDynamicShared(const GlobalVariable &Variable) {
  return Variable.getAddressSpace() == NVPTXAS::ADDRESS_SPACE_SHARED && Variable.isDeclaration();
}

StringRef markOf(const IntrinsicInst &Annotation) {
  auto *Text = dyn_cast<GlobalVariable>(Annotation.getArgOperand(1)->stripPointerCasts());
  auto *Data = Text && Text->hasInitializer() ? dyn_cast<ConstantDataArray>(Text->getInitializer()) : nullptr;
  return Data && Data->isCString() ? Data->getAsCString() : "";
}

// Code that the optimiser would have looked through: `SharedMemory<T>()` and its like return the region.
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

// Empty: it does not point into a dynamic region, or it is not certain where.
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

// Until a barrier, or an access to anything but local variables: views that are set behind it may reuse what others
// before it had.
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
    if (auto *Comparison = dyn_cast<ICmpInst>(&I))
      addLimit(*Comparison);
    auto *Store = dyn_cast<StoreInst>(&I);
    auto *Variable = Store ? dyn_cast<AllocaInst>(Store->getPointerOperand()) : nullptr;
    if (Variable && Variable->getAllocatedType()->isPointerTy() && Sums.soleSetOf(*Variable) == Store &&
        Marks.lookup(Variable) != kNoPartitionMark)
      if (std::optional<Sum> Start = distanceOf(Store->getValueOperand()); Start && Sums.isUniform(*Start))
        Views.push_back({Variable, Store, *Start, Stretch, Marks.lookup(Variable) == kPartitionMark});
    Stretch += endsStretch(I);
  }
}

void Carving::addLimit(ICmpInst &Comparison) {
  if (!Comparison.isRelational() || !Comparison.getOperand(0)->getType()->isIntegerTy())
    return;
  Sum Left = Sums.of(Comparison.getOperand(0)), Right = Sums.of(Comparison.getOperand(1));
  Limits.push_back({Left, Right});
  Limits.push_back({Right, Left});
}

// All that is done through the variable, and through pointers that are made of it and are no views.
std::vector<Carving::Use> Carving::usesOf(const View &V) {
  std::vector<Use> Result;
  DenseMap<const AllocaInst *, bool> Seen;
  for (const View &Other : Views)
    Seen[Other.Variable] = true;
  SmallVector<std::pair<Value *, std::optional<Sum>>, 16> Left;
  auto AddLoads = [&](AllocaInst &Variable, const std::optional<Sum> &Offset) {
    for (User *U : Variable.users())
      if (isa<LoadInst>(U))
        Left.push_back({U, Offset});
  };
  AddLoads(*V.Variable, Sum{});
  constexpr size_t kMost = 10000;
  while (!Left.empty() && Result.size() < kMost) {
    auto [Pointer, Offset] = Left.pop_back_val();
    for (User *U : Pointer->users()) {
      auto *Store = dyn_cast<StoreInst>(U);
      if (auto *Gep = dyn_cast<GetElementPtrInst>(U)) {
        Left.push_back(
            {U, Offset ? std::optional<Sum>(Offset->plus(Sums.stepOf(cast<GEPOperator>(*Gep)))) : std::nullopt});
      } else if (isa<AddrSpaceCastInst>(U)) {
        Left.push_back({U, Offset});
      } else if (isa<LoadInst>(U)) {
        Result.push_back({Offset, false, false});
      } else if (Store && Store->getPointerOperand() == Pointer) {
        Result.push_back({Offset, true,
                          match(Store->getValueOperand(), m_AnyZeroFP()) || match(Store->getValueOperand(), m_Zero())});
      } else if (auto *To = Store ? dyn_cast<AllocaInst>(Store->getPointerOperand()) : nullptr;
                 To && To->getAllocatedType()->isPointerTy()) {
        if (!Seen.try_emplace(To, true).second)
          continue;
        AddLoads(*To, Sums.soleSetOf(*To) ? Offset : std::nullopt);
      } else if (!isa<ICmpInst, PtrToIntInst>(U)) {
        Result.push_back({std::nullopt, true, false});
      }
    }
  }
  return Result;
}

// The next one of those that are set with it. Null: there is none, or it is not certain which; or it shares its
// beginning with another view of the kernel. Then one of the two may be the whole, or reuse what the other one had.
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

// Something is written through its own name, or may be in a function: the name of a place in another view is often only
// read.
bool Carving::holdsData(const std::vector<Use> &Uses) {
  return any_of(Uses, [](const Use &U) { return U.Writes; });
}

// Does the program mean to go beyond the end? `lo[t + half]` does for each t, and `for (i = t; i < n + 2 * r; ...)
// row[i]` if the end is at r. `a[n]` and `i <= n` do not. What is cleared up to a limit that has nothing to do with the
// end may be the whole.
bool Carving::goesBeyond(const Use &U, const Sum &Size) const {
  if (!U.Offset)
    return false;
  auto IsMeant = [](const Sum &Beyond) {
    return Beyond.isNeverNegative() && !(Beyond.isConstant() && Beyond.constant() <= kGreatestMistake);
  };
  auto IsWithin = [&](const Sum &Beyond) { return Sum{}.plus(Beyond, -1).isNeverNegative() || Beyond.isConstant(); };
  if (IsMeant(U.Offset->plus(Size, -1)))
    return true;
  bool IsOpen = false, IsBeyond = false;
  for (const Limit &Known : Limits) {
    // Offset = Index * Width + Rest
    for (int64_t Width : {1, 2, 4, 8, 12, 16}) {
      const Sum Rest = U.Offset->plus(Known.Index, -Width);
      if (Known.Index.isConstant() || !Sums.shareVariable(Known.Index, *U.Offset) ||
          Sums.shareVariable(Known.Index, Rest))
        continue;
      const Sum Beyond = Rest.plus(Known.Below, Width).plus(Size, -1);
      if (IsMeant(Beyond))
        IsBeyond = true;
      else if (IsWithin(Beyond))
        return false;
      else
        IsOpen |= !Known.Below.isConstant();
    }
  }
  return IsBeyond || (IsOpen && U.Clears);
}

bool Carving::isBuffer(const View &V, const View &End) {
  if (V.IsMarked && End.IsMarked)
    return true;
  const Sum Size = End.Start.plus(V.Start, -1);
  if (Sums.hasHalf(Size))
    return false;
  const std::vector<Use> Own = usesOf(V), Next = usesOf(End);
  auto IsCentre = [&](const Use &U) { return U.Offset && Sums.mayBeNegative(*U.Offset); };
  return holdsData(Own) && holdsData(Next) && none_of(Own, IsCentre) && none_of(Next, IsCentre) &&
         none_of(Own, [&](const Use &U) { return goesBeyond(U, Size); });
}

std::vector<CarvedBuffer> Carving::find() {
  collect();
  std::vector<CarvedBuffer> Result;
  for (const View &V : Views)
    if (const View *End = endOf(V); End && isBuffer(V, *End))
      Result.push_back({V.Set, End->Set});
  return Result;
}

} // namespace gasan
