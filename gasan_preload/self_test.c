/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_preload/self_test.h"

#define __CUDA_API_VERSION_INTERNAL /* declares functions under their symbols */
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define COUNT 1024 /* 4 KiB: a multiple of the alignment, so the guard begins at the end */

/* Writes `count` words, each by one thread. The driver translates it for the GPU. */
static const char kernel[] = ".version 6.0\n"
                             ".target sm_50\n"
                             ".address_size 64\n"
                             ".visible .entry fill(.param .u64 to) {\n"
                             "  .reg .u32 %t, %b, %n, %i;\n"
                             "  .reg .u64 %p;\n"
                             "  mov.u32 %t, %tid.x;\n"
                             "  mov.u32 %b, %ctaid.x;\n"
                             "  mov.u32 %n, %ntid.x;\n"
                             "  mad.lo.u32 %i, %b, %n, %t;\n"
                             "  ld.param.u64 %p, [to];\n"
                             "  mad.wide.u32 %p, %i, 4, %p;\n"
                             "  st.u32 [%p], %i;\n"
                             "  ret;\n"
                             "}\n";

/* The driver's functions, found as libcudart finds them. */
static struct {
  __typeof__(&cuInit) init;
  __typeof__(&cuDriverGetVersion) version;
  __typeof__(&cuDeviceGetCount) count;
  __typeof__(&cuDeviceGetName) name;
  __typeof__(&cuDevicePrimaryCtxRetain) retain;
  __typeof__(&cuCtxSetCurrent) set_current;
  __typeof__(&cuModuleLoadData) load;
  __typeof__(&cuModuleGetFunction) function;
  __typeof__(&cuMemAlloc_v2) allocate;
  __typeof__(&cuMemFree_v2) free;
  __typeof__(&cuLaunchKernel) launch;
  __typeof__(&cuCtxSynchronize) synchronize;
  __typeof__(&cuMemcpyDtoH_v2) read;
} driver;

static bool load_driver(void) {
  static const struct {
    void *at;
    const char *symbol;
  } table[] = {{&driver.init, "cuInit"},
               {&driver.version, "cuDriverGetVersion"},
               {&driver.count, "cuDeviceGetCount"},
               {&driver.name, "cuDeviceGetName"},
               {&driver.retain, "cuDevicePrimaryCtxRetain"},
               {&driver.set_current, "cuCtxSetCurrent"},
               {&driver.load, "cuModuleLoadData"},
               {&driver.function, "cuModuleGetFunction"},
               {&driver.allocate, "cuMemAlloc_v2"},
               {&driver.free, "cuMemFree_v2"},
               {&driver.launch, "cuLaunchKernel"},
               {&driver.synchronize, "cuCtxSynchronize"},
               {&driver.read, "cuMemcpyDtoH_v2"}};
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  for (size_t i = 0; library && i < sizeof table / sizeof *table; i++) {
    void *found = dlsym(library, table[i].symbol);
    if (!found)
      return false;
    memcpy(table[i].at, &found, sizeof found);
  }
  return library != NULL;
}

bool gasan_self_test_describe(char *text, size_t size) {
  int version = 0, count = 0;
  char name[128] = "";
  if (!load_driver()) {
    snprintf(text, size, "NOT found: there is no libcuda.so.1, or it is too old");
    return false;
  }
  CUresult result = driver.init(0);
  if (result == CUDA_SUCCESS)
    result = driver.count(&count);
  if (result != CUDA_SUCCESS || count == 0) {
    snprintf(text, size, "libcuda.so.1 finds no GPU (CUDA error %d)", result);
    return false;
  }
  driver.version(&version);
  driver.name(name, sizeof name, 0);
  snprintf(text, size, "CUDA %d.%d, %d GPU%s (%s)", version / 1000, version % 1000 / 10, count, count == 1 ? "" : "s",
           name);
  return true;
}

int gasan_self_test(const char *what) {
  static unsigned words[COUNT + 1];
  CUcontext context;
  CUmodule module;
  CUfunction function;
  CUdeviceptr memory;
  const bool overflows = !strcmp(what, "overflow"), copies = !strcmp(what, "copy");
  if (!load_driver() || driver.init(0) || driver.retain(&context, 0) || driver.set_current(context) ||
      driver.load(&module, kernel) || driver.function(&function, module, "fill") ||
      driver.allocate(&memory, COUNT * sizeof *words))
    return 3;
  if (driver.launch(function, COUNT / 256 + overflows, 1, 1, 256, 1, 1, 0, NULL, (void *[]){&memory}, NULL) ||
      driver.synchronize() || driver.read(words, memory, (COUNT + copies) * sizeof *words))
    return 4;
  for (unsigned i = 0; i < COUNT; i++)
    if (words[i] != i)
      return 5;
  return driver.free(memory) ? 6 : 0;
}
