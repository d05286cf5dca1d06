/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// How far a use of an array goes, compared with the size that the array seems to have.
#ifndef GASAN_PASS_INSTRUMENT_BST_EXTENTS_H
#define GASAN_PASS_INSTRUMENT_BST_EXTENTS_H

#include "gasan_pass/instrument/bst/SourceSums.h"
#include "llvm/IR/Dominators.h"
#include <memory>

namespace gasan {

enum class Extent {
  Within,  // it ends within the array, if each number is what the code says of it
  OneMore, // it may be of the element behind the end, and no other one
  Open,    // its limit and the size have nothing to do with each other
  Beyond   // it goes beyond, or nothing limits it
};

// In the code there is: Index is AtMost, or less. The list goes on with what holds before that.
struct SourceLimit {
  Sum Index, AtMost;
  const llvm::Instruction *Where;
  const SourceLimit *Next;
};

// What the branches of a function say at each of its blocks.
class SourceGuards {
public:
  // AtCall: holds where the function is called.
  SourceGuards(llvm::Function &F, SourceSums &Numbers, const SourceLimit *AtCall)
      : Dominators(F), Sums(Numbers), Outer(AtCall) {}
  const SourceLimit *at(const llvm::BasicBlock &Block);
  // Without those of which a variable may have changed since.
  const SourceLimit *stillAt(const llvm::Instruction &I, const Leaves &All);

private:
  llvm::DominatorTree Dominators;
  SourceSums &Sums;
  const SourceLimit *const Outer;
  llvm::DenseMap<const llvm::BasicBlock *, const SourceLimit *> Known;
  std::vector<std::unique_ptr<SourceLimit>> Limits;

  const SourceLimit *add(llvm::Value &Condition, bool IsTrue, const SourceLimit *Before, unsigned Depth);
};

// Of Width bytes, up to End, in an array of Size bytes.
Extent extentOf(Leaves &All, const Sum &End, const Sum &Size, int64_t Width, const SourceLimit *Limits);

} // namespace gasan

#endif
