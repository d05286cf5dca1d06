/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Code that LLVM 22's NVPTX back end does not compile, or compiles to something else: rewritten before it gets there.
#ifndef GASAN_PASS_INSTRUMENT_BACKENDLIMITS_H
#define GASAN_PASS_INSTRUMENT_BACKENDLIMITS_H

#include "llvm/IR/Function.h"

namespace gasan {

// Turns atomic operations on F's own variables and parameters into a load, the operation and a store: GPUs have atomic
// operations on global and shared memory only. Must be called behind the checks, which say that the access is an atomic
// one, and before variables are moved or pointers translated, which hides what an address is made of.
void expandPrivateAtomics(llvm::Function &F);

// Rewrites masked pointers, and parameters of kernels that are used in ways that the back end does not follow. Must be
// called last.
void avoidBackendFaults(llvm::Function &F);

} // namespace gasan

#endif
