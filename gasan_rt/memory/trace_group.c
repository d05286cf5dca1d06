/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/memory/trace_group.h"

#include <stdlib.h>
#include <string.h>

#define HEADER GASAN_TRACE_HEADER_WORDS
#define MOST_WORDS (HEADER + 32u) /* of a record */

/* The record of one lane. */
struct lane_record {
  struct gasan_trace_record head;
  uint64_t address;
  uint32_t place;      /* in the buffer: among all records */
  uint32_t occurrence; /* among the lane's records with this module, site and type */
  uint32_t first;      /* the place of the first lane of the warp's record */
};

static void push_record(struct gasan_trace_words *to, struct gasan_trace_record head, const uint64_t *addresses) {
  const uint32_t lanes = (uint32_t)__builtin_popcount(head.mask);
  const uint64_t step = lanes > 1 ? addresses[1] - addresses[0] : 0;
  head.affine = 1;
  for (uint32_t i = 1; i < lanes; i++)
    if (addresses[i] - addresses[i - 1] != step)
      head.affine = 0;
  uint64_t *out = to->words + to->count;
  memcpy(out, &head, sizeof head);
  if (head.affine) {
    out[HEADER] = addresses[0];
    out[HEADER + 1] = step;
    to->count += HEADER + 2;
  } else {
    memcpy(out + HEADER, addresses, lanes * sizeof *addresses);
    to->count += HEADER + lanes;
  }
}

/* Sets *head to the record at the words. Returns its length in words, or 0 if no whole record is there. */
static uint64_t read_head(const uint64_t *words, uint64_t count, struct gasan_trace_record *head) {
  if (count < HEADER)
    return 0;
  memcpy(head, words, sizeof *head);
  const uint64_t length = HEADER + (uint32_t)__builtin_popcount(head->mask);
  return head->type && head->mask && length <= count ? length : 0;
}

struct gasan_trace_words gasan_trace_pack(const uint64_t *words, uint64_t count) {
  /* A record of one lane gets a word longer, from 4 to 5. */
  struct gasan_trace_words to = {malloc((count + count / 4 + MOST_WORDS) * sizeof *words), 0, true};
  if (!to.words)
    return (struct gasan_trace_words){0};
  struct gasan_trace_record head;
  for (uint64_t at = 0, length; (length = read_head(words + at, count - at, &head)); at += length)
    push_record(&to, head, words + at + HEADER);
  return to;
}

static uint32_t lane_of(const struct lane_record *record) {
  return (uint32_t)__builtin_ctz(record->head.mask);
}

#define ORDER(a, b)                                                                                                    \
  if ((a) != (b))                                                                                                      \
  return (a) < (b) ? -1 : 1

static int compare_warps(const struct lane_record *a, const struct lane_record *b) {
  ORDER(a->head.block, b->head.block);
  ORDER(a->head.warp, b->head.warp);
  ORDER(a->head.module, b->head.module);
  ORDER(a->head.site, b->head.site);
  ORDER(a->head.type, b->head.type);
  return 0;
}

static int by_lane(const void *left, const void *right) {
  const struct lane_record *a = left, *b = right;
  const int warps = compare_warps(a, b);
  if (warps)
    return warps;
  ORDER(lane_of(a), lane_of(b));
  ORDER(a->place, b->place);
  return 0;
}

static int by_occurrence(const void *left, const void *right) {
  const struct lane_record *a = left, *b = right;
  const int warps = compare_warps(a, b);
  if (warps)
    return warps;
  ORDER(a->occurrence, b->occurrence);
  ORDER(lane_of(a), lane_of(b));
  return 0;
}

static int by_first(const void *left, const void *right) {
  const struct lane_record *a = left, *b = right;
  ORDER(a->first, b->first);
  ORDER(lane_of(a), lane_of(b));
  return 0;
}

static bool share_record(const struct lane_record *a, const struct lane_record *b) {
  return !compare_warps(a, b) && a->occurrence == b->occurrence && a->head.size == b->head.size;
}

static void number_occurrences(struct lane_record *records, uint64_t count) {
  qsort(records, count, sizeof *records, by_lane);
  for (uint64_t i = 0; i < count; i++) {
    const bool again =
        i && !compare_warps(&records[i - 1], &records[i]) && lane_of(&records[i - 1]) == lane_of(&records[i]);
    records[i].occurrence = again ? records[i - 1].occurrence + 1 : 0;
  }
}

static void find_first_lanes(struct lane_record *records, uint64_t count) {
  qsort(records, count, sizeof *records, by_occurrence);
  for (uint64_t begin = 0, end; begin < count; begin = end) {
    uint32_t first = records[begin].place;
    for (end = begin; end < count && share_record(&records[begin], &records[end]); end++)
      first = records[end].place < first ? records[end].place : first;
    for (uint64_t i = begin; i < end; i++)
      records[i].first = first;
  }
}

struct gasan_trace_words gasan_trace_join(const uint64_t *words, uint64_t count) {
  struct gasan_trace_words to = {malloc((count + count / 4 + MOST_WORDS) * sizeof *words), 0, true};
  struct lane_record *records = malloc((count / (HEADER + 1) + 1) * sizeof *records);
  uint64_t found = 0;
  struct gasan_trace_record head;
  for (uint64_t at = 0, length; to.words && records && (length = read_head(words + at, count - at, &head));
       at += length) {
    records[found] = (struct lane_record){.head = head, .address = words[at + HEADER], .place = (uint32_t)found};
    found++;
  }
  if (to.words && records) {
    number_occurrences(records, found);
    find_first_lanes(records, found);
    qsort(records, found, sizeof *records, by_first);
  }
  for (uint64_t i = 0; i < found;) {
    uint64_t addresses[32];
    uint32_t lanes = 0;
    head = records[i].head;
    for (const uint32_t first = records[i].first; i < found && records[i].first == first; i++) {
      head.mask |= records[i].head.mask;
      addresses[lanes++] = records[i].address;
    }
    push_record(&to, head, addresses);
  }
  free(records);
  if (to.words && records)
    return to;
  free(to.words);
  return (struct gasan_trace_words){0};
}
