/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/report/report_repeat.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gasan_rt/core/warn.h"
#include "gasan_rt/report/report.h"
#include "gasan_rt/report/report_note.h"
#include "gasan_rt/sanitizer/sanitizer.h"

#define PLACES 4096u /* a power of two */
#define MOST_LISTED 20u

/* A place: a site or a call, and the kind of its error. */
struct place {
  uint64_t key;                  /* 0: free */
  bool is_reported;              /* or a report of it has begun */
  uint64_t times, threads;       /* threads 0: of the host */
  uint64_t early, early_threads; /* repeated errors before the report's end */
  char text[256];                /* "heap-buffer-overflow a.cu:3:5 in f(int*)" */
  struct gasan_doc_report *kept;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct place *places; /* NULL: no error yet, or no memory */
static uint32_t place_count;
static uint64_t reported, dropped, repeated;
static _Thread_local struct place *current;

/* Returns NULL if the table is full or there is no memory: each error is then reported. */
static struct place *find_place(uint64_t key) {
  if (!places)
    places = calloc(PLACES, sizeof *places);
  if (!places)
    return NULL;
  for (uint32_t i = 0; i < PLACES; i++) {
    struct place *place = &places[(key + i) & (PLACES - 1)];
    if (place->key == key)
      return place;
    if (place->key)
      continue;
    if (place_count == PLACES / 2)
      return NULL;
    place->key = key;
    place_count++;
    return place;
  }
  return NULL;
}

/* claims: the error is certainly not suppressed, so another thread's equal error is a repeated one at once. */
static bool is_new(uint64_t key, uint64_t threads, bool claims) {
  const uint64_t limit = (uint64_t)gasan_options()->print_limit;
  key = (key ^ key >> 31) * 0x9e3779b97f4a7c15ull | 1;
  pthread_mutex_lock(&lock);
  struct place *place = find_place(key);
  current = place;
  bool is_wanted = true;
  struct gasan_doc_report *kept = NULL;
  if (place) {
    place->times++;
    place->threads += threads;
    is_wanted = !place->is_reported || gasan_options()->print_repeated;
    repeated += !is_wanted;
    kept = is_wanted ? NULL : place->kept;
    place->early += !is_wanted && !kept;
    place->early_threads += !is_wanted && !kept ? threads : 0;
    place->is_reported |= claims;
  }
  if (is_wanted && limit && reported >= limit) {
    is_wanted = false;
    dropped += !place || place->times == 1;
  }
  pthread_mutex_unlock(&lock);
  if (kept)
    gasan_note_repeat(kept, 1, threads);
  return is_wanted;
}

bool gasan_repeat_is_new_fault(const struct gasan_device_fault *fault) {
  const struct gasan_record *record = &fault->record;
  if (gasan_options()->halt_on_error)
    return true;
  uint64_t key = (uint64_t)record->module_id << 40 ^ (uint64_t)record->site << 8 ^ record->code << 4;
  if (record->site >= GASAN_SITE_UNKNOWN_READ) /* any number of places */
    key ^= record->key;
  key ^= (uint64_t)(record->code == GASAN_CODE_BST && !record->bounds_size) << 3;
  if (record->object >= GASAN_OBJECT_NULL)
    key ^= (uint64_t)record->object << 32;
  return is_new(key, fault->threads, false);
}

bool gasan_repeat_is_new_call(uint32_t kind, uint32_t stack) {
  return gasan_options()->halt_on_error || is_new(~((uint64_t)kind << 32 | stack), 0, true);
}

void gasan_repeat_reported(const char *kind, struct gasan_doc_report *kept) {
  uint64_t early = 0, threads = 0;
  pthread_mutex_lock(&lock);
  reported++;
  if (current) {
    early = current->early;
    threads = current->early_threads;
    current->is_reported = true;
    current->kept = kept;
    snprintf(current->text, sizeof current->text, "%s %s", kind, gasan_report_last_summary());
    current = NULL;
  }
  pthread_mutex_unlock(&lock);
  if (kept && early)
    gasan_note_repeat(kept, early, threads);
}

static void print_place(const struct place *place) {
  if (place->threads)
    gasan_printf("    %s: %llu threads in %llu launches\n", place->text, (unsigned long long)place->threads,
                 (unsigned long long)place->times);
  else
    gasan_printf("    %s: %llu times\n", place->text, (unsigned long long)place->times);
}

static void list_repeated(void) {
  uint32_t listed = 0, others = 0;
  gasan_rt_warn("these errors came again after their report; the counts have all of them:");
  for (uint32_t i = 0; places && i < PLACES; i++) {
    if (!*places[i].text || places[i].times < 2)
      continue;
    if (listed < MOST_LISTED)
      print_place(&places[i]);
    listed++;
  }
  others = listed > MOST_LISTED ? listed - MOST_LISTED : 0;
  if (others)
    gasan_printf("    and %u more places\n", others);
}

static void print_counts(void) {
  gasan_report_begin();
  if (repeated)
    list_repeated();
  if (dropped)
    gasan_rt_warn("%llu more place%s with errors %s not reported (GASAN_OPTIONS=print_limit=%d)",
                  (unsigned long long)dropped, dropped == 1 ? "" : "s", dropped == 1 ? "was" : "were",
                  gasan_options()->print_limit);
  gasan_report_end();
}

void gasan_repeat_finish(void) {
  if (!gasan_options()->halt_on_error)
    print_counts();
  gasan_note_finish();
}

bool gasan_repeat_any(void) {
  pthread_mutex_lock(&lock);
  const bool any = reported > 0;
  pthread_mutex_unlock(&lock);
  return any;
}
