/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/stats.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "gasan_rt/core/door.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/core/warn.h"
#include "gasan_rt/launch/device_launches.h"
#include "gasan_rt/launch/graph_launch_proof.h"
#include "gasan_rt/launch/launch.h"
#include "gasan_rt/launch/launch_proof.h"
#include "gasan_rt/launch/registry.h"
#include "gasan_rt/launch/ring.h"
#include "gasan_rt/memory/device_bounds.h"
#include "gasan_rt/memory/foreign.h"
#include "gasan_rt/report/report.h"
#include "gasan_rt/sanitizer/sanitizer.h"

static void print_device_stats(struct gasan_rt_device *state) {
  uint64_t faults, dropped;
  gasan_ring_count(state, &faults, &dropped);
  struct gasan_pool_counters c = {0};
  if (state->pool)
    gasan_pool_counters(state->pool, &c);
  gasan_printf(
      "Stats: %s device %d: %llu launches, %llu faulting threads (%llu of them without a record: table full)\n",
      state->device->kind->name, state->device->ordinal, (unsigned long long)atomic_load(&state->launches->launches),
      (unsigned long long)faults, (unsigned long long)dropped);
  gasan_printf(
      "Stats:   pool: %llu allocations, %llu frees, %llu live chunks (%llu bytes), %llu quarantined (%llu bytes)\n",
      (unsigned long long)c.allocations, (unsigned long long)c.frees, (unsigned long long)c.live_chunks,
      (unsigned long long)c.live_bytes, (unsigned long long)c.quarantined_chunks,
      (unsigned long long)c.quarantined_bytes);
  gasan_printf("Stats:   pool: %llu freed chunks whose addresses stay dead (%llu bytes)\n",
               (unsigned long long)c.dead_chunks, (unsigned long long)c.dead_bytes);
  gasan_printf("Stats:   pool: peak %llu bytes live, %llu bytes mapped, %llu bytes of shadow, %llu chunks whose "
               "addresses were reused\n",
               (unsigned long long)c.peak_live_bytes, (unsigned long long)c.mapped_bytes,
               (unsigned long long)(state->shadow ? gasan_shadow_memory(gasan_pool_shadow(state->pool)) : 0),
               (unsigned long long)c.reused);
  if (gasan_door_is_open())
    gasan_printf("Stats:   guards: %llu of %llu allocations had pages of their own, %llu of them are live\n",
                 (unsigned long long)(c.allocations - c.shared_allocations), (unsigned long long)c.allocations,
                 (unsigned long long)c.guarded_chunks);
  if (c.region_changes)
    gasan_printf(
        "Stats:   pool: %llu live regions of sub-allocators, %llu registered, resized or unregistered so far\n",
        (unsigned long long)c.live_regions, (unsigned long long)c.region_changes);
  struct gasan_counters counters = gasan_lookup_counters(state);
  if (state->tables) {
    gasan_printf("Stats:   tables of bounds: %llu bytes, of which %llu are in use\n",
                 (unsigned long long)c.tables_bytes, (unsigned long long)c.tables_used);
    gasan_printf("Stats:   lookups of bounds: %llu pointers led to no known memory\n",
                 (unsigned long long)counters.unknown);
  }
  if (counters.accesses)
    gasan_printf("Stats:   checks: %llu checks executed for %llu accesses\n", (unsigned long long)counters.checks,
                 (unsigned long long)counters.accesses);
  if (state->pool && gasan_pool_moves(state->pool))
    gasan_printf("Stats:   pool: %llu segments, moved %llu times\n", (unsigned long long)c.segments,
                 (unsigned long long)c.moves);
}

void gasan_stats_print(void) {
  struct gasan_registry_counts counts;
  gasan_registry_count(&counts);
  gasan_report_begin();
  gasan_printf("Stats: %llu of %llu modules launched and instrumented, %llu kernels registered, %llu launches of "
               "kernels without checks\n",
               (unsigned long long)counts.instrumented_modules, (unsigned long long)counts.modules,
               (unsigned long long)counts.kernels, (unsigned long long)gasan_launch_unchecked());
  gasan_printf("Stats: %llu sites checked; %llu accesses in the code cannot be checked (tensor copies, and inline PTX "
               "that computes its address)\n",
               (unsigned long long)counts.sites, (unsigned long long)counts.unchecked_accesses);
  gasan_rt_each_device(print_device_stats);
  gasan_graph_launch_proof_count();
  gasan_launch_proof_print_stats();
  gasan_graph_launch_proof_print_stats();
  gasan_printf("Stats: %llu reports\n", (unsigned long long)gasan_report_count());
  gasan_report_end();
}

static uint64_t pool_allocations;

static void count_pool(struct gasan_rt_device *state) {
  struct gasan_pool_counters c = {0};
  if (state->pool)
    gasan_pool_counters(state->pool, &c);
  pool_allocations += c.allocations;
}

/* Writes ", N what" behind the text, if N is not 0. */
static void append_count(char *text, size_t size, uint64_t count, const char *what) {
  const size_t used = strlen(text);
  if (count)
    snprintf(text + used, size - used, "%s%llu %s", used ? ", " : "", (unsigned long long)count, what);
}

static _Atomic uint64_t checked_kernels, guarded_kernels;

void gasan_stats_count_kernel(bool checked) {
  atomic_fetch_add(checked ? &checked_kernels : &guarded_kernels, 1);
}

static void print_kernels(void) {
  const uint64_t checked = atomic_load(&checked_kernels), guarded = atomic_load(&guarded_kernels);
  if (strcmp(gasan_options()->instrument, "on") == 0 && checked + guarded)
    gasan_rt_warn("%llu of %llu launched kernels had checks%s%s", (unsigned long long)checked,
                  (unsigned long long)(checked + guarded), guarded ? "; the others had guards only" : "",
                  guarded && gasan_verbosity() < 1 ? " (verbosity=1 says why)" : "");
}

void gasan_stats_print_unguarded(void) {
  print_kernels();
  char text[256] = "";
  /* The driver API's managed memory has the kind of memory in other contexts. */
  const uint64_t own = gasan_foreign_added(GASAN_FOREIGN_MANAGED) + gasan_foreign_added(GASAN_FOREIGN_DRIVER),
                 mapped = gasan_foreign_added(GASAN_FOREIGN_MAPPED), pooled = gasan_foreign_added(GASAN_FOREIGN_POOLED),
                 others = own + mapped + pooled;
  gasan_rt_each_device(count_pool);
  append_count(text, sizeof text, own, "managed or in contexts of the program");
  append_count(text, sizeof text, mapped, "by cuMemMap");
  append_count(text, sizeof text, pooled, "in pools of CUDA");
  if (others)
    gasan_rt_warn("%llu of %llu allocations had neither guards nor canaries: %s; print_unguarded=0 silences this",
                  (unsigned long long)others, (unsigned long long)(pool_allocations + others), text);
}
