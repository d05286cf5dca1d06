/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/stats.h"

#include "gasan_rt/core/runtime.h"
#include "gasan_rt/launch/device_launches.h"
#include "gasan_rt/launch/graph_launch_proof.h"
#include "gasan_rt/launch/launch.h"
#include "gasan_rt/launch/launch_proof.h"
#include "gasan_rt/launch/registry.h"
#include "gasan_rt/launch/ring.h"
#include "gasan_rt/memory/device_bounds.h"
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
