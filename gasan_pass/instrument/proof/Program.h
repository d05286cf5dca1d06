/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Builds the expression program of one kernel (base/proof_table.h). Equal nodes are stored once.
#ifndef GASAN_PASS_INSTRUMENT_PROOF_PROGRAM_H
#define GASAN_PASS_INSTRUMENT_PROOF_PROGRAM_H

#include "base/proof_table.h"
#include "gasan_pass/instrument/proof/ArgumentPart.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Value.h"
#include "llvm/Support/MathExtras.h"
#include <unordered_map>
#include <vector>

namespace gasan {

using Node = uint32_t; // index

class Program {
public:
  Node constant(const llvm::APInt &Value);
  Node constant(unsigned Bits, uint64_t Value) { return constant(llvm::APInt(Bits, Value, false, true)); }
  Node between(unsigned Bits, uint64_t Low, uint64_t High);
  // Returns a node that may have any value. `Of` is the value that texts name in the node's place.
  Node anything(unsigned Bits, const llvm::Value &Of);
  Node argument(unsigned Bits, unsigned Number, uint64_t Offset);
  // Returns an element of an array in an argument (GASAN_PROOF_ARGUMENT_ELEMENT). `Distance` has 64 bits.
  Node argumentElement(unsigned Bits, const ArgumentElements &Of, Node Distance);
  Node leaf(gasan_proof_operation Operation, unsigned Axis = 0);
  Node operate(gasan_proof_operation Operation, unsigned Bits, Node A, Node B = 0, Node C = 0);

  // Returns the values of A for which "A Predicate B" is true.
  Node where(llvm::CmpInst::Predicate Predicate, Node A, Node B);
  // Returns the number of a loop's rounds (GASAN_PROOF_TIMES_*). Not for EQ.
  Node times(llvm::CmpInst::Predicate Predicate, Node Start, Node Step, Node Limit);
  // Returns a node with the values of N, or with any value if Other is not empty. The node has N's facts, because it is
  // worth evaluating if N is.
  Node unlessThereIs(Node N, Node Other);
  // Returns the union of nodes of which one is empty in each launch.
  Node oneOf(Node A, Node B);
  Node resize(Node A, unsigned Bits, bool Signed);

  unsigned bits(Node N) const { return Nodes[N].bits; }
  bool isConstant(Node N) const { return Nodes[N].operation == GASAN_PROOF_CONSTANT; }
  bool isConstant(Node N, uint64_t Value) const;
  std::optional<uint64_t> constantOf(Node N) const;
  bool isOdd(Node N) const { return Nodes[N].operation == GASAN_PROOF_CONSTANT && Nodes[N].value % 2; }
  // Returns true for a node that has all values in each launch.
  bool isAnything(Node N) const {
    return Nodes[N].operation == GASAN_PROOF_BETWEEN && Nodes[N].value == 0 &&
           Nodes[N].value2 == llvm::maxUIntN(Nodes[N].bits);
  }
  // Returns true if the node has a lower and an upper bound in launches with reasonable arguments. Other nodes are not
  // worth evaluating.
  // Returns false for an argument, an index of a thread and the like, narrowed and extended or not.
  bool isComputed(Node N) const;
  bool isBounded(Node N) const { return Facts[N].Low && Facts[N].High; }
  // Returns true if the node has one value that is the same in all threads: it depends only on the launch's arguments
  // and shape.
  bool isPoint(Node N) const { return Facts[N].Point; }
  // Splits a 64-bit node into a node, which is returned, and a constant summand.
  Node splitConstant(Node N, int64_t &Constant);

  void print(llvm::raw_ostream &Out, Node N, const llvm::Function &Kernel) const;

  // Returns the nodes that the roots depend on, in the order of their creation, with new numbers. `Roots` gets the new
  // numbers.
  std::vector<gasan_proof_node> reachable(llvm::MutableArrayRef<Node> Roots) const;

private:
  struct Fact {
    bool Low, High, Point;
    const llvm::Value *Of; // for anything()
  };
  using Key = std::array<uint64_t, 8>;
  struct Hash {
    size_t operator()(const Key &K) const { return llvm::hash_combine_range(K.begin(), K.end()); }
  };

  std::vector<gasan_proof_node> Nodes;
  std::vector<Fact> Facts;
  std::unordered_map<Key, Node, Hash> Known;

  Node add(const gasan_proof_node &New, const llvm::Value *Of);
  Fact factOf(const gasan_proof_node &New, const llvm::Value *Of) const;
};

} // namespace gasan

#endif
