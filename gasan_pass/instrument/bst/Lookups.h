// What becomes of the calls of __gasan_bounds and its like: most pointers' bounds are found in the code itself, all others' in a call.
//
// The way of most has no branch, and lookups that follow each other in a block go it together: their loads overlap.
//
//   if (__gasan_lookup_ready())      uniform: params
//     a = __gasan_find_chunk(p), b = __gasan_find_chunk(q)
//     if (a.size && b.size) goto done
//   a = __gasan_bounds_any(p), b = __gasan_bounds_any(q)
//   done:
#ifndef GASAN_PASS_INSTRUMENT_BST_LOOKUPS_H
#define GASAN_PASS_INSTRUMENT_BST_LOOKUPS_H

#include "llvm/IR/Module.h"

namespace gasan {

// Before the device runtime is linked.
void expandLookups(llvm::Module &M);

} // namespace gasan

#endif
