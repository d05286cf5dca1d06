/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "document/html_pictures.h"

#include <stdlib.h>
#include <string.h>

#include "document/escape.h"

typedef unsigned long long ull;

#define MOST_BOXES 8u
#define BOX_WIDTH 210
#define GAP_WIDTH 130
#define MOST_THREADS 1024u
#define CELL 14

/* A piece of memory in the picture. */
struct box {
  uint64_t base, end;
  const char *class, *label;
};

struct row {
  struct box boxes[MOST_BOXES];
  uint32_t count;
};

static void add_box(struct row *row, uint64_t base, uint64_t size, const char *class, const char *label) {
  for (uint32_t i = 0; i < row->count; i++)
    if (row->boxes[i].base < base + size && base < row->boxes[i].end)
      return; /* a heap around its region, or the same memory twice */
  if (row->count < MOST_BOXES && size && base + size > base)
    row->boxes[row->count++] = (struct box){base, base + size, class, label};
}

static int by_base(const void *left, const void *right) {
  const struct box *a = left, *b = right;
  return a->base < b->base ? -1 : a->base > b->base;
}

static void collect_boxes(const struct gasan_doc_report *report, struct row *row) {
  const bool is_freed = gasan_doc_find_stack(report, GASAN_DOC_FREE) != NULL;
  for (const struct gasan_doc_object *object = report->objects; object; object = object->next)
    if (object->has_base)
      add_box(row, object->base, object->size,
              object != report->objects ? "other"
              : is_freed                ? "freed"
                                        : "own",
              object->name ? object->name : object->type);
  for (const struct gasan_doc_object *object = report->neighbours; object; object = object->next)
    add_box(row, object->base, object->size, "other", "neighbour");
  qsort(row->boxes, row->count, sizeof *row->boxes, by_base);
}

static void draw_box(struct gasan_text *out, const struct box *box, int x) {
  gasan_text_print(out, "<rect class=\"%s\" x=\"%d\" y=\"24\" width=\"%d\" height=\"44\"/><text x=\"%d\" y=\"44\">",
                   box->class, x, BOX_WIDTH, x + BOX_WIDTH / 2);
  gasan_escape(out, box->label);
  gasan_text_print(out,
                   "</text><text x=\"%d\" y=\"60\">%llu bytes</text><text class=\"address\" x=\"%d\" y=\"84\">"
                   "0x%llx</text>",
                   x + BOX_WIDTH / 2, (ull)(box->end - box->base), x + BOX_WIDTH / 2, (ull)box->base);
}

static void draw_gap(struct gasan_text *out, uint64_t bytes, int x) {
  gasan_text_print(out, "<line class=\"gap\" x1=\"%d\" y1=\"46\" x2=\"%d\" y2=\"46\"/>", x, x + GAP_WIDTH);
  if (bytes)
    gasan_text_print(out, "<text class=\"address\" x=\"%d\" y=\"40\">%llu bytes</text>", x + GAP_WIDTH / 2, (ull)bytes);
}

static void draw_access(struct gasan_text *out, const struct gasan_doc_report *report, int x) {
  gasan_text_print(out, "<path class=\"access\" d=\"M%d 70 l-7 16 h14 z\"/><text class=\"access\" x=\"%d\" y=\"104\">",
                   x, x);
  gasan_escape(out, report->has_access ? report->operation : "address");
  if (report->has_size)
    gasan_text_print(out, " of %llu bytes", (ull)report->size);
  gasan_text_print(out, "</text><text class=\"address\" x=\"%d\" y=\"119\">0x%llx</text>", x, (ull)report->address);
}

/* Returns the place of `address` between from and to, whose picture begins at x. */
static int place(uint64_t address, uint64_t from, uint64_t to, int x, int width) {
  return x + (int)((double)(address - from) / (double)(to - from) * width);
}

/* Returns the place of the address in the gap behind a box: close to its end, or to its beginning. */
static int place_in_gap(uint64_t address, uint64_t from, uint64_t to, int x) {
  return address - from < 64 ? x + 8 : to - address < 64 ? x + GAP_WIDTH - 8 : place(address, from, to, x, GAP_WIDTH);
}

void gasan_html_draw_memory(const struct gasan_doc_report *report, struct gasan_text *out) {
  struct row row = {.count = 0};
  collect_boxes(report, &row);
  if (!row.count || !report->has_address)
    return;
  const uint64_t bad = report->address;
  const int width = (int)row.count * (BOX_WIDTH + GAP_WIDTH) + GAP_WIDTH;
  int x = GAP_WIDTH, at = bad < row.boxes[0].base ? GAP_WIDTH / 2 : -1;
  gasan_text_print(out, "<svg class=\"memory\" width=\"%d\" height=\"126\" viewBox=\"0 0 %d 126\">", width, width);
  draw_gap(out, 0, 0);
  if (at >= 0 && row.boxes[0].base - bad < 64)
    at = GAP_WIDTH - 8;
  for (uint32_t i = 0; i < row.count; i++, x += BOX_WIDTH + GAP_WIDTH) {
    const struct box *box = &row.boxes[i];
    const uint64_t next = i + 1 < row.count ? box[1].base : UINT64_MAX;
    draw_box(out, box, x);
    draw_gap(out, next == UINT64_MAX ? 0 : next - box->end, x + BOX_WIDTH);
    if (bad >= box->base && bad < box->end)
      at = place(bad, box->base, box->end, x, BOX_WIDTH);
    else if (bad >= box->end && bad < next)
      at = place_in_gap(bad, box->end, next, x + BOX_WIDTH);
  }
  draw_access(out, report, at);
  gasan_text_print(out, "</svg>\n");
}

static bool is_bad(const struct gasan_doc_report *report, uint64_t thread) {
  return thread / 64 < report->block_words && report->block_threads[thread / 64] >> thread % 64 & 1;
}

void gasan_html_draw_block(const struct gasan_doc_report *report, struct gasan_text *out) {
  const struct gasan_doc_stack *access = gasan_doc_find_stack(report, GASAN_DOC_ACCESS);
  const struct gasan_doc_stack *launch = gasan_doc_find_stack(report, GASAN_DOC_LAUNCH);
  if (!access || !access->has_device_thread || !launch || !launch->has_shape)
    return;
  const uint32_t *shape = launch->block_dim, *own = access->thread;
  const uint64_t count = (uint64_t)shape[0] * shape[1] * shape[2];
  if (!count || count > MOST_THREADS)
    return;
  const uint64_t first = ((uint64_t)own[2] * shape[1] + own[1]) * shape[0] + own[0];
  const uint32_t columns = shape[0] > 32 || shape[1] * shape[2] == 1 ? 32 : shape[0];
  const uint64_t rows = (count + columns - 1) / columns;
  gasan_text_print(out, "<figure><svg class=\"block\" width=\"%u\" height=\"%llu\">", columns * CELL,
                   (ull)(rows * CELL));
  for (uint64_t i = 0; i < count; i++)
    gasan_text_print(out, "<rect class=\"%s\" x=\"%llu\" y=\"%llu\" width=\"%d\" height=\"%d\"/>",
                     i == first          ? "first"
                     : is_bad(report, i) ? "bad"
                                         : "good",
                     (ull)(i % columns * CELL), (ull)(i / columns * CELL), CELL - 2, CELL - 2);
  gasan_text_print(out,
                   "</svg><figcaption>block (%u,%u,%u), %u x %u x %u threads, %u in each row: thread (%u,%u,%u) is "
                   "reported%s</figcaption></figure>\n",
                   access->block[0], access->block[1], access->block[2], shape[0], shape[1], shape[2], columns, own[0],
                   own[1], own[2], report->block_words ? "; the formula of the index names the others" : "");
}
