/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Inlines functions that only compute with addresses as integers (`__cvta_generic_to_shared`, distances of pointers).
// Bounds go with pointers into and out of functions, but not with integers.
#ifndef GASAN_PASS_INSTRUMENT_BST_ADDRESSFUNCTIONS_H
#define GASAN_PASS_INSTRUMENT_BST_ADDRESSFUNCTIONS_H

#include "llvm/IR/Module.h"

namespace gasan {

// Inlines such functions into instrumented functions. A function that stays is unused, or called from elsewhere.
// Variables must have been promoted (Promote.h).
void inlineAddressFunctions(llvm::Module &M);

} // namespace gasan

#endif
