/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Translates inline PTX.
#ifndef GASAN_PASS_RETARGET_PTX_H
#define GASAN_PASS_RETARGET_PTX_H

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"

namespace gasan {

// The result of a translation: a function with the effect of the PTX. Its parameters are the asm's operands, and its
// result has the asm's outputs.
struct PtxTranslation {
  llvm::Function *Function;
  std::string Unknown; // if Function is null: the statement that the pass cannot translate
};
PtxTranslation translatePtx(llvm::Module &M, const llvm::InlineAsm &Asm, const llvm::Module &Helpers);

} // namespace gasan

#endif
