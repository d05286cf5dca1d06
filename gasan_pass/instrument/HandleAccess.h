/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Instruments code for handles (gasan 3.2.2). Each access translates its own handle to an address, wherever the program
// got the pointer: from an argument, a struct, memory or an integer. The program's values stay handles. Handles compare
// and subtract like addresses, and stay valid when the pool moves.
#ifndef GASAN_PASS_INSTRUMENT_HANDLEACCESS_H
#define GASAN_PASS_INSTRUMENT_HANDLEACCESS_H

#include "gasan_pass/instrument/Access.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace gasan {

class HandleAccess {
public:
  explicit HandleAccess(llvm::Module &M) : M(M) {}

  // Inserts the check of the access. Translates the access's pointer if the pointer is an operand of the instruction.
  void check(const Access &A, uint32_t Site);

  // Translates all other pointers through which F's instructions access memory. Must be called after check() was called
  // for all accesses.
  void translate(llvm::Function &F);

private:
  llvm::Module &M;
  llvm::SmallPtrSet<const llvm::Use *, 32> Translated;

  llvm::Value *callAccess(llvm::IRBuilderBase &B, llvm::Value *Pointer, llvm::Value *Size, uint32_t Site);
  llvm::Value *callTranslate(llvm::IRBuilderBase &B, llvm::Value *Address);
  void replace(llvm::IRBuilderBase &B, llvm::Use &Operand, llvm::Value *Address);
  void translateOperand(llvm::Use &Operand);
};

} // namespace gasan

#endif
