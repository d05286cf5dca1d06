/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/paths.h"
#include "driver/message.h"
#include "driver/strings.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *parent_folder(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash && slash != path ? gasan_strings_format("%.*s", (int)(slash - path), path) : "/";
}

static const char *own_executable(void) {
  char buffer[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", buffer, sizeof buffer - 1);
  if (length < 0)
    gasan_message_fatal("cannot read /proc/self/exe: %s", strerror(errno));
  return gasan_strings_format("%.*s", (int)length, buffer);
}

/* Returns the path of clang 22 in Debian's folder, else in PATH. If there is none, returns the first. */
static const char *default_clang(void) {
  if (!access(GASAN_CLANG_DEFAULT, X_OK))
    return GASAN_CLANG_DEFAULT;
  const char *path = getenv("PATH");
  struct gasan_strings folders = gasan_strings_split(path ? path : "", ':');
  for (size_t i = 0; i < folders.count; i++) {
    const char *clang = gasan_strings_format("%s/clang-22", folders.items[i]);
    if (*clang == '/' && !access(clang, X_OK))
      return clang;
  }
  return GASAN_CLANG_DEFAULT;
}

/* Returns clang's absolute path. The name "clang" is not searched in PATH, where libexec/gasan/clang (this program) may
 * come first. */
static const char *choose_clang(const char *executable) {
  const char *chosen = getenv("GASAN_CLANG");
  if (!chosen || !*chosen)
    return default_clang();
  if (*chosen != '/')
    gasan_message_fatal("GASAN_CLANG must be an absolute path, not '%s'", chosen);
  const char *real = realpath(chosen, NULL);
  if (!real)
    gasan_message_fatal("GASAN_CLANG names '%s': %s", chosen, strerror(errno));
  if (!strcmp(real, executable))
    gasan_message_fatal("GASAN_CLANG names '%s', which is gasan's own driver; name clang itself", chosen);
  return chosen;
}

struct gasan_paths gasan_paths_find(void) {
  struct gasan_paths paths = {0};
  paths.executable = own_executable();
  paths.library_folder = gasan_strings_format("%s/lib", parent_folder(parent_folder(paths.executable)));
  paths.pass_plugin = gasan_strings_format("%s/gasan/gasan_pass.so", paths.library_folder);
  paths.lift_tool = gasan_strings_format("%s/gasan/gasan-lift", paths.library_folder);
  paths.device_runtime = gasan_strings_format("%s/gasan/gasan_device.bc", paths.library_folder);
  paths.cpu_helpers = gasan_strings_format("%s/gasan/gasan_cpu.bc", paths.library_folder);
  paths.include_folder = gasan_strings_format("%s/gasan/include", paths.library_folder);
  paths.runtime_library = gasan_strings_format("%s/libgasan_rt.so", paths.library_folder);
  paths.cuda12_object = gasan_strings_format("%s/gasan/gasan_cuda12.o", paths.library_folder);
  paths.clang = choose_clang(paths.executable);
  const char *real_clang = realpath(paths.clang, NULL);
  paths.llvm_folder = parent_folder(real_clang ? real_clang : paths.clang);
  return paths;
}

const char *gasan_paths_default_cuda(void) {
  const char *prefix = parent_folder(parent_folder(own_executable()));
  char buffer[PATH_MAX];
  ssize_t length = readlink(gasan_strings_format("%s/libexec/gasan/cuda", prefix), buffer, sizeof buffer);
  return length > 0 ? gasan_strings_format("%.*s", (int)length, buffer) : "/usr/local/cuda";
}

const char *gasan_paths_cuda(const char *option) {
  if (option && *option)
    return option;
  const char *home = getenv("CUDA_HOME");
  return home && *home ? home : gasan_paths_default_cuda();
}

const char *gasan_paths_cuda_tool(const char *cuda_folder, const char *name) {
  const char *ptxas = getenv("GASAN_PTXAS");
  if (ptxas && *ptxas == '/' && !strcmp(name, "ptxas"))
    return ptxas;
  if (ptxas && *ptxas == '/' && !strcmp(name, "nvlink")) /* another toolkit's may not read its objects */
    return gasan_strings_format("%s/nvlink", parent_folder(ptxas));
  return gasan_strings_format("%s/bin/%s", cuda_folder, name);
}

void gasan_paths_require_cuda(const char *cuda_folder) {
  static const char *const needed[] = {"include/cuda.h", "bin/ptxas", "bin/fatbinary"};
  for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
    if (access(gasan_strings_format("%s/%s", cuda_folder, needed[i]), R_OK))
      gasan_message_fatal("no complete CUDA toolkit in '%s': %s is missing; install one (./setup.sh in gasan's sources "
                          "does), or name its folder with --cuda-path= or CUDA_HOME",
                          cuda_folder, needed[i]);
}

const char *gasan_paths_llvm_tool(const struct gasan_paths *paths, const char *name) {
  return gasan_strings_format("%s/%s", paths->llvm_folder, name);
}

void gasan_paths_require_own(const struct gasan_paths *paths) {
  const char *const needed[] = {paths->pass_plugin, paths->device_runtime, paths->cpu_helpers, paths->include_folder};
  for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
    if (access(needed[i], R_OK))
      gasan_message_fatal("'%s' is missing; gasan is not completely built or installed", needed[i]);
}
