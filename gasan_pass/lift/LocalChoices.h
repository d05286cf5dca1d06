/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Lets LLVM keep local arrays in registers.
#ifndef GASAN_PASS_LIFT_LOCALCHOICES_H
#define GASAN_PASS_LIFT_LOCALCHOICES_H

#include "llvm/IR/Function.h"

namespace gasan::lift {

// Moves accesses through a pointer that a phi chooses in front of the phi, where the pointer is known. Returns true if
// it has changed something.
bool moveBeforeChoices(llvm::Function &F);

} // namespace gasan::lift

#endif
