/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Functions that only compute with addresses as integers (`__cvta_generic_to_shared`, distances of pointers), where
// they were not inlined: bounds go with pointers into and out of functions, but not with integers.
#ifndef GASAN_PASS_INSTRUMENT_BST_ADDRESSFUNCTIONS_H
#define GASAN_PASS_INSTRUMENT_BST_ADDRESSFUNCTIONS_H

#include "llvm/IR/Module.h"

namespace gasan {

// Inlines them into instrumented functions. What stays is unused, or called from elsewhere. Needs promoted variables.
void inlineAddressFunctions(llvm::Module &M);

} // namespace gasan

#endif
