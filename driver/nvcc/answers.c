/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/nvcc/answers.h"
#include "driver/architectures.h"
#include "driver/nvcc/gpu_list.h"
#include "driver/toolkit.h"

#include <stdio.h>
#include <string.h>

/* Prints the text in which CMake, PyTorch and other tools search for nvcc's name and version. Scripts also take its
 * lines by number: the release is in line 4 of 5, as nvcc prints it. */
void gasan_nvcc_print_version(const char *cuda_folder) {
  struct gasan_toolkit_version version = gasan_toolkit_version(cuda_folder);
  printf("nvcc: NVIDIA (R) Cuda compiler driver; this is gasan-nvcc " GASAN_VERSION ", which takes its options\n"
         "AddressSanitizer for CUDA\n"
         "Compiles with gasan-clang++ -fsanitize=gpu-address\n"
         "Cuda compilation tools, release %d.%d, V%d.%d.0\n"
         "Build gasan_" GASAN_VERSION "\n",
         version.major, version.minor, version.major, version.minor);
}

/* The first entry is empty. */
static const char *const names[] = {""
#define GASAN_NVCC_OPTION(name, short_name, form, action, text) , #form " " short_name " " name
#include "driver/nvcc/options.inc"
};

void gasan_nvcc_print_help(void) {
  puts(
      "GASAN: AddressSanitizer for CUDA, with nvcc's command line.\n"
      "\n"
      "  gasan-nvcc takes nvcc's options and compiles with gasan-clang++ -fsanitize=gpu-address.\n"
      "  -fno-sanitize=gpu-address compiles without checks. -fsanitize-gpu-address-... are as for gasan-clang++.\n"
      "  --front-end=nvcc runs the toolkit's nvcc, and puts the checks into its PTX. --front-end=clang never does so;\n"
      "  without either, nvcc compiles a source that clang refuses.\n"
      "  -v prints what gasan-nvcc ignores, and the steps.\n"
      "\n"
      "Variables: GASAN_NVCC_FLAGS (options of gasan-clang++), NVCC_PREPEND_FLAGS, NVCC_APPEND_FLAGS (of nvcc),\n"
      "CUDA_HOME (the toolkit's folder), GASAN_PTXAS_FLAGS (for nvcc's front end: --strict ends at PTX without "
      "checks).\n"
      "\n"
      "Options, one or two dashes before each:");
  for (size_t i = 1; i < sizeof names / sizeof *names; i++) {
    char form[16], short_name[64], name[64];
    sscanf(names[i], "%15s %63s %63s", form, short_name, name);
    const char *value = !strcmp(form, "FLAG")                              ? ""
                        : !strcmp(form, "LIST") || !strcmp(form, "JOINED") ? "=<value>,..."
                                                                           : "=<value>";
    printf("  %s%s", name, value);
    if (strcmp(name, short_name) != 0)
      printf(" (%s)", short_name);
    puts("");
  }
}

void gasan_nvcc_print_architectures(const char *cuda_folder, const char *kind) {
  struct gasan_strings all = gasan_toolkit_architectures(cuda_folder, /*major=*/false);
  for (size_t i = 0; i < all.count; i++)
    printf("%s_%s\n", kind, all.items[i]);
}

void gasan_nvcc_print_settings(const struct gasan_paths *paths, const char *cuda_folder, const char *gpu_list) {
  const char *folder =
      gasan_strings_format("%.*s", (int)(strrchr(paths->executable, '/') - paths->executable), paths->executable);
  const char *number = strchr(gpu_list ? gpu_list : GASAN_DEFAULT_ARCHITECTURE, '_');
  int length = number ? (int)strcspn(number + 1, ",") : 0;
  fprintf(stderr,
          "#$ TOP=%s\n"
          "#$ NVVMIR_LIBRARY_DIR=%s/nvvm/libdevice\n"
          "#$ PATH=%s:%s/bin\n"
          "#$ INCLUDES=\"-I%s/include\"\n"
          "#$ LIBRARIES= \"-L%s/lib64\" -lcudadevrt\n"
          "#$ compiles for: -arch compute_%.*s\n"
          "#$ \"%s/gasan-clang++\" -m64 \"-L%s/lib64\" -lcudadevrt -lcudart_static -lrt -lpthread -ldl -o \"a.out\"\n",
          cuda_folder, cuda_folder, folder, cuda_folder, cuda_folder, cuda_folder, length, number ? number + 1 : "",
          folder, cuda_folder);
}
