/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
#include "device/cpu/images.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/abi.h"
#include "base/check.h"
#include "base/export.h"
#include "base/sites.h"
#include "device/cpu/cpu.h"

#define DEFAULT_ARCH 80

struct fat_binary_wrapper {
  int magic, version;
  const void *data;
  const void *unused;
};

struct fat_binary_header {
  uint32_t magic;
  uint16_t version, header_size;
  uint64_t size; /* bytes after the header */
};

struct gasan_cpu_module {
  const char *id; /* in the fat binary's trailer; NULL: there is none */
  const struct gasan_cpu_image *image;
  struct gasan_cpu_function *functions;
  bool complained;
};

/* A registered image. It disappears when its shared object is unloaded. `image` is read only by calls of the module
 * itself; all other members are copies. */
struct image_entry {
  char *id;
  const char *file;            /* never freed: struct gasan_cpu_checks points to it */
  uint32_t flags, scale, code; /* code: enum gasan_code, from the site table */
  const struct gasan_cpu_image *image;
};

struct variable_entry {
  const void *host;
  const char *name;
  struct gasan_cpu_module *module;
};

GASAN_MAP(functions, 10); /* of all modules, by host address; with registry.lock */

static struct {
  pthread_mutex_t lock;
  struct image_entry *images;
  uint32_t image_count, arch;
  struct variable_entry *variables;
  uint32_t variable_count;
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER, .arch = DEFAULT_ARCH};

/* Returns the memory. Ends the process without memory, because registration runs before main and cannot fail. */
static void *must_have(void *memory) {
  GASAN_CHECK(memory && "no memory to register device code");
  return memory;
}

static uint32_t code_of(const struct gasan_cpu_image *image) {
  for (uint32_t i = 0; i < image->variable_count; i++) {
    const struct gasan_cpu_variable *variable = &image->variables[i];
    if (strcmp(variable->name, GASAN_SITES_SYMBOL) == 0 && variable->size >= sizeof(struct gasan_site_table))
      return ((const struct gasan_site_table *)variable->address)->code;
  }
  return GASAN_CODE_WINDOW;
}

/* Ends the process before anything reads an image whose parts may have another layout. */
static void refuse(const struct gasan_cpu_image *image) {
  Dl_info where;
  fprintf(stderr,
          "gasan: ERROR: %s was compiled by another version of gasan (%u) than this libgasan_rt.so (%u); compile it "
          "again, or run it with its own version\n",
          dladdr(image, &where) && where.dli_fname ? where.dli_fname : "the program", image->abi_version,
          GASAN_ABI_VERSION);
  _exit(1);
}

static bool (*image_seen)(const void *image);

void gasan_cpu_set_image_seen(bool (*seen)(const void *image)) {
  image_seen = seen;
}

GASAN_EXPORT void gasan_cpu_register_image(const struct gasan_cpu_image *image) {
  GASAN_CHECK(image->magic == GASAN_CPU_IMAGE_MAGIC);
  if (image->abi_version != GASAN_ABI_VERSION)
    refuse(image);
  if (image_seen)
    (void)image_seen(image);
  /* Call dladdr before locking: it takes the dynamic linker's lock, which a constructor's thread already holds. */
  Dl_info where;
  const char *file = dladdr(image, &where) && where.dli_fname ? where.dli_fname : "";
  pthread_mutex_lock(&registry.lock);
  if (image->arch) /* 0 for an image without functions */
    registry.arch = image->arch;
  uint32_t i = 0;
  while (i < registry.image_count && strcmp(registry.images[i].id, image->id) != 0)
    i++;
  if (i == registry.image_count) {
    registry.images = must_have(realloc(registry.images, (i + 1) * sizeof *registry.images));
    registry.images[i].id = must_have(strdup(image->id));
    registry.images[i].file = must_have(strdup(file));
    registry.image_count++;
  }
  registry.images[i].flags = image->flags;
  registry.images[i].scale = image->shadow_scale;
  registry.images[i].code = code_of(image);
  registry.images[i].image = image; /* loading a shared object again replaces its image */
  pthread_mutex_unlock(&registry.lock);
}

GASAN_EXPORT bool gasan_cpu_adopt_image(const struct gasan_cpu_image *image) {
  if (!image_seen || !image_seen(image))
    return false;
  gasan_cpu_register_image(image);
  return true;
}

static bool some_image_has(uint32_t flag) {
  bool found = false;
  pthread_mutex_lock(&registry.lock);
  for (uint32_t i = 0; i < registry.image_count && !found; i++)
    found = registry.images[i].flags & flag;
  pthread_mutex_unlock(&registry.lock);
  return found;
}

bool gasan_cpu_host_checks(void) {
  return some_image_has(GASAN_CPU_IMAGE_HOST_CHECKS);
}

bool gasan_cpu_only(void) {
  return some_image_has(GASAN_CPU_IMAGE_ONLY_CPU);
}

/* Returns the value of an option with which an image's checks were compiled. NULL: the option does not affect these
 * checks. */
static const char *granule_of(const struct image_entry *entry) {
  static const char *const granules[] = {[3] = "8", [7] = "128", [8] = "256"};
  return entry->scale < sizeof granules / sizeof *granules ? granules[entry->scale] : NULL;
}

static const char *tags_of(const struct image_entry *entry) {
  if (entry->flags & GASAN_CPU_IMAGE_TAGS)
    return "on";
  return entry->scale || entry->code == GASAN_CODE_BST ? "off" : NULL;
}

/* Returns the first image that has a value of the option (NULL: none). If two images differ, names them in *checks.
 * Must be called with the lock. */
static const struct image_entry *compare_images(const char *option,
                                                const char *(*value_of)(const struct image_entry *entry),
                                                struct gasan_cpu_checks *checks) {
  const struct image_entry *first = NULL;
  for (uint32_t i = 0; i < registry.image_count && !checks->option; i++) {
    const struct image_entry *entry = &registry.images[i];
    if (!value_of(entry))
      continue;
    if (!first)
      first = entry;
    else if (strcmp(value_of(entry), value_of(first)) != 0)
      *checks = (struct gasan_cpu_checks){.option = option,
                                          .file = first->file,
                                          .value = value_of(first),
                                          .other_file = entry->file,
                                          .other_value = value_of(entry)};
  }
  return first;
}

bool gasan_cpu_images_agree(struct gasan_cpu_checks *checks) {
  *checks = (struct gasan_cpu_checks){0};
  pthread_mutex_lock(&registry.lock);
  const struct image_entry *shadow = compare_images("granule", granule_of, checks);
  const struct image_entry *checked = compare_images("tags", tags_of, checks);
  for (uint32_t i = 0; i < registry.image_count; i++)
    checks->bounds |= registry.images[i].code == GASAN_CODE_BST;
  checks->scale = shadow ? shadow->scale : 0;
  checks->tags = checked && checked->flags & GASAN_CPU_IMAGE_TAGS;
  pthread_mutex_unlock(&registry.lock);
  return !checks->option;
}

uint32_t gasan_cpu_images_arch(void) {
  pthread_mutex_lock(&registry.lock);
  uint32_t arch = registry.arch;
  pthread_mutex_unlock(&registry.lock);
  return arch;
}

/* Returns true if 8 bytes can be read. Uses a system call for which Linux reads the set before it examines the
 * (invalid) first argument. */
static bool readable(const void *address) {
  return !(syscall(SYS_rt_sigprocmask, ~0, address, NULL, 8) != 0 && errno == EFAULT);
}

/* Returns the id after the fat binary's bytes. A fat binary without a trailer may end with its segment, so the bytes
 * after it may not be readable. */
static const char *find_id(const void *data) {
  const struct fat_binary_header *header = data;
  if (!header || header->magic != GASAN_FAT_BINARY_MAGIC)
    return NULL;
  const struct gasan_cpu_trailer *trailer = (const void *)((const char *)data + header->header_size + header->size);
  bool found = readable(&trailer->magic) && trailer->magic == GASAN_FAT_BINARY_MAGIC && readable(&trailer->kind) &&
               trailer->kind == GASAN_CPU_TRAILER_KIND;
  return found ? trailer->id : NULL;
}

struct gasan_cpu_module *gasan_cpu_module_add(const void *wrapper) {
  struct gasan_cpu_module *module = calloc(1, sizeof *module);
  if (module && wrapper)
    module->id = find_id(((const struct fat_binary_wrapper *)wrapper)->data);
  return module;
}

/* Must be called with the lock. Repeats the search, because the image may register itself after the fat binary. */
static const struct gasan_cpu_image *module_image(struct gasan_cpu_module *module) {
  for (uint32_t i = 0; !module->image && module->id && i < registry.image_count; i++)
    if (strcmp(registry.images[i].id, module->id) == 0)
      module->image = registry.images[i].image;
  return module->image;
}

/* Must be called with the lock. NULL: the function is not registered. */
static struct gasan_cpu_function *find_function(const void *host) {
  return GASAN_MAP_OWNER(gasan_map_find(&functions, (uintptr_t)host), struct gasan_cpu_function, by_host);
}

void gasan_cpu_module_add_function(struct gasan_cpu_module *module, const void *host, const char *name) {
  pthread_mutex_lock(&registry.lock);
  if (!find_function(host)) {
    struct gasan_cpu_function *function = must_have(calloc(1, sizeof *function));
    function->name = name;
    function->module = module;
    function->most_dynamic_shared = function->carveout = -1;
    function->next_of_module = module->functions;
    module->functions = function;
    gasan_map_insert(&functions, &function->by_host, (uintptr_t)host);
  }
  pthread_mutex_unlock(&registry.lock);
}

void gasan_cpu_module_add_variable(struct gasan_cpu_module *module, const void *host, const char *name) {
  pthread_mutex_lock(&registry.lock);
  uint32_t i = 0;
  while (i < registry.variable_count && registry.variables[i].host != host)
    i++;
  if (i == registry.variable_count) {
    registry.variables = must_have(realloc(registry.variables, (i + 1) * sizeof *registry.variables));
    registry.variables[i] = (struct variable_entry){host, name, module};
    registry.variable_count++;
  }
  pthread_mutex_unlock(&registry.lock);
}

void gasan_cpu_module_remove(struct gasan_cpu_module *module) {
  pthread_mutex_lock(&registry.lock);
  for (struct gasan_cpu_function *function = module->functions, *next; function; function = next) {
    next = function->next_of_module;
    gasan_map_remove(&functions, function->by_host.key);
    free(function);
  }
  uint32_t kept = 0;
  for (uint32_t i = 0; i < registry.variable_count; i++)
    if (registry.variables[i].module != module)
      registry.variables[kept++] = registry.variables[i];
  registry.variable_count = kept;
  pthread_mutex_unlock(&registry.lock);
  free(module);
}

/* Must be called with the lock. */
static void complain(struct gasan_cpu_function *function) {
  if (function->module->complained)
    return;
  function->module->complained = true;
  const struct gasan_cpu_image *image = module_image(function->module);
  if (image && image->flags & GASAN_CPU_IMAGE_ONLY_CUDA)
    fprintf(stderr,
            "gasan: kernel %s cannot run on the CPU device: it was compiled with "
            "-fsanitize-gpu-address-devices=cuda; compile it with -fsanitize-gpu-address-devices=auto\n",
            function->name);
  else if (image)
    fprintf(stderr, "gasan: kernel %s is not in its object's CPU image\n", function->name);
  else
    fprintf(
        stderr,
        "gasan: kernel %s cannot run on the CPU device: its object has no CPU image, because it was not compiled with "
        "-fsanitize=gpu-address\n",
        function->name);
}

/* Must be called with the lock. */
static void find_kernel(struct gasan_cpu_function *function) {
  const struct gasan_cpu_image *image = module_image(function->module);
  for (uint32_t i = 0; image && i < image->kernel_count; i++)
    if (strcmp(image->kernels[i].name, function->name) == 0)
      function->kernel = &image->kernels[i];
  if (!function->kernel)
    complain(function);
}

struct gasan_cpu_function *gasan_cpu_function_find(const void *host) {
  pthread_mutex_lock(&registry.lock);
  struct gasan_cpu_function *function = find_function(host);
  if (function && !function->kernel) {
    find_kernel(function);
    if (!function->kernel)
      function = NULL;
  }
  pthread_mutex_unlock(&registry.lock);
  return function;
}

/* A variant has no host function. The address of the image's entry for it takes that place, because no host function
 * has that address. */
const void *gasan_cpu_function_variant(const void *host, const char *name) {
  struct gasan_cpu_function *function = gasan_cpu_function_find(host);
  const struct gasan_cpu_kernel *kernel = NULL;
  if (!function)
    return NULL;
  pthread_mutex_lock(&registry.lock);
  const struct gasan_cpu_image *image = module_image(function->module);
  for (uint32_t i = 0; image && i < image->kernel_count && !kernel; i++)
    if (strcmp(image->kernels[i].name, name) == 0)
      kernel = &image->kernels[i];
  pthread_mutex_unlock(&registry.lock);
  if (kernel)
    gasan_cpu_module_add_function(function->module, kernel, kernel->name);
  return kernel;
}

/* Must be called with the lock. */
static const struct gasan_cpu_variable *image_variable(struct gasan_cpu_module *module, const char *name) {
  const struct gasan_cpu_image *image = module_image(module);
  for (uint32_t i = 0; image && i < image->variable_count; i++)
    if (strcmp(image->variables[i].name, name) == 0)
      return &image->variables[i];
  return NULL;
}

const struct gasan_cpu_variable *gasan_cpu_module_variable(struct gasan_cpu_module *module, const char *name) {
  pthread_mutex_lock(&registry.lock);
  const struct gasan_cpu_variable *variable = image_variable(module, name);
  pthread_mutex_unlock(&registry.lock);
  return variable;
}

const struct gasan_cpu_variable *gasan_cpu_variable_find(const void *host) {
  const struct gasan_cpu_variable *variable = NULL;
  pthread_mutex_lock(&registry.lock);
  for (uint32_t i = 0; i < registry.variable_count && !variable; i++)
    if (registry.variables[i].host == host)
      variable = image_variable(registry.variables[i].module, registry.variables[i].name);
  pthread_mutex_unlock(&registry.lock);
  return variable;
}

bool gasan_cpu_address_is_variable(const void *address) {
  bool found = false;
  pthread_mutex_lock(&registry.lock);
  for (uint32_t i = 0; i < registry.variable_count && !found; i++) {
    const struct gasan_cpu_variable *variable =
        image_variable(registry.variables[i].module, registry.variables[i].name);
    found = variable && (uintptr_t)address - (uintptr_t)variable->address < variable->size;
  }
  pthread_mutex_unlock(&registry.lock);
  return found;
}

const void *gasan_cpu_managed_initial(const void *wrapper, const char *name) {
  struct gasan_cpu_module module = {.id = find_id(((const struct fat_binary_wrapper *)wrapper)->data)};
  char *pointer = must_have(malloc(strlen(name) + sizeof GASAN_MANAGED_SUFFIX));
  strcat(strcpy(pointer, name), GASAN_MANAGED_SUFFIX);
  pthread_mutex_lock(&registry.lock);
  const struct gasan_cpu_variable *variable = image_variable(&module, pointer) ? image_variable(&module, name) : NULL;
  pthread_mutex_unlock(&registry.lock);
  free(pointer);
  return variable ? variable->address : NULL;
}
