/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Moves local variables whose address is stored to memory into arenas. At run time, gasan_rt/kernel/frames.cu then
// finds the variable that a loaded pointer belongs to.
//
// Each thread has its own arena. If the arena is full, the variable stays in its function's frame, without bounds. In
// the arena, the variable's memory is not reused at once. In a frame it would be: by the next function's variables, and
// (StackColoring) by those of the next scope.
#ifndef GASAN_PASS_INSTRUMENT_BST_FRAMES_H
#define GASAN_PASS_INSTRUMENT_BST_FRAMES_H

#include "gasan_pass/instrument/SiteTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Instructions.h"

namespace gasan {

class Frames {
public:
  // Finds the variables. Must be called before any function is instrumented.
  Frames(llvm::Module &M, SiteTable &Sites);

  // Moves F's variables. Must be called after F's checks were inserted.
  void move(llvm::Function &F);
  // Gives the kernels their arenas, and makes the lookups search them. Must be called after all functions were moved.
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
