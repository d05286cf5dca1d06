/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Puts the shadow check (gasan 3.1) before an access.
//
// An access that lies in one shadow block for certain is checked in place; everything else by an outlined function. On
// sm_90 (ptxas 13.0) the check is 14 instructions: the window (3, one a branch), shift, mask, 64-bit add (2), load,
// offset of the last byte (2), compare, branch, and the pair that makes the warp converge again after the window's
// branch. The last pair and a branch would go if the shadow were loaded before the window is tested (11 instructions),
// but see insertInline(). Registers with checks, without the report: saxpy 10 -> 12, matmul 21 -> 26. Tried, no
// difference: `or` instead of `add` for the last byte, ld.global.nc for the shadow byte. The params are loaded at each
// check: ptxas makes constant memory operands or uniform registers, and hoists the load where that pays. The report
// does not return, so nothing is saved around its call; but a kernel gets at least the registers that the report needs:
// at most 32 on sm_80 and later, which leaves occupancy there as it was.
#ifndef GASAN_PASS_INSTRUMENT_SHADOWCHECK_H
#define GASAN_PASS_INSTRUMENT_SHADOWCHECK_H

#include "gasan_pass/instrument/Access.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"

namespace gasan {

class ShadowCheck {
public:
  // Defines GASAN_PARAMS_SYMBOL in the module.
  ShadowCheck(llvm::Module &M, unsigned ShadowScale, gasan_code Code);

  // A fault there is reported under the index `Site` of the site table.
  void insert(const Access &A, uint32_t Site);

private:
  llvm::Module &M;
  unsigned Scale;
  llvm::GlobalVariable *Params;
  llvm::FunctionCallee Report, CheckRange, StringSize; // declared at first use
  llvm::MDNode *Unlikely;

  llvm::FunctionCallee entry(llvm::FunctionCallee &Cached, const char *Name, bool Returns);
  llvm::Value *loadParam(llvm::IRBuilderBase &B, unsigned Offset, llvm::Type *Type);
  llvm::Value *loadShadow(llvm::IRBuilderBase &B, llvm::Value *Address);
  llvm::Value *isInWindow(llvm::IRBuilderBase &B, llvm::Value *Address);
  llvm::Value *isPoisoned(llvm::IRBuilderBase &B, llvm::Value *Address, uint64_t Size, llvm::Value *Shadow);
  llvm::Value *stringSize(llvm::IRBuilderBase &B, const Access &A);
  bool fitsOneBlock(const Access &A) const;
  void insertInline(const Access &A, uint32_t Site);
  void insertRange(const Access &A, uint32_t Site);
};

} // namespace gasan

#endif
