/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The value of a polynomial in each launch, and the offsets of pointers as polynomials. Only the files with rules about
// sums include this header.
#ifndef GASAN_PASS_INSTRUMENT_PROOF_SUM_H
#define GASAN_PASS_INSTRUMENT_PROOF_SUM_H

#include "gasan_pass/instrument/proof/Formula.h"
#include "gasan_pass/instrument/proof/WholeNumbers.h"

namespace gasan {

// The functions that the rules about sums share.
struct Formulas::Sum {
  static constexpr int64_t kGreatest = int64_t(1) << 30;

  Formulas &F;
  Polynomials &P;
  std::set<unsigned> Minima = {}; // of which the numbers were made

  // Returns the polynomial of a number. It is the number only if requireMinima() holds.
  const Polynomial &of(llvm::Value *V);
  Polynomial whole(llvm::Value *V, llvm::SmallVectorImpl<Polynomials::Narrow> &Casts);
  // Requires that no minimum wraps. Returns false if one of them cannot be computed in Block.
  bool requireMinima(WholeNumbers &Whole, const Place *At, const llvm::BasicBlock &Block) const;
  bool isKnownIn(const Polynomial &Of, const llvm::BasicBlock &Block) const;
  // Calls Do for each relation at the place and around it, with both orders of its operands, until it returns true.
  bool anyRelation(const Place *At, llvm::function_ref<bool(const Relation &)> Do) const;
  // Returns the polynomial's value as a number of 64 bits.
  std::optional<Node> value(WholeNumbers &Whole, const Polynomial &Of, const Place *At) const;
  // Requires that N is between -2^30 and 2^30. Returns N.
  static Node limited(WholeNumbers &Whole, Node N);
  // Returns the offset of a pointer from the pointer's root.
  std::optional<Polynomial> offset(llvm::Value *Pointer, llvm::SmallVectorImpl<Polynomials::Narrow> &Casts);
  // Returns the distance of a pointer from the one before it.
  std::optional<Polynomial> moved(llvm::Value *Pointer, llvm::SmallVectorImpl<Polynomials::Narrow> &Casts);
  // Requires that no integer that is extended wraps. Returns false if one of them cannot be computed.
  bool require(WholeNumbers &Whole, llvm::ArrayRef<Polynomials::Narrow> Casts, const Place *At);
};

} // namespace gasan

#endif
