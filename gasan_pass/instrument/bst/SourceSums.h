/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Expresses integers of a kernel, and of functions that it calls, as sums of products. Reads the code as clang emits
// it, with local variables in memory.
//
//   float *b = a + 2 * n;      b's distance from a is 8 * n
//
// Serves only guesses about the programmer's intent, never the removal of a check: casts and wrap-around are ignored.
#ifndef GASAN_PASS_INSTRUMENT_BST_SOURCESUMS_H
#define GASAN_PASS_INSTRUMENT_BST_SOURCESUMS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace gasan {

// A sum of products of leaves. A leaf is a value that is not itself a sum.
struct Sum {
  using Product = std::vector<unsigned>; // leaves, ascending; empty: the constant
  std::map<Product, int64_t> Factors;    // none is 0

  static Sum of(int64_t Constant) { return Constant ? Sum{{{{}, Constant}}} : Sum{}; }
  Sum plus(const Sum &Other, int64_t Times = 1) const;
  Sum times(const Sum &Other) const;
  int64_t constant() const;
  bool isConstant() const { return Factors.empty() || (Factors.size() == 1 && Factors.begin()->first.empty()); }
  // Returns true if the sum is at least 0 when no leaf is negative.
  bool isNeverNegative() const;
};

struct Leaf {
  explicit Leaf(bool IsUniform = false) : IsUniform(IsUniform) {}

  bool IsUniform, IsHalf = false, MayBeNegative = false;
  std::optional<Sum> Most; // upper bound that always holds
  int64_t Divisor = 0;     // the leaf is Dividend / Divisor; 0: it is no quotient
  Sum Dividend = {};
  int64_t GreatestNumber = -1; // greatest value that the hardware allows; -1: unknown
  // Variables from which the leaf is computed and that are set more than once.
  llvm::SmallVector<const llvm::AllocaInst *, 2> Variables = {};
};

// The leaves of one kernel and of all functions that it calls.
class Leaves {
public:
  const Leaf &operator[](unsigned Number) const { return All[Number]; }
  Leaf &operator[](unsigned Number) { return All[Number]; }
  Sum get(const void *Key, int64_t Part, const Leaf &Kind);
  bool has(const void *Key) const { return Numbers.contains({Key, 0}); }
  // Returns the leaf of an operation. Equal operations on equal sums share a leaf.
  Sum operation(unsigned Opcode, const Sum &Left, const Sum &Right, Leaf Kind);
  Sum quotient(const Sum &Dividend, int64_t Divisor);

  // Returns true if the sum is computed from the launch's arguments and shape only.
  bool isUniform(const Sum &S) const;
  bool isUniform(const Sum::Product &P) const;
  // Returns true if the sum contains half of another value.
  bool hasHalf(const Sum &S) const;
  // Returns true if the sum subtracts, or contains a variable that may be negative.
  bool mayBeNegative(const Sum &S) const;
  // Returns true if a variable in the sum may be set between Since and Until. Since dominates Until.
  bool mayChange(const Sum &S, const llvm::Instruction &Since, const llvm::Instruction &Until) const;
  // Replaces quotients whose factor has that sign by their dividends, if the factor is a multiple of the divisor.
  Sum withoutQuotients(const Sum &S, bool Positive) const;

private:
  struct Operation {
    unsigned Opcode;
    Sum Left, Right;
    unsigned Number;
  };
  std::deque<Leaf> All;
  llvm::DenseMap<std::pair<const void *, int64_t>, unsigned> Numbers;
  std::vector<Operation> Operations;
};

class SourceSums {
public:
  // Arguments: the values of a called function's integer arguments; empty: F is a kernel.
  SourceSums(llvm::Function &F, Leaves &Known, std::vector<std::optional<Sum>> Arguments = {});

  Sum of(llvm::Value *Integer);
  // Returns the offset that the GEP adds, in bytes.
  Sum stepOf(llvm::GEPOperator &Gep);

  // Returns the only store to the local variable, if the variable's address is not taken. Otherwise null.
  llvm::StoreInst *soleSetOf(const llvm::AllocaInst &Variable) const;

private:
  struct Variable {
    llvm::SmallVector<llvm::StoreInst *, 2> Sets;
    bool IsPrivate = true; // its address is not taken
  };

  const llvm::DataLayout &DL;
  Leaves &All;
  const bool IsKernel;
  const std::vector<std::optional<Sum>> Arguments;
  llvm::DenseMap<const llvm::AllocaInst *, Variable> Variables;
  llvm::DenseMap<llvm::Value *, Sum> Known;
  unsigned Depth = 0;

  Sum compute(llvm::Value *Integer);
  Sum load(llvm::LoadInst &Load);
  Sum call(llvm::CallInst &Call);
  Sum opaque(llvm::Instruction &I);
};

} // namespace gasan

#endif
