// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gasan_pass/instrument/proof/TableReads.h"
#include "gasan_pass/Options.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace gasan {

// Returns true for external functions that certainly look up no bounds.
static bool isHarmless(const Function &Declared) {
  static const char *const Prefixes[] = {"__gasan_report_", "__gasan_frame", "__gasan_count_", "__gasan_trace_",
                                         "__gasan_string_"};
  static const char *const Names[] = {"vprintf", "__assertfail"};
  const StringRef Name = Declared.getName();
  return Declared.isIntrinsic() || is_contained(Names, Name) ||
         any_of(Prefixes, [&](const char *Prefix) { return Name.starts_with(Prefix); });
}

bool looksUp(const Function &F) {
  if (!LateUploads)
    return true;
  SetVector<const Function *> Reached;
  Reached.insert(&F);
  for (size_t Next = 0; Next < Reached.size(); ++Next)
    for (const Instruction &I : instructions(*Reached[Next])) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call)
        continue;
      if (auto *Asm = dyn_cast<InlineAsm>(Call->getCalledOperand())) {
        if (Asm->getAsmString().contains("call"))
          return true;
        continue;
      }
      auto *Callee = dyn_cast<Function>(Call->getCalledOperand()->stripPointerCastsAndAliases());
      if (!Callee || (Callee->isDeclaration() && !isHarmless(*Callee)))
        return true;
      Reached.insert(Callee);
    }
  return false;
}

} // namespace gasan
