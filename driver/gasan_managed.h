/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Included before every CUDA source, after CUDA's own headers. clang supports __managed__ only in HIP. A __device__
// variable with this mark becomes a managed variable through gasan_pass (instrument/Managed.h) and libgasan_rt.so.
#if CUDART_VERSION < 12000
#error "gasan needs CUDA 12.0 or later; name another toolkit with --cuda-path= or CUDA_HOME"
#endif
#undef __managed__
#define __managed__ __device__ __attribute__((annotate("gasan_managed")))

// The link reads the version of these headers (driver/agreement.h), and leaves this section out.
#ifndef __CUDA_ARCH__
#if CUDART_VERSION < 13000
__asm__(".pushsection .gasan.cuda, \"e\", @progbits; .asciz \"12\"; .popsection");
#else
__asm__(".pushsection .gasan.cuda, \"e\", @progbits; .asciz \"13\"; .popsection");
#endif
#endif
