/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* dl_iterate_phdr, dladdr, RTLD_DEFAULT */
#include "gasan_rt/core/rebind.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gasan_rt/core/warn.h"

/* The parts of a loaded object that name the functions of other objects. */
struct object {
  uintptr_t inside; /* an address in the object */
  uintptr_t base;
  const ElfW(Dyn) * dynamic;
  const ElfW(Sym) * symbols;
  const char *strings;
  uintptr_t relro, relro_end; /* pages that the loader has made read-only */
};

static bool contains(const struct dl_phdr_info *info, uintptr_t address) {
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_LOAD &&
        address - (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr) < info->dlpi_phdr[i].p_memsz)
      return true;
  return false;
}

static int look_at_object(struct dl_phdr_info *info, size_t size, void *context) {
  struct object *object = context;
  (void)size;
  if (!contains(info, object->inside))
    return 0;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  object->base = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
      object->dynamic = (const ElfW(Dyn) *)start;
    if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO) {
      object->relro = start & ~(page - 1);
      object->relro_end = (start + info->dlpi_phdr[i].p_memsz) & ~(page - 1);
    }
  }
  return 1;
}

static uintptr_t value_of(const struct object *object, ElfW(Sxword) tag) {
  for (const ElfW(Dyn) *entry = object->dynamic; entry->d_tag != DT_NULL; entry++)
    if (entry->d_tag == tag)
      return entry->d_un.d_val;
  return 0;
}

/* glibc has added the base to the addresses in the dynamic section. */
static bool find_object(const void *address, struct object *object) {
  *object = (struct object){.inside = (uintptr_t)address};
  if (!dl_iterate_phdr(look_at_object, object) || !object->dynamic)
    return false;
  object->symbols = (const ElfW(Sym) *)value_of(object, DT_SYMTAB);
  object->strings = (const char *)value_of(object, DT_STRTAB);
  return object->symbols && object->strings;
}

static const char *file_of(const void *address) {
  Dl_info info;
  if (!address || !dladdr(address, &info) || !info.dli_fname)
    return "";
  const char *slash = strrchr(info.dli_fname, '/');
  return slash ? slash + 1 : info.dli_fname;
}

static bool is_of_cuda(const void *function) {
  const char *file = file_of(function);
  return strncmp(file, "libcudart.so", 12) == 0 || strncmp(file, "libcuda.so", 10) == 0;
}

static const void *base_of(const void *address) {
  Dl_info info;
  return address && dladdr(address, &info) ? info.dli_fbase : NULL;
}

static bool is_own_name(const char *name) {
  return strncmp(name, "gasan_cpu_", 10) == 0;
}

/* Returns this library's function of the name, or NULL. */
static void *own_function(void *own, const char *name) {
  if (strncmp(name, "cu", 2) != 0 && strncmp(name, "__cuda", 6) != 0 && !is_own_name(name))
    return NULL;
  void *function = dlsym(own, name);
  return base_of(function) == base_of((const void *)(uintptr_t)gasan_rt_rebind) ? function : NULL;
}

/* A slot that the loader fills at the first call has an address in its own object until then. */
static bool leads_to_cuda(const struct object *object, const void *target, const char *name) {
  Dl_info info;
  if (dladdr(target, &info) && (uintptr_t)info.dli_fbase == object->base)
    target = dlsym(RTLD_DEFAULT, name);
  return is_of_cuda(target);
}

static void store(const struct object *object, void **slot, void *function) {
  const uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE), page = (uintptr_t)slot & ~(size - 1);
  const bool is_read_only = page >= object->relro && page < object->relro_end;
  if (is_read_only && mprotect((void *)page, size, PROT_READ | PROT_WRITE)) {
    gasan_rt_warn("kernels of %s are not checked: its calls of CUDA cannot be changed; start the program with "
                  "libgasan_rt.so in LD_PRELOAD",
                  file_of((const void *)object->inside));
    return;
  }
  __atomic_store_n(slot, function, __ATOMIC_RELEASE);
  if (is_read_only)
    mprotect((void *)page, size, PROT_READ);
}

/* Returns true if the table has the function that registers device code, and it is this library's now. */
static bool rebind_table(const struct object *object, void *own, uintptr_t table, uintptr_t size) {
  bool registers = false;
  const ElfW(Rela) *entries = (const ElfW(Rela) *)table;
  for (size_t i = 0; table && i < size / sizeof *entries; i++) {
    const uint32_t type = ELF64_R_TYPE(entries[i].r_info);
    const ElfW(Sym) *symbol = &object->symbols[ELF64_R_SYM(entries[i].r_info)];
    if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT && type != R_X86_64_64) ||
        symbol->st_shndx != SHN_UNDEF || entries[i].r_addend)
      continue;
    const char *name = object->strings + symbol->st_name;
    void **slot = (void **)(object->base + entries[i].r_offset), *function = own_function(own, name);
    if (function && *slot != function && (is_own_name(name) || leads_to_cuda(object, *slot, name)))
      store(object, slot, function);
    registers |= function && *slot == function && strcmp(name, "__cudaRegisterFatBinary") == 0;
  }
  return registers;
}

bool gasan_rt_rebind(const void *address_in_object) {
  struct object object;
  Dl_info self;
  if (!find_object(address_in_object, &object) || !dladdr((const void *)(uintptr_t)gasan_rt_rebind, &self))
    return false;
  void *own = dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (!own)
    return false;
  const bool called = rebind_table(&object, own, value_of(&object, DT_JMPREL), value_of(&object, DT_PLTRELSZ));
  const bool stored = rebind_table(&object, own, value_of(&object, DT_RELA), value_of(&object, DT_RELASZ));
  dlclose(own);
  return called || stored;
}
