/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Lets the optimiser inline large functions that are called in few places.
//
// The launch proof reads kernels. Of a function that was not inlined it proves nothing: the function keeps all checks
// in every launch, passes bounds, and needs the registers for them.
#ifndef GASAN_PASS_INSTRUMENT_INLINEMORE_H
#define GASAN_PASS_INSTRUMENT_INLINEMORE_H

#include "llvm/IR/Module.h"

namespace gasan {

// Raises the inliner's threshold for the module's functions. Must be called before the optimiser. Does not change
// functions that are declared noinline, or are to be small.
void inlineMore(llvm::Module &M);

} // namespace gasan

#endif
