/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Provides arithmetic for rules that hold for whole numbers, but not for machine integers, whose operations may wrap.
//
// Such a rule computes in 64 bits, and declares each number that must be small: from 0 to 2^31 - 1. Sums and products
// of two small numbers cannot wrap. The rule does not apply in launches in which a declared number is not small.
#ifndef GASAN_PASS_INSTRUMENT_PROOF_WHOLENUMBERS_H
#define GASAN_PASS_INSTRUMENT_PROOF_WHOLENUMBERS_H

#include "gasan_pass/instrument/proof/Program.h"

namespace gasan {

class WholeNumbers {
public:
  static constexpr unsigned kBits = 64;

  explicit WholeNumbers(Program &Nodes) : Nodes(Nodes) {}

  Node constant(int64_t Value) { return Nodes.constant(kBits, uint64_t(Value)); }
  Node extended(Node N, bool Signed = false) { return Nodes.resize(N, kBits, Signed); }
  Node plus(Node A, Node B) { return Nodes.operate(GASAN_PROOF_ADD, kBits, A, B); }
  Node minus(Node A, Node B) { return Nodes.operate(GASAN_PROOF_SUB, kBits, A, B); }
  Node times(Node A, Node B) { return Nodes.operate(GASAN_PROOF_MUL, kBits, A, B); }

  // Requires that N, a node of 64 bits, is a small number. Returns N.
  Node small(Node N) {
    refuse(llvm::CmpInst::ICMP_UGT, N, constant(INT32_MAX));
    return N;
  }

  // Requires that "value of N Predicate value of Limit" is false for all values.
  void refuse(llvm::CmpInst::Predicate Predicate, Node N, Node Limit) {
    Node Values = Nodes.where(Predicate, N, Limit);
    Refused = Refused ? Nodes.operate(GASAN_PROOF_UNION, Nodes.bits(Values), *Refused, Values) : Values;
  }

  // Returns the rule's result, and the values Otherwise in launches in which a requirement does not hold.
  Node result(Node Narrowed, Node Otherwise) {
    const unsigned Bits = Nodes.bits(Otherwise);
    return Refused ? Nodes.operate(GASAN_PROOF_UNION, Bits, Narrowed,
                                   Nodes.operate(GASAN_PROOF_IF, Bits, Otherwise, *Refused))
                   : Narrowed;
  }

  // Returns the rule's result, and any value in launches in which a requirement does not hold.
  Node resultOrAny(Node Narrowed) { return Refused ? Nodes.unlessThereIs(Narrowed, *Refused) : Narrowed; }

private:
  Program &Nodes;
  std::optional<Node> Refused; // the values that break a requirement
};

} // namespace gasan

#endif
