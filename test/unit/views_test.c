/* The state of texture and surface objects that kernels find: numbers that are reused while old launches run. The
 * runtime around gasan_rt/launch/view_records.c is this file; the table is searched as kernels search it. */
#include "gasan_rt/launch/view_records.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "gasan_rt/launch/device_launches.h"
#include "gasan_rt/launch/launch_log.h"
#include "gasan_rt/launch/view_table.h"
#include "gasan_rt/memory/arrays.h"
#include "gasan_rt/memory/foreign.h"
#include "gasan_rt/memory/range_check.h"
#include "greatest.h"

static struct gasan_rt_device state;
static struct gasan_device_launches device_launches;
static struct gasan_device device;
static uint64_t launches, complete; /* the latest one; up to which all are complete */
static bool refuses;                /* the device */
static bool other_context;
static uint64_t freed_memory, frees;
static struct gasan_array arrays[2]; /* by handle, 1 and 2 */

/* A device's memory lives until the process ends. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "detect_leaks=0";
}

static struct gasan_status device_alloc(struct gasan_device *unused, uint64_t size, uint64_t *address) {
  (void)unused;
  *address = (uint64_t)(uintptr_t)calloc(1, size);
  return gasan_status_make(GASAN_OK);
}

static struct gasan_status write_device(struct gasan_device *unused, uint64_t to, const void *from, uint64_t size) {
  (void)unused;
  if (refuses)
    return gasan_status_make(GASAN_ERR_DEVICE);
  memcpy((void *)(uintptr_t)to, from, size);
  return gasan_status_make(GASAN_OK);
}

static bool is_current(struct gasan_device *unused) {
  (void)unused;
  return !other_context;
}

static const struct gasan_device_kind kind = {
    .device_alloc = device_alloc, .write = write_device, .is_current = is_current};

struct gasan_rt_device *gasan_rt_current(void) {
  return &state;
}

struct gasan_rt_device *gasan_rt_device(int ordinal) {
  return ordinal == 0 ? &state : NULL;
}

struct gasan_rt_device *gasan_rt_owner(const void *address) {
  (void)address;
  return &state;
}

void gasan_rt_warn(const char *format, ...) {
  (void)format;
}

/* Kernels search the table for textures from then on (gasan_rt/kernel/views.cu). */
void gasan_registry_note_dead_texture(struct gasan_rt_device *device) {
  device->params.dead_textures = 1;
}

uint64_t gasan_launch_latest(void) {
  return launches;
}

bool gasan_launch_complete_until(const struct gasan_rt_device *unused, uint64_t id) {
  (void)unused;
  return id <= complete;
}

uint32_t gasan_stack_capture(const char *api) {
  (void)api;
  return 0;
}

uint32_t gasan_thread_number(void) {
  return 0;
}

bool gasan_array_find(const void *handle, bool is_mipmapped, struct gasan_array *array) {
  (void)is_mipmapped;
  *array = arrays[(uintptr_t)handle - 1];
  return true;
}

size_t gasan_array_row(const struct gasan_array *array) {
  return array->extent.width * array->texel;
}

size_t gasan_array_height(const struct gasan_array *array) {
  return array->extent.height;
}

size_t gasan_array_depth(const struct gasan_array *array) {
  return array->extent.depth ? array->extent.depth : 1;
}

size_t gasan_texel_size(const struct cudaChannelFormatDesc *format) {
  return (size_t)format->x / 8;
}

bool gasan_pool_find(struct gasan_pool *pool, uint64_t address, struct gasan_chunk *chunk) {
  (void)pool;
  *chunk = (struct gasan_chunk){
      .base = address, .size = 64, .state = address == freed_memory ? GASAN_CHUNK_FREED : GASAN_CHUNK_LIVE};
  return true;
}

void gasan_pool_counters(struct gasan_pool *pool, struct gasan_pool_counters *counters) {
  (void)pool;
  counters->frees = frees;
}

bool gasan_foreign_find(const void *address, struct gasan_foreign *range) {
  (void)address, (void)range;
  return false;
}

uint64_t gasan_foreign_epoch(void) {
  return 0;
}

/* Returns the state and the row that a kernel launched now finds. */
static struct gasan_view_slot find(uint64_t object, bool is_surface) {
  gasan_views_upload(&state);
  const struct gasan_view_table *table = (const struct gasan_view_table *)(uintptr_t)state.params.views;
  const struct gasan_view_slot *slots = (const struct gasan_view_slot *)(uintptr_t)table->slots;
  struct gasan_view_slot none = {0};
  uint64_t key = gasan_view_key(object, is_surface);
  for (uint64_t at = gasan_view_hash(key); slots; at++) {
    if (slots[at & table->mask].key == key)
      return slots[at & table->mask];
    if (!slots[at & table->mask].key)
      return none;
  }
  return none;
}

static struct cudaResourceDesc on_array(int handle) {
  struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray};
  resource.res.array.array = (cudaArray_t)(uintptr_t)handle;
  return resource;
}

static struct cudaResourceDesc on_memory(uint64_t address) {
  struct cudaResourceDesc resource = {.resType = cudaResourceTypeLinear};
  resource.res.linear.devPtr = (void *)(uintptr_t)address;
  resource.res.linear.desc.x = 32;
  return resource;
}

static void create(uint64_t object, bool is_surface, struct cudaResourceDesc resource) {
  gasan_views_note_created(is_surface, object, &resource, "create");
}

static void destroy(uint64_t object, bool is_surface) {
  gasan_views_note_destroyed(is_surface, object, gasan_views_latest(), "destroy");
}

static void set_up(void *unused) {
  (void)unused;
  static uint64_t first = 1;
  memset(&state, 0, sizeof state);
  memset(&device_launches, 0, sizeof device_launches);
  state.launches = &device_launches;
  device = (struct gasan_device){.kind = &kind};
  state.device = &device;
  state.pool = (struct gasan_pool *)&state; /* not NULL: the functions above replace the pool */
  launches = complete = first += 1000;      /* no launch of the last test runs */
  refuses = other_context = false;
  freed_memory = 0;
  for (uintptr_t i = 0; i < 2; i++)
    arrays[i] = (struct gasan_array){
        .handle = (void *)(i + 1), .whole = (void *)(i + 1), .extent = {i ? 8 : 32, 4, 0}, .texel = 4};
  gasan_view_table_open(&state);
}

TEST a_surface_has_its_array(void) {
  create(10, true, on_array(1));
  struct gasan_view_slot slot = find(10, true);
  ASSERT_EQ(GASAN_VIEW_LIVE, slot.state);
  ASSERT_EQ(128, slot.row);
  ASSERT_EQ(4, slot.height);
  ASSERT_EQ(1, slot.depth);
  ASSERT_EQ(GASAN_VIEW_UNCHECKED, find(10, false).state); /* a texture of that number is another object */
  struct gasan_view view;
  ASSERT(gasan_view_find(slot.number, &view));
  ASSERT_EQ(10, view.object);
  PASS();
}

TEST a_running_kernel_may_use_what_is_destroyed(void) {
  create(20, true, on_array(1));
  find(20, true);
  launches++; /* a kernel that uses it */
  destroy(20, true);
  launches++; /* of another object */
  ASSERT_EQ(GASAN_VIEW_LIVE, find(20, true).state);
  complete = launches - 1;
  ASSERT_EQ(GASAN_VIEW_DEAD, find(20, true).state);
  PASS();
}

TEST a_number_that_is_given_again(void) {
  create(30, true, on_array(1));
  uint32_t number = find(30, true).number;
  launches++;
  destroy(30, true);
  create(30, true, on_array(2));
  ASSERT_EQ(GASAN_VIEW_UNCHECKED, find(30, true).state); /* one kernel may mean the old array, another the new one */
  launches++;
  ASSERT_EQ(GASAN_VIEW_UNCHECKED, find(30, true).state);
  complete = launches - 1;
  struct gasan_view_slot slot = find(30, true);
  ASSERT_EQ(GASAN_VIEW_LIVE, slot.state);
  ASSERT_EQ(32, slot.row);
  ASSERT(slot.number != number);
  struct gasan_view view;
  ASSERT(gasan_view_find(number, &view)); /* a report of the old one may still come */
  ASSERT_EQ(GASAN_VIEW_DESTROYED, view.end);
  ASSERT_EQ(32, view.array.extent.width);
  PASS();
}

TEST a_number_given_again_once_nothing_runs(void) {
  create(40, true, on_array(1));
  find(40, true);
  complete = ++launches;
  destroy(40, true);
  ASSERT_EQ(GASAN_VIEW_DEAD, find(40, true).state);
  launches++; /* a bug, if it uses the object */
  create(40, true, on_array(2));
  ASSERT_EQ(GASAN_VIEW_LIVE, find(40, true).state);
  PASS();
}

TEST a_freed_array(void) {
  create(50, true, on_array(1));
  create(51, false, on_array(1));
  create(52, true, on_array(2));
  find(50, true);
  gasan_views_array_freed((const void *)1, gasan_views_latest(), (struct gasan_pool_caller){.api = "free"});
  ASSERT_EQ(GASAN_VIEW_DEAD, find(50, true).state);
  ASSERT_EQ(GASAN_VIEW_DEAD, find(51, false).state);
  ASSERT_EQ(GASAN_VIEW_LIVE, find(52, true).state);
  PASS();
}

/* Another thread gets the number, or the array's handle, as soon as CUDA has it back. */
TEST reuse_before_the_note(void) {
  create(55, true, on_array(1));
  uint32_t until = gasan_views_latest();
  create(55, true, on_array(2));
  gasan_views_note_destroyed(true, 55, until, "destroy");
  complete = launches;
  ASSERT_EQ(GASAN_VIEW_LIVE, find(55, true).state);
  create(56, true, on_array(1));
  until = gasan_views_latest();
  create(57, true, on_array(1));
  gasan_views_array_freed((const void *)1, until, (struct gasan_pool_caller){.api = "free"});
  ASSERT_EQ(GASAN_VIEW_DEAD, find(56, true).state);
  ASSERT_EQ(GASAN_VIEW_LIVE, find(57, true).state);
  PASS();
}

TEST textures_are_told_of_when_they_die(void) {
  create(60, false, on_memory(0x1000));
  create(61, false, on_memory(0x2000));
  ASSERT_EQ(0, find(60, false).key);
  freed_memory = 0x1000;
  frees++;
  ASSERT_EQ(GASAN_VIEW_DEAD, find(60, false).state);
  ASSERT_EQ(0, find(61, false).key);
  create(60, false, on_memory(0x2000));
  ASSERT_EQ(GASAN_VIEW_UNCHECKED, find(60, false).state);
  destroy(61, false);
  ASSERT_EQ(GASAN_VIEW_DEAD, find(61, false).state);
  PASS();
}

TEST objects_of_other_ways_are_unchecked(void) {
  create(70, true, on_array(1));
  find(70, true);
  gasan_views_note_created(true, 70, NULL, "cuSurfObjectCreate");
  ASSERT_EQ(GASAN_VIEW_UNCHECKED, find(70, true).state);
  other_context = true;
  create(71, true, on_array(1));
  ASSERT_EQ(0, find(71, true).key);
  PASS();
}

TEST many_objects(void) {
  for (uint64_t i = 0; i < 1000; i++) {
    create(1000 + i, true, on_array(1 + i % 2));
    if (i % 10 == 0)
      find(1000 + i, true);
  }
  for (uint64_t i = 0; i < 1000; i++) {
    ASSERT_EQ(GASAN_VIEW_LIVE, find(1000 + i, true).state);
    ASSERT_EQ(i % 2 ? 32 : 128, find(1000 + i, true).row);
  }
  ASSERT_EQ(0, find(999, true).key);
  PASS();
}

TEST a_device_that_refuses_is_asked_again(void) {
  refuses = true;
  create(80, true, on_array(1));
  ASSERT_EQ(0, find(80, true).key);
  refuses = false;
  ASSERT_EQ(GASAN_VIEW_LIVE, find(80, true).state);
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  GREATEST_SET_SETUP_CB(set_up, NULL);
  RUN_TEST(a_surface_has_its_array);
  RUN_TEST(a_running_kernel_may_use_what_is_destroyed);
  RUN_TEST(a_number_that_is_given_again);
  RUN_TEST(a_number_given_again_once_nothing_runs);
  RUN_TEST(a_freed_array);
  RUN_TEST(reuse_before_the_note);
  RUN_TEST(textures_are_told_of_when_they_die);
  RUN_TEST(objects_of_other_ways_are_unchecked);
  RUN_TEST(many_objects);
  RUN_TEST(a_device_that_refuses_is_asked_again);
  GREATEST_MAIN_END();
}
