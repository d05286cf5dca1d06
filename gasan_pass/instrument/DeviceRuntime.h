/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Links gasan_rt/kernel's bitcode into an instrumented module.
#ifndef GASAN_PASS_INSTRUMENT_DEVICERUNTIME_H
#define GASAN_PASS_INSTRUMENT_DEVICERUNTIME_H

#include "llvm/IR/Module.h"

namespace gasan {

// Adds the device runtime's functions that M calls, with internal linkage, for M's architecture and granule. On
// failure, reports an error to the module's context and returns false.
bool linkDeviceRuntime(llvm::Module &M, llvm::StringRef Path, unsigned Granule);

} // namespace gasan

#endif
