/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* libgasan_preload.so comes first in a process (LD_PRELOAD) and passes the process's calls of libcuda to
 * libgasan_rt.so.
 *
 * Programs find libcuda's functions in three ways: by their names, if they are linked with it (exports.c); by dlsym, as
 * libcudart does, also one inside the program (dlsym.S); and by cuGetProcAddress, which is one of these functions. The
 * calls of libgasan_rt.so itself are not passed to it.
 *
 * libgasan_rt.so is loaded with names of its own (RTLD_LOCAL), so that the program keeps its libcudart. A library that
 * was built with gasan finds the same libgasan_rt.so, and so the same pool. Any thread; no lock. */
#ifndef GASAN_PRELOAD_FIND_H
#define GASAN_PRELOAD_FIND_H

/* Returns gasan's function for a symbol of libcuda, or NULL. Loads libgasan_rt.so at the first call. */
void *gasan_preload_find(const char *symbol);

/* Returns a function of libgasan_rt.so by its name there; NULL: there is none. Loads libgasan_rt.so at the first call.
 */
void *gasan_preload_own(const char *name);

/* Returns the next library's function after this one (RTLD_NEXT), or a library's. */
void *gasan_preload_next(void *handle, const char *name);

/* Returns our function in place of NVRTC's `found`, which dlsym has returned; or `found` (nvrtc.c). */
void *gasan_preload_nvrtc(const char *name, void *found);

/* The same for functions of nvJitLink (nvjitlink.c). `caller`: an address in the library that calls dlsym. */
void *gasan_preload_nvjitlink(const char *name, void *found, const void *caller);

/* Returns libcuda's own function; NULL: libcuda is not there. */
void *gasan_preload_real(const char *symbol);

#endif
