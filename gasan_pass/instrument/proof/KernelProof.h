/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
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
  KernelProof(llvm::Function &Kernel, RootBounds &Roots, const llvm::BitVector &WrittenStructures);

  // A number for isClaimed(); none: the check stays in `fast`.
  std::optional<unsigned> claim(const ProvableCheck &Check);

  // There are no more checks. Claims that could hold in no launch are given up.
  void finish();

  // Does `fast` do without the check that got this number?
  bool isClaimed(unsigned Number) const { return Claims[Number].IsPlausible; }
  // The bit, in the bounded variant's mask, of the claim for the same check there: that many checks came before it. 0:
  // it is always made.
  uint64_t bitOf(size_t Index, const ProvableCheck &Check) const;

  // What becomes of the kernel's checks, for people (-gasan-print-proofs).
  std::string text() const;

  const Program &program() const { return Nodes; }
  const std::vector<gasan_claim> &claims() const { return Finished; }
  uint32_t keptChecks() const { return Kept; }

private:
  llvm::Function &Kernel;
  RootBounds &Roots;
  Program Nodes;
  llvm::BitVector Written;
  Formulas Values;
  // Of accesses at constant distances that are made on the same conditions: if one's offset is in bounds for all its
  // values, the lowest and the highest byte say it of all.
  struct Claim {
    gasan_claim To; // but for node and width
    Node Offset;    // the access is at a constant distance from there
    Node Reached;   // 0; nothing, if arguments say that it is not reached
    int64_t Low, High;
    struct Part {
      Node Start, Size;
      bool operator==(const Part &Other) const { return Start == Other.Start && Size == Other.Size; }
    };
    std::optional<Part> Buffer = std::nullopt; // that Offset is from, in dynamic shared memory
    bool IsPlausible = true;
    unsigned Number = 0; // in Finished
    bool operator==(const Claim &Other) const;
  };
  std::vector<Claim> Claims;
  std::vector<gasan_claim> Finished;
  struct Line {
    llvm::Instruction *Where;
    std::string What; // of a claim: the access and its formula
    std::optional<unsigned> Claim;
  };
  std::vector<Line> Lines;
  uint32_t Kept = 0;
  struct Asked { // in order
    uint32_t Site;
    uint64_t Width;
    std::optional<unsigned> Claim;
  };
  std::vector<Asked> All;

  std::optional<unsigned> findClaim(const ProvableCheck &Check);
  std::optional<gasan_claim> rootOf(const ProvableCheck &Check);
  std::string describe(const Claim &C) const;
  Node nodeOf(const Claim &C);
  void dropImplausible();
};

} // namespace gasan

#endif
