/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "document/describe_report.h"

#include <string.h>

typedef unsigned long long ull;

/* By ASan's name of the kind. */
static const char *const kinds[][2] = {
    {"heap-buffer-overflow", "An access is outside of its allocation."},
    {"heap-use-after-free", "An access is to memory, or through an object, that was freed before."},
    {"wild-address", "A pointer does not point into an allocation."},
    {"null-address", "A pointer is null, or points to an element of a null array."},
    {"misaligned-access", "An address is not a multiple of the access's size."},
    {"global-buffer-overflow", "An access is outside of its global or constant variable."},
    {"shared-buffer-overflow", "An access is outside of its variable in shared memory."},
    {"stack-buffer-overflow", "An access is outside of its local variable."},
    {"stack-use-after-scope", "An access is to a local variable whose scope has ended."},
    {"stack-use-after-return", "An access is to a local variable of a function that has returned."},
    {"intra-object-overflow", "An access leaves its field, and stays in the object."},
    {"memcpy-param-overlap", "The ranges of a copy overlap."},
    {"alloc-dealloc-mismatch", "Memory is freed by a function that does not belong to its allocation."},
    {"double-free", "Memory is freed twice."},
    {"bad-free", "A freed address is not the beginning of an allocation."},
    {"barrier-deadlock", "Threads wait at a barrier that other threads do not reach."},
    {"stack-overflow", "A device thread has used up its stack."},
    {"SEGV", "The device has stopped a kernel for an access that no check covered."},
    {"BUS", "The device has stopped a kernel for an access that it cannot make."},
    {"FPE", "The device has stopped a kernel for arithmetic that traps."},
    {"ILL", "The device has stopped a kernel for an illegal instruction."},
    {"invalid-warp-mask", "The mask of a warp operation lacks its caller, or differs between its callers."},
    {GASAN_DOCUMENT_LEAK, "Memory was not freed at the end of the process."},
};

const char *gasan_doc_explain_kind(const char *kind) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(kinds[i][0], kind) == 0)
      return kinds[i][1];
  return kind;
}

static void describe_access(const struct gasan_doc_report *report, struct gasan_text *out) {
  gasan_text_print(out, "%s", strcmp(report->operation, "unknown") == 0 ? "access" : report->operation);
  if (report->has_size)
    gasan_text_print(out, " of %llu byte%s", (ull)report->size, report->size == 1 ? "" : "s");
  if (report->api)
    gasan_text_print(out, " by %s", report->api);
}

static void describe_object(const struct gasan_doc_object *object, struct gasan_text *out) {
  if (strcmp(object->type, "region") == 0)
    gasan_text_print(out, ", %llu bytes %s a %llu-byte region", (ull)object->distance, object->relation,
                     (ull)object->size);
  else
    gasan_text_print(out, ", %llu %s %s %s%s%s%s (%llu %s)", (ull)object->distance, object->unit, object->relation,
                     object->type, object->name ? " '" : "", object->name ? object->name : "", object->name ? "'" : "",
                     (ull)object->size, object->unit);
}

void gasan_doc_describe(const struct gasan_doc_report *report, struct gasan_text *out) {
  const struct gasan_doc_stack *launch = gasan_doc_find_stack(report, GASAN_DOC_LAUNCH);
  gasan_text_print(out, "%s: ", report->kind);
  if (report->leaked_objects)
    gasan_text_print(out, "%llu bytes in %llu object%s were not freed", (ull)report->leaked_bytes,
                     (ull)report->leaked_objects, report->leaked_objects == 1 ? "" : "s");
  else if (report->has_access)
    describe_access(report, out);
  else
    gasan_text_print(out, "%s", report->title + strspn(report->title, " :"));
  if (report->objects)
    describe_object(report->objects, out);
  if (launch && launch->kernel && !report->leaked_objects)
    gasan_text_print(out, ", in kernel %s", launch->kernel);
  gasan_text_print(out, ".");
  for (const struct gasan_doc_value *value = report->values; value; value = value->next)
    gasan_text_print(out, "%s %s = %s", value == report->values ? " Here" : ",", value->expression, value->value);
  gasan_text_print(out, "%s", report->values ? "." : "");
}

void gasan_doc_describe_stack(const struct gasan_doc_stack *stack, struct gasan_text *out) {
  gasan_text_print(out, "%s", gasan_doc_role_title(stack->role));
  if (stack->kernel)
    gasan_text_print(out, ": %s", stack->kernel);
  if (stack->has_shape)
    gasan_text_print(out, "<<<(%u,%u,%u), (%u,%u,%u)>>>", stack->grid_dim[0], stack->grid_dim[1], stack->grid_dim[2],
                     stack->block_dim[0], stack->block_dim[1], stack->block_dim[2]);
  if (stack->has_device_thread)
    gasan_text_print(out, " by device thread (%u,%u,%u) block (%u,%u,%u)", stack->thread[0], stack->thread[1],
                     stack->thread[2], stack->block[0], stack->block[1], stack->block[2]);
  if (stack->has_host_thread)
    gasan_text_print(out, " by host thread T%u", stack->host_thread);
}
