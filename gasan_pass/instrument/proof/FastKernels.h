// The fast variants of the module's kernels: copies that are made before any check is put in, under a name that the
// instrumentation does not take for its own; instrumented like the kernels but for the checks that are claimed; and in the
// end given the bounds of their pointers as arguments, and named GASAN_FAST_PREFIX and the kernel's symbol.
#ifndef GASAN_PASS_INSTRUMENT_PROOF_FASTKERNELS_H
#define GASAN_PASS_INSTRUMENT_PROOF_FASTKERNELS_H

#include "gasan_pass/instrument/SiteTable.h"
#include "gasan_pass/instrument/proof/KernelProof.h"

namespace gasan {

class FastKernels {
public:
  // Makes the copies, if options say so.
  explicit FastKernels(llvm::Module &M);

  static bool isFast(const llvm::Function &F);

  // F's checks are planned. Null: F is no fast variant.
  KernelProof *begin(llvm::Function &F, RootBounds &Roots);
  // The claims are made; F is still as it was.
  void end(llvm::Function &F);

  // Every function is instrumented. Writes the table.
  void finish();

private:
  struct Pair {
    llvm::Function *Full, *Fast;
    llvm::BitVector WrittenStructures;
    std::unique_ptr<KernelProof> Proof;
    std::vector<gasan_hidden> Hidden;
  };

  llvm::Module &M;
  std::vector<Pair> Pairs;

  Pair *pairOf(const llvm::Function &F);
  void takeArguments(Pair &P);
  void emitTable();
};

} // namespace gasan

#endif
