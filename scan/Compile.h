/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Compiles sources to LLVM IR of host and device, in the form that the executor reads.
#ifndef GASAN_SCAN_COMPILE_H
#define GASAN_SCAN_COMPILE_H

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <memory>
#include <string>
#include <vector>

namespace gasan::scan {

struct Source {
  std::string File, Directory; // the directory of the compile command; empty: this one
  std::vector<std::string> Options;
};

struct Program {
  std::unique_ptr<llvm::Module> Host, Device; // all sources, linked; Device NULL: no device code
};

// Returns the path of gasan-clang++ beside this program.
std::string driverPath();

// Runs gasan-clang++ beside this program. Returns false after a message if a source does not compile or link.
bool compileProgram(const std::vector<Source> &Sources, llvm::LLVMContext &Context, Program &Result);

} // namespace gasan::scan

#endif
