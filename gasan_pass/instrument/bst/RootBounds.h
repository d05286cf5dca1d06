/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Root pointer analysis (cucatch 4.1.1, gpuarmor 6.2): which bounds the pointers of one function have.
//
// A pointer is followed back through arithmetic and casts to its source: a root (argument, load, call, variable, null),
// whose bounds are fetched right where it is defined, or a phi or select of several, which gets a phi or select of
// their bounds. So a pointer may leave its object and come back: its bounds are those that it had from the start.
// Integers are followed to the one pointer that they are made of; if that is not certain, what is made of the integer
// is a root of its own. So are sums of a pointer and a distance that may lead to another object (RelativeSteps.h).
#ifndef GASAN_PASS_INSTRUMENT_BST_ROOTBOUNDS_H
#define GASAN_PASS_INSTRUMENT_BST_ROOTBOUNDS_H

#include "gasan_pass/instrument/bst/PointerSteps.h"
#include "llvm/Analysis/InstSimplifyFolder.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace gasan {

// What instructions are put in with: constants stay constants.
using BoundsBuilder = llvm::IRBuilder<llvm::InstSimplifyFolder>;

class RootBounds {
public:
  // No block of F may be split while this is in use. Is what pointers lead to still there when they have come together?
  RootBounds(llvm::Function &F, VariableBounds &Variables, bool MayMerge = false);

  // The root has these bounds, which count in address space `Space`; nothing needs to be looked up.
  void know(llvm::Value *Root, const Bounds &B, unsigned Space);
  // The function has returned: a variable of its own is dead.
  void knowDead(llvm::Value &Variable);

  // Of a pointer of any address space. They are there wherever the pointer is.
  Bounds of(llvm::Value *Pointer);
  // As they travel: in the generic address space. For the use `At`.
  Bounds ofInGeneric(llvm::Value *Pointer, llvm::Instruction &At);
  // Of one pointer of a vector of them.
  Bounds ofLane(llvm::Value *Vector, unsigned Lane);

  // Where these bounds were looked up, it is for this access, unless it was for another one.
  void nameSite(const Bounds &B, uint32_t Site);

  // Did VariableBounds say what the root is? Its bounds are known by now.
  bool isVariable(llvm::Value *Root) const { return VariableRoots.contains(Root); }
  PointerSteps &steps() { return Steps; }

  bool isReachable(const llvm::Instruction &I) const { return Tree.isReachableFromEntry(I.getParent()); }
  const llvm::DominatorTree &tree() const { return Tree; }
  // Where instructions that use V may go first; empty: nowhere.
  std::optional<llvm::BasicBlock::iterator> behind(llvm::Value *V);

  // Bounds count in the pointer's own address space; reports, and bounds that travel, in the generic one.
  static llvm::Value *translate(llvm::IRBuilderBase &B, llvm::Value *Address, unsigned FromSpace, unsigned ToSpace);

  // Takes out what nobody uses. All checks are in their places; blocks may have been split.
  void finish();

private:
  static constexpr unsigned kMostLanes = 1024;

  llvm::Function &F;
  VariableBounds &Variables;
  llvm::Module &M;
  llvm::DominatorTree Tree;
  PointerSteps Steps;
  llvm::Type *I64, *I32;
  llvm::DenseMap<llvm::Value *, Bounds> Known;
  llvm::DenseMap<std::pair<llvm::Value *, unsigned>, Bounds> KnownLanes;
  struct Merge { // a phi or select of pointers, and those of their bounds
    llvm::Instruction *Of;
    llvm::Instruction *Parts[3];
  };
  llvm::SmallPtrSet<llvm::Value *, 8> VariableRoots;
  llvm::SmallVector<Merge, 8> Unfilled;
  llvm::SmallVector<llvm::WeakTrackingVH, 16> Made;
  llvm::SmallPtrSet<llvm::Value *, 16> Named;

  std::unique_ptr<MergedRoots> mergedRoots();
  Bounds constant(uint64_t Base, uint64_t Size, uint32_t Object) const;
  Bounds notChecked() const;
  Bounds inSpace(const Bounds &B, unsigned FromSpace, unsigned ToSpace, llvm::Value *For);
  Bounds lookUp(llvm::Value *Root);
  Bounds lookUpRelative(llvm::GEPOperator &Pointer);
  Bounds found(BoundsBuilder &B, llvm::CallInst *Call, unsigned Space);
  Bounds lookUpLane(llvm::Value *Vector, unsigned Lane);
  Bounds laneBounds(llvm::Value *Vector, unsigned Lane);
  Bounds sourceBounds(llvm::Value *Source);
  Bounds stepBounds(llvm::Value *Step, const Bounds &From, unsigned FromSpace);
  Bounds mergeBounds(llvm::Instruction &Of);
  Bounds walk(llvm::Value *Pointer);
  void fill();
  void fillOne(const Merge &Next);
  bool dominates(llvm::Value *Source, llvm::Value *User) const;
  // If all ways bring the same to what was made, that.
  static llvm::Value *sameOnAllWays(llvm::Instruction &I);
};

} // namespace gasan

#endif
