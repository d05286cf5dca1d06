/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Marks pointers that are computed from an object's address and a distance that may lead to another object: a
// self-relative pointer (boost's offset_ptr), `a + (b - a)`.
//
//   self + self->distance       `distance` was loaded from that very address (Own)
//   node + node->distance       ... or from elsewhere in the object (Object)
//   a + (b - a)                 the distance was measured from the pointer itself, or a copy of it (Own)
//   a + (c - b)                 ... or nothing is known of where it was measured from (Object)
//
// An ordinary index must not count as such a distance: otherwise an out-of-bounds access that hits another object by
// chance would not be reported. So a distance counts bytes, after divisions by an element's size have been undone, and
// a loaded distance has 64 bits unless it is Own. The difference of two pointers into the same object is an ordinary
// number. A distance from a caller or a called function is followed there.
#ifndef GASAN_PASS_INSTRUMENT_BST_RELATIVESTEPS_H
#define GASAN_PASS_INSTRUMENT_BST_RELATIVESTEPS_H

#include "llvm/IR/Module.h"

namespace gasan {

enum class RelativeStep {
  None,
  Object, // a root of its own if it is not in the object that it was derived from
  Own,    // a root of its own
};

// Marks GEPs and conversions of integers to pointers, so that copies of these instructions are marked, too.
void markRelativeSteps(llvm::Module &M);

RelativeStep relativeStep(const llvm::Value &Pointer);

} // namespace gasan

#endif
