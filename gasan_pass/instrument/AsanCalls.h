/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Gives sites to calls of ASan's outlined entry points (__asan_load4 and its like), which LLVM's own AddressSanitizer
// pass inserts before accesses.
#ifndef GASAN_PASS_INSTRUMENT_ASANCALLS_H
#define GASAN_PASS_INSTRUMENT_ASANCALLS_H

#include "gasan_pass/instrument/SiteTable.h"

namespace gasan {

// ASan's calls name no source location, and device code cannot find its own. So each direct call is replaced by a call
// of the check that takes a site number. The function's name gives the access's kind and size, and the call's debug
// location the site. Calls through pointers stay; gasan_rt/kernel/asan.cu defines their targets. Removes entry points
// that are only declared: LLVM's pass declares all.
void numberAsanCalls(llvm::Module &M, SiteTable &Sites);

} // namespace gasan

#endif
