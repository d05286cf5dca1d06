/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Creates the variants of the module's kernels, proven and bounded (base/proof_table.h). A variant is a copy of the
// kernel that is made before any check is inserted. Its temporary name does not look like a name of the
// instrumentation. It is instrumented like the kernel, but without the claimed checks. At the end, it gets the bounds
// of its pointers as arguments, and its final name: GASAN_PROVEN_PREFIX or GASAN_BOUNDED_PREFIX, followed by the
// kernel's symbol.
#ifndef GASAN_PASS_INSTRUMENT_PROOF_KERNELVARIANTS_H
#define GASAN_PASS_INSTRUMENT_PROOF_KERNELVARIANTS_H

#include "gasan_pass/instrument/SiteTable.h"
#include "gasan_pass/instrument/proof/KernelProof.h"
#include "gasan_pass/instrument/proof/VariantArguments.h"

namespace gasan {

class KernelVariants {
public:
  // Makes the copies, if the options ask for them.
  explicit KernelVariants(llvm::Module &M);

  static bool isVariant(const llvm::Function &F);

  // Must be called when F's checks are planned. Returns null if F is not a proven variant.
  KernelProof *begin(llvm::Function &F, RootBounds &Roots);
  // Must be called after all claims were made, and before F is changed.
  void end(llvm::Function &F);

  // Must be called for each function that gets checks and is no variant, with their number.
  void noteChecks(const llvm::Function &F, unsigned Checks) { ChecksOf[&F] = Checks; }

  // Returns the claims of the kernel's proven variant, which is instrumented before the bounded one. Returns null if F
  // is not a bounded variant.
  const KernelProof *claimsFor(const llvm::Function &F);
  // Returns the mask of the claims that do not hold. F must be a bounded variant.
  llvm::Value *failedClaims(llvm::Function &F);

  // Returns the numbers of elements that the host will pass for this request. Empty: F is not a variant, Root is not
  // one of its arguments, or F has too many requests.
  std::optional<Elements> askForElements(llvm::Function &F, llvm::Value &Root, const gasan_hidden &What,
                                         llvm::BasicBlock::iterator At);

  // Returns true if the host passes the bounds of Root's object to F.
  bool hasHiddenBounds(llvm::Function &F, const llvm::Value &Root) const;

  // Writes the table of claims. Must be called after all functions were instrumented.
  void finish();

  // Returns true if no kernel of the module looks bounds up in launches whose claims hold. Must be called after
  // finish().
  bool lookNothingUp() const;

private:
  struct Variant {
    llvm::Function *Code = nullptr; // null: no such variant
    VariantArguments Arguments;
  };
  struct Kernel {
    llvm::Function *Full;
    llvm::Function *Untouched; // the body as the optimiser left it; null: it calls functions that may have checks
    Variant Proven, Bounded;
    WrittenBytes Written;
    std::unique_ptr<KernelProof> Proof;
    bool IsWorth = true;      // of its variants' code
    unsigned KeptInCalls = 0; // checks in functions that all variants call
  };

  llvm::Module &M;
  std::vector<Kernel> Kernels;
  llvm::DenseMap<const llvm::Function *, unsigned> ChecksOf;
  llvm::FunctionCallee Mask; // placeholder for the bounded variants' last argument

  static llvm::Function *copy(llvm::Function &Full, const char *Suffix);
  static void drop(Variant &V);
  static llvm::Function *setAside(llvm::Function &Full);
  unsigned mostBounded() const;
  unsigned checksInCalls(llvm::Function &F) const;
  void finishSourceChecks(const Kernel &K);
  void takeUntouched(const Kernel &K, Variant &V);
  void takeArguments(const Kernel &K, Variant &V, const char *Prefix, bool WithMask);
  void emitTable();
};

} // namespace gasan

#endif
