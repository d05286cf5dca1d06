/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Inserts the shadow check (gasan 3.1) before an access.
//
// An access that certainly lies in one shadow block is checked in place; every other access by a function. The params
// are loaded at each check: ptxas makes constant memory operands or uniform registers of them, and hoists the load
// where that pays. Loading the shadow before the window is tested would save three of the 14 instructions on sm_90, but
// see insertInline(). The report does not return, so no registers are saved around its call. Yet a kernel gets at least
// the registers that the report needs: at most 32 on sm_80 and later, which does not lower occupancy there. Tried
// without any gain: `or` instead of `add` for the last byte's offset, and ld.global.nc for the shadow byte.
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

  // Inserts the check. A fault is reported under the index `Site` of the site table.
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
