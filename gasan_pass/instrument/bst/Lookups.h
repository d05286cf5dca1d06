/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Expands the calls of __gasan_bounds and its variants. Inline code finds the bounds of most pointers; a call finds the
// bounds of all others.
//
// Adjacent lookups in a block share one fast path, so that their loads overlap.
//
//   if (__gasan_is_mapped(p) && __gasan_is_mapped(q))
//     a = __gasan_find_page(p's), b = __gasan_find_page(q's)               a load each
//     if (__gasan_is_chunk(a.base) && __gasan_is_chunk(b.base)) goto done  of pages that are one chunk's this is all
//     a = __gasan_find_block(p, a), b = __gasan_find_block(q, b)           a load each
//     if (a.size && b.size) goto done
//   else if (__gasan_is_null(p) && __gasan_is_null(q))                     as lists and trees end
//     a = b = null's; goto done
//   a = __gasan_bounds_any(p), b = __gasan_bounds_any(q)
//   done:
//
// A pointer to a class's virtual functions is first compared with the module's tables of virtual functions. Such a
// pointer is in no pool, and the call would find that out only after all other searches.
#ifndef GASAN_PASS_INSTRUMENT_BST_LOOKUPS_H
#define GASAN_PASS_INSTRUMENT_BST_LOOKUPS_H

#include "llvm/IR/Module.h"

namespace gasan {

// Must be called before the device runtime is linked.
void expandLookups(llvm::Module &M);

} // namespace gasan

#endif
