/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The device heap: malloc and free in kernels, and with them new and delete, become the device runtime's own
// (base/heap.h).
#ifndef GASAN_PASS_INSTRUMENT_BST_DEVICEHEAP_H
#define GASAN_PASS_INSTRUMENT_BST_DEVICEHEAP_H

#include "gasan_pass/instrument/SiteTable.h"
#include "gasan_pass/instrument/bst/Bounds.h"

namespace gasan {

// At the pipeline's start: gives malloc and free names that say nothing to the optimiser. It would remove an allocation
// that is only freed, be it twice, and stores to memory that is freed next.
void hideHeap(llvm::Module &M);

// Takes that back, for a module whose heap stays CUDA's.
void showHeap(llvm::Module &M);

// Inlines operator new, operator delete and what else the headers put around malloc and free, so that a call's debug
// location says who called them. Before the call graph is read.
void inlineHeapWrappers(llvm::Module &M);

// Does the module free memory of the heap? Then it may be freed while a pointer's bounds are known.
bool freesHeap(const llvm::Module &M);
// May that happen, in this thread or in one that it has synchronised with, after bounds with this size were fetched and
// before `At`?
bool mayBeFreedBetween(const llvm::Value &Size, const llvm::Instruction &At);
// What is left of the bounds' size at `At`: none if the heap's memory has been freed.
llvm::Value *sizeNow(const Bounds &B, llvm::Instruction &At);

// Replaces the calls, which hideHeap may or may not have seen, and says in the module's parameters that there were any.
void replaceHeap(llvm::Module &M, SiteTable &Sites);

} // namespace gasan

#endif
