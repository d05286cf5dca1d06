/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Passes bounds with pointers into and out of functions that were not inlined.
//
// A function with pointer parameters or a pointer result becomes two functions. The first is internal. It has three
// more parameters for each pointer, and also returns its result's bounds. The second is a thunk of the old name, which
// looks the bounds up for callers that have none: calls through a pointer, from uninstrumented code, or from another
// module.
//
// The called function itself looks up bounds that its callers would have to look up only for the call. These are the
// bounds of pointers that were loaded right before the call, as in the walk of a tree, and of a kernel's arguments.
// Then no caller keeps these bounds in registers, and the later lookup gives the same result.
#ifndef GASAN_PASS_INSTRUMENT_BST_TRAVELLINGBOUNDS_H
#define GASAN_PASS_INSTRUMENT_BST_TRAVELLINGBOUNDS_H

#include "gasan_pass/instrument/bst/RootBounds.h"
#include "llvm/ADT/SetVector.h"

namespace gasan {

class TravellingBounds {
public:
  // Creates these functions and redirects calls to them. The calls pass poison as bounds until leave().
  explicit TravellingBounds(llvm::Module &M);

  // Returns true if F receives or passes on bounds, by its own parameters or result or by its calls.
  bool concerns(const llvm::Function &F) const { return Concerned.contains(&F); }

  // Gives Roots the bounds that F receives: those of its parameters and of its calls' results.
  void arrive(llvm::Function &F, RootBounds &Roots);
  // Fills in the bounds that F passes on: those of its calls' arguments and of its own result.
  void leave(llvm::Function &F, RootBounds &Roots, VariableBounds &Variables);

private:
  struct Signature {
    llvm::SmallVector<unsigned, 4> Pointers; // numbers of the parameters with bounds
    unsigned FirstBound;                     // number of the first parameter for bounds
    bool Returns;                            // a pointer
  };

  llvm::Module &M;
  llvm::DenseMap<const llvm::Function *, Signature> Signatures; // functions with bounds
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
