/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Joins the parts of a vector access. The optimiser splits `*pointer` of an int4 into four loads, and the back end
// joins them into one load again. The alignment that the hardware needs is visible only if they are one access here,
// too.
#ifndef GASAN_PASS_INSTRUMENT_BST_VECTORS_H
#define GASAN_PASS_INSTRUMENT_BST_VECTORS_H

#include "gasan_pass/instrument/Access.h"

namespace gasan {

// Joins adjacent loads, or stores, that come from the same place in the source and run either all or not at all, if the
// first one's alignment suffices for the whole. Accesses: those of F, in program order.
void joinVectors(llvm::Function &F, llvm::SmallVectorImpl<Access> &Accesses);

} // namespace gasan

#endif
