/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A translator of inline PTX.
#ifndef GASAN_PASS_RETARGET_PTX_H
#define GASAN_PASS_RETARGET_PTX_H

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"

namespace gasan {

// A function that does what the PTX does, with the asm's operands as parameters and its outputs as result.
struct PtxTranslation {
  llvm::Function *Function;
  std::string Unknown; // the statement that is not known, if Function is null
};
PtxTranslation translatePtx(llvm::Module &M, const llvm::InlineAsm &Asm, const llvm::Module &Helpers);

} // namespace gasan

#endif
