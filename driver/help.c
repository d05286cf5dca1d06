#include "driver/help.h"

#include <stdio.h>

static void print_options(void) {
#define GASAN_DRIVER_OPTION(member, name, text, standard)                                                              \
  printf("  -fsanitize-gpu-address-%s=<value>\n      %s; default %s; values:", name, text, standard);
#define GASAN_DRIVER_VALUE(member, value) printf(" %s", value);
#include "driver/options.inc"
#undef GASAN_DRIVER_OPTION
#undef GASAN_DRIVER_VALUE
  puts("");
}

void gasan_help_print(void) {
  puts("\n"
       "GASAN: AddressSanitizer for CUDA. This is clang with one more sanitizer:\n"
       "  -fsanitize=gpu-address\n"
       "      In device code check each access to memory, and link gasan's runtime in place of cudart.\n"
       "      Needed to compile and to link; -fno-sanitize=gpu-address switches it off.");
  print_options();
  puts("  Without it this is clang itself, but for the defaults below.\n"
       "  With it, -E, -M, -MM, -fsyntax-only, -S, -emit-llvm and --cuda-host-only give what clang gives without it;\n"
       "  --cuda-device-only gives checked device code. -flto and -gsplit-dwarf are ignored for CUDA sources.\n"
       "  GPU architectures: --offload-arch=<list>, default sm_75.\n"
       "  CUDA toolkit: --cuda-path=<folder>, else CUDA_HOME, else " GASAN_CUDA_PATH_DEFAULT "\n"
       "  clang: GASAN_CLANG, else " GASAN_CLANG_DEFAULT "\n"
       "  The options of a program's run: GASAN_OPTIONS=help=1 ./program");
}

void gasan_help_print_version(void) {
  puts("gasan " GASAN_VERSION);
}
