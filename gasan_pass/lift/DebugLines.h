/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Turns .file and .loc into debug locations, with the functions that nvcc's front end has inlined.
#ifndef GASAN_PASS_LIFT_DEBUGLINES_H
#define GASAN_PASS_LIFT_DEBUGLINES_H

#include "gasan_pass/lift/Syntax.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/Module.h"
#include <map>

namespace gasan::lift {

class DebugLines {
public:
  DebugLines(llvm::Module &M, const SyntaxTree &Tree);

  // Gives the function a subprogram, if the source has lines.
  void start(llvm::Function &F, const Function &Source);
  // Returns the location. Must be called for the places of the started function in their order.
  llvm::DebugLoc locate(const Location &L);
  // Returns the started function's first location, for code without a place.
  llvm::DebugLoc entry() const;
  void finish();

private:
  using Key = std::tuple<unsigned, unsigned, unsigned>; // file, line, column

  llvm::DIFile *fileOf(unsigned Number);
  std::string functionName(const Location &L) const;
  llvm::DISubprogram *describe(llvm::StringRef Symbol, unsigned File, unsigned Line);

  llvm::Module &M;
  const SyntaxTree &Tree;
  llvm::DIBuilder Builder;
  llvm::DICompileUnit *Unit = nullptr;
  llvm::DISubprogram *Current = nullptr;
  std::map<unsigned, llvm::DIFile *> Files;
  std::map<std::string, llvm::DISubprogram *> Inlined;
  std::map<Key, llvm::DILocation *> Seen; // places of the current function, for calls at them
  std::map<std::pair<std::string, llvm::DILocation *>, llvm::DILocation *> Calls; // one inlined call is one location
};

} // namespace gasan::lift

#endif
