/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Inserts checks of accesses through texture and surface objects (views).
//
//   slot = __gasan_find_surface(object)                     after the object's definition: once for all accesses
//   if (fault = __gasan_surface_fault(slot, x, y, z, ...))  at the access: outside of the array, misaligned, or the
//     __gasan_report_view(...)                              object was destroyed; does not return
//
// Coordinates outside of the array are a fault with `.trap` only, CUDA's default, for which the hardware stops the
// kernel. `.clamp` and `.zero` define the result. Texture coordinates may have any value, so a texture is only checked
// for being alive.
#ifndef GASAN_PASS_INSTRUMENT_VIEWCHECKS_H
#define GASAN_PASS_INSTRUMENT_VIEWCHECKS_H

#include "gasan_pass/instrument/SiteTable.h"
#include "llvm/IR/Function.h"

namespace gasan {

// Returns true for LLVM's intrinsics and inline PTX that may access memory through a view.
bool hasViewAccess(const llvm::Instruction &I);

// Inserts the checks. The module's parameters (Params.h) must be defined.
void checkViews(llvm::Function &F, SiteTable &Sites);

} // namespace gasan

#endif
