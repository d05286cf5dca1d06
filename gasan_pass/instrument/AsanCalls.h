/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Gives sites to calls of ASan's outlined entry points (__asan_load4 and its like), which LLVM's own AddressSanitizer
// pass inserts before accesses.
#ifndef GASAN_PASS_INSTRUMENT_ASANCALLS_H
#define GASAN_PASS_INSTRUMENT_ASANCALLS_H

#include "gasan_pass/instrument/SiteTable.h"

namespace gasan {

// Replaces each direct call of an entry point by a call of the check that takes a site number: ASan's calls name no
// source location, and device code cannot find its own. The entry point's name gives the access's kind and size; the
// call's debug location gives the site. Calls through pointers stay; gasan_rt/kernel/asan.cu defines their targets.
// Removes unused declarations of entry points, because LLVM's pass declares all of them.
void numberAsanCalls(llvm::Module &M, SiteTable &Sites);

} // namespace gasan

#endif
