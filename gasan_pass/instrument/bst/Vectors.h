/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Joins accesses that together access a vector. The optimiser splits `*pointer` of an int4 into four loads, and the
// backend makes one load of them again. The alignment that the hardware needs is visible only if they are one access
// here, too.
#ifndef GASAN_PASS_INSTRUMENT_BST_VECTORS_H
#define GASAN_PASS_INSTRUMENT_BST_VECTORS_H

#include "gasan_pass/instrument/Access.h"

namespace gasan {

// Joins loads, or stores, of one place in the source that are adjacent and run all or none, if the first one's
// alignment suffices for all. Accesses: those of F, in program order.
void joinVectors(llvm::Function &F, llvm::SmallVectorImpl<Access> &Accesses);

} // namespace gasan

#endif
