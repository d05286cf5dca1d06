// Checks of elements (array[i] with elements of 2^n bytes) by their index: how many elements from the array's pointer on are in bounds
// is known where the bounds are, so that what is left at the access is one comparison, of 32 bits where the index has no more.
//
// That number is no more than a filter: an index that is not less, perhaps because it is negative and the pointer not the object's
// first byte, is compared exactly, in the cold. So nothing is blamed that is in bounds, and nothing that is not gets through.
#include "gasan_pass/instrument/bst/BoundsCheck.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace gasan {
namespace {

constexpr int64_t kFarthestBack = 1 << 20; // constants that are taken off an index

struct Element {
  Value *Array;
  Value *Index;
  bool IsSigned; // the index has fewer bits than an address, and is sign-extended
  unsigned Shift; // log2 of the elements' size
  int64_t Start;  // bytes from the array on to element 0
};

// The index as it was before it was made as wide as an address.
void narrow(Element &E) {
  E.IsSigned = true;
  if (isa<ZExtInst>(E.Index) || isa<SExtInst>(E.Index)) {
    auto *Wide = cast<CastInst>(E.Index);
    if (Wide->getSrcTy()->getIntegerBitWidth() <= 32 && Wide->getDestTy()->isIntegerTy(64)) {
      E.IsSigned = isa<SExtInst>(Wide);
      E.Index = Wide->getOperand(0);
    }
  }
}

std::optional<Element> elementOf(Value *Pointer, const DataLayout &DL) {
  constexpr unsigned kBits = 64;
  SmallMapVector<Value *, APInt, 4> Variable;
  APInt Constant(kBits, 0);
  while (auto *Gep = dyn_cast<GEPOperator>(Pointer)) {
    if (DL.getIndexTypeSizeInBits(Gep->getType()) != kBits || !Gep->collectOffset(DL, kBits, Variable, Constant))
      return std::nullopt;
    Pointer = Gep->getPointerOperand();
  }
  if (Variable.size() != 1)
    return std::nullopt;
  auto &[Index, Scale] = Variable.front();
  if (!Scale.isPowerOf2() || !Index->getType()->isIntegerTy() || Index->getType()->getIntegerBitWidth() > kBits)
    return std::nullopt;
  Element E = {Pointer, Index, false, Scale.logBase2(), Constant.getSExtValue()};
  narrow(E);
  return E;
}

} // namespace

// Behind all of them; empty: there is no such place.
static std::optional<BasicBlock::iterator> behindAll(ArrayRef<Value *> Values, const DominatorTree &Tree, RootBounds &Roots) {
  Value *Last = Values.front();
  for (Value *V : Values.drop_front())
    if (auto *I = dyn_cast<Instruction>(V))
      if (auto *Before = dyn_cast<Instruction>(Last); !Before || Tree.dominates(Before, I))
        Last = V;
  for (Value *V : Values)
    if (auto *I = dyn_cast<Instruction>(V); I && I != Last && !Tree.dominates(I, cast<Instruction>(Last)))
      return std::nullopt;
  return Roots.behind(Last);
}

void BoundsCheck::useIndices(Function &F, SmallVectorImpl<Check> &Checks, RootBounds &Roots) {
  FunctionAnalyses &A = facts(F);
  using Key = std::pair<std::pair<Value *, Value *>, std::pair<std::pair<Value *, int64_t>, uint64_t>>;
  DenseMap<Key, Value *> Known;
  for (Check &C : Checks) {
    const Loop *L = A.Loops.getLoopFor(C.Where->getParent());
    if (!L || !C.Limit || isa<Constant>(C.Limit) || C.IsNarrow || (C.Alignment > 1 && !C.InLimit))
      continue;
    std::optional<Element> E = elementOf(C.Pointer, M.getDataLayout());
    if (!E)
      continue;
    const int64_t Size = int64_t(1) << E->Shift;
    int64_t Start = E->Start + C.Lowest, Back = 0;
    if (Start < 0) {
      Back = divideCeil(uint64_t(-Start), uint64_t(Size));
      Start += Back * Size;
    }
    if (E->Shift > 32 || Back > kFarthestBack || Start > kFarthestBack)
      continue;
    // An index that has become negative is great.
    const unsigned Bits = E->Index->getType()->getIntegerBitWidth() <= 32 ? 32 : 64;
    const uint64_t Most = (maxUIntN(Bits) >> (E->IsSigned || Bits == 64)) - kFarthestBack;
    std::optional<BasicBlock::iterator> At = behindAll({E->Array, C.B.Base, C.Limit}, A.Tree, Roots);
    if (!At || L->contains(At->getNodeParent()))
      continue;
    Value *&Count = Known[{{E->Array, C.B.Base}, {{C.Limit, Start}, Most ^ E->Shift}}];
    if (!Count) {
      BoundsBuilder B(At->getNodeParent(), *At, InstSimplifyFolder(M.getDataLayout()));
      Value *First = B.CreateSub(B.CreatePtrToInt(E->Array, B.getInt64Ty()), C.B.Base);
      Value *Left = B.CreateBinaryIntrinsic(Intrinsic::usub_sat, C.Limit, B.CreateAdd(First, B.getInt64(Start)));
      Value *Whole = B.CreateLShr(B.CreateAdd(Left, B.getInt64(Size - 1)), E->Shift);
      Count = B.CreateBinaryIntrinsic(Intrinsic::umin, Whole, B.getInt64(Most));
      Count = B.CreateTrunc(Count, B.getIntNTy(Bits), "gasan.count");
      Counts.push_back(Count);
    }
    C.Index = E->Index;
    C.IsSignedIndex = E->IsSigned;
    C.Back = Back;
    C.Count = Count;
  }
}

} // namespace gasan
