/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Integers of a kernel, and of functions that it calls, as sums of products, read from the code as clang emits it
// (local variables in memory).
//
//   float *b = a + 2 * n;      b's distance from a is 8 * n
//
// For guesses about what the program means, never for leaving out a check: casts and wrap-around are not considered.
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

// Of leaves, which are values that are no sums themselves.
struct Sum {
  using Product = std::vector<unsigned>; // leaves, ascending; empty: the constant
  std::map<Product, int64_t> Factors;    // none is 0

  static Sum of(int64_t Constant) { return Constant ? Sum{{{{}, Constant}}} : Sum{}; }
  Sum plus(const Sum &Other, int64_t Times = 1) const;
  Sum times(const Sum &Other) const;
  int64_t constant() const;
  bool isConstant() const { return Factors.empty() || (Factors.size() == 1 && Factors.begin()->first.empty()); }
  // Is it at least 0 if no leaf is negative?
  bool isNeverNegative() const;
};

struct Leaf {
  explicit Leaf(bool IsUniform = false) : IsUniform(IsUniform) {}

  bool IsUniform, IsHalf = false, MayBeNegative = false;
  std::optional<Sum> Most; // it is no more than this, whatever the code says
  int64_t Divisor = 0;     // it is Dividend / Divisor; 0: it is no such quotient
  Sum Dividend = {};
  int64_t GreatestNumber = -1;                                   // that the hardware allows; -1: there is none
  llvm::SmallVector<const llvm::AllocaInst *, 2> Variables = {}; // that it is made of and that are set more than once
};

// Those of one kernel and of all functions that it calls.
class Leaves {
public:
  const Leaf &operator[](unsigned Number) const { return All[Number]; }
  Leaf &operator[](unsigned Number) { return All[Number]; }
  Sum get(const void *Key, int64_t Part, const Leaf &Kind);
  bool has(const void *Key) const { return Numbers.contains({Key, 0}); }
  // The same operation on the same sums is the same leaf.
  Sum operation(unsigned Opcode, const Sum &Left, const Sum &Right, Leaf Kind);
  Sum quotient(const Sum &Dividend, int64_t Divisor);

  // Is it made of nothing but the launch's arguments and shape?
  bool isUniform(const Sum &S) const;
  bool isUniform(const Sum::Product &P) const;
  // Does half of something go in?
  bool hasHalf(const Sum &S) const;
  // Is something subtracted, or may a variable that goes in be negative?
  bool mayBeNegative(const Sum &S) const;
  // May a variable that it is made of be set between the two, of which the first one dominates the other?
  bool mayChange(const Sum &S, const llvm::Instruction &Since, const llvm::Instruction &Until) const;
  // Quotients in it that have a factor of that sign become their dividends, where the factor is a multiple of the
  // divisor.
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
  // Arguments: of a function that is called, those that are integers; empty: F is a kernel.
  SourceSums(llvm::Function &F, Leaves &Known, std::vector<std::optional<Sum>> Arguments = {});

  Sum of(llvm::Value *Integer);
  // The distance that the step goes, in bytes.
  Sum stepOf(llvm::GEPOperator &Gep);

  // The one value that the local variable gets in the code, if no address is taken of the variable. Null: there is
  // none.
  llvm::StoreInst *soleSetOf(const llvm::AllocaInst &Variable) const;

private:
  struct Variable {
    llvm::SmallVector<llvm::StoreInst *, 2> Sets;
    bool IsPrivate = true; // no address is taken of it
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
