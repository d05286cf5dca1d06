/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Translates expressions for Z3.
#ifndef GASAN_SCAN_TRANSLATE_H
#define GASAN_SCAN_TRANSLATE_H

#include "scan/Expression.h"

#include "z3++.h"

namespace gasan::scan {

// To bit vectors. Exact.
class BitTranslator {
public:
  // Limits: unsigned numbers that variables do not exceed. Their upper bits are zero for the solver.
  BitTranslator(z3::context &Context, std::map<const Variable *, uint64_t> Limits)
      : Context(Context), Limits(std::move(Limits)) {}
  z3::expr translate(const Node *A);
  z3::expr truth(const Node *A) { return translate(A) == Context.bv_val(1, 1); }
  z3::expr keepsSign(const Node *Operation);
  uint64_t valueIn(const z3::model &Model, const Node *A);

private:
  z3::expr build(const Node *A);
  z3::expr bit(const z3::expr &Truth) { return z3::ite(Truth, Context.bv_val(1, 1), Context.bv_val(0, 1)); }

  z3::context &Context;
  std::map<const Variable *, uint64_t> Limits;
  std::unordered_map<const Node *, z3::expr> Done;
};

// To integers. Signed operations do not wrap; all other operations wrap as in the program. Operations that integers
// express badly become any number of their width, so only an unsatisfiable result counts.
class IntegerTranslator {
public:
  IntegerTranslator(z3::context &Context, Expressions &Nodes) : Context(Context), Nodes(Nodes) {}
  z3::expr truth(const Node *A);
  const std::vector<z3::expr> &sides() const { return Sides; }

private:
  z3::expr asSigned(const Node *A);
  z3::expr asUnsigned(const Node *A);
  z3::expr buildSigned(const Node *A);
  z3::expr buildTruth(const Node *A);
  z3::expr fresh(const Node *A);
  z3::expr wrap(const z3::expr &Exact, const Node *A, Range Limits);
  z3::expr number(__int128 Value) { return Context.int_val(std::to_string(int64_t(Value)).c_str()); }
  z3::expr power(unsigned Exponent);

  z3::context &Context;
  Expressions &Nodes;
  std::vector<z3::expr> Sides;
  std::unordered_map<const Node *, z3::expr> Done, Truths;
};

} // namespace gasan::scan

#endif
