// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Connects checks with the launch proof (gasan_pass/instrument/proof).
//
// A kernel's proven variant omits each check that became a claim. Its bounded variant executes such a check only in
// launches that do not prove the claim; a bit of a mask argument decides this. Checks of 32-bit indices have no bit.
#include "gasan_pass/Options.h"
#include "gasan_pass/instrument/bst/BoundsCheck.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace gasan {

ProvableCheck BoundsCheck::provable(const Check &C) {
  const auto *Width = dyn_cast<ConstantInt>(C.Width);
  return {C.Where, C.Pointer, C.B, Width ? Width->getZExtValue() : 0, C.Guard, C.Site, C.Alignment, C.InLimit};
}

// Gives each check of a bounded variant the bit of its claim.
void BoundsCheck::maskClaimed(Function &F, SmallVectorImpl<Check> &Checks) {
  const KernelProof *Proof = Variants.claimsFor(F);
  Failed = Proof ? Variants.failedClaims(F) : nullptr;
  for (size_t Index = 0; Proof && Index < Checks.size(); ++Index)
    Checks[Index].ClaimBits = Proof->bitOf(Index, provable(Checks[Index]));
}

// Executes the checks of 32-bit indices whether the launch proves them or not: a comparison costs no more than the test
// of a bit, which would be executed before it.
void BoundsCheck::unmaskCheap(MutableArrayRef<Check> Checks) {
  for (Check &C : Checks)
    if (C.Count && C.IndexBits == 32 && !C.Guard)
      C.ClaimBits = 0;
}

// Makes a claim of each check of a proven variant that allows one, and drops those checks.
void BoundsCheck::dropClaimed(Function &F, SmallVectorImpl<Check> &Checks, RootBounds &Roots) {
  KernelProof *Proof = Variants.begin(F, Roots);
  Failed = nullptr;
  if (!Proof)
    return maskClaimed(F, Checks);
  if (!Recover) // or else a thread goes on behind a check that has failed
    for (const Check &C : Checks)
      Proof->learn(provable(C));
  SmallVector<std::optional<unsigned>, 16> Claims;
  for (const Check &C : Checks)
    Claims.push_back(Proof->claim(provable(C)));
  Variants.end(F);
  SmallVector<Check, 16> Left;
  for (auto [C, Claim] : zip(Checks, Claims))
    if (Claim && Proof->isClaimed(*Claim))
      --Unproven[C.Where];
    else
      Left.push_back(std::move(C));
  Checks = std::move(Left);
}

// Returns an i1: the launch has not proven the check's claims.
Value *BoundsCheck::isMade(IRBuilderBase &B, const Check &C) {
  return B.CreateIsNotNull(B.CreateAnd(Failed, C.ClaimBits));
}

// Returns where to insert the check's code: in a new block if only some launches execute the check.
Instruction *BoundsCheck::whereMade(const Check &C, Instruction *Before) {
  if (!C.ClaimBits)
    return Before;
  IRBuilder<> B(Before); // all threads take the same branch
  return SplitBlockAndInsertIfThen(isMade(B, C), Before->getIterator(), /*Unreachable=*/false, Unlikely);
}

} // namespace gasan
