/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Translates a parsed PTX module to LLVM IR.
#ifndef GASAN_PASS_LIFT_MODULELIFTER_H
#define GASAN_PASS_LIFT_MODULELIFTER_H

#include "gasan_pass/lift/DebugLines.h"
#include "gasan_pass/lift/Syntax.h"
#include "llvm/IR/Module.h"
#include <map>

namespace gasan::lift {

class ModuleLifter {
public:
  ModuleLifter(llvm::Module &M, SyntaxTree Tree);

  // Fills the module. Returns the first error's text, which names line and instruction, or "".
  std::string run();

  void fail(unsigned Line, const llvm::Twine &Reason);
  bool failed() const { return !Error.empty(); }

  llvm::Module &module() { return M; }
  const SyntaxTree &tree() const { return Tree; }
  DebugLines &lines() { return Lines; }
  // Returns the variable or function with this name, or null.
  llvm::GlobalValue *findSymbol(llvm::StringRef Name) const;
  // Returns the module's variable with this name, or null.
  const Variable *findVariable(llvm::StringRef Name) const;
  // Returns the prototype of a function with this name, or null.
  const Prototype *findPrototype(llvm::StringRef Name) const;
  // Creates a variable of a module or of a function.
  llvm::GlobalVariable *declareVariable(const Variable &V);
  // Gives a variable its initial value. Returns the variable that takes its place, or itself.
  llvm::GlobalVariable *initialise(llvm::GlobalVariable &G, const Variable &V);
  // Counts an instruction that stays text.
  void countAsm(llvm::StringRef Opcode) { ++AsmCounts[Opcode.str()]; }
  const std::map<std::string, unsigned> &asmCounts() const { return AsmCounts; }

private:
  void declareFunction(const Function &F);
  void describeKernel(llvm::Function &Kernel, const Function &F);
  void addAlias(const std::string &Name, const std::string &Target);
  llvm::Constant *constantOf(const lift::Constant &Value, llvm::Type *T, unsigned Line);

  llvm::Module &M;
  SyntaxTree Tree;
  DebugLines Lines;
  std::string Error;
  llvm::StringMap<llvm::GlobalValue *> Symbols;
  llvm::StringMap<const Function *> Functions;
  std::map<std::string, unsigned> AsmCounts;
};

// FunctionLifter.cpp
void liftBody(ModuleLifter &L, const Function &Source, llvm::Function &Target);

} // namespace gasan::lift

#endif
