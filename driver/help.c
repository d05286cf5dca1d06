/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/help.h"
#include "driver/paths.h"

#include <stdio.h>
#include <string.h>

enum { INDENT = 6, COLUMNS = 110 };

/* Each option's name, a line's end, and its description. The first entry is empty. */
static const char *const options[] = {""
#define GASAN_DRIVER_OPTION(member, name, text, standard)                                                              \
  , "-fsanitize-gpu-address-" name "=<value>\n" text "; default " standard "; values:"
#define GASAN_DRIVER_VALUE(member, value) " " value
#include "driver/options.inc"
};

static void print_wrapped(const char *text) {
  int column = 0;
  while (*text) {
    int length = (int)strcspn(text, " ");
    if (column && column + 1 + length <= COLUMNS)
      column += printf(" %.*s", length, text);
    else
      column = printf("%s%*s%.*s", column ? "\n" : "", INDENT, "", length, text) - (column != 0);
    text += length;
    text += *text == ' ';
  }
  puts("");
}

static void print_options(void) {
  for (size_t i = 1; i < sizeof options / sizeof *options; i++) {
    int name_length = (int)strcspn(options[i], "\n");
    printf("  %.*s\n", name_length, options[i]);
    print_wrapped(options[i] + name_length + 1);
  }
}

void gasan_help_print(void) {
  puts("\n"
       "GASAN: AddressSanitizer for CUDA. This is clang with one more sanitizer:\n"
       "  -fsanitize=gpu-address\n"
       "      Checks each memory access of device code, and links gasan's runtime in place of cudart.\n"
       "      Needed to compile and to link; -fno-sanitize=gpu-address switches it off.");
  print_options();
  puts("  Without it this is clang itself, except for the defaults below.\n"
       "  With it, -E, -M, -MM, -fsyntax-only, -S, -emit-llvm and --cuda-host-only give clang's own output, without "
       "checks;\n"
       "  --cuda-device-only gives checked device code. -flto and -gsplit-dwarf are ignored for CUDA sources.\n"
       "  GPU architectures: --offload-arch=<list>, default sm_75.");
  printf("  CUDA toolkit: --cuda-path=<folder>, else CUDA_HOME, else %s\n", gasan_paths_default_cuda());
  puts("  clang: GASAN_CLANG, else " GASAN_CLANG_DEFAULT ", else clang-22 in PATH\n"
       "  The options of a program's run: GASAN_OPTIONS=help=1 ./program");
}

void gasan_help_print_version(void) {
  puts("gasan " GASAN_VERSION);
}
