/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Local variables whose address gets into memory: gasan_rt/kernel/frames.cu says at run time what a pointer from there
// belongs to.
//
// Such a variable lies in the arena of its thread (or, where that is full, in its function's frame, without bounds), so
// that neither the next function's variables nor, by StackColoring, those of the next scope take its place.
#ifndef GASAN_PASS_INSTRUMENT_BST_FRAMES_H
#define GASAN_PASS_INSTRUMENT_BST_FRAMES_H

#include "gasan_pass/instrument/SiteTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Instructions.h"

namespace gasan {

class Frames {
public:
  // Finds the variables. Of what is to be instrumented nothing is yet.
  Frames(llvm::Module &M, SiteTable &Sites);

  // F's checks are in their places: moves its variables.
  void move(llvm::Function &F);
  // All functions are done: kernels get their arenas, and the lookups know of them.
  void finish();

private:
  llvm::Module &M;
  SiteTable &Sites;
  llvm::MapVector<llvm::Function *, llvm::SmallVector<llvm::AllocaInst *, 4>> Variables;

  void moveOne(llvm::AllocaInst &Variable, llvm::ArrayRef<llvm::Instruction *> Exits);
  unsigned arenaSize() const;
};

} // namespace gasan

#endif
