/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Bounds that go with pointers into and out of functions that were not inlined.
//
// A function with pointers among its parameters or as its result becomes two: an internal one that has three more
// parameters for each pointer and returns its result's bounds beside it, and, for those who call it without bounds
// (through a pointer, from code that is not instrumented, from another module), a thunk of the old name that looks them
// up.
//
// Bounds that each caller would look up for the call are looked up by the function instead: of pointers that were
// loaded right before, as where a tree is gone through, and of a kernel's arguments. Then no caller has to keep them,
// and a pointer's are the same there.
#ifndef GASAN_PASS_INSTRUMENT_BST_TRAVELLINGBOUNDS_H
#define GASAN_PASS_INSTRUMENT_BST_TRAVELLINGBOUNDS_H

#include "gasan_pass/instrument/bst/RootBounds.h"
#include "llvm/ADT/SetVector.h"

namespace gasan {

class TravellingBounds {
public:
  // Makes such functions and has them called, with bounds that are poison for now.
  explicit TravellingBounds(llvm::Module &M);

  // Has F to be told what bounds its calls and returns take?
  bool concerns(const llvm::Function &F) const { return Concerned.contains(&F); }

  // What F gets: the bounds of its parameters and of its calls' results.
  void arrive(llvm::Function &F, RootBounds &Roots);
  // What F gives: the bounds of its calls' arguments and of its own result.
  void leave(llvm::Function &F, RootBounds &Roots, VariableBounds &Variables);

private:
  struct Signature {
    llvm::SmallVector<unsigned, 4> Pointers; // numbers of the parameters that bounds travel with
    unsigned FirstBound;                     // number of the first parameter for bounds
    bool Returns;                            // a pointer
  };

  llvm::Module &M;
  llvm::DenseMap<const llvm::Function *, Signature> Signatures; // of those with bounds
  llvm::SmallPtrSet<const llvm::Function *, 16> Concerned;

  llvm::FunctionType *typeOf(const llvm::Function &F, const Signature &S) const;
  llvm::Function *extend(llvm::Function &F, const Signature &S);
  void makeThunk(llvm::Function &Thunk, llvm::Function &Extended);
  void redirect(llvm::CallInst &Call, llvm::Function &Extended);
  void replaceReturns(llvm::Function &Extended);
  llvm::SmallVector<llvm::CallInst *, 8> callsWithBounds(llvm::Function &F);
  void giveResult(llvm::Function &F, RootBounds &Roots, VariableBounds &Variables);
  const Signature *signatureOf(const llvm::CallInst &Call) const;
};

} // namespace gasan

#endif
