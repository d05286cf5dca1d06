/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Simulates GPUArmor's hardware on a trace, and prints the results as JSON (docs/research-mlb.md).
 *
 *   mlb [--sms N] [--skip TEXT] TRACE   simulate all configurations
 *   mlb --print TRACE                   print the records of the trace
 *
 * --sms: multiprocessors of the GPU (default: 108, as a GA100). --skip: leave out kernels with this text in their
 * names. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/mlb/coverage.h"
#include "bench/mlb/model.h"
#include "bench/mlb/sets.h"

#define MOST_SMS 1024u
#define MOST_CONFIGURATIONS 128

static const uint32_t sizes[] = {0, 1, 2, 4, 8, 16, 32, 64};
#define SIZES (sizeof sizes / sizeof *sizes)
static const char *const structures[] = {"table", "tree", "list"};

struct totals {
  uint64_t launches, records, dropped, unknown, instructions, global, shared, local, lookups;
  uint64_t live, smallest, median, largest, footprint; /* of the launch with the most allocations */
  uint64_t distinct, most_distinct;                    /* allocations that a launch accesses */
};

static void print_trace(struct mlb_trace *trace) {
  static const char *const types[] = {"?", "lookup", "read", "write", "atomic"};
  struct mlb_launch launch;
  int status;
  for (uint64_t number = 1; (status = mlb_trace_next(trace, &launch)) > 0; number++) {
    const uint32_t *g = launch.head.grid, *b = launch.head.block;
    printf("launch %llu: %s, grid %ux%ux%u, block %ux%ux%u, %llu allocations, %llu records dropped\n",
           (unsigned long long)number, launch.name, g[0], g[1], g[2], b[0], b[1], b[2],
           (unsigned long long)launch.allocation_count, (unsigned long long)launch.head.dropped);
    struct mlb_record record;
    for (uint64_t at = 0; mlb_record_next(&launch, &at, &record);) {
      printf("  %s module %u site %u sm %u block %u warp %u mask %08x size %u:", types[record.head.type],
             record.head.module, record.head.site, record.head.sm, record.head.block, record.head.warp,
             record.head.mask, record.head.size);
      for (uint32_t i = 0; i < record.lanes; i++)
        printf(" %llx", (unsigned long long)record.addresses[i]);
      printf("\n");
    }
  }
  exit(status < 0);
}

static int by_size(const void *left, const void *right) {
  const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return a < b ? -1 : a > b;
}

static void measure_allocations(struct totals *totals, const struct mlb_launch *launch) {
  const uint64_t count = launch->allocation_count;
  uint64_t *sorted = malloc((count + 1) * sizeof *sorted);
  if (!launch->changed || count <= totals->live || !sorted) {
    free(sorted);
    return;
  }
  totals->footprint = 0;
  for (uint64_t i = 0; i < count; i++)
    totals->footprint += sorted[i] = launch->allocations[i].size;
  qsort(sorted, count, sizeof *sorted, by_size);
  totals->live = count;
  totals->smallest = sorted[0];
  totals->median = sorted[count / 2];
  totals->largest = sorted[count - 1];
  free(sorted);
}

static void measure_launch(struct totals *totals, const struct mlb_launch *launch, const struct mlb_stream *stream) {
  const struct gasan_trace_launch *head = &launch->head;
  totals->launches++;
  totals->records += stream->step_count;
  totals->unknown += stream->unknown;
  totals->dropped += head->dropped;
  totals->instructions += head->instructions;
  totals->global += head->global;
  totals->shared += head->shared;
  totals->local += head->local;
  totals->lookups += head->lookups;
  measure_allocations(totals, launch);
  bool *seen = calloc(launch->allocation_count + 1, sizeof *seen);
  totals->distinct = 0;
  for (uint64_t i = 0; seen && i < stream->request_count; i++) {
    totals->distinct += !seen[stream->requests[i].allocation];
    seen[stream->requests[i].allocation] = true;
  }
  if (totals->distinct > totals->most_distinct)
    totals->most_distinct = totals->distinct;
  free(seen);
}

/* Fills in the configurations that are simulated. Returns their number. */
static uint32_t list_machines(struct mlb_machine *machines, uint32_t sms) {
  uint32_t count = 0;
  for (uint32_t hardware = 0; hardware < 2; hardware++)
    for (uint32_t s = 0; s < SIZES; s++) {
      struct mlb_machine machine = mlb_machine_default();
      machine.sms = sms;
      machine.hardware_only = hardware;
      machine.entries = sizes[s];
      for (uint32_t structure = 0; structure < MLB_STRUCTURES; structure++) {
        machine.structure = (enum mlb_structure)structure;
        machines[count++] = machine;
      }
      machine.structure = MLB_TREE;
      machine.random = true;
      machines[count++] = machine;
      machine.random = false;
      machine.share = 4;
      machines[count++] = machine;
    }
  return count;
}

static double ratio(uint64_t part, uint64_t whole) {
  return whole ? (double)part / (double)whole : 0;
}

static void print_machine(const struct mlb_machine *m, const struct mlb_result *r, bool last) {
  printf("  {\"mode\": \"%s\", \"structure\": \"%s\", \"entries\": %u, \"share\": %u, \"policy\": \"%s\",\n"
         "   \"lookups\": %llu, \"lookup_hits\": %.6f, \"checks\": %llu, \"check_hits\": %.6f, \"hits\": %.6f,\n"
         "   \"loads\": %llu, \"load_bytes\": %llu, \"l1_hits\": %.6f, \"loads_per_data_request\": %.6f,\n"
         "   \"base_cycles\": %.0f, \"cycles\": %.0f, \"added\": %.6f}%s\n",
         m->hardware_only ? "hardware" : "compiled", structures[m->structure], m->entries, m->share,
         m->random ? "random" : "lru", (unsigned long long)r->lookups, ratio(r->lookup_hits, r->lookups),
         (unsigned long long)r->checks, ratio(r->check_hits, r->checks),
         ratio(r->lookup_hits + r->check_hits, r->lookups + r->checks), (unsigned long long)r->loads,
         (unsigned long long)r->loads * 16, ratio(r->l1_hits, r->loads), ratio(r->loads, r->data), r->base_cycles,
         r->cycles, r->base_cycles > 0 ? r->cycles / r->base_cycles - 1 : 0, last ? "" : ",");
}

static void print_totals(const struct totals *t, const struct mlb_working_set *set, const struct mlb_software *soft) {
#define NUMBER(member) printf(" \"" #member "\": %llu,\n", (unsigned long long)t->member)
  NUMBER(launches);
  NUMBER(records);
  NUMBER(dropped);
  NUMBER(unknown);
  NUMBER(instructions);
  NUMBER(global);
  NUMBER(shared);
  NUMBER(local);
  NUMBER(lookups);
  NUMBER(live);
  NUMBER(smallest);
  NUMBER(median);
  NUMBER(largest);
  NUMBER(footprint);
  NUMBER(most_distinct);
  printf(" \"working_set_99\": %u,\n \"working_set\": %u,\n \"first_accesses\": %llu,\n",
         mlb_working_set_entries(set, 0.99), mlb_working_set_entries(set, 1), (unsigned long long)set->first);
  printf(" \"software\": {\"lookups\": %llu", (unsigned long long)soft->lookups);
  for (int c = 0; c < MLB_SOFTWARE_CACHES; c++)
    printf(", \"warp%u\": %.6f, \"block%u\": %.6f", mlb_warp_entries[c], ratio(soft->warp_hits[c], soft->lookups),
           mlb_block_entries[c], ratio(soft->block_hits[c], soft->lookups));
  printf("},\n");
}

static void print_coverage(const struct mlb_coverage *c) {
  printf(" \"coverage\": {\"base\": %llu, \"inside\": %llu, \"address\": %llu, \"none\": %llu},\n",
         (unsigned long long)c->base, (unsigned long long)c->inside, (unsigned long long)c->address,
         (unsigned long long)c->none);
}

static void fail_without_memory(void) {
  fprintf(stderr, "mlb: too little memory; record fewer blocks (GASAN_OPTIONS=trace_blocks=N)\n");
  exit(1);
}

/* Simulates all configurations. Returns the exit status. */
static int simulate(struct mlb_trace *trace, uint32_t sms, const char *skip) {
  struct mlb_machine machines[MOST_CONFIGURATIONS];
  struct mlb_model *models[MOST_CONFIGURATIONS];
  const uint32_t count = list_machines(machines, sms);
  struct totals totals = {0};
  struct mlb_working_set *set = malloc(sizeof *set);
  struct mlb_software software = {0};
  struct mlb_coverage coverage = {0};
  if (!set || !mlb_working_set_make(set, sms))
    fail_without_memory();
  for (uint32_t i = 0; i < count; i++)
    if (!(models[i] = mlb_model_make(machines[i])))
      fail_without_memory();
  struct mlb_launch launch;
  int status;
  bool changed = false; /* since the last launch that was not left out */
  while ((status = mlb_trace_next(trace, &launch)) > 0) {
    struct mlb_stream stream;
    changed |= launch.changed;
    if (skip && strstr(launch.name, skip))
      continue;
    launch.changed = changed;
    changed = false;
    if (!mlb_stream_make(&stream, &launch, mlb_trace_head(trace)->cpu, sms))
      fail_without_memory();
    for (uint32_t i = 0; i < count; i++)
      mlb_model_run(models[i], &launch, &stream);
    mlb_working_set_run(set, &launch, &stream);
    measure_launch(&totals, &launch, &stream);
    mlb_software_run(&software, &stream);
    if (!mlb_coverage_run(&coverage, &launch))
      fail_without_memory();
    mlb_stream_free(&stream);
  }
  printf("{\"sms\": %u, \"sample\": %u,\n", sms, mlb_trace_head(trace)->sample);
  print_totals(&totals, set, &software);
  print_coverage(&coverage);
  printf(" \"machines\": [\n");
  for (uint32_t i = 0; i < count; i++) {
    const struct mlb_result result = mlb_model_result(models[i]);
    print_machine(&machines[i], &result, i + 1 == count);
    mlb_model_free(models[i]);
  }
  printf(" ]}\n");
  mlb_working_set_free(set);
  free(set);
  return status < 0;
}

int main(int count, char **arguments) {
  long sms = 108;
  bool prints = false;
  const char *path = NULL, *skip = NULL;
  for (int i = 1; i < count; i++) {
    if (!strcmp(arguments[i], "--sms") && i + 1 < count)
      sms = atol(arguments[++i]);
    else if (!strcmp(arguments[i], "--skip") && i + 1 < count)
      skip = arguments[++i];
    else if (!strcmp(arguments[i], "--print"))
      prints = true;
    else
      path = arguments[i];
  }
  if (!path || sms < 1 || sms > MOST_SMS) {
    fprintf(stderr, "usage: mlb [--sms N] [--skip TEXT] [--print] TRACE; N is from 1 to %u\n", MOST_SMS);
    return 2;
  }
  struct mlb_trace *trace = mlb_trace_open(path);
  if (!trace)
    return 1;
  if (prints)
    print_trace(trace);
  const int status = simulate(trace, (uint32_t)sms, skip);
  mlb_trace_close(trace);
  return status;
}
