// Integers of a kernel as sums of products, read from the code as clang emits it (local variables in memory).
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
#include <map>
#include <vector>

namespace gasan {

// Of leaves, which are values that are no sums themselves.
struct Sum {
  using Product = std::vector<unsigned>; // leaves, ascending; empty: the constant
  std::map<Product, int64_t> Factors;    // none is 0

  Sum plus(const Sum &Other, int64_t Times = 1) const;
  Sum times(const Sum &Other) const;
  int64_t constant() const;
  bool isConstant() const { return Factors.empty() || (Factors.size() == 1 && Factors.begin()->first.empty()); }
  // Is it at least 0 if no leaf is negative?
  bool isNeverNegative() const;
};

class SourceSums {
public:
  explicit SourceSums(llvm::Function &Kernel);

  Sum of(llvm::Value *Integer);
  // Adds the distance that the step goes, in bytes.
  Sum stepOf(llvm::GEPOperator &Gep);

  // The one value that the local variable gets in the code, if no address is taken of the variable. Null: there is
  // none.
  llvm::StoreInst *soleSetOf(const llvm::AllocaInst &Variable) const;

  // Is it made of nothing but the launch's arguments and shape?
  bool isUniform(const Sum &S) const;
  // Does half of something go in?
  bool hasHalf(const Sum &S) const;
  // Is something subtracted, or may a variable that goes in be negative?
  bool mayBeNegative(const Sum &S) const;
  // Has `A` a leaf that differs between threads or changes, and that is in `B`?
  bool shareVariable(const Sum &A, const Sum &B) const;

private:
  struct Leaf {
    bool IsUniform = false, IsHalf = false, MayBeNegative = false;
  };
  struct Variable {
    llvm::SmallVector<llvm::StoreInst *, 2> Sets;
    bool IsPrivate = true; // no address is taken of it
  };

  const llvm::DataLayout &DL;
  llvm::DenseMap<const llvm::AllocaInst *, Variable> Variables;
  llvm::DenseMap<std::pair<const void *, int64_t>, unsigned> Numbers;
  std::vector<Leaf> Leaves;
  struct Operation { // those that are the same are one leaf
    unsigned Opcode;
    Sum Left, Right;
    const llvm::Instruction *First;
  };
  std::vector<Operation> Operations;
  llvm::DenseMap<llvm::Value *, Sum> Known;
  unsigned Depth = 0;

  Sum leaf(const void *Key, int64_t Part, Leaf Kind);
  Sum compute(llvm::Value *Integer);
  Sum load(llvm::LoadInst &Load);
  Sum call(llvm::CallInst &Call);
  Sum opaque(llvm::Instruction &I);
};

} // namespace gasan

#endif
