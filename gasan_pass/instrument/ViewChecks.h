/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Checks of accesses through texture and surface objects.
//
//   slot = __gasan_find_surface(object)                     where the object's number is defined: once for all its
//   accesses if (fault = __gasan_surface_fault(slot, x, y, z, ...))  at the access: outside of the array, misaligned,
//   or the object is dead
//     __gasan_report_view(...)                              does not return
//
// A place outside of the array is a fault of `.trap` only, CUDA's default: the hardware stops the kernel for it.
// `.clamp` and `.zero` define what happens. Coordinates of textures may have any value; a texture is only asked for
// whether it is dead.
#ifndef GASAN_PASS_INSTRUMENT_VIEWCHECKS_H
#define GASAN_PASS_INSTRUMENT_VIEWCHECKS_H

#include "gasan_pass/instrument/SiteTable.h"
#include "llvm/IR/Function.h"

namespace gasan {

// LLVM's intrinsic or inline PTX that may access memory through such an object.
bool hasViewAccess(const llvm::Instruction &I);

// The module's parameters exist.
void checkViews(llvm::Function &F, SiteTable &Sites);

} // namespace gasan

#endif
