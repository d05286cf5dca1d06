/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Links gasan_rt/kernel's bitcode into an instrumented module.
#ifndef GASAN_PASS_INSTRUMENT_DEVICERUNTIME_H
#define GASAN_PASS_INSTRUMENT_DEVICERUNTIME_H

#include "llvm/IR/Module.h"

namespace gasan {

// Adds the functions that M calls, as internal ones, compiled for M's architecture and granule. Returns false after it
// has reported an error to the module's context.
bool linkDeviceRuntime(llvm::Module &M, llvm::StringRef Path, unsigned Granule);

} // namespace gasan

#endif
