// The claims of one kernel (base/proof.h).
#ifndef GASAN_PASS_INSTRUMENT_PROOF_KERNELPROOF_H
#define GASAN_PASS_INSTRUMENT_PROOF_KERNELPROOF_H

#include "gasan_pass/instrument/bst/RootBounds.h"
#include "gasan_pass/instrument/proof/Formula.h"

namespace gasan {

// A check that the kernel's fast variant would have.
struct ProvableCheck {
  llvm::Instruction *Where;
  llvm::Value *Pointer;
  Bounds Of;
  uint64_t Width;     // bytes; 0: known only at run time
  llvm::Value *Guard; // i1; null: always
  uint32_t Site;
  llvm::Align Alignment; // that it tests the address for
  bool AlignedAsRoot;    // the address has it if the root's has
};

class KernelProof {
public:
  KernelProof(llvm::Function &Kernel, RootBounds &Roots);

  // Is there a claim for the check, so that `fast` does without it?
  bool claim(const ProvableCheck &Check);

  // What becomes of the kernel's checks, for people (-gasan-print-proofs).
  std::string text() const;

  const Program &program() const { return Nodes; }
  const std::vector<gasan_claim> &claims() const { return Claims; }
  uint32_t keptChecks() const { return Kept; }
  // Also when the kernel has its checks.
  std::optional<ArgumentPart> argumentPart(const llvm::Value &Root) const { return Values.argumentPart(&Root); }

private:
  llvm::Function &Kernel;
  RootBounds &Roots;
  Program Nodes;
  Formulas Values;
  std::vector<gasan_claim> Claims;
  std::vector<std::pair<llvm::Instruction *, std::string>> Lines;
  uint32_t Kept = 0;

  std::optional<gasan_claim> rootOf(const ProvableCheck &Check);
  std::string describe(const gasan_claim &Claim) const;
};

} // namespace gasan

#endif
