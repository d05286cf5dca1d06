// A translator of simple inline PTX.
#ifndef GASAN_PASS_RETARGET_PTX_H
#define GASAN_PASS_RETARGET_PTX_H

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"

namespace gasan {

// A function that does what the PTX does, with the asm's operands as parameters and its outputs as result; null if some
// statement is not known.
llvm::Function *translatePtx(llvm::Module &M, const llvm::InlineAsm &Asm, const llvm::Module &Helpers);

} // namespace gasan

#endif
