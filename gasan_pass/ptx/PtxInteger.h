/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Integer instructions of inline PTX as LLVM IR.
#ifndef GASAN_PASS_PTX_PTXINTEGER_H
#define GASAN_PASS_PTX_PTXINTEGER_H

#include "gasan_pass/ptx/PtxText.h"
#include "llvm/IR/IRBuilder.h"

namespace gasan {

// setp's and set's operators; empty if it is none.
std::optional<llvm::CmpInst::Predicate> ptxComparison(llvm::StringRef Name, const PtxType &Type);
// The half of the product that .lo or .hi asks for, or all of it for .wide.
llvm::Value *ptxProduct(llvm::IRBuilderBase &B, const PtxStatement &S, const PtxType &Type, llvm::Value *X,
                        llvm::Value *Y);
// shl and shr. Amount: i32.
llvm::Value *ptxShift(llvm::IRBuilderBase &B, const PtxStatement &S, const PtxType &Type, llvm::Value *V,
                      llvm::Value *Amount);

} // namespace gasan

#endif
