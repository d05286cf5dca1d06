/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes the object (program or shared library) of a device image call this library's functions of CUDA.
 *
 * The loader looks names up in the whole process before it looks into an object's own libraries. A process that has
 * loaded libcudart.so for everybody, as PyTorch does or a program that is linked with -lcudart, so gives a library with
 * checks, which is loaded later, CUDA's functions. Its kernels would then run without parameters, and unchecked. */
#ifndef GASAN_RT_REBIND_H
#define GASAN_RT_REBIND_H

#include <stdbool.h>

/* Must be called in the object's constructor, before the object registers device code. Replaces the addresses that the
 * loader has stored, or will store at the first call, if they are libcudart's or libcuda's and this library has a
 * function of that name. Functions of other libraries stay, for example those of a profiler in LD_PRELOAD. Also fills
 * the slots of this library's own functions that were empty, because the object was linked without this library.
 * Returns false if the object's registrations of device code do not reach this library, for example because the object
 * has CUDA's static runtime. */
bool gasan_rt_rebind(const void *address_in_object);

#endif
