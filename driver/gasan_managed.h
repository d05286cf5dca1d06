/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Included before every CUDA source, after CUDA's own headers. clang knows __managed__ in HIP only; a __device__
// variable with this mark becomes one by gasan_pass (instrument/Managed.h) and libgasan_rt.so.
#undef __managed__
#define __managed__ __device__ __attribute__((annotate("gasan_managed")))
