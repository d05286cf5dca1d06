/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/registry.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/map.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/launch/device_registration.h"
#include "gasan_rt/launch/stack_limit.h"
#include "gasan_rt/launch/view_table.h"
#include "gasan_rt/memory/device_heap.h"
#include "gasan_rt/memory/device_memory.h"
#include "gasan_rt/memory/foreign.h"
#include "gasan_rt/memory/managed_variables.h"
#include "gasan_rt/report/site_table.h"
#include "gasan_rt/sanitizer/sanitizer.h"
#include "proof/proof.h"

struct symbol {
  struct gasan_symbol values;
  struct symbol *next;
};

/* The program's handle is a struct gasan_module *; the device's own is `real`. */
struct gasan_module {
  void *wrapper;
  uint32_t id;
  bool ended;
  bool by_driver; /* the program has loaded it by the driver API */
  void **real;    /* the device's handle; of a module by_driver, its CUmodule */
  struct symbol *symbols, **symbols_end;
  struct gasan_kernel *kernels;
  _Atomic int prepared[GASAN_RT_DEVICES]; /* 0: not yet; 1: the module has checks; -1: it has none */
  struct gasan_sites *_Atomic sites;
  struct gasan_proofs *proofs;
  bool proofs_read;
  struct gasan_module *next;
};

struct registered_kernel {
  struct gasan_kernel kernel;
  struct gasan_kernel_proof *_Atomic kernel_proof;
  struct gasan_map_entry by_host_function;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for registrations and the preparation of modules */
static struct gasan_module *modules, **modules_end = &modules;
static uint32_t module_count;
GASAN_MAP(kernels, 12);                           /* read without the lock; entries are never freed */
static const struct gasan_device_kind *live_kind; /* set by the replay; later registrations go to the device at once */

static void *allocate(size_t size) {
  void *memory = calloc(1, size);
  GASAN_CHECK(memory);
  return memory;
}

static void hand_over(struct gasan_module *module) {
  module->real = gasan_device_register_module(live_kind, module->wrapper);
  for (const struct symbol *s = module->symbols; s; s = s->next)
    gasan_device_register_symbol(live_kind, module->real, &s->values);
  if (module->ended)
    gasan_device_end_module(live_kind, module->real);
}

void gasan_registry_replay(const struct gasan_device_kind *kind) {
  pthread_mutex_lock(&lock);
  live_kind = kind;
  for (struct gasan_module *module = modules; module; module = module->next)
    if (!module->by_driver)
      hand_over(module);
  pthread_mutex_unlock(&lock);
}

struct gasan_module *gasan_registry_add_loaded(void *handle) {
  pthread_mutex_lock(&lock);
  struct gasan_module *module = modules;
  while (module && !(module->by_driver && (void *)module->real == handle))
    module = module->next;
  if (!module) {
    module = allocate(sizeof *module);
    *module = (struct gasan_module){.id = ++module_count, .by_driver = true, .real = handle};
    module->symbols_end = &module->symbols;
    *modules_end = module;
    modules_end = &module->next;
  }
  pthread_mutex_unlock(&lock);
  return module;
}

struct gasan_module *gasan_registry_loaded(const void *handle) {
  pthread_mutex_lock(&lock);
  struct gasan_module *module = modules;
  while (module && !(module->by_driver && (const void *)module->real == handle))
    module = module->next;
  pthread_mutex_unlock(&lock);
  return module;
}

bool gasan_module_is_by_driver(const struct gasan_module *module) {
  return module->by_driver;
}

static void add_symbol(struct gasan_module *module, struct gasan_symbol values) {
  struct symbol *symbol = allocate(sizeof *symbol);
  symbol->values = values;
  *module->symbols_end = symbol;
  module->symbols_end = &symbol->next;
  if (live_kind)
    gasan_device_register_symbol(live_kind, module->real, &values);
}

struct gasan_module *gasan_registry_add(void *wrapper) {
  struct gasan_module *module = allocate(sizeof *module);
  module->wrapper = wrapper;
  module->symbols_end = &module->symbols;
  pthread_mutex_lock(&lock);
  module->id = ++module_count;
  *modules_end = module;
  modules_end = &module->next;
  bool live = live_kind != NULL;
  if (live)
    hand_over(module);
  pthread_mutex_unlock(&lock);
  /* A library was loaded after the start. */
  if (live)
    gasan_rt_check_images();
  return module;
}

const char *gasan_registry_variable(const void *host) {
  const char *name = NULL;
  pthread_mutex_lock(&lock);
  for (const struct gasan_module *module = modules; module && !name; module = module->next)
    for (const struct symbol *s = module->symbols; s && !name; s = s->next)
      if (s->values.kind == GASAN_SYMBOL_VARIABLE && s->values.host == host)
        name = s->values.name;
  pthread_mutex_unlock(&lock);
  return name;
}

void gasan_registry_end(struct gasan_module *module) {
  pthread_mutex_lock(&lock);
  module->ended = true;
  if (live_kind)
    gasan_device_end_module(live_kind, module->real);
  pthread_mutex_unlock(&lock);
}

/* Removes the module's kernels. After the module's library is unloaded, its host functions are no kernels, and another
 * library may get their addresses. */
static void forget_kernels(struct gasan_module *module) {
  for (struct gasan_kernel *kernel = module->kernels; kernel; kernel = kernel->next_in_module)
    ((struct registered_kernel *)kernel)->kernel.host_function = NULL;
}

static void forget_symbols(struct gasan_module *module) {
  while (module->symbols) {
    struct symbol *next = module->symbols->next;
    free(module->symbols);
    module->symbols = next;
  }
  module->symbols_end = &module->symbols;
}

bool gasan_module_is_loaded(const struct gasan_module *module) {
  return module->real != NULL;
}

bool gasan_module_is_instrumented_on(const struct gasan_module *module, int ordinal) {
  return atomic_load(&module->prepared[ordinal]) > 0;
}

void gasan_registry_remove(struct gasan_module *module) {
  gasan_managed_remove(module);
  /* The records do not name their module, so all are removed. Records of other modules are added again when the program
   * requests the address. */
  gasan_foreign_forget(GASAN_FOREIGN_VARIABLE);
  pthread_mutex_lock(&lock);
  forget_kernels(module);
  forget_symbols(module);
  if (live_kind && module->real && !module->by_driver)
    gasan_device_unregister_module(live_kind, module->real);
  module->real = NULL;
  module->ended = false;
  for (struct gasan_module **link = &modules; *link; link = &(*link)->next)
    if (*link == module && !live_kind) {
      *link = module->next;
      if (modules_end == &module->next)
        modules_end = link;
      break;
    }
  pthread_mutex_unlock(&lock);
}

void gasan_registry_add_kernel(struct gasan_module *module, const char *host, char *device, const char *name,
                               int thread_limit) {
  struct registered_kernel *entry = allocate(sizeof *entry);
  pthread_mutex_lock(&lock);
  char *kept = strdup(name); /* the program may unload the library with the name */
  GASAN_CHECK(kept);
  entry->kernel =
      (struct gasan_kernel){.host_function = host, .name = kept, .module = module, .next_in_module = module->kernels};
  module->kernels = &entry->kernel;
  if (!module->by_driver)
    add_symbol(module, (struct gasan_symbol){.kind = GASAN_SYMBOL_FUNCTION,
                                             .host = (void *)(uintptr_t)host,
                                             .device = device,
                                             .name = name,
                                             .thread_limit = thread_limit});
  gasan_map_insert(&kernels, &entry->by_host_function, (uint64_t)(uintptr_t)host);
  pthread_mutex_unlock(&lock);
}

void gasan_registry_add_variable(struct gasan_module *module, char *host, char *device, const char *name, int external,
                                 size_t size, int constant, int global) {
  gasan_managed_add(module, module->wrapper, host, name, size);
  pthread_mutex_lock(&lock);
  add_symbol(module, (struct gasan_symbol){.kind = GASAN_SYMBOL_VARIABLE,
                                           .host = host,
                                           .device = device,
                                           .name = name,
                                           .external = external,
                                           .constant = constant,
                                           .global = global,
                                           .size = size});
  pthread_mutex_unlock(&lock);
}

void gasan_registry_add_managed(struct gasan_module *module, void **host, char *device, const char *name, size_t size) {
  pthread_mutex_lock(&lock);
  add_symbol(module, (struct gasan_symbol){
                         .kind = GASAN_SYMBOL_MANAGED, .host = host, .device = device, .name = name, .size = size});
  pthread_mutex_unlock(&lock);
}

void gasan_registry_add_host(struct gasan_module *module, const char *name, void *host, size_t size) {
  pthread_mutex_lock(&lock);
  add_symbol(module, (struct gasan_symbol){.kind = GASAN_SYMBOL_HOST, .host = host, .name = name, .size = size});
  pthread_mutex_unlock(&lock);
}

char gasan_registry_init(struct gasan_module *module) {
  return gasan_device_init_module(module->real);
}

const struct gasan_kernel *gasan_registry_kernel(const void *host_function) {
  struct gasan_map_entry *entry = gasan_map_find(&kernels, (uint64_t)(uintptr_t)host_function);
  for (; entry; entry = gasan_map_find_next(entry)) {
    const struct gasan_kernel *kernel = &GASAN_MAP_OWNER(entry, struct registered_kernel, by_host_function)->kernel;
    if (kernel->host_function == host_function) /* its module is still loaded */
      return kernel;
  }
  return NULL;
}

uint32_t gasan_module_id(const struct gasan_module *module) {
  return module->id;
}

static struct gasan_status find_symbol(const struct gasan_kernel *kernel, struct gasan_device *device, const char *name,
                                       uint64_t *address, uint64_t *size) {
  const struct gasan_device_kind *kind = device->kind;
  return (kernel->module->by_driver ? kind->function_symbol : kind->symbol)(device, kernel->host_function, name,
                                                                            address, size);
}

/* Reads the parameters of the kernel's image. ERR_NOT_FOUND: the image has no checks. ERR_INVALID: another version of
 * gasan compiled the image. */
static struct gasan_status read_params(const struct gasan_kernel *kernel, struct gasan_device *device,
                                       uint64_t *address, struct gasan_params *params) {
  uint64_t size = 0;
  struct gasan_status status = find_symbol(kernel, device, GASAN_PARAMS_SYMBOL, address, &size);
  if (gasan_ok(status) && size == sizeof *params)
    status = device->kind->read(device, params, *address, sizeof *params);
  if (gasan_ok(status) && (size != sizeof *params || params->abi_version != GASAN_ABI_VERSION))
    return gasan_status_make(GASAN_ERR_INVALID);
  return status;
}

bool gasan_registry_takes_handles(struct gasan_device *device) {
  bool any = false, all = true;
  pthread_mutex_lock(&lock);
  for (struct gasan_module *module = modules; module; module = module->next) {
    struct gasan_params params;
    uint64_t address;
    if (!module->kernels || !module->kernels->host_function ||
        !gasan_ok(read_params(module->kernels, device, &address, &params)))
      continue;
    any = true;
    all &= params.code == GASAN_CODE_HANDLES;
  }
  pthread_mutex_unlock(&lock);
  return any && all;
}

/* Writes a member of the device's parameters to all prepared modules. */
static void upload_member(struct gasan_rt_device *state, size_t offset, size_t member_size) {
  const struct gasan_device_kind *kind = state->device->kind;
  for (struct gasan_module *module = modules; module; module = module->next) {
    uint64_t address, size;
    if (module->real && atomic_load(&module->prepared[state->device->ordinal]) > 0 && module->kernels &&
        gasan_ok(find_symbol(module->kernels, state->device, GASAN_PARAMS_SYMBOL, &address, &size)))
      kind->write(state->device, address + offset, (const char *)&state->params + offset, member_size);
  }
}

/* The heap is created for the first module that allocates, but other modules may get pointers into it. */
static void upload_heap_address(struct gasan_rt_device *state) {
  upload_member(state, offsetof(struct gasan_params, heap), sizeof state->params.heap);
}

void gasan_registry_note_dead_texture(struct gasan_rt_device *state) {
  pthread_mutex_lock(&lock);
  if (!state->params.dead_textures) {
    state->params.dead_textures = 1;
    upload_member(state, offsetof(struct gasan_params, dead_textures), sizeof state->params.dead_textures);
  }
  pthread_mutex_unlock(&lock);
}

void gasan_registry_resize_heap(struct gasan_rt_device *state) {
  pthread_mutex_lock(&lock);
  uint64_t old = state->params.heap;
  if (gasan_heap_resize(state)) {
    upload_heap_address(state);
    state->device->kind->plain_free(state->device, old);
  }
  pthread_mutex_unlock(&lock);
}

/* Returns a copy of a variable of the kernel's image, which the caller frees. NULL: the image has no such variable, or
 * it cannot be read. */
static void *read_variable(const struct gasan_kernel *kernel, struct gasan_rt_device *state, const char *name,
                           uint64_t *size) {
  const struct gasan_device_kind *kind = state->device->kind;
  uint64_t address = 0;
  if (!kernel || !kernel->module->real || !gasan_ok(find_symbol(kernel, state->device, name, &address, size)))
    return NULL;
  void *blob = malloc(*size ? *size : 1);
  GASAN_CHECK(blob);
  if (gasan_ok(kind->read(state->device, blob, address, *size)))
    return blob;
  free(blob);
  return NULL;
}

static struct gasan_sites *read_sites(const struct gasan_module *module, struct gasan_rt_device *state) {
  uint64_t size = 0;
  void *blob = read_variable(module->kernels, state, GASAN_SITES_SYMBOL, &size);
  struct gasan_sites *sites = blob ? gasan_sites_parse(blob, size) : NULL;
  free(blob);
  return sites;
}

/* Must be called with the lock. */
static const struct gasan_sites *sites_of(struct gasan_module *module, struct gasan_rt_device *state) {
  struct gasan_sites *sites = atomic_load(&module->sites);
  if (!sites) {
    sites = read_sites(module, state);
    atomic_store(&module->sites, sites);
  }
  return sites;
}

static void note_stacks(struct gasan_module *module, struct gasan_rt_device *state) {
  const struct gasan_sites *sites = sites_of(module, state);
  for (struct gasan_kernel *kernel = sites ? module->kernels : NULL; kernel; kernel = kernel->next_in_module)
    atomic_store(&kernel->unknown_stack, gasan_sites_kernel_flags(sites, kernel->name) & GASAN_KERNEL_UNKNOWN_STACK);
}

struct gasan_kernel_title gasan_kernel_title(const struct gasan_kernel *kernel) {
  struct gasan_kernel_title title;
  gasan_demangle(kernel->name, title.text, sizeof title.text);
  return title;
}

static void warn_unrecoverable(const struct gasan_kernel *kernel) {
  static atomic_bool warned;
  if (!atomic_exchange(&warned, true))
    gasan_rt_warn("GASAN_OPTIONS=on_error=continue has no effect on kernel %s, whose threads end at their first error; "
                  "compile it with -fsanitize-gpu-address-recover",
                  gasan_kernel_title(kernel).text);
}

/* Returns 1: done; -1: the module has no checks; 0: it failed, and the next launch tries again. */
static int upload_params(const struct gasan_kernel *kernel, struct gasan_rt_device *state) {
  const struct gasan_device_kind *kind = state->device->kind;
  uint64_t address = 0;
  struct gasan_params params = {0};
  struct gasan_status status = read_params(kernel, state->device, &address, &params);
  if (status.code == GASAN_ERR_NOT_FOUND)
    return -1;
  if (status.code == GASAN_ERR_INVALID) {
    gasan_rt_warn("kernel %s was compiled by another version of gasan: it is not checked; compile it again",
                  gasan_kernel_title(kernel).text);
    return -1;
  }
  uint32_t code = params.code, own_flags = params.flags & GASAN_FLAGS_OF_IMAGE;
  if (gasan_ok(status) && own_flags & GASAN_FLAG_HEAP && gasan_heap_create(state))
    upload_heap_address(state);
  if (gasan_ok(status) && own_flags & GASAN_FLAG_VIEWS)
    gasan_view_table_open(state);
  if (gasan_ok(status) && gasan_on_error_continues() && !(own_flags & GASAN_FLAG_RECOVER))
    warn_unrecoverable(kernel);
  if (gasan_ok(status) && code == GASAN_CODE_BST)
    /* Read the sites now: after the device has stopped a kernel, nothing can be read (device_error.c). */
    sites_of(kernel->module, state);
  if (gasan_ok(status) && own_flags & GASAN_FLAG_UNKNOWN_STACK && kind->set_stack_limit)
    note_stacks(kernel->module, state);
  if (gasan_ok(status) && code != GASAN_CODE_HANDLES && state->params.handle_table)
    gasan_rt_fatal(
        "kernel %s uses pointers as addresses, but with GASAN_OPTIONS=pool=handles they are handles: compile and link "
        "the program with -fsanitize-gpu-address-pool=handles",
        gasan_kernel_title(kernel).text);
  if (gasan_ok(status) && state->pool && !state->params.handle_table &&
      !(code == GASAN_CODE_BST ? state->tables || gasan_device_memory_add_tables(state) : state->shadow)) {
    gasan_rt_warn("kernel %s is not checked: its library was compiled with -fsanitize-gpu-address-mode=%s, and loaded "
                  "after the first CUDA call of a program of the other mode; compile both with the same mode",
                  gasan_kernel_title(kernel).text, code == GASAN_CODE_BST ? "bst" : "shadow");
    return -1;
  }
  params = state->params;
  params.code = code;
  params.flags |= own_flags;
  params.module_id = kernel->module->id;
  if (gasan_ok(status))
    status = kind->write(state->device, address, &params, sizeof params);
  /* No message for a failed device: it launches nothing, and the launch returns its error. */
  if (!gasan_ok(status) && status.code != GASAN_ERR_DEVICE)
    gasan_rt_warn("kernel %s is not checked in this launch: its image cannot be prepared (%s, driver error %d)",
                  gasan_kernel_title(kernel).text, gasan_status_text(status), status.driver_error);
  return gasan_ok(status);
}

static bool prepare_module(const struct gasan_kernel *kernel, struct gasan_rt_device *state) {
  struct gasan_module *module = kernel->module;
  int ordinal = state->device->ordinal;
  int prepared = atomic_load_explicit(&module->prepared[ordinal], memory_order_acquire);
  if (prepared)
    return prepared > 0;
  pthread_mutex_lock(&lock);
  prepared = atomic_load(&module->prepared[ordinal]);
  if (!prepared) {
    gasan_managed_prepare(module, kernel->host_function, state);
    prepared = upload_params(kernel, state);
    atomic_store(&module->prepared[ordinal], prepared);
  }
  pthread_mutex_unlock(&lock);
  const struct gasan_sites *sites = NULL;
  if (prepared > 0 && (gasan_verbosity() >= 1 || gasan_options()->print_stats))
    sites = gasan_module_sites(module->id, state);
  if (prepared > 0 && gasan_verbosity() >= 1) {
    gasan_rt_warn("module %u: %u kernels and %u sites instrumented", module->id,
                  sites ? gasan_sites_kernel_count(sites) : 0, sites ? gasan_sites_count(sites) : 0);
  } else if (prepared < 0 && gasan_verbosity() >= 1) {
    gasan_rt_warn("module %u (kernel %s) is not instrumented: its accesses are not checked", module->id,
                  gasan_kernel_title(kernel).text);
  }
  return prepared > 0;
}

bool gasan_module_prepare(const struct gasan_kernel *kernel, struct gasan_rt_device *state) {
  bool instrumented = prepare_module(kernel, state);
  if (instrumented && atomic_load_explicit(&kernel->unknown_stack, memory_order_relaxed))
    gasan_stack_limit_raise(state);
  return instrumented;
}

static struct gasan_module *module_of(uint32_t id) {
  struct gasan_module *module = modules;
  while (module && module->id != id)
    module = module->next;
  return module;
}

struct gasan_proofs *gasan_module_proofs(const struct gasan_kernel *kernel, struct gasan_rt_device *state) {
  struct gasan_module *module = kernel->module;
  pthread_mutex_lock(&lock);
  if (!module->proofs_read) {
    uint64_t size = 0;
    char why[256];
    void *blob = read_variable(kernel, state, GASAN_PROOFS_SYMBOL, &size);
    module->proofs = blob ? gasan_proofs_parse(blob, size, why, sizeof why) : NULL;
    if (blob && !module->proofs)
      gasan_rt_warn(
          "the table of launch proofs in the module of kernel %s cannot be used, so its launches make all checks: "
          "%s; compile it again",
          gasan_kernel_title(kernel).text, why);
    free(blob);
    module->proofs_read = true;
  }
  pthread_mutex_unlock(&lock);
  return module->proofs;
}

struct gasan_kernel_proof *_Atomic *gasan_kernel_launch_proof(const struct gasan_kernel *kernel) {
  return &((struct registered_kernel *)(uintptr_t)kernel)->kernel_proof;
}

const struct gasan_sites *gasan_module_sites(uint32_t module_id, struct gasan_rt_device *state) {
  pthread_mutex_lock(&lock);
  struct gasan_module *module = module_of(module_id);
  const struct gasan_sites *sites = module ? sites_of(module, state) : NULL;
  pthread_mutex_unlock(&lock);
  return sites;
}

void gasan_registry_count(struct gasan_registry_counts *counts) {
  *counts = (struct gasan_registry_counts){0};
  pthread_mutex_lock(&lock);
  for (struct gasan_module *module = modules; module; module = module->next) {
    counts->modules++;
    for (int i = 0; i < GASAN_RT_DEVICES; i++)
      if (atomic_load(&module->prepared[i]) > 0) {
        counts->instrumented_modules++;
        break;
      }
    const struct gasan_sites *sites = atomic_load(&module->sites);
    counts->sites += sites ? gasan_sites_count(sites) : 0;
    counts->unchecked_accesses += sites ? gasan_sites_unchecked(sites) : 0;
    for (struct gasan_kernel *kernel = module->kernels; kernel; kernel = kernel->next_in_module)
      counts->kernels++;
  }
  pthread_mutex_unlock(&lock);
}
