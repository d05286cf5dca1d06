/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Root pointer analysis (cucatch 4.1.1, gpuarmor 6.2): finds the bounds of the pointers of one function.
//
// A pointer is followed back through arithmetic and casts to its source. The source is either a root (argument, load,
// call, variable, null), whose bounds are fetched right after its definition, or a phi or select, which gets a phi or
// select of bounds. A pointer may thus leave its object and come back, because its bounds never change. An integer is
// followed to the one pointer from which it is computed. If that pointer is not certain, the pointer made from the
// integer is a root itself. So is the sum of a pointer and a distance that may lead to another object
// (RelativeSteps.h).
#ifndef GASAN_PASS_INSTRUMENT_BST_ROOTBOUNDS_H
#define GASAN_PASS_INSTRUMENT_BST_ROOTBOUNDS_H

#include "gasan_pass/instrument/bst/PointerSteps.h"
#include "llvm/Analysis/InstSimplifyFolder.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace gasan {

// Folds constants while it inserts instructions.
using BoundsBuilder = llvm::IRBuilder<llvm::InstSimplifyFolder>;

class RootBounds {
public:
  // No block of F may be split during this object's lifetime. MayMerge: memory is never freed between the load of a
  // pointer and its merge, so merges may be roots (MergedRoots.h).
  RootBounds(llvm::Function &F, VariableBounds &Variables, bool MayMerge = false);

  // Sets the bounds of a root, as addresses of the address space `Space`, so that no lookup is needed.
  void know(llvm::Value *Root, const Bounds &B, unsigned Space);
  // Makes a local variable dead, because its function has returned.
  void knowDead(llvm::Value &Variable);

  // Returns the bounds of a pointer of any address space. The returned values are available wherever the pointer is.
  Bounds of(llvm::Value *Pointer);
  // Returns the bounds in the generic address space, in which they are passed to functions, for the use `At`.
  Bounds ofInGeneric(llvm::Value *Pointer, llvm::Instruction &At);
  // Returns the bounds of one pointer in a vector of pointers.
  Bounds ofLane(llvm::Value *Vector, unsigned Lane);

  // Sets the site of the lookup of these bounds, unless the lookup already has one.
  void nameSite(const Bounds &B, uint32_t Site);

  // Returns true if the root is a variable (VariableBounds). Its bounds must be known.
  bool isVariable(llvm::Value *Root) const { return VariableRoots.contains(Root); }
  PointerSteps &steps() { return Steps; }

  bool isReachable(const llvm::Instruction &I) const { return Tree.isReachableFromEntry(I.getParent()); }
  const llvm::DominatorTree &tree() const { return Tree; }
  // Returns the first place for instructions that use V. Empty: there is none.
  std::optional<llvm::BasicBlock::iterator> behind(llvm::Value *V);

  // Converts an address. Bounds are in the pointer's own address space; in reports and in calls, in the generic one.
  static llvm::Value *translate(llvm::IRBuilderBase &B, llvm::Value *Address, unsigned FromSpace, unsigned ToSpace);

  // Removes unused bounds. Must be called after all checks were inserted; blocks may have been split.
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
  struct Merge { // a phi or select of pointers, and the phis or selects of their bounds
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
  // Returns the value if I has the same value on all incoming edges. Otherwise null.
  static llvm::Value *sameOnAllWays(llvm::Instruction &I);
};

} // namespace gasan

#endif
