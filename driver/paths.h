/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where the tools and gasan's own files are. Everything of gasan's is found relative to the executable's real
 * location, so that a build tree, an installation and a link in another folder all work. */
#ifndef GASAN_DRIVER_PATHS_H
#define GASAN_DRIVER_PATHS_H

#include <stdbool.h>

struct gasan_paths {
  const char *executable;     /* of this process, links resolved */
  const char *library_folder; /* <prefix>/lib */
  const char *pass_plugin, *device_runtime, *cpu_helpers, *include_folder, *runtime_library;
  const char *clang;       /* absolute, never this executable */
  const char *llvm_folder; /* where clang's sister tools (llvm-link, ld.lld) are */
};

/* `GASAN_CLANG` in the environment names another clang; it must be absolute and must not be this executable. */
struct gasan_paths gasan_paths_find(void);

/* The toolkit's folder: `option` (the value of --cuda-path=, or NULL), else CUDA_HOME, else what gasan was built
 * with. */
const char *gasan_paths_cuda(const char *option);
/* A tool of the toolkit; ends the process with advice if it is not there. */
void gasan_paths_require_cuda(const char *cuda_folder);
const char *gasan_paths_cuda_tool(const char *cuda_folder, const char *name);
/* A tool beside clang, such as "ld.lld". */
const char *gasan_paths_llvm_tool(const struct gasan_paths *paths, const char *name);
/* Ends the process if a file of gasan's is missing. */
void gasan_paths_require_own(const struct gasan_paths *paths);

#endif
