/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Included before every CUDA source, after CUDA's own headers. clang supports __managed__ only in HIP. A __device__
// variable with this mark becomes a managed variable through gasan_pass (instrument/Managed.h) and libgasan_rt.so.
#undef __managed__
#define __managed__ __device__ __attribute__((annotate("gasan_managed")))
