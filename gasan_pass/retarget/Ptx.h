/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Translates inline PTX.
#ifndef GASAN_PASS_RETARGET_PTX_H
#define GASAN_PASS_RETARGET_PTX_H

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"

namespace gasan {

// A function with the effect of the PTX. The asm's operands are its parameters, and its outputs are the result.
struct PtxTranslation {
  llvm::Function *Function;
  std::string Unknown; // the unknown statement if Function is null
};
PtxTranslation translatePtx(llvm::Module &M, const llvm::InlineAsm &Asm, const llvm::Module &Helpers);

} // namespace gasan

#endif
