/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Pointers that are made of an object's address and a distance which may lead to another object: a self-relative
// pointer (boost's offset_ptr), `a + (b - a)`.
//
//   self + self->distance       `distance` was loaded from that very address (Own)
//   node + node->distance       ... or from elsewhere in the object (Object)
//   a + (b - a)                 the distance was measured from the pointer itself, or a copy of it (Own)
//   a + (c - b)                 ... or nothing is known of where it was measured from (Object)
//
// An ordinary index must not look like one, because what it leads to would be forgiven if it is another object by
// chance: a distance counts bytes, after divisions by an element's size have been undone, and what was loaded has 64
// bits, unless it is Own. Both ends of a difference in one object are a number. Where the distance comes from a caller
// or a callee, it is followed there.
#ifndef GASAN_PASS_INSTRUMENT_BST_RELATIVESTEPS_H
#define GASAN_PASS_INSTRUMENT_BST_RELATIVESTEPS_H

#include "llvm/IR/Module.h"

namespace gasan {

enum class RelativeStep {
  None,
  Object, // a root of its own where it is not in the object that it was made of
  Own,    // a root of its own
};

// Marks them, in GEPs and conversions of integers to pointers, so that copies are marked, too.
void markRelativeSteps(llvm::Module &M);

RelativeStep relativeStep(const llvm::Value &Pointer);

} // namespace gasan

#endif
