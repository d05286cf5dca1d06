/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Defines the struct that the host fills before the module's first launch: struct gasan_params (base/abi.h).
#ifndef GASAN_PASS_INSTRUMENT_PARAMS_H
#define GASAN_PASS_INSTRUMENT_PARAMS_H

#include "base/abi.h"
#include "llvm/IR/GlobalVariable.h"

namespace gasan {

// Defines GASAN_PARAMS_SYMBOL in the module.
llvm::GlobalVariable *defineParams(llvm::Module &M, gasan_code Code);

// Moves the struct to global memory if the program itself has no constants. A GPU launches the kernels of a module with
// constant memory more slowly, above all in graphs.
void moveParamsToGlobalMemory(llvm::Module &M);

// Sets an enum gasan_flag in the struct's initial value.
void setParamsFlag(llvm::Module &M, uint32_t Flag);

} // namespace gasan

#endif
