/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Expressions over the inputs of a program: bit vectors of 1 to 64 bits, as a graph without duplicates.
//
// All operations wrap as in the program. The constructors simplify; they keep the value for each assignment of the
// variables. No locks: one thread uses an Expressions object.
#ifndef GASAN_SCAN_EXPRESSION_H
#define GASAN_SCAN_EXPRESSION_H

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace gasan::scan {

enum class Op : uint8_t {
  Const,
  Var,
  Content, // the number at an offset (Kids[0]) of a memory block with input content `Block`
  Add,
  Sub,
  Mul,
  UDiv,
  SDiv,
  URem,
  SRem,
  Shl,
  LShr,
  AShr,
  And,
  Or,
  Xor,
  ZExt,
  SExt,
  Trunc,
  Concat, // Kids[0] is the upper part
  Eq,
  Ult,
  Ule,
  Slt,
  Sle,
  Ite
};

struct Variable;

struct Node {
  Op Operation;
  bool Signed; // the program promises that the signed operation does not wrap
  uint8_t Width;
  uint8_t Count = 0;
  const Node *Kids[3] = {};
  uint64_t Value = 0; // of a constant; the block's number of a Content
  Variable *Var = nullptr;
  unsigned Id = 0;
  mutable const Node *Opposite = nullptr; // of a condition; NULL: not made yet

  bool isConst() const { return Operation == Op::Const; }
  bool isConst(uint64_t Number) const { return isConst() && Value == Number; }
  bool isTrue() const { return Width == 1 && isConst(1); }
  bool isFalse() const { return Width == 1 && isConst(0); }
};

enum class VariableKind : uint8_t {
  Input,  // from outside of the program: the user may choose the value
  Thread, // of the thread and block: exists for each value that the facts allow
  Round,  // of a loop: a round exists for each value that the facts allow
  Address,
  Unknown // stands for a value that the analysis does not follow; Reason says why
};

struct Variable {
  VariableKind Kind;
  uint8_t Width;
  std::string Name;
  std::string Reason;
  uint64_t Low = 0, High = ~0ull;  // unsigned limits
  std::vector<const Node *> Facts; // hold for each value that the variable has
  std::vector<const Node *> Exact; // with these, the variable has each value that the facts allow
  const Node *Use = nullptr;       // the variable as an expression
  const void *Tag = nullptr;       // the object of an address
  unsigned Rank = 0;               // order of creation
  bool Repeats = false;            // an input that each round of a loop reads anew
};

struct Range { // signed numbers of any sign, or unsigned ones
  __int128 Low, High;
};

class Expressions {
public:
  const Node *constant(unsigned Width, uint64_t Value);
  const Node *boolean(bool Value) { return constant(1, Value); }
  Variable *createVariable(VariableKind Kind, unsigned Width, std::string Name, std::string Reason = {});
  unsigned variableCount() const { return Variables.size(); }
  const Node *content(unsigned Block, const Node *Offset, unsigned Width);

  const Node *make(Op Operation, const Node *A, const Node *B, bool Signed = false);
  const Node *add(const Node *A, const Node *B, bool Signed = false) { return make(Op::Add, A, B, Signed); }
  const Node *sub(const Node *A, const Node *B, bool Signed = false) { return make(Op::Sub, A, B, Signed); }
  const Node *mul(const Node *A, const Node *B, bool Signed = false) { return make(Op::Mul, A, B, Signed); }
  const Node *zext(const Node *A, unsigned Width);
  const Node *sext(const Node *A, unsigned Width);
  const Node *trunc(const Node *A, unsigned Width);
  const Node *resize(const Node *A, unsigned Width, bool Signed);
  const Node *concat(const Node *High, const Node *Low);
  const Node *ite(const Node *Condition, const Node *A, const Node *B);
  const Node *negate(const Node *Condition);
  const Node *both(const Node *A, const Node *B) { return make(Op::And, A, B); }
  const Node *either(const Node *A, const Node *B) { return make(Op::Or, A, B); }
  const Node *eq(const Node *A, const Node *B) { return make(Op::Eq, A, B); }
  const Node *ult(const Node *A, const Node *B) { return make(Op::Ult, A, B); }
  const Node *ule(const Node *A, const Node *B) { return make(Op::Ule, A, B); }
  const Node *slt(const Node *A, const Node *B) { return make(Op::Slt, A, B); }
  const Node *sle(const Node *A, const Node *B) { return make(Op::Sle, A, B); }

  // Intervals that hold all values of a node; the limits of variables are believed, their facts are not used.
  Range unsignedRange(const Node *A);
  Range signedRange(const Node *A);
  // Must be called after limits of variables change.
  void forgetRanges();

  // Replaces variables in an expression.
  const Node *substitute(const Node *A, const std::map<const Variable *, const Node *> &With,
                         std::unordered_map<const Node *, const Node *> &Done);

private:
  const Node *intern(Node Candidate);
  const Node *simplify(Op Operation, const Node *A, const Node *B, bool Signed);
  const Node *simplifyLogic(Op Operation, const Node *A, const Node *B);
  const Node *simplifyComparison(Op Operation, const Node *A, const Node *B);
  const Node *makeOpposite(const Node *Condition);
  Range computeUnsigned(const Node *A);
  Range computeSigned(const Node *A);

  struct Hash {
    size_t operator()(const Node *A) const;
  };
  struct Equal {
    bool operator()(const Node *A, const Node *B) const;
  };
  std::unordered_set<const Node *, Hash, Equal> Known;
  std::deque<Node> Nodes;
  std::deque<Variable> Variables;
  std::unordered_map<const Node *, Range> Unsigned, Signed;
};

uint64_t maskOf(unsigned Width);
int64_t signedValue(uint64_t Value, unsigned Width);

// Returns the interval of a sum, difference or product that does not wrap.
Range exactRange(Op Operation, Range A, Range B);

// Computes an operation on numbers. Division by zero gives the values that SMT-LIB defines.
uint64_t compute(Op Operation, unsigned Width, unsigned KidWidth, uint64_t A, uint64_t B);

} // namespace gasan::scan

#endif
