/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What is certain where: the conditions of the branches that lead to a place.
#ifndef GASAN_PASS_INSTRUMENT_PROOF_GUARDS_H
#define GASAN_PASS_INSTRUMENT_PROOF_GUARDS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include <map>
#include <memory>
#include <optional>

namespace gasan {

// "Left Predicate Right" is true of the values that both have where this is known.
struct Relation {
  llvm::CmpInst::Predicate Predicate;
  llvm::Value *Left, *Right;
  const llvm::BasicBlock *From; // where it was tested; null: by a select, or the access's own guard

  // The operands change places.
  Relation swapped() const { return {llvm::CmpInst::getSwappedPredicate(Predicate), Right, Left, From}; }
};

// A place: what is known in the outer one is known here, too.
struct Place {
  const Place *Outer;
  llvm::SmallVector<Relation, 2> Known; // in addition
};

// A value that is known at a place by its definition's dominating it is the one that it had last, and so is each
// operand of the tests that dominate: whatever loops lie between.
class Guards {
public:
  explicit Guards(llvm::Function &F) : Tree(F) {}

  const Place *at(const llvm::BasicBlock *Block);
  // What all ways to the block know; null: nothing.
  const Place *above(const llvm::BasicBlock *Block);
  // On the way from one block to the next.
  const Place *onEdge(llvm::BasicBlock *From, llvm::BasicBlock *To);
  // Where Condition is Truth besides.
  const Place *with(const Place *Outer, llvm::Value *Condition, bool Truth);

  const llvm::DominatorTree &tree() const { return Tree; }

private:
  llvm::DominatorTree Tree;
  llvm::DenseMap<const llvm::BasicBlock *, const Place *> Blocks;
  std::map<std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>, const Place *> Edges;
  std::map<std::pair<const Place *, std::pair<llvm::Value *, bool>>, const Place *> Conditions;
  std::vector<std::unique_ptr<Place>> Places;

  Place *make(const Place *Outer);
  static void learnFromEdge(Place &At, llvm::BasicBlock *From, llvm::BasicBlock *To);
  static void learn(Place &At, llvm::Value *Condition, bool Truth, const llvm::BasicBlock *From, unsigned Depth = 0);
};

} // namespace gasan

#endif
