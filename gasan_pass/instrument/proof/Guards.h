/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Collects the conditions that certainly hold at a place: those of the branches that lead to the place, and what the
// checks before it have shown.
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

// States that "Left Predicate Right" holds for the operands' values at the place.
struct Relation {
  llvm::CmpInst::Predicate Predicate;
  llvm::Value *Left, *Right;
  const llvm::BasicBlock *From; // the block that tests it; null: a select, an access's own guard, or a check

  // Returns the relation with exchanged operands.
  Relation swapped() const { return {llvm::CmpInst::getSwappedPredicate(Predicate), Right, Left, From}; }
};

struct FloatRelation {
  Relation Of;
  bool IsOrdered; // neither number is NaN, or else the relation does not hold
};

// A place in the kernel. Everything that holds at the outer place holds here, too.
struct Place {
  const Place *Outer;
  llvm::SmallVector<Relation, 2> Known; // in addition
  // Comparisons of floating-point numbers, as of their ordinals (proof/floats.h). They hold if neither is NaN.
  llvm::SmallVector<FloatRelation, 0> Floats;
};

// If a value's definition dominates a place, the value at the place is the one that was computed last. The same is true
// for the operands of dominating tests, no matter which loops lie in between.
class Guards {
public:
  explicit Guards(llvm::Function &F) : Tree(F) {}

  // States that the relation holds behind the instruction. Must be called in the order of the block's instructions,
  // before places are requested. A block keeps its first relations only.
  void addBehind(const llvm::Instruction &I, const Relation &R);

  const Place *at(const llvm::BasicBlock *Block);
  const Place *before(const llvm::Instruction &I);
  // Returns what holds on all edges into the block. Null: nothing does.
  const Place *above(const llvm::BasicBlock *Block);
  // Returns what holds on the edge from one block to the next.
  const Place *onEdge(llvm::BasicBlock *From, llvm::BasicBlock *To);
  // Returns Outer with the fact that Condition is Truth.
  const Place *with(const Place *Outer, llvm::Value *Condition, bool Truth);

  const llvm::DominatorTree &tree() const { return Tree; }

private:
  llvm::DominatorTree Tree;
  struct ShownRelation {
    const llvm::Instruction *Behind;
    Relation Of;
  };
  llvm::DenseMap<const llvm::BasicBlock *, llvm::SmallVector<ShownRelation, 2>> Shown;
  llvm::DenseMap<const llvm::BasicBlock *, const Place *> Blocks;
  std::map<std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>, const Place *> Edges;
  std::map<std::pair<const Place *, std::pair<llvm::Value *, bool>>, const Place *> Conditions;
  std::map<std::pair<const llvm::BasicBlock *, size_t>, const Place *> Inside; // behind the Shown with this index
  std::vector<std::unique_ptr<Place>> Places;

  Place *make(const Place *Outer);
  void learnFromChecks(Place &At, const llvm::BasicBlock *From);
  void learnFromEdge(Place &At, llvm::BasicBlock *From, llvm::BasicBlock *To);
  void learnFromNumber(Place &At, llvm::Value *Number, bool Truth, const llvm::BasicBlock *From, unsigned Depth);
  static void learnFromExtreme(Place &At, llvm::Value *Extreme, llvm::Value *C, const llvm::BasicBlock *From);
  void learnFromFlag(Place &At, llvm::PHINode &Flag, bool Truth, const llvm::BasicBlock *From, unsigned Depth);
  static void learnFromFloats(Place &At, llvm::FCmpInst &Compare, bool Truth, const llvm::BasicBlock *From);
  void learn(Place &At, llvm::Value *Condition, bool Truth, const llvm::BasicBlock *From, unsigned Depth = 0);
};

} // namespace gasan

#endif
