/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Collects the claims of one kernel (base/proof_table.h).
#ifndef GASAN_PASS_INSTRUMENT_PROOF_KERNELPROOF_H
#define GASAN_PASS_INSTRUMENT_PROOF_KERNELPROOF_H

#include "gasan_pass/instrument/bst/RootBounds.h"
#include "gasan_pass/instrument/proof/Formula.h"

namespace gasan {

// A check of the kernel's proven variant, as planned before claims are made.
struct ProvableCheck {
  llvm::Instruction *Where;
  llvm::Value *Pointer;
  Bounds Of;
  uint64_t Width;     // bytes; 0: known only at run time
  llvm::Value *Guard; // i1; null: always
  uint32_t Site;
  llvm::Align Alignment; // the alignment that the check tests
  bool AlignedAsRoot;    // the address is aligned if the root is
};

class KernelProof {
public:
  KernelProof(llvm::Function &Kernel, RootBounds &Roots, const WrittenBytes &Written);

  // Learns from a check that every variant makes, or omits because its claim holds: behind it, the index is in bounds.
  // Must be called before the first claim().
  void learn(const ProvableCheck &Check);

  // Makes a claim for the check. Returns a number for isClaimed(). Empty: the proven variant keeps the check.
  std::optional<unsigned> claim(const ProvableCheck &Check);

  // Drops the claims that could hold in no launch. Must be called after the last claim().
  void finish();

  // Returns the bits of the claims for a source-level check (bst/SourceFaults.h), in any copy of the kernel. 0: the
  // check is always executed.
  uint64_t bitsOfFault(const llvm::CallInst &Fault) const;

  // Returns true if the proven variant omits the check with this number.
  bool isClaimed(unsigned Number) const { return Claims[Number].IsPlausible; }
  // Returns the bit, in the bounded variant's mask, of the claim for the check with this index, which must be the same
  // check as in the proven variant. 0: the check is always executed.
  uint64_t bitOf(size_t Index, const ProvableCheck &Check) const;

  // Describes the kernel's checks and claims for users (-gasan-print-proofs).
  std::string text() const;

  const Program &program() const { return Nodes; }
  const std::vector<gasan_claim> &claims() const { return Finished; }
  uint32_t keptChecks() const { return Kept; }
  // Returns the accesses whose index comes from memory, for reports; without the kernel's number.
  const std::vector<gasan_loaded> &loadedIndices() const { return Loaded; }

private:
  llvm::Function &Kernel;
  RootBounds &Roots;
  Program Nodes;
  WrittenBytes Written;
  Formulas Values;
  std::optional<Formulas> BehindChecks; // knows what the checks have shown; empty: nothing
  struct CheckedIndex {
    llvm::Instruction *Where;
    int64_t First, Last; // behind it
  };
  llvm::DenseMap<llvm::Value *, llvm::SmallVector<CheckedIndex, 2>> CheckedIndices;
  // One claim covers accesses at constant distances under the same conditions. If an offset is in bounds for all its
  // values, the lowest and the highest byte decide for all accesses.
  struct Claim {
    gasan_claim To; // without node and width
    Node Offset;    // the accesses are at constant distances from it
    Node Reached;   // 0; empty if the arguments imply that the access is not reached
    int64_t Low, High;
    struct Part {
      Node Start, Size;
      bool operator==(const Part &Other) const { return Start == Other.Start && Size == Other.Size; }
    };
    std::optional<Part> Buffer = std::nullopt; // that Offset starts from, in dynamic shared memory
    std::optional<Node> Shown = std::nullopt;  // in texts, if Offset has a formula for each round of a loop
    bool IsPlausible = true;
    unsigned Number = 0; // in Finished
    bool operator==(const Claim &Other) const;
    bool isAlignedLike(const Claim &Other) const;
    Claim with(const Claim &Other) const; // for the accesses of both, which have the same offset
  };
  std::vector<Claim> Claims;
  std::vector<gasan_claim> Finished;
  // LoadedIndices.cpp: an index from memory, until the claim of its load is known.
  struct Candidate {
    gasan_loaded Index;
    ArgumentPart From; // the load's root
    Node Offset;       // of the load from there, less Low
    int64_t Low;
  };
  std::vector<Candidate> Candidates;
  std::vector<gasan_loaded> Loaded;
  struct Line {
    llvm::Instruction *Where;
    std::string What; // for a claim: the access and its formula
    std::optional<unsigned> Claim;
  };
  std::vector<Line> Lines;
  uint32_t Kept = 0;
  llvm::MaybeAlign DynamicShared; // alignmentOfDynamicShared(), once it was asked for
  struct Asked {                  // in the order of claim()
    uint32_t Site;
    uint64_t Width;
    std::optional<unsigned> Claim;
  };
  std::vector<Asked> All;
  struct SourceCheck {
    llvm::SmallVector<unsigned, 2> Claims;
    bool IsKept = false; // no claim is possible
  };
  llvm::DenseMap<unsigned, SourceCheck> SourceChecks; // by number of the fault

  void noteLoadedIndex(const ProvableCheck &Check, const gasan_claim &To);
  void finishLoadedIndices();
  Node narrowed(Node A, Node B);
  std::optional<unsigned> findClaim(const ProvableCheck &Check);
  std::optional<Claim> claimOfAccess(Formulas &With, const ProvableCheck &Check, const gasan_claim &To);
  bool isBounded(const Claim &C) const;
  std::unique_ptr<bool[]> arePlausible(llvm::ArrayRef<Claim> Of);
  bool isPlausible(const Claim &C);
  Claim *findLike(const Claim &New);
  unsigned addClaim(const Claim &New, llvm::Instruction &Where);
  void keep(llvm::Instruction &Where, const llvm::Twine &Why);
  void claimFault(llvm::CallInst &Fault);
  std::optional<Claim> claimOfIndex(llvm::ICmpInst &Compare, bool IsBad, llvm::BasicBlock &Block);
  bool isDynamicSharedAligned(llvm::Align To);
  std::optional<gasan_claim> rootOf(const ProvableCheck &Check);
  std::string describe(const Claim &C) const;
  Node nodeOf(const Claim &C);
  gasan_claim made(const Claim &C);
  void dropImplausible();
};

} // namespace gasan

#endif
