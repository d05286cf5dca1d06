/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Translates integer instructions of inline PTX to LLVM IR.
#ifndef GASAN_PASS_PTX_PTXINTEGER_H
#define GASAN_PASS_PTX_PTXINTEGER_H

#include "gasan_pass/ptx/PtxText.h"
#include "llvm/IR/IRBuilder.h"

namespace gasan {

// Returns the comparison that an operator of setp or set names. Empty: the name is not a comparison.
std::optional<llvm::CmpInst::Predicate> ptxComparison(llvm::StringRef Name, const PtxType &Type);
// Returns the half of the product that .lo or .hi selects, or the whole for .wide.
llvm::Value *ptxProduct(llvm::IRBuilderBase &B, const PtxStatement &S, const PtxType &Type, llvm::Value *X,
                        llvm::Value *Y);
// Returns the result of div or rem. A division by zero has an unspecified value, and the least number divided by -1 is
// the least number, with the remainder 0.
llvm::Value *ptxDivision(llvm::IRBuilderBase &B, const PtxStatement &S, const PtxType &Type, llvm::Value *X,
                         llvm::Value *Y);
// Returns the result of shl or shr. Amount: i32.
llvm::Value *ptxShift(llvm::IRBuilderBase &B, const PtxStatement &S, const PtxType &Type, llvm::Value *V,
                      llvm::Value *Amount);
// Returns the result of bmsk.clamp or bmsk.wrap: a mask of Width bits from bit Start on. Both are i32.
llvm::Value *ptxMask(llvm::IRBuilderBase &B, const PtxStatement &S, llvm::Value *Start, llvm::Value *Width);
// Returns the result of bfe with an unsigned type: Width bits of V from bit Start on. Start, Width: i32.
llvm::Value *ptxField(llvm::IRBuilderBase &B, const PtxType &Type, llvm::Value *V, llvm::Value *Start,
                      llvm::Value *Width);

} // namespace gasan

#endif
