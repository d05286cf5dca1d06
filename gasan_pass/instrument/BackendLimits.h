/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Rewrites code that LLVM 22's NVPTX back end refuses, or miscompiles, before the back end sees it.
#ifndef GASAN_PASS_INSTRUMENT_BACKENDLIMITS_H
#define GASAN_PASS_INSTRUMENT_BACKENDLIMITS_H

#include "llvm/IR/Function.h"

namespace gasan {

// Turns atomic operations on F's own variables and parameters into a load, the operation and a store: GPUs have atomic
// operations on global and shared memory only. Must be called after the checks are inserted, which report the access as
// atomic. Must be called before variables are moved or pointers translated: both hide the variable behind an address.
void expandPrivateAtomics(llvm::Function &F);

// Rewrites masked pointers, and parameters of kernels with uses that the back end does not follow. Must be called last.
void avoidBackendFaults(llvm::Function &F);

} // namespace gasan

#endif
