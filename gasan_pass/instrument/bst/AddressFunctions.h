/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Inlines functions that only compute with addresses as integers (`__cvta_generic_to_shared`, pointer differences).
// Bounds travel with pointers into and out of functions, but not with integers.
#ifndef GASAN_PASS_INSTRUMENT_BST_ADDRESSFUNCTIONS_H
#define GASAN_PASS_INSTRUMENT_BST_ADDRESSFUNCTIONS_H

#include "llvm/IR/Module.h"

namespace gasan {

// Inlines all calls of such functions in instrumented functions. A function that remains is unused, or called from
// elsewhere. Variables must have been promoted (Promote.h).
void inlineAddressFunctions(llvm::Module &M);

} // namespace gasan

#endif
