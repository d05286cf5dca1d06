/* A library that is linked with NVRTC, as PyTorch's is. A program loads it with names of its own (RTLD_LOCAL). */
#include <nvrtc.h>
#include <stdio.h>

int compile_kernel(void);
int compile_kernel(void) {
  static const char *const options[] = {"-arch=sm_90"};
  static char cubin[1 << 16];
  nvrtcProgram program;
  nvrtcCreateProgram(&program, "extern \"C\" __global__ void one(int *to) { *to = 1; }", "one.cu", 0, NULL, NULL);
  printf("compiled: %d\n", nvrtcCompileProgram(program, 1, options));
  printf("cubin: %d\n", nvrtcGetCUBIN(program, cubin));
  return fflush(stdout);
}
