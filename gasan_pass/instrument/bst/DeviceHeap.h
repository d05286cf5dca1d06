/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Replaces the device heap: malloc and free in kernels, and so new and delete, use the device runtime's own heap
// (base/heap.h).
#ifndef GASAN_PASS_INSTRUMENT_BST_DEVICEHEAP_H
#define GASAN_PASS_INSTRUMENT_BST_DEVICEHEAP_H

#include "gasan_pass/instrument/SiteTable.h"
#include "gasan_pass/instrument/bst/Bounds.h"

namespace gasan {

// Renames malloc and free, at PipelineStart, to names that the optimiser does not know. Otherwise the optimiser would
// remove allocations that are only freed (even if they are freed twice), and stores to memory that is freed next.
void hideHeap(llvm::Module &M);

// Undoes hideHeap(), for a module that keeps CUDA's heap.
void showHeap(llvm::Module &M);

// Inlines operator new, operator delete and the other wrappers of malloc and free in headers, so that a call's debug
// location is that of its caller. Must be called before the call graph is read.
void inlineHeapWrappers(llvm::Module &M);

// Returns true if the module frees heap memory. Then memory may be freed between the lookup of a pointer's bounds and
// the access.
bool freesHeap(const llvm::Module &M);
// Returns true if heap memory may be freed after bounds with this size were looked up and before `At`, by this thread
// or by one that it has synchronised with.
bool mayBeFreedBetween(const llvm::Value &Size, const llvm::Instruction &At);
// Returns the bounds' size at `At`: 0 if the memory was freed.
llvm::Value *sizeNow(const Bounds &B, llvm::Instruction &At);

// Replaces the calls of malloc and free, whether or not hideHeap() renamed the functions. If there are any, sets a flag
// in the module's parameters.
void replaceHeap(llvm::Module &M, SiteTable &Sites);

// Removes the linked device runtime's calls of CUDA's malloc and free, if no code outside of the module can use CUDA's
// heap. A module that frees and does not allocate keeps free, since the memory comes from other modules. CUDA's driver
// reserves memory for its heap, of the whole limit, once it loads a module that refers to these.
void dropCudaHeap(llvm::Module &M);

} // namespace gasan

#endif
