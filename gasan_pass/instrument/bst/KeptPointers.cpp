// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/KeptPointers.h"
#include "gasan_pass/instrument/bst/PointerFlow.h"
#include "gasan_pass/instrument/bst/SourceFaults.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace gasan {

static const AllocaInst *variableOf(const Value &Loaded) {
  const auto *Load = dyn_cast<LoadInst>(&Loaded);
  return Load ? dyn_cast<AllocaInst>(Load->getPointerOperand()) : nullptr;
}

const StoreInst *KeptPointers::setOf(const AllocaInst &Variable) {
  auto [Entry, New] = Sets.try_emplace(&Variable, nullptr);
  if (!New || !PointerFlow::slotOf(Variable))
    return Entry->second;
  for (const User *U : Variable.users())
    if (const auto *Store = dyn_cast<StoreInst>(U)) {
      if (Entry->second)
        return Entry->second = nullptr;
      Entry->second = Store;
    }
  return Entry->second;
}

// Every path from the stored value's operands to the load must pass the store. Otherwise some path would reach the load
// with a new operand and the old stored value.
const Value *KeptPointers::valueOf(const Value &Loaded) {
  const AllocaInst *Variable = variableOf(Loaded);
  const StoreInst *Set = Variable ? setOf(*Variable) : nullptr;
  if (!Set || !isa<GEPOperator, Constant>(Set->getValueOperand()))
    return nullptr;
  if (!Tree)
    Tree = std::make_unique<DominatorTree>(F);
  return Tree->dominates(Set, cast<Instruction>(&Loaded)) ? Set->getValueOperand() : nullptr;
}

// Returns true if the address of an element, or of a part of one, is only used for accesses.
static bool isOnlyAccessed(const Value &Address) {
  return all_of(Address.uses(), [&](const Use &U) {
    auto *I = dyn_cast<Instruction>(U.getUser());
    if (!I)
      return false;
    if (const auto *Part = dyn_cast<GetElementPtrInst>(I))
      return U.getOperandNo() == 0 &&
             (Part->getSourceElementType()->isStructTy() || Part->getSourceElementType()->isArrayTy()) &&
             isOnlyAccessed(*Part);
    if (isa<MemTransferInst>(I))
      return true;
    std::optional<SourceAccess> Access = sourceAccess(*const_cast<Instruction *>(I));
    return Access && Access->Pointer == &Address && !(isa<StoreInst>(I) && U.getOperandNo() == 0);
  });
}

bool KeptPointers::isOnlyIndexed(const Value &Loaded, const Type *Element) {
  const AllocaInst *Variable = variableOf(Loaded);
  return Variable && all_of(Variable->users(), [&](const User *U) {
           if (!isa<LoadInst>(U))
             return true; // a store, or the beginning or end of its scope
           return all_of(U->uses(), [&](const Use &Of) {
             if (const auto *Step = dyn_cast<GetElementPtrInst>(Of.getUser()))
               return Of.getOperandNo() == 0 && Step->getSourceElementType() == Element && Step->getNumIndices() == 1 &&
                      isOnlyAccessed(*Step);
             auto *I = dyn_cast<Instruction>(Of.getUser());
             std::optional<SourceAccess> Access = I ? sourceAccess(*const_cast<Instruction *>(I)) : std::nullopt;
             return Access && Access->Pointer == U && !(isa<StoreInst>(I) && Of.getOperandNo() == 0);
           });
         });
}

} // namespace gasan
