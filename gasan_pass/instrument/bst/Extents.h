/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Compares the end of an access with the size that an array seems to have in the source.
#ifndef GASAN_PASS_INSTRUMENT_BST_EXTENTS_H
#define GASAN_PASS_INSTRUMENT_BST_EXTENTS_H

#include "gasan_pass/instrument/bst/SourceSums.h"
#include "llvm/IR/Dominators.h"
#include <memory>

namespace gasan {

enum class Extent {
  Within,  // the access ends within the array, if the limits in the code hold
  OneMore, // the access may be to the element after the end, and no farther
  Open,    // the access's limit and the array's size are unrelated
  Beyond   // the access ends beyond the array, or has no limit
};

// A fact from a branch: Index <= AtMost. Next leads to the facts that already held before the branch.
struct SourceLimit {
  Sum Index, AtMost;
  const llvm::Instruction *Where;
  const SourceLimit *Next;
};

// Collects the facts that branches establish at each block of a function.
class SourceGuards {
public:
  // AtCall: the facts at the function's call.
  SourceGuards(llvm::Function &F, SourceSums &Numbers, const SourceLimit *AtCall)
      : Dominators(F), Sums(Numbers), Outer(AtCall) {}
  const SourceLimit *at(const llvm::BasicBlock &Block);
  // Returns the facts that hold at I, without facts about variables that may have changed since the branch.
  const SourceLimit *stillAt(const llvm::Instruction &I, const Leaves &All);

private:
  llvm::DominatorTree Dominators;
  SourceSums &Sums;
  const SourceLimit *const Outer;
  llvm::DenseMap<const llvm::BasicBlock *, const SourceLimit *> Known;
  std::vector<std::unique_ptr<SourceLimit>> Limits;

  const SourceLimit *add(llvm::Value &Condition, bool IsTrue, const SourceLimit *Before, unsigned Depth);
};

// Compares an access of Width bytes that ends at End with an array of Size bytes.
Extent extentOf(Leaves &All, const Sum &End, const Sum &Size, int64_t Width, const SourceLimit *Limits);

} // namespace gasan

#endif
