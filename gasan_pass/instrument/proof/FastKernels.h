/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The variants of the module's kernels, fast and bounded (base/proof.h): copies that are made before any check is put
// in, under a name that the instrumentation does not take for its own; instrumented like the kernels but for the checks
// that are claimed; and in the end given the bounds of their pointers as arguments, and named GASAN_PROVEN_PREFIX or
// GASAN_BOUNDED_PREFIX and the kernel's symbol.
#ifndef GASAN_PASS_INSTRUMENT_PROOF_FASTKERNELS_H
#define GASAN_PASS_INSTRUMENT_PROOF_FASTKERNELS_H

#include "gasan_pass/instrument/SiteTable.h"
#include "gasan_pass/instrument/proof/KernelProof.h"

namespace gasan {

// An argument's elements, i64 (gasan_hidden in base/proof.h).
struct Elements {
  llvm::Value *Before, *Count;
};

// A kernel's arguments as the host passes them, and as the backend lays out a kernel's parameters.
std::vector<gasan_proof_argument> argumentsOf(const llvm::Function &Kernel);

class FastKernels {
public:
  // Makes the copies, if options say so.
  explicit FastKernels(llvm::Module &M);

  static bool isVariant(const llvm::Function &F);

  // F's checks are planned. Null: F is no proven variant.
  KernelProof *begin(llvm::Function &F, RootBounds &Roots);
  // The claims are made; F is still as it was.
  void end(llvm::Function &F);

  // What was claimed of the checks in the kernel's fast variant, which is instrumented first. Null: F is no bounded
  // variant.
  const KernelProof *claimsFor(const llvm::Function &F);
  // In a bounded variant: the mask of the claims that do not hold.
  llvm::Value *failedClaims(llvm::Function &F);

  // What the host finds for this. Empty: F is no variant, Root no argument of it, or that would be too many.
  std::optional<Elements> askForElements(llvm::Function &F, llvm::Value &Root, const gasan_hidden &What,
                                         llvm::BasicBlock::iterator At);

  // Does the host tell F the bounds of what points there?
  bool isTold(llvm::Function &F, const llvm::Value &Root) const;

  // Every function is instrumented. Writes the table.
  void finish();

private:
  struct Variant {
    llvm::Function *Code = nullptr; // null: there is none
    std::vector<gasan_hidden> Hidden;
    unsigned Asked = 0; // for elements
  };
  struct Kernel {
    llvm::Function *Full;
    Variant Fast, Bounded;
    llvm::BitVector WrittenStructures;
    std::unique_ptr<KernelProof> Proof;
  };

  llvm::Module &M;
  std::vector<Kernel> Kernels;
  llvm::FunctionCallee Mask; // stands for the bounded variants' last argument

  static llvm::Function *copy(llvm::Function &Full, const char *Suffix);
  static void drop(Variant &V);
  void takeArguments(const Kernel &K, Variant &V, const char *Prefix, bool WithMask);
  void emitTable();
};

} // namespace gasan

#endif
