/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Builds the function that inline PTX becomes: registers, operands and labels.
#ifndef GASAN_PASS_RETARGET_PTXFUNCTION_H
#define GASAN_PASS_RETARGET_PTXFUNCTION_H

#include "gasan_pass/ptx/PtxText.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"

namespace gasan {

// Registers are local variables of integer type, which LLVM promotes to values. If a part of the PTX is unknown, the
// whole translation fails: fail() records the failure, and the caller drops the function.
class PtxFunction {
public:
  PtxFunction(llvm::Module &M, const llvm::InlineAsm &Asm, const llvm::Module &Helpers);

  // Makes the function return the outputs. Returns false if anything failed.
  bool finish();
  llvm::Function *function() const { return F; }

  void fail() { Failed = true; }
  bool failed() const { return Failed; }

  void declare(llvm::StringRef Register, const PtxType &Type);
  llvm::Value *read(llvm::StringRef Operand, const PtxType &Type);
  void write(llvm::StringRef Operand, llvm::Value *Value, bool SignExtend = false);
  // Returns the address "[register+offset]". PTX text cannot name a variable of local memory here.
  llvm::Value *readAddress(llvm::StringRef Operand);
  bool isPredicate(llvm::StringRef Operand);
  llvm::Value *readCarry();
  void writeCarry(llvm::Value *Value);

  // Creates a local variable that lives as long as the function's call.
  llvm::AllocaInst *createSlot(llvm::Type *Type);
  // Branches to the label. The statements after the branch are reached by labels only.
  void branchTo(llvm::StringRef Label);
  void placeLabel(llvm::StringRef Label);

  llvm::Type *typeOf(const PtxType &Type);
  // Calls the helper "gasan_nvvm_" + Name. Calls fail() if there is no helper with this number of parameters.
  llvm::Value *callHelper(const llvm::Twine &Name, llvm::ArrayRef<llvm::Value *> Arguments);
  const llvm::Function *findHelper(const llvm::Twine &Name) const;

  llvm::IRBuilder<> Builder;

private:
  void bindOperands(const llvm::InlineAsm &Asm);
  llvm::AllocaInst *createRegister(unsigned Bits);
  llvm::Value *readBits(llvm::StringRef Operand, unsigned Bits);
  llvm::Value *readImmediate(llvm::StringRef Text, unsigned Bits);
  llvm::AllocaInst *findRegister(llvm::StringRef Name);
  llvm::Value *asInteger(llvm::Value *Value);

  const llvm::Module &Helpers;
  llvm::Function *F;
  bool Failed = false;
  llvm::SmallVector<llvm::AllocaInst *, 8> AsmOperands; // $0, $1, ...
  llvm::SmallVector<llvm::AllocaInst *, 4> Outputs;
  llvm::StringMap<llvm::AllocaInst *> Registers;
  llvm::StringMap<llvm::BasicBlock *> Labels;
  llvm::AllocaInst *Carry = nullptr;
};

// PtxDispatch.cpp: translates one statement, without its guard.
void translateStatement(PtxFunction &P, const PtxStatement &Statement);

} // namespace gasan

#endif
