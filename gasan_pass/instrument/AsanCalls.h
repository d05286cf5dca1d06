/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Calls of ASan's outlined entry points (__asan_load4 and its like), which LLVM's own AddressSanitizer pass puts before
// accesses.
#ifndef GASAN_PASS_INSTRUMENT_ASANCALLS_H
#define GASAN_PASS_INSTRUMENT_ASANCALLS_H

#include "gasan_pass/instrument/SiteTable.h"

namespace gasan {

// ASan's calls name no place, and device code cannot know its own. So each direct call becomes one of the check that
// takes a site, which is numbered here: kind and size as the name says, the place from the call's debug location. Calls
// through pointers stay; gasan_rt/kernel/asan.cu has what they call. Entry points that the module only declares go:
// LLVM's pass declares all.
void numberAsanCalls(llvm::Module &M, SiteTable &Sites);

} // namespace gasan

#endif
