// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/lift/ParameterCopies.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gasan::lift {

namespace {

// Returns the pointer from which V is computed by constant steps and casts. Adds the steps to Offset.
Value *startOf(Value *V, int64_t &Offset, const DataLayout &DL) {
  for (;;) {
    APInt Distance(DL.getIndexTypeSizeInBits(V->getType()), 0);
    Value *From = V->stripAndAccumulateConstantOffsets(DL, Distance, /*AllowNonInbounds=*/true);
    Offset += Distance.getSExtValue();
    auto *Cast = dyn_cast<AddrSpaceCastInst>(From);
    if (!Cast)
      return From;
    V = Cast->getPointerOperand();
  }
}

class Copy {
public:
  explicit Copy(AllocaInst &Local) : Local(Local), DL(Local.getDataLayout()) {}

  // Replaces the copy by the parameter. Returns false if it is no copy of one.
  bool remove() {
    std::optional<TypeSize> Size = Local.getAllocationSize(DL);
    if (!Size || !Local.isStaticAlloca() || !collect(Local, 0) || Stores.empty() || !Structure ||
        DL.getTypeAllocSize(Structure->getParamByValType()) != Size->getFixedValue() || !isOnlyRead(*Structure) ||
        !areReadLater() || !haveOneSource())
      return false;
    Places[&Local] = Structure;
    for (LoadInst *Load : Loads) {
      Load->setOperand(LoadInst::getPointerOperandIndex(), placeOf(*Load->getPointerOperand()));
      Load->setAlignment(std::min(Load->getAlign(), Structure->getParamAlign().valueOrOne()));
    }
    for (StoreInst *Store : Stores)
      Store->eraseFromParent();
    return true;
  }

private:
  static constexpr unsigned kDeepest = 8;
  AllocaInst &Local;
  const DataLayout &DL;
  Argument *Structure = nullptr;
  SmallVector<StoreInst *, 16> Stores;
  SmallVector<LoadInst *, 16> Loads;
  SmallSetVector<PHINode *, 4> Merges;
  SmallPtrSet<Value *, 16> Steps;
  DenseMap<Value *, Value *> Places; // of the local copy and of the parameter

  // Collects the uses of a pointer into the copy. Returns false if there are others than stores of the parameter's
  // parts, and loads.
  bool collect(Value &Pointer, unsigned Depth) {
    return Depth <= kDeepest && all_of(Pointer.uses(), [&](Use &U) {
             if (auto *Merge = dyn_cast<PHINode>(U.getUser()))
               return !Merges.insert(Merge) || collect(*U.getUser(), Depth + 1);
             if (isa<GetElementPtrInst, AddrSpaceCastInst>(U.getUser())) {
               Steps.insert(U.getUser());
               return U.getOperandNo() == 0 && collect(*U.getUser(), Depth + 1);
             }
             if (auto *Load = dyn_cast<LoadInst>(U.getUser())) {
               Loads.push_back(Load);
               return Load->isSimple();
             }
             auto *Store = dyn_cast<StoreInst>(U.getUser());
             return Store && Store->isSimple() && U.getOperandNo() == StoreInst::getPointerOperandIndex() &&
                    isPartOfCopy(*Store);
           });
  }

  bool isPartOfCopy(StoreInst &Store) {
    int64_t Offset = 0;
    Stores.push_back(&Store);
    return Store.getParent() == Stores.front()->getParent() &&
           startOf(Store.getPointerOperand(), Offset, DL) == &Local && isPart(Store.getValueOperand(), Offset);
  }

  // Returns true if V is the part of the parameter at this place.
  bool isPart(Value *V, int64_t Offset) {
    Value *Inner, *Element;
    uint64_t Index;
    if (match(V, m_BitCast(m_Value(Inner))) || match(V, m_PtrToInt(m_Value(Inner))) ||
        match(V, m_IntToPtr(m_Value(Inner))))
      return DL.getTypeSizeInBits(V->getType()) == DL.getTypeSizeInBits(Inner->getType()) && isPart(Inner, Offset);
    if (match(V, m_InsertElt(m_Value(Inner), m_Value(Element), m_ConstantInt(Index))))
      return isPart(Element, Offset + int64_t(Index * DL.getTypeStoreSize(Element->getType()))) &&
             (isa<PoisonValue>(Inner) || isPart(Inner, Offset));
    auto *Load = dyn_cast<LoadInst>(V);
    int64_t From = 0;
    auto *Of = Load && Load->isSimple() ? dyn_cast<Argument>(startOf(Load->getPointerOperand(), From, DL)) : nullptr;
    if (!Of || !Of->hasByValAttr() || From != Offset || (Structure && Structure != Of))
      return false;
    Structure = Of;
    return true;
  }

  static bool isOnlyRead(Value &Pointer) {
    return all_of(Pointer.users(), [](User *By) {
      return isa<LoadInst>(By) || (isa<GetElementPtrInst, AddrSpaceCastInst>(By) && isOnlyRead(*By));
    });
  }

  // Returns true if no phi has a pointer to something else.
  bool haveOneSource() {
    return all_of(Merges, [&](PHINode *Merge) {
      return all_of(Merge->incoming_values(), [&](Value *V) {
        auto *Other = dyn_cast<PHINode>(V);
        return V == &Local || Steps.contains(V) || (Other && Merges.contains(Other));
      });
    });
  }

  // Returns true if all loads come after all stores, which are in one block.
  bool areReadLater() {
    DominatorTree Tree(*Local.getFunction());
    const BasicBlock *Block = Stores.front()->getParent();
    return all_of(Loads, [&](LoadInst *Load) {
      return Load->getParent() == Block ? all_of(Stores, [&](StoreInst *Store) { return Store->comesBefore(Load); })
                                        : Tree.properlyDominates(Block, Load->getParent());
    });
  }

  // Returns the pointer to the same place in the parameter.
  Value *placeOf(Value &Pointer) {
    if (Value *Known = Places.lookup(&Pointer))
      return Known;
    auto &I = cast<Instruction>(Pointer);
    if (auto *Merge = dyn_cast<PHINode>(&I)) {
      PHINode *New = PHINode::Create(Structure->getType(), Merge->getNumIncomingValues(), "", Merge->getIterator());
      Places[&Pointer] = New;
      for (unsigned Index = 0; Index < Merge->getNumIncomingValues(); ++Index)
        New->addIncoming(placeOf(*Merge->getIncomingValue(Index)), Merge->getIncomingBlock(Index));
      return New;
    }
    Value *From = placeOf(*I.getOperand(0)), *Result = From;
    if (auto *Gep = dyn_cast<GetElementPtrInst>(&I)) {
      IRBuilder<> B(Gep);
      SmallVector<Value *, 2> Indices(Gep->indices());
      Result = B.CreateGEP(Gep->getSourceElementType(), From, Indices);
    }
    return Places[&Pointer] = Result;
  }
};

} // namespace

void removeParameterCopies(Function &F) {
  SmallVector<WeakTrackingVH, 16> Merges;
  for (BasicBlock &Block : F)
    for (PHINode &Merge : Block.phis())
      Merges.push_back(&Merge);
  for (WeakTrackingVH &Merge : Merges) // of addresses that only the next round's address is made of
    if (auto *Dead = dyn_cast_or_null<PHINode>(Merge))
      RecursivelyDeleteDeadPHINode(Dead);
  SmallVector<AllocaInst *, 4> Locals;
  for (Instruction &I : F.getEntryBlock())
    if (auto *Local = dyn_cast<AllocaInst>(&I))
      Locals.push_back(Local);
  for (AllocaInst *Local : Locals)
    Copy(*Local).remove();
}

} // namespace gasan::lift
