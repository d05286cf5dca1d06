// A library that the program is linked with, and two plugins that it loads, all with kernels of the same name. The
// report names the right one. A plugin may be unloaded.
// RUN: %gasan -O2 -shared -fPIC -DNUMBER=1 %S/inputs/plugin.cu -o %t.first.so
// RUN: %gasan -O2 -shared -fPIC -DNUMBER=2 -fvisibility=hidden %S/inputs/plugin.cu -o %t.second.so
// RUN: %gasan -O2 %s -o %t -ldl
// RUN: %run %t %t.first.so %t.second.so none 2>&1 | %silent
// RUN: not %run %t %t.first.so %t.second.so 0 2>&1 | FileCheck %s --check-prefixes=CHECK,FIRST
// RUN: not %run %t %t.first.so %t.second.so 1 2>&1 | FileCheck %s --check-prefixes=CHECK,SECOND
// RUN: not %run %t %t.first.so %t.second.so own 2>&1 | FileCheck %s --check-prefix=OWN
// CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
// CHECK: #0 put(int*, int) {{.*}}plugin.cu:3:
// FIRST: in run {{.*}}plugin.cu:7:
// SECOND: in run {{.*}}plugin.cu:7:
// CHECK: in main {{.*}}plugins.cu:[[#@LINE+23]]:
// OWN: #0 put(int*, int) {{.*}}plugins.cu:[[#@LINE+5]]:
#include <cstring>
#include <dlfcn.h>

__global__ void put(int *values, int i) {
  values[i] = 3;
}

int main(int, char **arguments) {
  int *values, host[4];
  cudaMalloc(&values, 400);
  for (int round = 0; round < 2; round++) {
    void *plugins[2];
    for (int i = 0; i < 2; i++) {
      plugins[i] = dlopen(arguments[1 + i], RTLD_NOW | RTLD_LOCAL);
      auto *run = plugins[i] ? (void (*)(int *, int))dlsym(plugins[i], "run") : nullptr;
      if (!run)
        return 2;
      const char bug[] = {char('0' + i), 0};
      if (cudaDeviceSynchronize() != cudaSuccess)
        return 3;
      run(values, i);
      run(values, round && !strcmp(arguments[3], bug) ? 100 : 2);
      cudaDeviceSynchronize();
    }
    put<<<1, 1>>>(values, strcmp(arguments[3], "own") ? 3 : 100);
    cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
    if (host[0] != 1 || host[1] != 2 || host[2] != 2 || host[3] != 3)
      return 4;
    dlclose(plugins[0]);
  }
  return 0;
}
