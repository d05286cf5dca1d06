/* Loads code by the driver API and launches its kernel `fill`: loads FUNCTION FILE [bug]. FUNCTION link: links the
 * files FILE,FILE,... whose endings say what they have. On the fake driver, the program itself writes the record that
 * the kernel's check would write. */
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/abi.h"

#define DRIVER(symbol) ((__typeof__(&symbol))dlsym(dlopen("libcuda.so.1", RTLD_NOW), #symbol))

int fake_refuses_cubins;
static CUmodule module;
static CUdeviceptr memory;
static int has_bug, loading;

void fake_loaded(const char *form);
void fake_loaded(const char *form) {
  if (loading) /* gasan loads kernels of its own, later */
    printf("the driver gets: %s\n", form);
}

int fake_launch(const void *function, unsigned threads);
int fake_launch(const void *function, unsigned threads) {
  CUdeviceptr address = 0;
  size_t size = 0;
  if (!strstr(function, "fill"))
    return CUDA_SUCCESS;
  printf("launched: %s\n", (const char *)function);
  if (DRIVER(cuModuleGetGlobal_v2)(&address, &size, module, GASAN_PARAMS_SYMBOL) != CUDA_SUCCESS)
    return CUDA_SUCCESS;
  const struct gasan_params *params = (const struct gasan_params *)(uintptr_t)address;
  printf("parameters: ring %d, tables %d\n", params->ring != 0, params->window_size != 0);
  if (!has_bug)
    return CUDA_SUCCESS;
  struct gasan_ring_control *control = (struct gasan_ring_control *)(uintptr_t)params->ring_control;
  control->claimed = control->faults = 1;
  control->slots[0] = (struct gasan_fault_slot){.key = 1, .best_order_inverted = ~100ull, .count = 1};
  ((struct gasan_ring *)(uintptr_t)params->ring)->records[0] = (struct gasan_record){.module_id = params->module_id,
                                                                                     .address = memory + 400,
                                                                                     .size = 4,
                                                                                     .fault = memory + 400,
                                                                                     .grid_id = 1,
                                                                                     .key = 1,
                                                                                     .order = 100,
                                                                                     .thread = {100},
                                                                                     .block_dim = {128, 1, 1},
                                                                                     .grid_dim = {1, 1, 1},
                                                                                     .bounds_base = memory,
                                                                                     .bounds_size = 400,
                                                                                     .code = GASAN_CODE_BST,
                                                                                     .ready = 1};
  return CUDA_SUCCESS;
}

static size_t file_size;

static void *read_file(const char *name) {
  FILE *file = fopen(name, "rb");
  char *bytes = calloc(1, 1 << 24);
  if (!file || !(file_size = fread(bytes, 1, (1 << 24) - 1, file)))
    abort();
  fclose(file);
  return bytes;
}

static CUjitInputType type_of(const char *name) {
  const char *ending = strrchr(name, '.');
  return !strcmp(ending, ".ptx")     ? CU_JIT_INPUT_PTX
         : !strcmp(ending, ".lto")   ? CU_JIT_INPUT_NVVM
         : !strcmp(ending, ".cubin") ? CU_JIT_INPUT_CUBIN
                                     : CU_JIT_INPUT_FATBINARY;
}

/* Adds the files by cuLinkAddData and cuLinkAddFile in turns, and loads the result. */
static CUresult link_files(const char *names) {
  CUlinkState linker;
  char *list = strdup(names), *rest;
  void *cubin;
  size_t size;
  int number = 0;
  CUresult result = DRIVER(cuLinkCreate_v2)(0, NULL, NULL, &linker);
  for (char *name = strtok_r(list, ",", &rest); name && !result; name = strtok_r(NULL, ",", &rest)) {
    CUjit_option option = CU_JIT_MAX_REGISTERS;
    void *value = (void *)32;
    if (number++ % 2) {
      result = DRIVER(cuLinkAddFile_v2)(linker, type_of(name), name, 0, NULL, NULL);
      continue;
    }
    void *code = read_file(name);
    result = DRIVER(cuLinkAddData_v2)(linker, type_of(name), code, file_size, name, 1, &option, &value);
    memset(code, 0, file_size); /* the call must not keep it */
  }
  if (!result)
    result = DRIVER(cuLinkComplete)(linker, &cubin, &size);
  if (!result)
    result = DRIVER(cuModuleLoadData)(&module, cubin);
  DRIVER(cuLinkDestroy)(linker);
  return result;
}

static CUresult load_code(const char *how, const char *name) {
  void *code = strstr(how, "file") || !strcmp(how, "link") ? NULL : read_file(name);
  struct {
    int magic, version;
    void *data, *more;
  } wrapper = {0x466243b1, 1, code, NULL};
  if (!strcmp(how, "data"))
    return DRIVER(cuModuleLoadData)(&module, code);
  if (!strcmp(how, "ex"))
    return DRIVER(cuModuleLoadDataEx)(&module, code, 0, NULL, NULL);
  if (!strcmp(how, "wrapper"))
    return DRIVER(cuModuleLoadFatBinary)(&module, &wrapper);
  if (!strcmp(how, "file"))
    return DRIVER(cuModuleLoad)(&module, name);
  if (!strcmp(how, "library-file"))
    return DRIVER(cuLibraryLoadFromFile)((CUlibrary *)&module, name, NULL, NULL, 0, NULL, NULL, 0);
  if (!strcmp(how, "library"))
    return DRIVER(cuLibraryLoadData)((CUlibrary *)&module, code, NULL, NULL, 0, NULL, NULL, 0);
  return link_files(name);
}

static CUresult load(const char *how, const char *name) {
  loading = 1;
  CUresult result = load_code(how, name);
  loading = 0;
  return result;
}

int main(int count, char **arguments) {
  CUcontext context;
  CUfunction function = NULL;
  const char *how = count > 2 ? arguments[1] : "";
  setvbuf(stdout, NULL, _IOLBF, 0);
  has_bug = count > 3 && !strcmp(arguments[3], "bug");
  fake_refuses_cubins = count > 3 && !strcmp(arguments[3], "refused");
  DRIVER(cuInit)(0);
  DRIVER(cuDevicePrimaryCtxRetain)(&context, 0);
  DRIVER(cuCtxSetCurrent)(context);
  DRIVER(cuMemAlloc_v2)(&memory, 400);
  CUresult result = load(how, arguments[2]);
  if (result)
    return result;
  unsigned size = 100;
  for (int i = 0; i < 2; i++) {
    DRIVER(cuModuleGetFunction)(&function, module, "fill");
    DRIVER(cuLaunchKernel)(function, 1, 1, 1, 128, 1, 1, 0, NULL, (void *[]){&memory, &size}, NULL);
    DRIVER(cuCtxSynchronize)();
    if (count > 3 && !strcmp(arguments[3], "again")) { /* the handles are given again */
      DRIVER(cuModuleUnload)(module);
      load(how, arguments[2]);
    }
  }
  return DRIVER(cuMemFree_v2)(memory);
}
