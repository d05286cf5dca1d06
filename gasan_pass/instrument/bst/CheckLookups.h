/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Expands the calls of __gasan_check and its variants, which look up a pointer for one access (BoundsCheckLookups.cpp).
// Like other lookups (Lookups.h), adjacent calls share one fast path. Here, the fast path only decides whether all
// accesses are in bounds.
//
//   prefetch the accessed addresses, if marked
//   if (__gasan_is_mapped(p) && __gasan_is_mapped(q))
//     a = __gasan_find_page(p's), b = __gasan_find_page(q's)            a load each
//     if (both are chunks, and both accesses in them) goto done
//     a = __gasan_find_again(p's); if (the access is not in a) goto look
//     b = __gasan_find_again(q's); if (the access is in b) goto done
//   look:
//   __gasan_check_any(p's...), __gasan_check_any(q's...)                return if the access is good
//   done:
//
// The prefetch starts to load the data while the pointer is looked up. It has no effect for a bad address (PTX ISA,
// prefetch: tried on an H200 for null, wild, freed and non-canonical addresses).
//
// Values that live until the rare paths occupy registers, and registers limit the threads of a multiprocessor. So the
// rare paths read the pages again, and their calls get distances instead of pointers: after the checks, only the
// program's own values are live.
#ifndef GASAN_PASS_INSTRUMENT_BST_CHECKLOOKUPS_H
#define GASAN_PASS_INSTRUMENT_BST_CHECKLOOKUPS_H

#include "gasan_pass/instrument/bst/LookupCode.h"

namespace gasan {

class CheckLookups : LookupCode {
public:
  explicit CheckLookups(llvm::Module &M) : LookupCode(M) {}

  static bool isOne(const llvm::Instruction &I);
  // Lets the expansion prefetch the accessed address before it looks up the pointer.
  static void markForPrefetch(llvm::CallInst &Check);
  // Expands calls of one block. It must be possible to move the code between the calls after the last call's expansion.
  // Empties the list.
  void expand(llvm::SmallVectorImpl<llvm::CallInst *> &Checks);
  // Must be called after all functions were expanded.
  static void finish(llvm::Module &M);

private:
  // Accesses off one pointer at constant distances, which all happen.
  struct Stretch {
    llvm::Value *Pointer, *Address; // i64
    int64_t Low, High;              // bytes from Address; High is after the last byte
    uint64_t Alignment;             // the greatest of all accesses
    bool Prefetch;
  };

  static std::pair<llvm::Value *, int64_t> addressOf(const llvm::CallInst &Check);
  static llvm::SmallVector<Stretch, 8> stretchesOf(llvm::ArrayRef<llvm::CallInst *> Checks);
  static llvm::Value *isGood(llvm::IRBuilderBase &B, const Stretch &S, const Pair &Chunk);
  static llvm::Value *areAligned(llvm::IRBuilderBase &B, llvm::ArrayRef<Stretch> Stretches);
  llvm::Value *distanceOf(llvm::IRBuilderBase &B, const llvm::CallInst &Check);
};

} // namespace gasan

#endif
