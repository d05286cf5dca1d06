// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/proof_table.h"
#include "gasan_pass/retarget/Steps.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace gasan {

void removeVariants(Module &M) {
  auto IsUseless = [](Constant *C) {
    const StringRef Name = C->stripPointerCasts()->getName();
    return Name == GASAN_PROOFS_SYMBOL || Name.starts_with(GASAN_PROVEN_PREFIX) ||
           Name.starts_with(GASAN_BOUNDED_PREFIX);
  };
  removeFromUsedLists(M, IsUseless);
  for (Function &F : make_early_inc_range(M))
    if (IsUseless(&F))
      F.eraseFromParent();
  if (GlobalVariable *Proofs = M.getNamedGlobal(GASAN_PROOFS_SYMBOL))
    Proofs->eraseFromParent();
}

} // namespace gasan
