/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// An upper limit of what a function does, from its code and that of the functions that it calls.
#ifndef GASAN_SCAN_EFFECTS_H
#define GASAN_SCAN_EFFECTS_H

#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"

#include <set>

namespace gasan::scan {

struct Effects {
  bool IsRecursive = false;                   // may call itself
  bool IsKnown = true;                        // false: may call CUDA, or a function that the code does not name
  bool Launches = false;                      // names a launch
  std::set<llvm::GlobalVariable *> Variables; // that it may write
};

Effects findEffects(const llvm::Function &Code);

} // namespace gasan::scan

#endif
