/* When an unregistered region becomes inaccessible for kernels: the work that the device had before must be complete.
 * The pool is real, on the fake device; the runtime around gasan_rt/memory/suballocators.c is not. */
#include "greatest.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "gasan_rt/core/hooks.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/core/stream_capture.h"
#include "gasan_rt/memory/device_memory.h"
#include "gasan_rt/memory/suballocators.h"
#include "gasan_rt/memory/upload.h"
#include "gasan_rt/sanitizer/sanitizer.h"
#include "pool_fixture.h"

static struct gasan_device_memory memory, peers_memory;
static struct gasan_device peers_device = {.ordinal = 1};
static struct gasan_rt_device state = {.memory = &memory}, peer = {.device = &peers_device, .memory = &peers_memory};
static struct gasan_device_kind kind;
static struct gasan_options options;
static bool captures, can_mark, unseen, has_peer;
static int reached, marked, peeks, uploads; /* marks are numbers from 1 */
static char message[1024];

static struct gasan_status mark_work(struct gasan_device *marked_device, void **mark) {
  if (!can_mark)
    return gasan_status_make(GASAN_ERR_NOT_SUPPORTED);
  *mark = (void *)(uintptr_t)++marked;
  return gasan_status_make(GASAN_OK);
}

static bool is_reached(struct gasan_device *marked_device, void *mark) {
  return (int)(uintptr_t)mark <= reached;
}

static void peek(struct gasan_rt_device *peeked) {
  peeks++;
}

bool gasan_rt_started(void) {
  return true;
}

struct gasan_rt_device *gasan_rt_owner(const void *address) {
  return gasan_pool_owns(pool, (uint64_t)(uintptr_t)address) ? &state : NULL;
}

struct gasan_rt_device *gasan_rt_device(int ordinal) {
  return ordinal == 0 ? &state : ordinal == 1 && has_peer ? &peer : NULL;
}

bool gasan_peers_reach(const struct gasan_rt_device *user, int owner) {
  return user == &peer && owner == 0;
}

const struct gasan_rt_hooks *gasan_rt_hooks(void) {
  static const struct gasan_rt_hooks hooks = {.peek = peek};
  return &hooks;
}

void gasan_rt_warn(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
}

bool gasan_capture_active(void) {
  return captures;
}

const struct gasan_options *gasan_options(void) {
  return &options;
}

uint32_t gasan_stack_capture(const char *api) {
  return 5;
}

uint32_t gasan_thread_number(void) {
  return 0;
}

struct gasan_status gasan_upload_new_chunk(struct gasan_rt_device *uploaded) {
  uploads++;
  return gasan_status_make(GASAN_OK);
}

void gasan_upload_soon(struct gasan_rt_device *uploaded) {}

bool gasan_upload_may_miss_launches(void) {
  return unseen;
}

static uint64_t heap;

static void *at(uint64_t offset) {
  return (void *)(uintptr_t)(heap + offset);
}

static void open_heap(void) {
  struct gasan_pool_options pool_options = small_options();
  pool_options.lookup = GASAN_POOL_LOOKUP_PAGEMAP;
  open_pool(GIB, &pool_options);
  kind = *device->kind;
  kind.mark_work = mark_work;
  kind.is_reached = is_reached;
  device->kind = &kind;
  state.device = device;
  state.pool = pool;
  memory = (struct gasan_device_memory){.ranges = NULL};
  options = (struct gasan_options){.report_wait_ms = 5};
  captures = unseen = has_peer = false;
  peers_device.kind = &kind;
  can_mark = true;
  reached = marked = 0;
  heap = allocate(MIB);
  if (gasan_suballocators_add_heap("add_heap", at(0), MIB) != GASAN_REGIONS_OK)
    abort();
}

static void close_heap(void) {
  reached = marked;
  atomic_store(&memory.launches_complete, atomic_load(&memory.launches_begun));
  captures = false;
  gasan_suballocators_poll();
  release(heap);
  close_pool();
}

static void launch(void) {
  atomic_fetch_add(&memory.launches_begun, 1);
  atomic_fetch_add(&memory.launches_made, 1);
}

static uint64_t size_at(uint64_t offset) {
  struct gasan_bounds bounds;
  return gasan_pool_bounds(pool, heap + offset, &bounds) ? bounds.size : 1;
}

static enum gasan_region_result take(uint64_t offset, size_t size) {
  return gasan_suballocators_add("take", at(offset), size);
}

static enum gasan_region_result give(uint64_t offset) {
  return gasan_suballocators_end("give", at(offset));
}

TEST without_work_it_is_at_once(void) {
  open_heap();
  ASSERT_EQ(GASAN_REGIONS_OK, take(0, 4096));
  ASSERT_EQ(GASAN_REGIONS_OK, give(0));
  ASSERT_EQ(0, size_at(0));
  launch();
  atomic_store(&memory.launches_complete, 1);
  ASSERT_EQ(GASAN_REGIONS_OK, take(0, 4096));
  ASSERT_EQ(GASAN_REGIONS_OK, give(0));
  ASSERT_EQ(0, size_at(0));
  ASSERT_EQ(0, marked);
  close_heap();
  PASS();
}

TEST it_waits_for_the_work_before(void) {
  open_heap();
  ASSERT_EQ(GASAN_REGIONS_OK, take(0, 4096));
  ASSERT_EQ(GASAN_REGIONS_OK, take(8192, 4096));
  launch();
  ASSERT_EQ(GASAN_REGIONS_OK, give(0));
  launch();
  ASSERT_EQ(GASAN_REGIONS_OK, give(8192));
  ASSERT_EQ(2, marked);
  gasan_suballocators_poll();
  ASSERT_EQ(4096, size_at(0));
  ASSERT_EQ(4096, size_at(8192));
  ASSERT_EQ(GASAN_REGIONS_OK, take(0, 512));
  ASSERT_EQ(4096, size_at(0));
  reached = 1;
  gasan_suballocators_poll();
  ASSERT_EQ(512, size_at(0));
  ASSERT_EQ(0, size_at(1024));
  ASSERT_EQ(4096, size_at(8192));
  reached = 2;
  gasan_suballocators_poll();
  ASSERT_EQ(0, size_at(8192));
  ASSERT(peeks > 0);
  close_heap();
  PASS();
}

/* A launch waits for an unregistered region, but not again while that work runs. */
TEST a_launch_waits_once(void) {
  open_heap();
  ASSERT_EQ(GASAN_REGIONS_OK, take(0, 4096));
  ASSERT_EQ(GASAN_REGIONS_OK, take(8192, 4096));
  launch();
  ASSERT_EQ(GASAN_REGIONS_OK, give(0));
  struct timespec before, after;
  clock_gettime(CLOCK_MONOTONIC, &before);
  gasan_suballocators_settle();
  clock_gettime(CLOCK_MONOTONIC, &after);
  ASSERT((after.tv_sec - before.tv_sec) * 1000000000L + after.tv_nsec - before.tv_nsec >= 5000000);
  ASSERT_EQ(4096, size_at(0));
  options.report_wait_ms = 3600000;
  gasan_suballocators_settle();
  ASSERT_EQ(GASAN_REGIONS_OK, give(8192));
  gasan_suballocators_settle();
  ASSERT_EQ(4096, size_at(8192));
  close_heap();
  PASS();
}

/* An old driver cannot mark work: then a wait for the whole device shows that it is complete. */
TEST without_marks_a_wait_ends_it(void) {
  open_heap();
  can_mark = false;
  ASSERT_EQ(GASAN_REGIONS_OK, take(0, 4096));
  launch();
  ASSERT_EQ(GASAN_REGIONS_OK, give(0));
  launch();
  gasan_suballocators_poll();
  ASSERT_EQ(4096, size_at(0));
  atomic_store(&memory.launches_complete, 1);
  gasan_suballocators_poll();
  ASSERT_EQ(0, size_at(0));
  /* Launches that gasan does not see are never known to be complete. */
  unseen = true;
  ASSERT_EQ(GASAN_REGIONS_OK, take(8192, 4096));
  ASSERT_EQ(GASAN_REGIONS_OK, give(8192));
  atomic_store(&memory.launches_complete, 2);
  gasan_suballocators_poll();
  ASSERT_EQ(4096, size_at(8192));
  can_mark = true; /* it is marked late */
  gasan_suballocators_poll();
  ASSERT_EQ(4096, size_at(8192));
  reached = marked;
  gasan_suballocators_poll();
  ASSERT_EQ(0, size_at(8192));
  close_heap();
  PASS();
}

/* A graph may use regions of its capture as long as the heap exists. */
TEST graphs_keep_their_regions(void) {
  open_heap();
  ASSERT_EQ(GASAN_REGIONS_OK, take(0, 4096));
  captures = true;
  ASSERT_EQ(GASAN_REGIONS_OK, give(0));
  ASSERT_EQ(GASAN_REGIONS_OK, take(8192, 4096));
  captures = false;
  ASSERT_EQ(GASAN_REGIONS_OK, give(8192));
  gasan_suballocators_poll();
  ASSERT_EQ(4096, size_at(0));
  ASSERT_EQ(4096, size_at(8192));
  ASSERT_EQ(GASAN_REGIONS_OK, gasan_suballocators_remove_heap("remove", at(0)));
  ASSERT_EQ(GASAN_REGIONS_OK, gasan_suballocators_add_heap("add_heap", at(0), MIB));
  ASSERT_EQ(0, size_at(8192));
  /* A heap that is registered then waits for the work before, like others. */
  ASSERT_EQ(GASAN_REGIONS_OK, gasan_suballocators_remove_heap("remove", at(0)));
  launch();
  captures = true;
  ASSERT_EQ(GASAN_REGIONS_OK, gasan_suballocators_add_heap("add_heap", at(0), MIB));
  ASSERT_EQ(0, marked);
  captures = false;
  gasan_suballocators_poll();
  ASSERT_EQ(1, marked);
  ASSERT_EQ(MIB, size_at(8192));
  reached = marked;
  gasan_suballocators_poll();
  ASSERT_EQ(0, size_at(8192));
  close_heap();
  PASS();
}

/* Another device that may use the pool also has work. */
TEST peers_are_waited_for(void) {
  open_heap();
  has_peer = true;
  ASSERT_EQ(GASAN_REGIONS_OK, take(0, 4096));
  atomic_store(&peers_memory.launches_begun, 1);
  launch();
  ASSERT_EQ(GASAN_REGIONS_OK, give(0));
  ASSERT_EQ(2, marked);
  reached = 1;
  gasan_suballocators_poll();
  ASSERT_EQ(4096, size_at(0));
  reached = 2;
  gasan_suballocators_poll();
  ASSERT_EQ(0, size_at(0));
  close_heap();
  PASS();
}

TEST a_smaller_size_waits_too(void) {
  open_heap();
  ASSERT_EQ(GASAN_REGIONS_OK, take(0, 4096));
  launch();
  ASSERT_EQ(GASAN_REGIONS_OK, gasan_suballocators_resize("resize", at(0), 1000));
  ASSERT_EQ(4096, size_at(0));
  reached = marked;
  gasan_suballocators_poll();
  ASSERT_EQ(1000, size_at(0));
  launch();
  ASSERT_EQ(GASAN_REGIONS_OK, gasan_suballocators_reset_heap("reset", at(0)));
  ASSERT_EQ(1000, size_at(0));
  reached = marked;
  gasan_suballocators_poll();
  ASSERT_EQ(0, size_at(0));
  close_heap();
  PASS();
}

TEST bad_calls_say_why(void) {
  open_heap();
  int before = uploads;
  ASSERT_EQ(GASAN_REGIONS_NO_REGION, give(100));
  ASSERT(strstr(message, "give has no effect: no region begins at 0x"));
  ASSERT_EQ(GASAN_REGIONS_NOT_IN_HEAP, take(MIB - 1, 2));
  ASSERT(strstr(message, "take has no effect: [0x"));
  ASSERT_EQ(GASAN_REGIONS_NO_HEAP, gasan_suballocators_remove_heap("remove", at(1)));
  options.strict_temporal = true;
  ASSERT_EQ(GASAN_REGIONS_NOT_SUPPORTED, take(0, 1));
  ASSERT_EQ(before, uploads);
  options.strict_temporal = false;
  message[0] = 0;
  for (int i = 0; i < 30; i++)
    give(100);
  ASSERT(strstr(message, "further messages"));
  close_heap();
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  RUN_TEST(without_work_it_is_at_once);
  RUN_TEST(it_waits_for_the_work_before);
  RUN_TEST(a_launch_waits_once);
  RUN_TEST(without_marks_a_wait_ends_it);
  RUN_TEST(graphs_keep_their_regions);
  RUN_TEST(peers_are_waited_for);
  RUN_TEST(a_smaller_size_waits_too);
  RUN_TEST(bad_calls_say_why);
  GREATEST_MAIN_END();
}
