/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/report/report_bounds.h"

#include <stdio.h>

#include "gasan_rt/report/report_note.h"
#include "gasan_rt/report/report_picture.h"
#include "gasan_rt/report/site_table.h"
#include "gasan_rt/sanitizer/sanitizer.h"
#include "shadow/bounds.h"

/* The pointer's object. */
struct owner {
  enum gasan_kind kind;
  const struct gasan_object *variable; /* NULL: none */
  struct gasan_chunk chunk; /* the allocation; if `variable` is a field, the allocation with the field's object */
  bool has_chunk;
  bool in_gap; /* the pointer belongs to no region of a heap; the chunk is the nearest region, or the heap's chunk */
  bool is_variable; /* the chunk is a variable with only name, base and size */
};

static const struct {
  const char *name;
  enum gasan_kind overflow, dead;
} variables[] = {
    [GASAN_OBJECT_KIND_GLOBAL] = {"global variable", GASAN_KIND_GLOBAL_BUFFER_OVERFLOW,
                                  GASAN_KIND_GLOBAL_BUFFER_OVERFLOW},
    [GASAN_OBJECT_KIND_CONSTANT] = {"constant variable", GASAN_KIND_GLOBAL_BUFFER_OVERFLOW,
                                    GASAN_KIND_GLOBAL_BUFFER_OVERFLOW},
    [GASAN_OBJECT_KIND_SHARED] = {"shared variable", GASAN_KIND_SHARED_BUFFER_OVERFLOW,
                                  GASAN_KIND_SHARED_BUFFER_OVERFLOW},
    [GASAN_OBJECT_KIND_DYNAMIC] = {"dynamic shared memory", GASAN_KIND_SHARED_BUFFER_OVERFLOW,
                                   GASAN_KIND_SHARED_BUFFER_OVERFLOW},
    [GASAN_OBJECT_KIND_STACK] = {"stack variable", GASAN_KIND_STACK_BUFFER_OVERFLOW, GASAN_KIND_STACK_USE_AFTER_SCOPE},
    [GASAN_OBJECT_KIND_FIELD] = {"field", GASAN_KIND_INTRA_OBJECT_OVERFLOW, GASAN_KIND_INTRA_OBJECT_OVERFLOW},
    [GASAN_OBJECT_KIND_PARAMETER] = {"parameter", GASAN_KIND_STACK_BUFFER_OVERFLOW, GASAN_KIND_STACK_USE_AFTER_SCOPE},
};
#define VARIABLE_KINDS (sizeof variables / sizeof *variables)

/* By enum gasan_object_code, from GASAN_OBJECT_NULL on. `text` describes the address; NULL: the region describes it. */
static const struct {
  enum gasan_kind kind;
  const char *region, *text;
} codes[] = {
    // The same number twice, as in the lines below. NOLINTNEXTLINE(misc-redundant-expression)
    [GASAN_OBJECT_NULL - GASAN_OBJECT_NULL] = {GASAN_KIND_NULL_ADDRESS, NULL,
                                               "is no address of memory: the pointer is null"},
    [GASAN_OBJECT_WILD - GASAN_OBJECT_NULL] = {GASAN_KIND_WILD_ADDRESS, NULL,
                                               "is in the pool's window, where nothing was ever allocated"},
    [GASAN_OBJECT_SHARED - GASAN_OBJECT_NULL] = {GASAN_KIND_SHARED_BUFFER_OVERFLOW, "the block's shared memory", NULL},
    [GASAN_OBJECT_DYNAMIC_SHARED - GASAN_OBJECT_NULL] = {GASAN_KIND_SHARED_BUFFER_OVERFLOW,
                                                         "the block's dynamic shared memory", NULL},
    [GASAN_OBJECT_LOCAL - GASAN_OBJECT_NULL] = {GASAN_KIND_STACK_BUFFER_OVERFLOW, NULL,
                                                "is in the thread's stack, but in no variable of it"},
    [GASAN_OBJECT_DEAD_FRAME -
     GASAN_OBJECT_NULL] = {GASAN_KIND_STACK_USE_AFTER_RETURN, NULL,
                           "is in the thread's stack, in the frame of a function that has returned"},
    [GASAN_OBJECT_HEAP - GASAN_OBJECT_NULL] = {GASAN_KIND_HEAP_BUFFER_OVERFLOW, "the device heap", NULL},
    [GASAN_OBJECT_MISALIGNED - GASAN_OBJECT_NULL] = {GASAN_KIND_MISALIGNED_ACCESS, NULL, NULL},
    [GASAN_OBJECT_UNKNOWN - GASAN_OBJECT_NULL] = {GASAN_KIND_WILD_ADDRESS, NULL,
                                                  "is an address that no memory can have"},
};
#define CODES (sizeof codes / sizeof *codes)

static bool is_code(uint32_t object) {
  return object >= GASAN_OBJECT_NULL && object - GASAN_OBJECT_NULL < CODES;
}

/* Returns the pool whose window has the address: the device's own, or that of a device whose memory it may use. */
static struct gasan_pool *pool_of(uint64_t address) {
  struct gasan_rt_device *owner = gasan_rt_owner((const void *)(uintptr_t)address);
  return owner ? owner->pool : NULL;
}

/* Finds the chunk of a pool that begins at the address, if its record is there. */
static bool find_chunk(uint64_t base, struct gasan_chunk *chunk) {
  struct gasan_pool *pool = pool_of(base);
  return pool && gasan_pool_find(pool, base, chunk) && chunk->base == base;
}

static bool chunk_holds(const struct gasan_chunk *chunk, uint64_t address) {
  return address - chunk->base < chunk->size;
}

static void find_range(const struct gasan_report_range *range, struct owner *owner) {
  owner->has_chunk = range->known;
  owner->chunk = range->chunk;
  owner->is_variable = range->known && range->is_variable;
  if (owner->is_variable)
    owner->kind = GASAN_KIND_GLOBAL_BUFFER_OVERFLOW;
}

/* Finds the region of a sub-allocator. Returns false if the bounds are not in a chunk with heaps. */
static bool find_region(const struct gasan_record *record, struct owner *owner) {
  struct gasan_pool *pool = pool_of(record->bounds_base);
  bool in_region = false;
  if (!pool || !gasan_pool_explain_bounds(pool, record->bounds_base, record->bounds_size, record->fault, &owner->chunk,
                                          &in_region))
    return false;
  owner->has_chunk = true;
  owner->in_gap = !in_region;
  owner->kind = gasan_report_kind_of(true, &owner->chunk, record->fault);
  return true;
}

static void find_memory(const struct gasan_device_fault *fault, struct owner *owner) {
  const struct gasan_record *record = &fault->record;
  if (find_region(record, owner))
    return;
  owner->kind = record->bounds_size ? GASAN_KIND_HEAP_BUFFER_OVERFLOW : GASAN_KIND_HEAP_USE_AFTER_FREE;
  if (pool_of(record->bounds_base))
    owner->has_chunk = find_chunk(record->bounds_base, &owner->chunk);
  else
    find_range(&fault->range, owner);
  /* An access beyond the end of a freed chunk is reported as on the host: as an overflow. */
  if (!record->bounds_size && owner->has_chunk && !chunk_holds(&owner->chunk, record->fault))
    owner->kind = GASAN_KIND_HEAP_BUFFER_OVERFLOW;
}

/* Explains a pointer without bounds: it points to freed memory whose addresses may be reused, or to no memory. */
static void find_wild(const struct gasan_device_fault *fault, struct owner *owner) {
  struct gasan_pool *pool = fault->state->pool;
  owner->kind = GASAN_KIND_WILD_ADDRESS;
  owner->has_chunk = pool && gasan_pool_explain(pool, fault->record.address, &owner->chunk);
  if (owner->has_chunk && owner->chunk.state == GASAN_CHUNK_FREED && chunk_holds(&owner->chunk, fault->record.address))
    owner->kind = GASAN_KIND_HEAP_USE_AFTER_FREE;
}

static void find_owner(const struct gasan_device_fault *fault, struct owner *owner) {
  const struct gasan_record *record = &fault->record;
  *owner = (struct owner){.kind = GASAN_KIND_WILD_ADDRESS};
  owner->variable = fault->sites ? gasan_sites_object(fault->sites, record->object) : NULL;
  if (owner->variable && owner->variable->kind < VARIABLE_KINDS && variables[owner->variable->kind].name) {
    owner->kind =
        record->bounds_size ? variables[owner->variable->kind].overflow : variables[owner->variable->kind].dead;
    struct gasan_pool *pool = fault->state->pool;
    if (owner->variable->kind == GASAN_OBJECT_KIND_FIELD && pool &&
        gasan_pool_explain(pool, record->bounds_base, &owner->chunk))
      owner->has_chunk = chunk_holds(&owner->chunk, record->bounds_base);
    return;
  }
  owner->variable = NULL;
  if (record->object == GASAN_OBJECT_MEMORY)
    find_memory(fault, owner);
  else if (record->object == GASAN_OBJECT_WILD)
    find_wild(fault, owner);
  else if (record->object == GASAN_OBJECT_UNKNOWN && record->fault < GASAN_NULL_PAGE)
    owner->kind = GASAN_KIND_NULL_ADDRESS;
  else if (is_code(record->object))
    owner->kind = codes[record->object - GASAN_OBJECT_NULL].kind;
}

static void print_relation(const struct gasan_record *record, uint64_t size, const char *type, const char *name) {
  uint64_t distance = 0;
  const char *relation = gasan_report_relation(record->bounds_base, size, record->fault, &distance);
  gasan_note_object(type, name, record->bounds_base, size, record->fault);
  gasan_printf("%s0x%012llx is located %llu bytes %s ", gasan_color(GASAN_COLOR_LOCATION),
               (unsigned long long)record->fault, (unsigned long long)distance, relation);
}

static void print_variable(const struct gasan_device_fault *fault, const struct gasan_object *variable) {
  const struct gasan_record *record = &fault->record;
  const char *function = gasan_sites_string(fault->sites, variable->function);
  const char *name = gasan_sites_string(fault->sites, variable->name);
  uint64_t size = record->bounds_size ? record->bounds_size : variable->size;
  print_relation(record, size, variables[variable->kind].name, name);
  gasan_printf("%s", variables[variable->kind].name);
  if (*name)
    gasan_printf(" '%s'", name);
  if (*function)
    gasan_printf(" of '%s'", function);
  if (variable->line)
    gasan_printf(" defined in '%s:%u'", gasan_file_name(gasan_sites_string(fault->sites, variable->file)),
                 variable->line);
  gasan_printf(" of size %llu%s\n\n", (unsigned long long)size, gasan_color(GASAN_COLOR_DEFAULT));
}

/* Prints the chunk that the access touched, if it is not the pointer's. */
static void print_other_chunk(const struct gasan_device_fault *fault, const struct owner *owner) {
  uint64_t address = fault->record.fault;
  struct gasan_pool *pool = pool_of(address);
  struct gasan_chunk other;
  if (!pool || !gasan_pool_explain(pool, address, &other) || !chunk_holds(&other, address) ||
      other.base == owner->chunk.base || other.state != GASAN_CHUNK_LIVE)
    return;
  if (other.heap_base == owner->chunk.heap_base)
    other.heap_size = 0; /* the report has described the heap */
  gasan_printf("This address is in another allocation, which the pointer does not belong to:\n");
  gasan_report_print_chunk(&other, address);
}

static void print_memory(const struct gasan_device_fault *fault, const struct owner *owner) {
  const struct gasan_record *record = &fault->record;
  if (!owner->has_chunk && !record->bounds_size) {
    gasan_printf("0x%012llx is in memory that was freed so long ago that its record is gone\n\n",
                 (unsigned long long)record->fault);
    return;
  }
  /* Foreign memory that was freed after the access. */
  if (!owner->has_chunk) {
    print_relation(record, record->bounds_size, "region", NULL);
    gasan_printf("%llu-byte region [0x%012llx,0x%012llx)%s\n\n", (unsigned long long)record->bounds_size,
                 (unsigned long long)record->bounds_base,
                 (unsigned long long)(record->bounds_base + record->bounds_size), gasan_color(GASAN_COLOR_DEFAULT));
    return;
  }
  if (owner->is_variable) {
    gasan_report_print_variable(&owner->chunk, record->fault);
    return;
  }
  if (owner->in_gap)
    gasan_printf("The pointer is in a heap of a sub-allocator, in no region of it; this is the nearest:\n");
  else if (!record->bounds_size && owner->chunk.state == GASAN_CHUNK_LIVE)
    gasan_printf("The access was to memory that was freed, and then allocated again; this is the new allocation:\n");
  gasan_report_print_chunk(&owner->chunk, record->fault);
  if (owner->kind == GASAN_KIND_HEAP_BUFFER_OVERFLOW)
    print_other_chunk(fault, owner);
}

static void print_code(const struct gasan_record *record) {
  if (record->object == GASAN_OBJECT_MISALIGNED) {
    gasan_printf("%s0x%012llx is not a multiple of %llu%s\n\n", gasan_color(GASAN_COLOR_LOCATION),
                 (unsigned long long)record->address, (unsigned long long)record->bounds_size,
                 gasan_color(GASAN_COLOR_DEFAULT));
    return;
  }
  const char *region = codes[record->object - GASAN_OBJECT_NULL].region,
             *text = codes[record->object - GASAN_OBJECT_NULL].text;
  if (region) {
    print_relation(record, record->bounds_size, region, NULL);
    gasan_printf("%s of size %llu%s\n\n", region, (unsigned long long)record->bounds_size,
                 gasan_color(GASAN_COLOR_DEFAULT));
    return;
  }
  gasan_printf("%s0x%012llx %s%s\n\n", gasan_color(GASAN_COLOR_LOCATION), (unsigned long long)record->fault, text,
               gasan_color(GASAN_COLOR_DEFAULT));
}

static void print_owner(const struct gasan_device_fault *fault, const struct owner *owner) {
  const struct gasan_record *record = &fault->record;
  if (owner->variable) {
    print_variable(fault, owner->variable);
    if (owner->has_chunk)
      gasan_report_print_chunk(&owner->chunk, record->fault);
  } else if (record->object == GASAN_OBJECT_MEMORY) {
    print_memory(fault, owner);
  } else if (record->object == GASAN_OBJECT_WILD && owner->has_chunk) {
    if (owner->kind == GASAN_KIND_WILD_ADDRESS)
      gasan_printf("The pointer is too far from any allocation to belong to it; this is the nearest:\n");
    gasan_report_print_chunk(&owner->chunk, record->fault);
  } else if (is_code(record->object)) {
    print_code(record);
  }
}

static void draw(const struct gasan_record *record) {
  if (record->object != GASAN_OBJECT_MISALIGNED && record->object != GASAN_OBJECT_WILD)
    gasan_report_draw_bytes(record->bounds_base, record->bounds_size, record->address, record->size);
}

void gasan_report_bounds_fault(const struct gasan_device_fault *fault, const struct gasan_site *site) {
  struct owner owner;
  find_owner(fault, &owner);
  if (gasan_report_fault_suppressed(fault, site, owner.kind) ||
      (owner.has_chunk && !owner.is_variable && gasan_stack_suppressed("alloc", owner.chunk.allocation_stack)))
    return;
  gasan_report_open_at(fault, owner.kind, fault->record.fault);
  gasan_report_print_access(fault, site);
  gasan_report_print_device_stack(fault, site);
  gasan_report_print_device_source(fault, site);
  draw(&fault->record);
  print_owner(fault, &owner);
  gasan_report_print_device_summary(fault, owner.kind, site);
  gasan_report_close();
}

void gasan_report_unknown_address(const struct gasan_device_fault *fault, int error, uint32_t others) {
  const struct gasan_record *record = &fault->record;
  const struct gasan_site *site = fault->sites ? gasan_sites_site(fault->sites, record->site) : NULL;
  if (gasan_report_fault_suppressed(fault, site, GASAN_KIND_WILD_ADDRESS))
    return;
  gasan_report_open_at(fault, GASAN_KIND_WILD_ADDRESS, record->fault);
  gasan_report_print_access(fault, site);
  gasan_report_print_device_stack(fault, site);
  gasan_report_print_device_source(fault, site);
  gasan_printf(
      "%s0x%012llx is in no memory that gasan knows of, and the device has stopped the kernel (CUDA error %d)%s\n",
      gasan_color(GASAN_COLOR_LOCATION), (unsigned long long)record->fault, error, gasan_color(GASAN_COLOR_DEFAULT));
  if (others)
    gasan_printf("The device does not say which access it was. %u more pointer%s of the kernels that ran led to no "
                 "known memory\n",
                 others, others == 1 ? "" : "s");
  gasan_printf("\n");
  gasan_report_print_device_summary(fault, GASAN_KIND_WILD_ADDRESS, site);
  gasan_report_close();
}
