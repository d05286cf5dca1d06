/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Makes code work with tagged pointers (-fsanitize-gpu-address-tags, shadow/tags.h): the tag is removed right before
// each access. The program's values keep the tag, so they compare and subtract as the program expects. A stored and
// reloaded pointer still names its allocation when its bounds are looked up.
#ifndef GASAN_PASS_INSTRUMENT_BST_TAGS_H
#define GASAN_PASS_INSTRUMENT_BST_TAGS_H

#include "llvm/IR/Function.h"

namespace gasan {

// Strips the pointers by which F accesses memory, and those that it passes to uninstrumented code. Must be called after
// F's checks were inserted, which need the tags. Must be called for functions without checks, too.
void stripTags(llvm::Function &F);

} // namespace gasan

#endif
