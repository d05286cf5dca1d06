// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/bst/VirtualTables.h"
#include "gasan_pass/Options.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace gasan {

// Returns true if the pointer is called.
static bool isCalled(const Value &Pointer) {
  return any_of(Pointer.users(), [&](const User *U) {
    const auto *Call = dyn_cast<CallBase>(U);
    return Call && Call->getCalledOperand() == &Pointer;
  });
}

// Returns true if a function's address is loaded from the table at a constant place, and called.
static bool leadsToCalls(const Value &Table) {
  return any_of(Table.users(), [](const User *U) {
    if (const auto *Step = dyn_cast<GetElementPtrInst>(U); Step && Step->hasAllConstantIndices())
      return any_of(Step->users(), [](const User *Entry) { return isa<LoadInst>(Entry) && isCalled(*Entry); });
    return isa<LoadInst>(U) && isCalled(*U);
  });
}

bool loadsVirtualTable(const Instruction &Load) {
  const MDNode *Type = Load.getMetadata(LLVMContext::MD_tbaa);
  if (Type && Type->isTBAAVtableAccess())
    return true;
  return Load.getFunction()->hasFnAttribute(kLiftedAttr) && isa<LoadInst>(Load) && Load.getType()->isPointerTy() &&
         leadsToCalls(Load); // PTX has no types
}

} // namespace gasan
