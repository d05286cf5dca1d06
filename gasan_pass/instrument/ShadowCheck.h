/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Inserts the shadow check (gasan 3.1) before an access.
//
// An access that certainly lies in one shadow block is checked inline; every other access by a call. The parameters are
// loaded at each check: ptxas turns these loads into constant memory operands or uniform registers, and hoists them
// where that pays. Loading the shadow byte before testing the window would save three of the 14 instructions on sm_90,
// but insertInline() says why that is wrong. The report does not return, so no registers are saved around its call. Yet
// a kernel gets at least as many registers as the report needs: at most 32 on sm_80 and later, which does not lower
// occupancy there. `or` instead of `add` for the last byte's offset, and ld.global.nc for the shadow byte, gain
// nothing.
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
