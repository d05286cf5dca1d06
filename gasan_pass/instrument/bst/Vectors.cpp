// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/Vectors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include <map>

using namespace llvm;

namespace gasan {
namespace {

constexpr uint64_t kWidest = 16;

struct Part {
  int64_t Offset; // from the common pointer
  size_t Index;   // in the list of accesses
};

// Equal for the parts of one vector: the stretch of code (which runs as a whole), kind, pointer and line.
using Key = std::tuple<unsigned, gasan_access, const Value *, unsigned, const Metadata *, const Metadata *>;

bool isPlain(const Access &A) {
  if (A.RunTimeSize || A.Mask || A.Guard || A.Size == 0 || A.Size >= kWidest)
    return false;
  if (const auto *Load = dyn_cast<LoadInst>(A.Where))
    return Load->isSimple();
  const auto *Store = dyn_cast<StoreInst>(A.Where);
  return Store && Store->isSimple();
}

Key keyOf(const Access &A, const Value *Base, unsigned Stretch) {
  const DILocation *Location = A.Where->getDebugLoc();
  return {Stretch,
          A.Kind,
          Base,
          Location ? Location->getLine() : 0,
          Location ? Location->getScope() : nullptr,
          Location ? Location->getInlinedAt() : nullptr};
}

// Returns the number of sorted parts, from First on, that together fill `Width` bytes without a gap; 0 if none do.
size_t filling(ArrayRef<Part> Parts, size_t First, uint64_t Width, ArrayRef<Access> Accesses) {
  uint64_t End = 0;
  for (size_t I = First; I < Parts.size() && End < Width; ++I) {
    if (Parts[I].Offset - Parts[First].Offset != int64_t(End))
      return 0;
    End += Accesses[Parts[I].Index].Size;
    if (End == Width)
      return I + 1 - First;
  }
  return 0;
}

} // namespace

void joinVectors(Function &F, SmallVectorImpl<Access> &Accesses) {
  const DataLayout &DL = F.getDataLayout();
  DenseMap<const Instruction *, unsigned> Stretches;
  unsigned Stretch = 0;
  for (BasicBlock &Block : F) {
    ++Stretch;
    for (Instruction &I : Block) {
      Stretches[&I] = Stretch;
      Stretch += !isGuaranteedToTransferExecutionToSuccessor(&I);
    }
  }
  std::map<Key, SmallVector<Part, 4>> Groups;
  for (auto [Index, A] : enumerate(Accesses)) {
    if (!isPlain(A))
      continue;
    APInt Offset(DL.getIndexTypeSizeInBits(A.Pointer->getType()), 0);
    const Value *Base = A.Pointer->stripAndAccumulateConstantOffsets(DL, Offset, /*AllowNonInbounds=*/true);
    if (Offset.getSignificantBits() <= 32)
      Groups[keyOf(A, Base, Stretches.lookup(A.Where))].push_back({Offset.getSExtValue(), Index});
  }
  SmallDenseSet<size_t> Joined;
  for (auto &Group : Groups) {
    SmallVector<Part, 4> &Parts = Group.second;
    llvm::sort(Parts,
               [](const Part &A, const Part &B) { return std::tie(A.Offset, A.Index) < std::tie(B.Offset, B.Index); });
    for (size_t First = 0; First < Parts.size();) {
      Access &A = Accesses[Parts[First].Index];
      size_t Count = 0;
      for (uint64_t Width = std::min(A.Alignment.value(), kWidest); Width > A.Size && !Count; Width /= 2) {
        Count = filling(Parts, First, Width, Accesses);
        ArrayRef<Part> Rest = ArrayRef<Part>(Parts).slice(First, Count);
        if (any_of(Rest, [&](const Part &P) { return P.Index < Parts[First].Index; }))
          Count = 0; // the first part's address is not known earlier
        if (Count)
          A.Size = Width;
      }
      for (size_t I = 1; I < Count; ++I)
        Joined.insert(Parts[First + I].Index);
      First += std::max<size_t>(Count, 1);
    }
  }
  if (Joined.empty())
    return;
  size_t Index = 0;
  erase_if(Accesses, [&](const Access &) { return Joined.contains(Index++); });
}

} // namespace gasan
