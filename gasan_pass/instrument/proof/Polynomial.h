/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Writes integers as sums of products of other values, so that two expressions of one number can be recognised as equal
// after a compiler has rewritten them: first + (step + ~first) + end is end + step - 1.
#ifndef GASAN_PASS_INSTRUMENT_PROOF_POLYNOMIAL_H
#define GASAN_PASS_INSTRUMENT_PROOF_POLYNOMIAL_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Value.h"
#include <map>
#include <optional>
#include <set>

namespace gasan {

// A sum of products of atoms with coefficients, modulo 2^Bits. An atom is a value that is no sum or product itself.
class Polynomial {
public:
  using Product = llvm::SmallVector<unsigned, 4>; // numbers of atoms, in order; the empty product is 1

  explicit Polynomial(unsigned Bits, int64_t Constant = 0) : Bits(Bits) { add({}, Constant); }

  void add(const Product &P, int64_t Coefficient);
  Polynomial plus(const Polynomial &Other, int64_t Factor = 1) const;
  Polynomial plus(int64_t Constant) const { return plus(Polynomial(Bits, Constant)); }
  Polynomial minus(const Polynomial &Other) const { return plus(Other, -1); }
  // Empty: there are too many terms.
  std::optional<Polynomial> times(const Polynomial &Other) const;
  // Returns the Q with Q * By = this polynomial, if there is one that this simple division finds.
  std::optional<Polynomial> quotient(const Polynomial &By) const;

  unsigned bits() const { return Bits; }
  bool isZero() const { return Terms.empty(); }
  std::optional<int64_t> constant() const; // empty: it is none
  const std::map<Product, int64_t> &terms() const { return Terms; }
  // Returns the atoms that are minima (Polynomials::minimum()) and that the polynomial was made of. They may have
  // cancelled out; the polynomial is the number only in launches in which they are minima.
  const std::set<unsigned> &minima() const { return Minima; }
  void addMinimum(unsigned Atom) { Minima.insert(Atom); }
  bool operator==(const Polynomial &Other) const { return Bits == Other.Bits && Terms == Other.Terms; }
  bool operator!=(const Polynomial &Other) const { return !(*this == Other); }

private:
  unsigned Bits;
  std::map<Product, int64_t> Terms; // no coefficient is 0
  std::set<unsigned> Minima;
};

class Polynomials {
public:
  // Returns the polynomial of an integer of at most 64 bits, modulo 2^bits of its type. Relies on no promise.
  const Polynomial &of(llvm::Value *V) {
    auto Found = Known.find(V);
    if (Found == Known.end())
      Found = Known.try_emplace(V, expand(V, bitsOf(V), false, nullptr)).first;
    return Found->second;
  }

  struct Narrow { // an integer that is extended
    llvm::Value *V;
    bool IsSigned;
  };
  // Returns the polynomial of an integer, which is extended to 64 bits if it has fewer. Casts inside count as no
  // operation: the polynomial is the integer's in launches in which no integer of Casts wraps.
  Polynomial whole(llvm::Value *V, llvm::SmallVectorImpl<Narrow> &Casts) { return expand(V, 64, true, &Casts); }

  // Returns the value. Null: the atom is a minimum.
  llvm::Value *atom(unsigned Number) const { return Atoms[Number]; }
  // Returns the Q of an atom that is the minimum of Q and 0 in launches in which Q is between -2^30 and 2^30. Null: it
  // is a value.
  const Polynomial *minimum(unsigned Number) const {
    auto Found = Minima.find(Number);
    return Found == Minima.end() ? nullptr : &Found->second;
  }
  // Returns the only atom if the polynomial is this atom, or a multiple of it.
  static std::optional<unsigned> onlyAtom(const Polynomial &P);
  static unsigned bitsOf(const llvm::Value *V) { return V->getType()->getIntegerBitWidth(); }

private:
  llvm::SmallVector<llvm::Value *, 16> Atoms;
  llvm::DenseMap<llvm::Value *, unsigned> Numbers;
  std::map<llvm::Value *, Polynomial> Known; // references to its elements stay valid
  std::map<unsigned, Polynomial> Minima;     // by atom

  Polynomial expand(llvm::Value *V, unsigned Bits, bool Whole, llvm::SmallVectorImpl<Narrow> *Casts,
                    unsigned Depth = 0);
  Polynomial atomOf(llvm::Value *V, unsigned Bits);
  Polynomial minimumOf(const Polynomial &Q);
};

} // namespace gasan

#endif
