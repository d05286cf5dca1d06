/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// LLVM's types for PTX's registers, variables and functions.
#ifndef GASAN_PASS_LIFT_TYPES_H
#define GASAN_PASS_LIFT_TYPES_H

#include "gasan_pass/lift/Syntax.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"

namespace gasan::lift {

// Returns float or double for .f32 and .f64, i1 for .pred, else an integer.
llvm::Type *registerType(llvm::LLVMContext &Context, const PtxType &Type);
// Returns the type in which an instruction of this type computes: half, bfloat and pairs of them included.
llvm::Type *valueType(llvm::LLVMContext &Context, const PtxType &Type);
// Returns an array for a variable or parameter in memory.
llvm::Type *memoryType(llvm::LLVMContext &Context, const Variable &V);
// Returns true if a parameter is passed in memory.
bool isAggregate(const Variable &V);
// Returns true for the array of a variadic function's further arguments, which is passed by its address.
inline bool isOpenArray(const Variable &V) {
  return V.IsArray && V.Elements == 0;
}
llvm::FunctionType *functionType(llvm::LLVMContext &Context, const Prototype &P);
// Sets the attributes of parameters in memory on a function or a call.
llvm::AttributeList parameterAttributes(llvm::LLVMContext &Context, const Prototype &P, bool IsKernel);
// Returns the bits as a value of another type, truncated or extended with zeros if the sizes differ.
llvm::Value *changeBits(llvm::IRBuilderBase &B, llvm::Value *V, llvm::Type *To);
unsigned addressSpace(llvm::StringRef Space);

} // namespace gasan::lift

#endif
