// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/ViewUses.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace gasan {

// Limits of the search: depth of calls, and instructions for each kernel. Carving gives up on larger kernels.
constexpr unsigned kDeepestCall = 6, kMostWork = 300000;

ViewUseFinder::ViewUseFinder(Function &F, SourceSums &Numbers, Leaves &Known)
    : Kernel(F), Sums(Numbers), All(Known), Branches(F, Numbers, nullptr) {
  for (const Instruction &I : instructions(F))
    Orders[&I] = Orders.size();
}

ViewUses ViewUseFinder::find(AllocaInst &Variable, ArrayRef<AllocaInst *> Others) {
  ViewUses Result;
  Seen.clear();
  Seen.insert(Others.begin(), Others.end());
  Seen.insert(&Variable);
  const Level Whole = {Kernel, Sums, Branches, 0, 0};
  for (User *U : Variable.users())
    if (isa<LoadInst>(U))
      follow(Whole, {U, Sum{}}, Result);
  return Result;
}

void ViewUseFinder::addAccess(const Level &At, const Pointer &From, const Sum &Bytes, Instruction &I, bool Loads,
                              bool Stores, ViewUses &Result) {
  const int64_t Width = Bytes.isConstant() ? Bytes.constant() : 0;
  Result.Accesses.push_back({From.Offset, From.Offset.plus(Bytes), Width, Loads, Stores,
                             At.Depth ? At.Order : Orders.lookup(&I), At.Branches.at(*I.getParent()),
                             At.Branches.stillAt(I, All)});
}

void ViewUseFinder::follow(const Level &At, const Pointer &First, ViewUses &Result) {
  SmallVector<Pointer, 16> Left = {First};
  while (!Left.empty() && Result.AreAll) {
    const Pointer Next = Left.pop_back_val();
    for (Use &U : Next.Address->uses())
      if (++Work > kMostWork || !followUse(At, Next, U, Left, Result)) {
        Result.AreAll = false;
        return;
      }
  }
}

// Returns false if the pointer is used in a way that is not understood.
bool ViewUseFinder::followUse(const Level &At, const Pointer &From, Use &U, SmallVectorImpl<Pointer> &Left,
                              ViewUses &Result) {
  auto *I = cast<Instruction>(U.getUser());
  const DataLayout &DL = At.F.getDataLayout();
  auto SizeOf = [&](Type *T) { return Sum::of(DL.getTypeStoreSize(T).getFixedValue()); };
  if (auto *Gep = dyn_cast<GetElementPtrInst>(I)) {
    Left.push_back({I, From.Offset.plus(At.Sums.stepOf(cast<GEPOperator>(*Gep)))});
    return true;
  }
  if (isa<AddrSpaceCastInst>(I)) {
    Left.push_back({I, From.Offset});
    return true;
  }
  if (isa<ICmpInst>(I))
    return true;
  if (isa<PtrToIntInst>(I)) // allowed in a difference of pointers
    return all_of(I->users(), [](User *U) {
      return match(U, PatternMatch::m_Sub(PatternMatch::m_Value(), PatternMatch::m_Value()));
    });
  if (isa<LoadInst>(I)) {
    addAccess(At, From, SizeOf(I->getType()), *I, true, false, Result);
    return true;
  }
  if (auto *Store = dyn_cast<StoreInst>(I)) {
    if (U.getOperandNo() == Store->getPointerOperandIndex()) {
      addAccess(At, From, SizeOf(Store->getValueOperand()->getType()), *I, false, true, Result);
      return true;
    }
    auto *To = dyn_cast<AllocaInst>(Store->getPointerOperand());
    if (!To || !To->getAllocatedType()->isPointerTy())
      return false;
    if (At.Depth == 0 && !Seen.insert(To).second)
      return true;
    if (At.Sums.soleSetOf(*To) != Store)
      return false;
    for (User *Reader : To->users())
      if (auto *Load = dyn_cast<LoadInst>(Reader)) {
        if (All.mayChange(From.Offset, *Store, *Load))
          return false;
        Left.push_back({Reader, From.Offset});
      }
    return true;
  }
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I) && U.getOperandNo() == 0) {
    addAccess(At, From, SizeOf(I->getOperand(1)->getType()), *I, true, true, Result);
    return true;
  }
  return isa<CallInst>(I) && followCall(At, From, U, Left, Result);
}

bool ViewUseFinder::followCall(const Level &At, const Pointer &From, Use &U, SmallVectorImpl<Pointer> &Left,
                               ViewUses &Result) {
  auto &Call = *cast<CallInst>(U.getUser());
  if (isa<DbgInfoIntrinsic, LifetimeIntrinsic, AssumeInst>(Call))
    return true;
  if (auto *Memory = dyn_cast<MemIntrinsic>(&Call)) {
    const bool IsSource = U.getOperandNo() == 1;
    addAccess(At, From, At.Sums.of(Memory->getLength()), Call, IsSource, !IsSource, Result);
    return true;
  }
  Function *Callee = Call.getCalledFunction();
  if (!Callee || Callee->isDeclaration() || Callee->isVarArg() || !Call.isArgOperand(&U) ||
      Call.isByValArgument(Call.getArgOperandNo(&U)) || At.Depth == kDeepestCall ||
      (Work += Callee->getInstructionCount()) > kMostWork)
    return false;
  std::vector<std::optional<Sum>> Arguments;
  for (Value *Argument : Call.args())
    Arguments.push_back(Argument->getType()->isIntegerTy() ? std::optional<Sum>(At.Sums.of(Argument)) : std::nullopt);
  SourceSums &InCallee = *CalledSums.emplace_back(std::make_unique<SourceSums>(*Callee, All, std::move(Arguments)));
  SourceGuards &Limits =
      *CalledBranches.emplace_back(std::make_unique<SourceGuards>(*Callee, InCallee, At.Branches.stillAt(Call, All)));
  const Level Inside = {*Callee, InCallee, Limits, At.Depth ? At.Order : Orders.lookup(&Call), At.Depth + 1};
  follow(Inside, {Callee->getArg(Call.getArgOperandNo(&U)), From.Offset}, Result);
  return Result.AreAll;
}

} // namespace gasan
