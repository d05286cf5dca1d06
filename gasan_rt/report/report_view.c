/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/report/report_view.h"

#include <cuda_runtime_api.h>
#include <stdio.h>

#include "gasan_rt/report/report_note.h"
#include "gasan_rt/report/report_repeat.h"
#include "gasan_rt/report/report_source.h"
#include "gasan_rt/sanitizer/sanitizer.h"

size_t gasan_array_row(const struct gasan_array *array) {
  return array->texel ? array->extent.width * array->texel : SIZE_MAX;
}

size_t gasan_array_height(const struct gasan_array *array) {
  return array->extent.height ? array->extent.height : 1;
}

size_t gasan_array_depth(const struct gasan_array *array) {
  return array->extent.depth ? array->extent.depth : 1;
}

/* Writes "64 x 16 array of 4-byte elements", or "64-element array with 3 layers of 4-byte elements". */
static void describe_array(const struct gasan_array *array, char *text, size_t size) {
  const struct cudaExtent extent = array->extent;
  const bool is_cubemap = array->flags & cudaArrayCubemap, is_layered = array->flags & cudaArrayLayered;
  int length = snprintf(text, size, "%zu%s", extent.width, extent.height ? "" : "-element");
  if (extent.height)
    length += snprintf(text + length, size - (size_t)length, " x %zu", extent.height);
  if (extent.depth && !is_cubemap && !is_layered)
    length += snprintf(text + length, size - (size_t)length, " x %zu", extent.depth);
  length += snprintf(text + length, size - (size_t)length, " %sarray", array->is_mipmapped ? "mipmapped " : "");
  if (is_cubemap || is_layered)
    length +=
        snprintf(text + length, size - (size_t)length, " with %zu %s", extent.depth, is_cubemap ? "faces" : "layers");
  if (array->texel)
    snprintf(text + length, size - (size_t)length, " of %u-byte elements", array->texel);
}

/* Returns the name of the third coordinate. */
static const char *name_of_slice(const struct gasan_array *array) {
  return array->flags & cudaArrayCubemap ? "face" : array->flags & cudaArrayLayered ? "layer" : "z";
}

static void print_caller(enum gasan_doc_role role, const char *what, const struct gasan_pool_caller *caller) {
  gasan_note_host_stack(role, caller->thread);
  gasan_printf("%s%s by host thread T%u here:%s\n", gasan_color(GASAN_COLOR_ALLOCATION), what, caller->thread,
               gasan_color(GASAN_COLOR_DEFAULT));
  gasan_stack_print(caller->stack, 0, true);
  gasan_printf("\n");
}

static void print_allocation(const struct gasan_array *array) {
  if (array->is_freed)
    print_caller(GASAN_DOC_FREE, "freed", &array->freed);
  if (array->has_allocation)
    print_caller(GASAN_DOC_ALLOCATION, array->is_freed ? "previously allocated" : "allocated", &array->allocated);
}

static void print_distance(const char *coordinate, int64_t value, uint64_t limit, const char *unit, const char *what,
                           const char *array) {
  const uint64_t distance = value < 0 ? -(uint64_t)value : (uint64_t)value - limit;
  gasan_note_array(array, value < 0 ? "before" : "after", distance, limit, unit);
  gasan_printf("%s%s=%lld is located %llu %s %s the %llu %s of a %s%s\n\n", gasan_color(GASAN_COLOR_LOCATION),
               coordinate, (long long)value, (unsigned long long)distance, unit, value < 0 ? "before" : "after",
               (unsigned long long)limit, what, array, gasan_color(GASAN_COLOR_DEFAULT));
}

/* Prints the position of the first byte outside. y and z: a row or a slice that lies wholly outside. */
static void print_place(const struct gasan_array *array, int64_t x, int64_t width, int64_t y, int64_t z) {
  char text[160], slices[32];
  const uint64_t row = gasan_array_row(array), height = gasan_array_height(array), depth = gasan_array_depth(array);
  const char *slice = name_of_slice(array);
  describe_array(array, text, sizeof text);
  snprintf(slices, sizeof slices, "%ss", *slice == 'z' ? "slice" : slice);
  if (x < 0 || (uint64_t)x > row || (uint64_t)width > row - (uint64_t)x)
    print_distance("x", x < 0 || (uint64_t)x > row ? x : (int64_t)row, row, "bytes", "bytes of a row", text);
  else if (y < 0 || (uint64_t)y >= height)
    print_distance("y", y, height, "rows", "rows", text);
  else
    print_distance(slice, z, depth, slices, slices, text);
}

static void print_coordinates(const struct gasan_array *array, int64_t x, int64_t y, int64_t z) {
  gasan_printf("x=%lld", (long long)x);
  if (y || array->extent.height)
    gasan_printf(" y=%lld", (long long)y);
  if (z || array->extent.depth)
    gasan_printf(" %s=%lld", name_of_slice(array), (long long)z);
}

static const char *name_of(bool is_surface) {
  return is_surface ? "surface" : "texture";
}

/* Prints the reason why the object can no longer be used. */
static void print_end(const struct gasan_view *view) {
  char text[160], what[64];
  if (view->end == GASAN_VIEW_MEMORY_FREED) {
    gasan_printf("The memory that the texture object reads has been freed:\n");
    gasan_report_print_chunk(&view->chunk, view->memory);
  } else if (view->end == GASAN_VIEW_ARRAY_FREED) {
    describe_array(&view->array, text, sizeof text);
    gasan_printf("The %s object is on a %s that has been freed\n\n", name_of(view->is_surface), text);
    print_allocation(&view->array);
  } else {
    snprintf(what, sizeof what, "%s object destroyed", name_of(view->is_surface));
    print_caller(GASAN_DOC_DESTRUCTION, what, &view->destroyed);
  }
}

static void print_view(const struct gasan_view *view, const struct gasan_record *record) {
  char what[64];
  const int64_t x = (int32_t)record->bounds_base, y = (int32_t)(record->bounds_base >> 32),
                z = (int32_t)record->bounds_size;
  if (record->object == GASAN_OBJECT_VIEW_DEAD) {
    print_end(view);
  } else {
    if (record->object == GASAN_OBJECT_VIEW_MISALIGNED)
      gasan_printf("%sx=%lld is not a multiple of %llu: x counts bytes%s\n\n", gasan_color(GASAN_COLOR_LOCATION),
                   (long long)x, (unsigned long long)record->size, gasan_color(GASAN_COLOR_DEFAULT));
    else
      print_place(&view->array, x, (int64_t)record->size, y, z);
    print_allocation(&view->array);
  }
  snprintf(what, sizeof what, "%s object created", name_of(view->is_surface));
  print_caller(GASAN_DOC_CREATION, what, &view->created);
}

static enum gasan_kind kind_of(const struct gasan_record *record) {
  return record->object == GASAN_OBJECT_VIEW_DEAD         ? GASAN_KIND_HEAP_USE_AFTER_FREE
         : record->object == GASAN_OBJECT_VIEW_MISALIGNED ? GASAN_KIND_MISALIGNED_ACCESS
                                                          : GASAN_KIND_HEAP_BUFFER_OVERFLOW;
}

static void print_access(const struct gasan_device_fault *fault, const struct gasan_site *site,
                         const struct gasan_view *view) {
  const struct gasan_record *record = &fault->record;
  gasan_note_access(gasan_report_access_name(site ? site->access : GASAN_ACCESS_READ));
  if (record->size)
    gasan_note_access_size(record->size);
  gasan_printf("%s%s ", gasan_color(GASAN_COLOR_ACCESS),
               gasan_report_access_name(site ? site->access : GASAN_ACCESS_READ));
  if (record->size)
    gasan_printf("of size %llu ", (unsigned long long)record->size);
  if (view->is_surface) {
    gasan_printf("at ");
    print_coordinates(&view->array, (int32_t)record->bounds_base, (int32_t)(record->bounds_base >> 32),
                      (int32_t)record->bounds_size);
    gasan_printf(" ");
  }
  gasan_printf("by ");
  gasan_report_print_thread(record);
  gasan_report_print_more_threads(fault);
  gasan_printf("%s\n", gasan_color(GASAN_COLOR_DEFAULT));
}

bool gasan_report_is_view(const struct gasan_record *record) {
  return record->code == GASAN_CODE_BST && record->object >= GASAN_OBJECT_VIEW_OUTSIDE &&
         record->object <= GASAN_OBJECT_VIEW_MISALIGNED;
}

bool gasan_report_view_fault(const struct gasan_device_fault *fault, const struct gasan_site *site) {
  const struct gasan_record *record = &fault->record;
  if (!gasan_report_is_view(record))
    return false;
  const struct gasan_view unknown = {.is_surface = site && site->size};
  const struct gasan_view *view = fault->view ? fault->view : &unknown;
  if (gasan_report_fault_suppressed(fault, site, kind_of(record)) ||
      (view->array.has_allocation && gasan_stack_suppressed("alloc", view->array.allocated.stack)))
    return true;
  char place[160];
  snprintf(place, sizeof place, " on %s device %d %s object 0x%llx", fault->state->device->kind->name,
           fault->state->device->ordinal, name_of(view->is_surface), (unsigned long long)record->address);
  gasan_report_open(kind_of(record), place);
  gasan_note_device(fault->state);
  print_access(fault, site, view);
  gasan_report_print_device_stack(fault, site);
  gasan_report_print_device_source(fault, site);
  if (fault->view)
    print_view(view, record);
  else
    gasan_printf("gasan has no record of this object any more: many later objects have had its number\n\n");
  gasan_report_print_device_summary(fault, kind_of(record), site);
  gasan_report_close();
  return true;
}

static bool is_call_suppressed(enum gasan_kind kind, const struct gasan_array *array, uint32_t stack) {
  return gasan_error_suppressed(gasan_kind_name(kind), stack) ||
         (array->has_allocation && gasan_stack_suppressed("alloc", array->allocated.stack));
}

static void open_call(enum gasan_kind kind, const struct gasan_array *array) {
  char place[64];
  snprintf(place, sizeof place, " on array %p", array->handle);
  gasan_report_open(kind, place);
}

static void close_call(enum gasan_kind kind, const struct gasan_array *array, uint32_t stack) {
  print_allocation(array);
  gasan_report_summary_stack(gasan_kind_name(kind), stack);
  gasan_report_close();
}

static void print_call(const char *api, uint32_t stack) {
  gasan_note_api(api);
  gasan_note_host_stack(GASAN_DOC_ACCESS, gasan_thread_number());
  gasan_printf("by %s called by host thread T%u:%s\n", api, gasan_thread_number(), gasan_color(GASAN_COLOR_DEFAULT));
  gasan_stack_print(stack, 0, true);
  gasan_printf("\n");
  gasan_report_print_host_source(stack);
}

bool gasan_report_array_overflow(const char *api, const struct gasan_array *array, enum gasan_access access,
                                 const struct gasan_array_part *part) {
  const uint32_t stack = gasan_stack_capture(api);
  if (is_call_suppressed(GASAN_KIND_HEAP_BUFFER_OVERFLOW, array, stack))
    return false;
  if (!gasan_repeat_is_new_call(GASAN_KIND_HEAP_BUFFER_OVERFLOW, stack))
    return true;
  open_call(GASAN_KIND_HEAP_BUFFER_OVERFLOW, array);
  gasan_note_access(gasan_report_access_name(access));
  gasan_note_access_size(part->width);
  gasan_printf("%s%s of %zu bytes", gasan_color(GASAN_COLOR_ACCESS), gasan_report_access_name(access), part->width);
  if (part->height > 1)
    gasan_printf(" in each of %zu rows", part->height);
  if (part->depth > 1)
    gasan_printf(" in each of %zu slices", part->depth);
  gasan_printf(" at ");
  print_coordinates(array, (int64_t)part->x, (int64_t)part->y, (int64_t)part->z);
  gasan_printf(" ");
  print_call(api, stack);
  const size_t height = gasan_array_height(array), depth = gasan_array_depth(array);
  const size_t y = part->y > height ? part->y : height, z = part->z > depth ? part->z : depth;
  const bool rows_fit = part->y <= height && part->height <= height - part->y;
  print_place(array, (int64_t)part->x, (int64_t)part->width, rows_fit ? (int64_t)part->y : (int64_t)y, (int64_t)z);
  close_call(GASAN_KIND_HEAP_BUFFER_OVERFLOW, array, stack);
  return true;
}

bool gasan_report_freed_array(const char *api, const struct gasan_array *array, enum gasan_access access) {
  const uint32_t stack = gasan_stack_capture(api);
  if (is_call_suppressed(GASAN_KIND_HEAP_USE_AFTER_FREE, array, stack))
    return false;
  if (!gasan_repeat_is_new_call(GASAN_KIND_HEAP_USE_AFTER_FREE, stack))
    return true;
  open_call(GASAN_KIND_HEAP_USE_AFTER_FREE, array);
  gasan_note_access(gasan_report_access_name(access));
  gasan_printf("%s%s ", gasan_color(GASAN_COLOR_ACCESS), gasan_report_access_name(access));
  print_call(api, stack);
  close_call(GASAN_KIND_HEAP_USE_AFTER_FREE, array, stack);
  return true;
}

bool gasan_report_array_double_free(const struct gasan_array *array, const struct gasan_pool_caller *caller) {
  if (gasan_error_suppressed(gasan_kind_name(GASAN_KIND_DOUBLE_FREE), caller->stack))
    return false;
  if (!gasan_repeat_is_new_call(GASAN_KIND_DOUBLE_FREE, caller->stack))
    return true;
  char text[128];
  snprintf(text, sizeof text, "attempting double-free on array %p by host thread T%u:", array->handle, caller->thread);
  gasan_report_open(GASAN_KIND_DOUBLE_FREE, text);
  gasan_note_access("FREE");
  gasan_note_api(caller->api);
  gasan_note_host_stack(GASAN_DOC_ACCESS, caller->thread);
  gasan_stack_print(caller->stack, 0, true);
  gasan_printf("\n");
  gasan_report_print_host_source(caller->stack);
  close_call(GASAN_KIND_DOUBLE_FREE, array, caller->stack);
  return true;
}
