/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What becomes of the calls of __gasan_check and its like, which look a pointer up for an access
// (BoundsCheckLookups.cpp): as of other lookups (Lookups.h), those that follow each other go the way of most together,
// but only whether all accesses are good comes out of it.
//
//   if (__gasan_is_mapped(p) && __gasan_is_mapped(q))
//     a = __gasan_find_page(p's), b = __gasan_find_page(q's)            a load each
//     if (both are chunks, and both accesses in them) goto done
//     a = __gasan_find_again(p's); if (the access is not in a) goto look
//     b = __gasan_find_again(q's); if (the access is in b) goto done
//   look:
//   __gasan_check_any(p's...), __gasan_check_any(q's...)                return if the access is good
//   done:
//
// What is kept for the rare ways decides how many threads a multiprocessor has room for. So the pages are read again,
// the calls get distances instead of pointers, and all that is live behind the checks is what was without them.
#ifndef GASAN_PASS_INSTRUMENT_BST_CHECKLOOKUPS_H
#define GASAN_PASS_INSTRUMENT_BST_CHECKLOOKUPS_H

#include "gasan_pass/instrument/bst/LookupCode.h"

namespace gasan {

class CheckLookups : LookupCode {
public:
  explicit CheckLookups(llvm::Module &M) : LookupCode(M) {}

  static bool isOne(const llvm::Instruction &I);
  // Calls in one block; what is between them may be done before the first. None are left.
  void expand(llvm::SmallVectorImpl<llvm::CallInst *> &Checks);
  // Every function has been looked through.
  static void finish(llvm::Module &M);

private:
  // Accesses off one pointer at constant distances, which all happen.
  struct Stretch {
    llvm::Value *Pointer, *Address; // i64
    int64_t Low, High;              // from Address on; High is behind the last byte
    uint64_t Alignment;             // of all
  };

  static std::pair<llvm::Value *, int64_t> addressOf(const llvm::CallInst &Check);
  static llvm::SmallVector<Stretch, 8> stretchesOf(llvm::ArrayRef<llvm::CallInst *> Checks);
  static llvm::Value *isGood(llvm::IRBuilderBase &B, const Stretch &S, const Pair &Chunk);
  static llvm::Value *areAligned(llvm::IRBuilderBase &B, llvm::ArrayRef<Stretch> Stretches);
  llvm::Value *distanceOf(llvm::IRBuilderBase &B, const llvm::CallInst &Check);
};

} // namespace gasan

#endif
