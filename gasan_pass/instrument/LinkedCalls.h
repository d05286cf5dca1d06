// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes calls agree with functions that another file defines. In a linked module (-fgpu-rdc, several PTX files), a
// caller may know a function by other types than the definition has: PTX has no types of pointers and small integers,
// and the lifter gives parameters the types that their uses suggest.
#ifndef GASAN_PASS_INSTRUMENT_LINKEDCALLS_H
#define GASAN_PASS_INSTRUMENT_LINKEDCALLS_H

#include "llvm/IR/Module.h"

namespace gasan {

// Converts arguments and results of direct calls, bit by bit. Emits an error if a call has another number of arguments
// or a result of another size.
void joinLinkedCalls(llvm::Module &M);

} // namespace gasan

#endif
