/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Code whose pointers have tags (-fsanitize-gpu-address-tags, shadow/tags.h): the tag is taken off right before each
// access. The program's values keep it, so that they compare, subtract and are stored as the program expects, and so
// that the pointer still says which allocation it is of when its bounds are looked up, wherever that is.
#ifndef GASAN_PASS_INSTRUMENT_BST_TAGS_H
#define GASAN_PASS_INSTRUMENT_BST_TAGS_H

#include "llvm/IR/Function.h"

namespace gasan {

// Strips what F accesses memory by, and the pointers that it gives to code of others. After the checks of F, which want
// tags; in functions without checks, too.
void stripTags(llvm::Function &F);

} // namespace gasan

#endif
