/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Modules of the fake driver. A cubin has its variables, in host memory; no kernel can run. Other images stand for
 * gasan's own kernels, and for the program's fake_global and fake_kernel. */
#define _GNU_SOURCE
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <dlfcn.h>
#include <elf.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FUNCTIONS 256
#define OBJECT_TO_LINK 13 /* STT_OBJECT in objects that are not linked */

struct CUmod_st {
  char *image; /* a copy of a cubin; NULL: another image */
};
static struct CUmod_st other;

/* A kernel's handle is its name, so that tests can read it. */
static struct {
  CUmodule module;
  char *name;
} functions[MOST_FUNCTIONS];
static int function_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static size_t end_of(const Elf64_Ehdr *header) {
  size_t end = header->e_shoff + header->e_shnum * sizeof(Elf64_Shdr);
  const size_t programs = header->e_phoff + header->e_phnum * sizeof(Elf64_Phdr);
  const Elf64_Shdr *sections = (const Elf64_Shdr *)((const char *)header + header->e_shoff);
  for (unsigned i = 0; i < header->e_shnum; i++)
    if (sections[i].sh_type != SHT_NOBITS && sections[i].sh_offset + sections[i].sh_size > end)
      end = sections[i].sh_offset + sections[i].sh_size;
  return end > programs ? end : programs;
}

/* Says which form of code the program or gasan has loaded. */
static void note(const void *image) {
  void (*loaded)(const char *) = (void (*)(const char *))dlsym(RTLD_DEFAULT, "fake_loaded");
  if (loaded)
    loaded(!memcmp(image, ELFMAG, SELFMAG)
               ? memmem(image, end_of(image), "__gasan_params", 14) ? "checked cubin" : "cubin"
           : !memcmp(image, "\x50\xed\x55\xba", 4) ? "container"
           : !memcmp(image, "\xb1\x43\x62\x46", 4) ? "wrapper"
                                                   : "text");
}

/* The public functions' names may be gasan's. */
static CUresult load(CUmodule *module, const void *image) {
  const int *refuses = dlsym(RTLD_DEFAULT, "fake_refuses_cubins");
  *module = &other;
  note(image);
  if (memcmp(image, ELFMAG, SELFMAG) != 0)
    return CUDA_SUCCESS;
  if (refuses && *refuses)
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  const size_t size = end_of(image);
  *module = malloc(sizeof **module);
  (*module)->image = memcpy(malloc(size), image, size);
  return CUDA_SUCCESS;
}
CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  return load(module, image);
}
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, CUjit_option *options, void **values) {
  return load(module, image);
}
CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image) {
  return load(module, image);
}
CUresult cuModuleLoad(CUmodule *module, const char *name) {
  void (*loaded)(const char *) = (void (*)(const char *))dlsym(RTLD_DEFAULT, "fake_loaded");
  *module = &other;
  if (loaded)
    loaded("file");
  return CUDA_SUCCESS;
}
static CUresult unload(CUmodule module) {
  pthread_mutex_lock(&lock);
  for (int i = 0; i < function_count; i++)
    if (functions[i].module == module)
      functions[i].module = NULL;
  pthread_mutex_unlock(&lock);
  return CUDA_SUCCESS;
}
CUresult cuModuleUnload(CUmodule module) {
  return unload(module);
}
/* A library is its module, and a kernel its function. */
CUresult cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *options, void **values, unsigned count,
                           CUlibraryOption *library_options, void **library_values, unsigned library_count) {
  return load((CUmodule *)library, image);
}
CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *name, CUjit_option *options, void **values,
                               unsigned count, CUlibraryOption *library_options, void **library_values,
                               unsigned library_count) {
  void (*loaded)(const char *) = (void (*)(const char *))dlsym(RTLD_DEFAULT, "fake_loaded");
  *library = (CUlibrary)&other;
  if (loaded)
    loaded("file");
  return CUDA_SUCCESS;
}
CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library) {
  *module = (CUmodule)library;
  return CUDA_SUCCESS;
}
CUresult cuLibraryUnload(CUlibrary library) {
  return unload((CUmodule)library);
}

/* Returns a variable of a cubin, or the offset of a function in its section. */
static const Elf64_Sym *find_symbol(const struct CUmod_st *module, const char *name, unsigned char type) {
  const Elf64_Ehdr *header = (const Elf64_Ehdr *)module->image;
  const Elf64_Shdr *sections = (const Elf64_Shdr *)(module->image + header->e_shoff);
  for (unsigned i = 0; i < header->e_shnum; i++) {
    if (sections[i].sh_type != SHT_SYMTAB)
      continue;
    const Elf64_Sym *symbols = (const Elf64_Sym *)(module->image + sections[i].sh_offset);
    const char *names = module->image + sections[sections[i].sh_link].sh_offset;
    for (size_t k = 0; k < sections[i].sh_size / sizeof *symbols; k++)
      if ((ELF64_ST_TYPE(symbols[k].st_info) == type ||
           (type == STT_OBJECT && ELF64_ST_TYPE(symbols[k].st_info) == OBJECT_TO_LINK)) &&
          !strcmp(names + symbols[k].st_name, name))
        return &symbols[k];
  }
  return NULL;
}

static CUresult get_function(CUfunction *function, CUmodule module, const char *name) {
  const bool known = module->image ? find_symbol(module, name, STT_FUNC) != NULL
                                   : !strncmp(name, "gasan_canary_check", 18) || dlsym(RTLD_DEFAULT, "fake_loaded");
  *function = NULL;
  pthread_mutex_lock(&lock);
  for (int i = 0; known && i < function_count; i++)
    if (functions[i].module == module && !strcmp(functions[i].name, name))
      *function = (CUfunction)functions[i].name;
  if (known && !*function && function_count < MOST_FUNCTIONS) {
    functions[function_count].module = module;
    functions[function_count].name = strdup(name);
    *function = (CUfunction)functions[function_count++].name;
  }
  pthread_mutex_unlock(&lock);
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  return get_function(function, module, name);
}
CUresult cuFuncGetModule(CUmodule *module, CUfunction function) {
  *module = &other;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < function_count; i++)
    if (functions[i].name == (char *)function && functions[i].module)
      *module = functions[i].module;
  pthread_mutex_unlock(&lock);
  return CUDA_SUCCESS;
}
CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel) {
  *library = (CUlibrary)&other;
  return kernel ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
/* The kernels of other images are the program's fake_kernel, if it has one. */
CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name) {
  void *(*find)(const char *) = (void *(*)(const char *))dlsym(RTLD_DEFAULT, "fake_kernel");
  if (((CUmodule)library)->image || !find)
    return get_function((CUfunction *)kernel, (CUmodule)library, name);
  *kernel = find(name);
  return *kernel ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel) {
  *function = (CUfunction)kernel;
  return kernel ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
/* fake_most_threads limits the kernels' blocks. */
CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
  int (*most)(const void *) = (int (*)(const void *))dlsym(RTLD_DEFAULT, "fake_most_threads");
  *value = most && attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? most(function) : 0;
  return CUDA_SUCCESS;
}
CUresult cuModuleGetGlobal_v2(CUdeviceptr *pointer, size_t *size, CUmodule module, const char *name) {
  void *(*global)(const char *, size_t *) = (void *(*)(const char *, size_t *))dlsym(RTLD_DEFAULT, "fake_global");
  void *address = NULL;
  if (module->image) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)module->image;
    const Elf64_Sym *symbol = find_symbol(module, name, STT_OBJECT);
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(module->image + header->e_shoff);
    if (symbol) {
      address = module->image + sections[symbol->st_shndx].sh_offset + symbol->st_value;
      *size = symbol->st_size;
    }
  } else if (global) {
    address = global(name, size);
  }
  *pointer = (uintptr_t)address;
  return address ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

/* The kernels of a cubin. Other images have the program's kernel `fill`. */
static unsigned list_kernels(CUmodule module, CUfunction *list, unsigned most) {
  const Elf64_Ehdr *header = (const Elf64_Ehdr *)module->image;
  const Elf64_Shdr *sections = header ? (const Elf64_Shdr *)(module->image + header->e_shoff) : NULL;
  unsigned count = 0;
  for (unsigned i = 0; header && i < header->e_shnum; i++) {
    const Elf64_Sym *symbols = (const Elf64_Sym *)(module->image + sections[i].sh_offset);
    for (size_t k = 0; sections[i].sh_type == SHT_SYMTAB && k < sections[i].sh_size / sizeof *symbols; k++)
      if (ELF64_ST_TYPE(symbols[k].st_info) == STT_FUNC && symbols[k].st_other & 0x10 && count++ < most)
        get_function(&list[count - 1], module,
                     module->image + sections[sections[i].sh_link].sh_offset + symbols[k].st_name);
  }
  if (!header && count++ < most)
    get_function(list, module, "fill");
  return count;
}
CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule module) {
  *count = list_kernels(module, NULL, 0);
  return CUDA_SUCCESS;
}
CUresult cuModuleEnumerateFunctions(CUfunction *list, unsigned most, CUmodule module) {
  list_kernels(module, list, most);
  return CUDA_SUCCESS;
}
CUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary library) {
  *count = list_kernels((CUmodule)library, NULL, 0);
  return CUDA_SUCCESS;
}
CUresult cuLibraryEnumerateKernels(CUkernel *list, unsigned most, CUlibrary library) {
  list_kernels((CUmodule)library, (CUfunction *)list, most);
  return CUDA_SUCCESS;
}

/* Links: the last object is the result. */
static struct {
  void *object;
  size_t size;
} linked;
CUresult cuLinkCreate_v2(unsigned count, CUjit_option *options, void **values, CUlinkState *state) {
  *state = (CUlinkState)&linked;
  return CUDA_SUCCESS;
}
static CUresult add_to_link(CUjitInputType type, const void *data, size_t size) {
  static const char *const words[] = {"linked object", "linked text", "linked container"};
  void (*loaded)(const char *) = (void (*)(const char *))dlsym(RTLD_DEFAULT, "fake_loaded");
  if (loaded)
    loaded(type <= CU_JIT_INPUT_FATBINARY ? words[type] : "another linked input");
  const int *refuses = dlsym(RTLD_DEFAULT, "fake_refuses_cubins");
  if (type == CU_JIT_INPUT_CUBIN && refuses && *refuses)
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  linked.object = memcpy(calloc(1, size + 1), data, size);
  linked.size = size;
  return CUDA_SUCCESS;
}
CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name,
                          unsigned count, CUjit_option *options, void **values) {
  return add_to_link(type, data, size);
}
CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path, unsigned count,
                          CUjit_option *options, void **values) {
  return add_to_link(type, path, strlen(path));
}
CUresult cuLinkComplete(CUlinkState state, void **object, size_t *size) {
  *object = linked.object;
  *size = linked.size;
  return linked.object ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuLinkDestroy(CUlinkState state) {
  return CUDA_SUCCESS;
}
