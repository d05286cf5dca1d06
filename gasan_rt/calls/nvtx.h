/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* NVTX's memory API (nvtx3/nvToolsExtMem.h): programs that name their heaps and regions for tools. libgasan_nvtx.so,
 * which NVTX loads, passes NVTX's tables of functions to this file. Any thread. One lock (`ignored_lock`), under which
 * nothing is called. */
#ifndef GASAN_RT_NVTX_H
#define GASAN_RT_NVTX_H

/* Fills the table of a module, a struct nvtxExtModuleInfo_t. Returns 1, or 0 for another module than the memory API. */
int gasan_nvtx_attach(void *module);

#endif
