/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Accesses that together are a vector: `*pointer` of an int4 becomes four loads when it is optimised, of which the
// backend makes one again. What the hardware asks of such a pointer is seen only if they are one access here, too.
#ifndef GASAN_PASS_INSTRUMENT_BST_VECTORS_H
#define GASAN_PASS_INSTRUMENT_BST_VECTORS_H

#include "gasan_pass/instrument/Access.h"

namespace gasan {

// Loads, and stores, of one place in the source that lie next to each other and run all or none become one, if what is
// said of the first one's alignment is enough for all of them. The accesses of F, in program order.
void joinVectors(llvm::Function &F, llvm::SmallVectorImpl<Access> &Accesses);

} // namespace gasan

#endif
