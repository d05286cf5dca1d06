/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Adapts code to tagged pointers (-fsanitize-gpu-address-tags, shadow/tags.h) by removing the tag right before each
// access. The program's values keep the tag, so they compare and subtract as the program expects, and a stored and
// reloaded pointer still names its allocation when its bounds are looked up.
#ifndef GASAN_PASS_INSTRUMENT_BST_TAGS_H
#define GASAN_PASS_INSTRUMENT_BST_TAGS_H

#include "llvm/IR/Function.h"

namespace gasan {

// Strips the pointers through which F accesses memory, and the pointers that F passes to uninstrumented code. Must be
// called after F's checks were inserted, because checks need the tags. Must be called for functions without checks,
// too.
void stripTags(llvm::Function &F);

} // namespace gasan

#endif
