/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Instruments device code for coverage-guided fuzzing on the CPU device.
//
// LLVM's SanitizerCoverage pass inserts counters of edges and calls that trace comparisons. It runs before gasan's
// checks, so that the checks add no edges and no comparisons. The tables of addresses and the constructor that
// registers counters follow in retarget/CoverageTables.cpp, because device code is optimised again for the CPU.
#ifndef GASAN_PASS_COVERAGE_H
#define GASAN_PASS_COVERAGE_H

#include "llvm/IR/PassManager.h"

namespace gasan {

// Instruments the functions that gasan checks.
void insertCoverage(llvm::Module &M, llvm::ModuleAnalysisManager &Analyses);

} // namespace gasan

#endif
