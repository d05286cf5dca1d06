/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the tools and gasan's own files. gasan's files are found relative to the executable's real location, so that
 * a build tree, an installation and a link in another folder all work. */
#ifndef GASAN_DRIVER_PATHS_H
#define GASAN_DRIVER_PATHS_H

#include <stdbool.h>

struct gasan_paths {
  const char *executable;     /* path of this process's executable, links resolved */
  const char *library_folder; /* <prefix>/lib */
  const char *pass_plugin, *device_runtime, *cpu_helpers, *include_folder, *runtime_library, *cuda12_object;
  const char *lift_tool;   /* gasan-lift, which does the work of clang and the plugin for PTX */
  const char *clang;       /* absolute, never this executable */
  const char *llvm_folder; /* folder of clang's sister tools (llvm-link, ld.lld) */
};

/* Finds all paths. clang is /usr/lib/llvm-22/bin/clang, else clang-22 in PATH. `GASAN_CLANG` in the environment names
 * another clang; it must be an absolute path, and must not be this executable. */
struct gasan_paths gasan_paths_find(void);

/* Returns the folder of the toolkit with which gasan was built, to which libexec/gasan/cuda links. Packages have no
 * such link: returns /usr/local/cuda then. */
const char *gasan_paths_default_cuda(void);
/* Returns the toolkit's folder: `option` (the value of --cuda-path=, or NULL), else CUDA_HOME, else the default. */
const char *gasan_paths_cuda(const char *option);
/* Ends the process with advice if a tool of the toolkit is missing. */
void gasan_paths_require_cuda(const char *cuda_folder);
/* Returns the path of a tool of the toolkit. GASAN_PTXAS in the environment names another ptxas, by an absolute path;
 * nvlink is then the one beside it. */
const char *gasan_paths_cuda_tool(const char *cuda_folder, const char *name);
/* Returns the path of a tool beside clang, such as "ld.lld". */
const char *gasan_paths_llvm_tool(const struct gasan_paths *paths, const char *name);
/* Ends the process with a message if one of gasan's files is missing. */
void gasan_paths_require_own(const struct gasan_paths *paths);

#endif
