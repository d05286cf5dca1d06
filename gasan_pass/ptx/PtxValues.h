/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Computes the values of an inline asm's registers, as far as they are known before it runs.
#ifndef GASAN_PASS_PTX_PTXVALUES_H
#define GASAN_PASS_PTX_PTXVALUES_H

#include "gasan_pass/ptx/PtxText.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/InstSimplifyFolder.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace gasan {

// Interprets the statements in order: operands, constants, moves, integer arithmetic and comparisons. The results of
// other statements are unknown. Inserts instructions before the asm. The destructor removes those that keep() did not
// retain.
class PtxValues {
public:
  explicit PtxValues(llvm::CallInst &Asm);
  ~PtxValues();

  // Returns the only result of the asm, an integer, as computed by instructions before the asm. Null: not known. The
  // caller owns the instructions that have no use.
  static llvm::Value *resultOf(llvm::CallInst &Asm);

  // Returns true if the statements after S may be executed under a condition, or more than once.
  static bool mayJump(const PtxStatement &S);

  // Returns the operand's value. Null: not known. Never guesses: a value of another width counts as unknown.
  llvm::Value *readInteger(llvm::StringRef Operand, unsigned Bits);
  // Returns "[register+offset]" as a pointer of the address space. Space is the generic one, or one with 32-bit
  // addresses.
  llvm::Value *readAddress(llvm::StringRef Operand, unsigned Space = 0);

  struct Condition {
    bool Known;
    llvm::Value *Holds; // i1; null: always
  };
  Condition readGuard(const PtxStatement &S);

  // Updates the registers by the statement's effect.
  void execute(const PtxStatement &S);

  // Retains the value's instructions, because the caller uses the value. Returns V.
  llvm::Value *keep(llvm::Value *V);

  llvm::IRBuilder<llvm::InstSimplifyFolder, llvm::IRBuilderCallbackInserter> Builder;

private:
  llvm::Value *pointerOf(llvm::Value *Number, unsigned Space);
  struct Register {
    llvm::Value *Content = nullptr; // null: not known
    bool Written = false;
    bool Immediate = false; // an operand that is a number in the text
    unsigned Depth = 0;
    bool Ambiguous = false; // two registers of one name, one in the scope of the other
  };

  llvm::SmallVector<llvm::Instruction *, 8> Created;
  llvm::SmallPtrSet<llvm::Value *, 4> Kept;
  llvm::SmallVector<Register, 8> AsmOperands; // $0, $1, ...
  llvm::StringMap<Register> Registers;

  void bindOperands(llvm::CallInst &Asm);
  Register *findRegister(llvm::StringRef Name);
  llvm::Value *readRegister(const Register &R, unsigned Bits);
  llvm::Value *readSpecial(llvm::StringRef Name, unsigned Bits);
  llvm::Value *readImmediate(llvm::StringRef Text, unsigned Bits);
  void declare(const PtxStatement &S);
  void write(llvm::StringRef Operand, llvm::Value *V, const Condition &Guard);
  llvm::Value *evaluate(const PtxStatement &S);
  llvm::Value *evaluateBits(const PtxStatement &S, const PtxType &T);
  llvm::Value *evaluateArithmetic(const PtxStatement &S, const PtxType &T);
  llvm::Value *convert(const PtxStatement &S);
};

} // namespace gasan

#endif
