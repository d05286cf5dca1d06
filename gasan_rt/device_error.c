#include "gasan_rt/device_error.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/check.h"
#include "device/cpu/cpu.h"
#include "gasan_rt/foreign.h"
#include "gasan_rt/launch.h"
#include "gasan_rt/report.h"
#include "gasan_rt/report_bounds.h"
#include "gasan_rt/runtime.h"
#include "gasan_rt/sanitizer/sanitizer.h"

#define HOST_PAGE 4096u
#define FARTHEST (1ull << 32) /* from a pointer to an access that is still taken for its own */

/* Of a kernel that touched what it may not, in the order of how much they say. */
static bool is_of_memory(int error) {
  return error == cudaErrorIllegalAddress || error == cudaErrorLaunchFailure || error == cudaErrorInvalidAddressSpace ||
         error == cudaErrorHardwareStackError;
}

/* A pointer that the kernel looked up and that belongs to nobody. */
struct candidate {
  struct gasan_device_fault fault;
  bool unlikely; /* there is memory, which some devices can touch */
};

static bool host_has_memory(uint64_t address) {
  unsigned char resident;
  return mincore((void *)(uintptr_t)(address & ~(uint64_t)(HOST_PAGE - 1)), 1, &resident) == 0;
}

static bool is_known_now(uint64_t address) {
  struct gasan_foreign range;
  return gasan_foreign_find((const void *)(uintptr_t)address, &range) && range.chunk.state == GASAN_CHUNK_LIVE;
}

/* Likely ones first, then the latest launch, then the first thread. */
static int by_likelihood(const void *left, const void *right) {
  const struct candidate *a = left, *b = right;
  if (a->unlikely != b->unlikely)
    return a->unlikely ? 1 : -1;
  if (a->fault.launch.id != b->fault.launch.id)
    return a->fault.launch.id > b->fault.launch.id ? -1 : 1;
  uint64_t first = a->fault.record.order, second = b->fault.record.order;
  return first < second ? -1 : first > second;
}

static uint32_t find_candidates(struct gasan_rt_device *state, struct candidate candidates[GASAN_UNKNOWN_RECORDS]) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < GASAN_UNKNOWN_RECORDS; i++) {
    const struct gasan_record *record = &state->ring->unknown[i];
    if (!__atomic_load_n(&record->ready, __ATOMIC_ACQUIRE))
      continue;
    struct candidate *candidate = &candidates[count];
    struct gasan_device_fault *fault = &candidate->fault;
    *candidate = (struct candidate){.fault = {.state = state, .record = *record, .threads = 1}};
    fault->sites = gasan_module_sites(record->module_id, state);
    fault->launch_known = gasan_launch_find(state, record, fault->sites, &fault->launch);
    if (!fault->launch_known || gasan_launch_is_complete(&fault->launch) || is_known_now(record->address))
      continue;
    const struct gasan_site *site = fault->sites ? gasan_sites_site(fault->sites, record->site) : NULL;
    fault->record.size = site && site->size ? site->size : 1;
    candidate->unlikely = host_has_memory(record->address);
    count++;
  }
  qsort(candidates, count, sizeof *candidates, by_likelihood);
  return count;
}

/* The CPU device knows which address and which thread it was: the candidate of that launch that is nearest. */
static uint32_t find_exact(struct gasan_rt_device *state, struct candidate *candidates, uint32_t count) {
  struct gasan_cpu_fault found;
  if (state->device->kind != &gasan_device_cpu)
    return count;
  struct candidate *nearest = NULL;
  uint64_t least = UINT64_MAX;
  for (uint32_t i = 0; gasan_cpu_last_fault(&found) && i < count; i++) {
    const struct gasan_record *record = &candidates[i].fault.record;
    uint64_t distance = found.address - record->address;
    if (distance > record->address - found.address)
      distance = record->address - found.address;
    if (!found.address)
      distance = 0;
    if ((uint32_t)record->grid_id != (uint32_t)found.grid_id || distance > FARTHEST || (nearest && distance >= least))
      continue;
    nearest = &candidates[i];
    least = distance;
  }
  if (!nearest)
    return 0;
  candidates[0] = *nearest;
  struct gasan_record *record = &candidates[0].fault.record;
  if (found.address)
    record->address = record->fault = found.address;
  memcpy(record->thread, found.thread, sizeof record->thread);
  memcpy(record->block, found.block, sizeof record->block);
  return 1;
}

static void hint_at_stack(struct gasan_rt_device *state, int error) {
  struct gasan_launch launch;
  if (!state->device->kind->set_stack_limit || !gasan_launch_with_unknown_stack(state, &launch))
    return;
  char name[512];
  gasan_demangle(launch.kernel->name, name, sizeof name);
  gasan_rt_warn("the device has stopped a kernel (CUDA error %d), perhaps because a stack was too small: how much %s needs, which "
                "recurses, calls through pointers or has variables of a size that is known at run time only, no compiler knows. "
                "cudaDeviceSetLimit(cudaLimitStackSize, bytes) gives each thread more, and so does GASAN_OPTIONS=stack_scale=%d",
                error, name, 4 * gasan_options()->stack_scale);
}

void gasan_device_error(struct gasan_rt_device *state, int error) {
  if (!is_of_memory(error) || !state->device || atomic_exchange(&state->error_told, true))
    return;
  struct candidate *candidates = malloc(GASAN_UNKNOWN_RECORDS * sizeof *candidates);
  GASAN_CHECK(candidates);
  uint32_t count = find_exact(state, candidates, find_candidates(state, candidates));
  hint_at_stack(state, error);
  if (count)
    gasan_report_nobodys(&candidates[0].fault, error, count - 1);
  free(candidates);
}
