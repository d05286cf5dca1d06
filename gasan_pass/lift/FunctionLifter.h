/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Translates the body of one PTX function: blocks, registers, operands, and a handler for each kind of instruction.
#ifndef GASAN_PASS_LIFT_FUNCTIONLIFTER_H
#define GASAN_PASS_LIFT_FUNCTIONLIFTER_H

#include "gasan_pass/lift/ModuleLifter.h"
#include "gasan_pass/lift/Types.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gasan::lift {

// Registers are allocas, which mem2reg turns into values. A handler returns false, before it creates anything, if its
// instruction has a form that IR cannot express exactly; the instruction is then kept as inline asm.
class FunctionLifter {
public:
  FunctionLifter(ModuleLifter &L, const Function &Source, llvm::Function &Target);
  void run();

  // Handlers. Integers.cpp
  bool move(const PtxStatement &S);
  bool arithmetic(const PtxStatement &S);
  bool carry(const PtxStatement &S);
  bool multiply(const PtxStatement &S);
  bool divide(const PtxStatement &S);
  bool extreme(const PtxStatement &S);
  bool sign(const PtxStatement &S);
  bool bitwise(const PtxStatement &S);
  bool shift(const PtxStatement &S);
  bool funnelShift(const PtxStatement &S);
  bool countBits(const PtxStatement &S);
  bool field(const PtxStatement &S);
  bool select(const PtxStatement &S);
  bool compare(const PtxStatement &S);
  // Floats.cpp
  bool convert(const PtxStatement &S);
  bool toInteger(const PtxStatement &S, const PtxType &To, const PtxType &From);
  bool toWhole(const PtxStatement &S, const PtxType &T);
  bool fuse(const PtxStatement &S);
  bool root(const PtxStatement &S);
  // Memory.cpp
  bool load(const PtxStatement &S);
  bool store(const PtxStatement &S);
  bool update(const PtxStatement &S);
  bool allocate(const PtxStatement &S);
  bool convertAddress(const PtxStatement &S);
  bool fence(const PtxStatement &S);
  // Control.cpp
  bool branch(const PtxStatement &S);
  bool indexedBranch(const PtxStatement &S);
  bool leave(const PtxStatement &S);
  bool exit(const PtxStatement &S);
  bool trap(const PtxStatement &S);
  bool barrier(const PtxStatement &S);
  // Calls.cpp
  bool call(const PtxStatement &S);

private:
  struct Register {
    llvm::AllocaInst *Slot;
    PtxType Type;
  };
  // A name in memory: a variable of the function or a parameter.
  struct Place {
    llvm::Value *Pointer;
    const Variable *Declared;
    bool IsKernelParameter;
  };
  struct Scope {
    size_t Parent;
    llvm::StringMap<Register> Registers;
    llvm::StringMap<unsigned> Vectors;                          // of registers: their number
    llvm::StringMap<std::pair<std::string, unsigned>> Families; // "%r<4>": name, size; registers are made when used
    llvm::StringMap<PtxType> FamilyTypes;
    llvm::StringMap<Place> Places;
    llvm::StringMap<llvm::BasicBlock *> Labels;
    llvm::StringMap<const Item *> Targets;
    llvm::StringMap<const Prototype *> Prototypes;
  };

  // Scopes.cpp
  void collectScopes();
  void declare(const Variable &V);
  void bindParameters();
  llvm::AllocaInst *createSlot(llvm::Type *T, llvm::StringRef Name);
  Register *findRegister(llvm::StringRef Name);
  const Place *findPlace(llvm::StringRef Name);
  llvm::BasicBlock *findLabel(llvm::StringRef Name);
  const Item *findTargets(llvm::StringRef Name);
  const Prototype *findLocalPrototype(llvm::StringRef Name);

  // Shorthands.cpp
  unsigned findVector(llvm::StringRef Name) const;
  std::string writeOutVectors(llvm::StringRef Operand) const;
  std::string writeOutElement(llvm::StringRef Operand, bool IsAccess);
  PtxStatement writeOut(const PtxStatement &S);
  bool hasShorthand(const PtxStatement &S) const;

  // Operands.cpp
  bool isRegister(llvm::StringRef Operand) { return findRegister(Operand.trim()) != nullptr; }
  // Returns the operand's value in the type in which instructions of this type compute.
  llvm::Value *read(llvm::StringRef Operand, const PtxType &T);
  llvm::Value *readBits(llvm::StringRef Operand, unsigned Bits);
  llvm::Value *readSpecial(llvm::StringRef Name);
  llvm::Value *readSymbol(llvm::StringRef Name);
  std::optional<uint64_t> readConstant(llvm::StringRef Operand, unsigned Bits);
  // Extends the value to the register's size: with its sign if the type is signed.
  void write(llvm::StringRef Operand, llvm::Value *V, const PtxType &T);
  llvm::Value *pack(llvm::StringRef Operand, unsigned Bits);
  void unpack(llvm::StringRef Operand, llvm::Value *V, const PtxType &T);
  // Returns the pointer of "[register+n]", "[variable+n]" or "[n]".
  llvm::Value *address(llvm::StringRef Operand, llvm::StringRef Space);
  std::optional<PtxType> lastType(const PtxStatement &S) const;
  bool hasOnly(const PtxStatement &S, llvm::StringRef Words) const;
  // Returns true if the function's treatment of denormal numbers is the instruction's.
  bool hasFlush(const PtxStatement &S) const { return S.has("ftz") == FlushesFloats; }
  void fail(const llvm::Twine &Reason);

  // FunctionLifter.cpp
  void lift(const Item &I);
  void liftGuarded(const PtxStatement &S);
  void liftStatement(const PtxStatement &S);
  bool isSpeculatable(const PtxStatement &S) const;
  llvm::Value *readGuard(const PtxStatement &S);
  void startBlock(llvm::BasicBlock *Block);
  void findFlush();
  // Control.cpp
  void branchTo(llvm::BasicBlock *Block);
  void branchOn(llvm::Value *Condition, llvm::BasicBlock *Then, llvm::BasicBlock *Else);
  void markLoop(llvm::Instruction *Branch, llvm::BasicBlock *To);
  void endBlock();
  // Calls.cpp
  llvm::Value *argument(llvm::StringRef Operand, const Variable &Parameter, llvm::Type *T);
  // AsmText.cpp
  void keepAsAsm(const PtxStatement &S);
  llvm::Value *asmInput(const Register &R, std::optional<unsigned> Space);

  ModuleLifter &L;
  const Function &Source;
  llvm::Function &F;
  llvm::IRBuilder<> B;
  std::vector<Scope> Scopes;
  size_t Current = 0; // scope
  size_t Opened = 0;
  llvm::AllocaInst *Carry = nullptr;
  bool FlushesFloats = false;
  bool HasVectors = false;                            // of registers
  unsigned Elements = 0;                              // whose addresses have registers
  llvm::SmallPtrSet<llvm::BasicBlock *, 4> KeptLoops; // begin with .pragma "nounroll"
  llvm::SmallPtrSet<llvm::BasicBlock *, 4> Started;
  const Item *At = nullptr;
};

} // namespace gasan::lift

#endif
