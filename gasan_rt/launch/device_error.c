/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/device_error.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/check.h"
#include "device/cpu/cpu.h"
#include "device/cuda/cuda.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/launch/describe.h"
#include "gasan_rt/launch/device_launches.h"
#include "gasan_rt/launch/launch_log.h"
#include "gasan_rt/launch/ring.h"
#include "gasan_rt/launch/stop_place.h"
#include "gasan_rt/launch/suspects.h"
#include "gasan_rt/memory/foreign.h"
#include "gasan_rt/report/report.h"
#include "gasan_rt/report/report_bounds.h"
#include "gasan_rt/report/report_stopped.h"
#include "gasan_rt/sanitizer/sanitizer.h"

#define HOST_PAGE 4096u
/* The largest distance between a pointer and an access that is attributed to it. */
#define FARTHEST (1ull << 32)

/* All errors that stop a kernel are in this range. */
#define FIRST_ERROR 700
#define LAST_ERROR 719

/* The errors with which a device stops a kernel. __trap(), which is the program's own decision, ends in
 * cudaErrorLaunchFailure or cudaErrorIllegalInstruction, too. So these two errors are reported only if a recorded
 * pointer explains them. */
static const struct stop {
  bool by_pointer; /* a bad pointer may cause the error */
  bool of_device;  /* a program never causes the error on purpose */
  struct gasan_device_stop report;
} stops[] = {
#define STOP(error, kind, what) {error, #error, kind, what}
    {true, true, STOP(cudaErrorIllegalAddress, GASAN_KIND_SEGV, "an access to an illegal address")},
    {false, true,
     STOP(cudaErrorMisalignedAddress, GASAN_KIND_MISALIGNED_ACCESS, "an access that is not aligned to its size")},
    {true, true,
     STOP(cudaErrorInvalidAddressSpace, GASAN_KIND_SEGV,
          "an access to an address in another address space than that of the instruction")},
    {false, true, STOP(cudaErrorInvalidPc, GASAN_KIND_SEGV, "a jump to an address where no code is")},
    {true, true,
     STOP(cudaErrorHardwareStackError, GASAN_KIND_STACK_OVERFLOW,
          "an error of a thread's stack (too small, or overwritten)")},
    {true, false, STOP(cudaErrorLaunchFailure, GASAN_KIND_SEGV, "")},
#undef STOP
};

static const struct stop *find_stop(int error) {
  for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
    if (stops[i].report.error == error)
      return &stops[i];
  return NULL;
}

/* A pointer to no known memory that a kernel looked up. */
struct candidate {
  struct gasan_device_fault fault;
  struct gasan_launch launch;
  bool unlikely; /* the address has memory, which some devices can access */
};

static bool host_has_memory(uint64_t address) {
  unsigned char resident;
  return mincore((void *)(uintptr_t)(address & ~(uint64_t)(HOST_PAGE - 1)), 1, &resident) == 0;
}

static bool is_known_now(uint64_t address) {
  struct gasan_foreign range;
  return gasan_foreign_find((const void *)(uintptr_t)address, &range) && range.chunk.state == GASAN_CHUNK_LIVE;
}

/* Sorts likely candidates first, then by the latest launch, then by the first thread. */
static int by_likelihood(const void *left, const void *right) {
  const struct candidate *a = left, *b = right;
  if (a->unlikely != b->unlikely)
    return a->unlikely ? 1 : -1;
  if (a->launch.id != b->launch.id)
    return a->launch.id > b->launch.id ? -1 : 1;
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
    if (!gasan_launch_find(state, record, fault->sites, &candidate->launch) ||
        gasan_launch_is_complete(&candidate->launch) || is_known_now(record->address))
      continue;
    fault->launch = gasan_describe_launch(&candidate->launch);
    const struct gasan_site *site = fault->sites ? gasan_sites_site(fault->sites, record->site) : NULL;
    fault->record.size = site && site->size ? site->size : 1;
    candidate->unlikely = host_has_memory(record->address);
    count++;
  }
  qsort(candidates, count, sizeof *candidates, by_likelihood);
  return count;
}

/* Returns the candidate of the finding's launch that is nearest to the finding's address, and writes address and thread
 * of the finding into the candidate's record. NULL: there is none. */
static struct candidate *find_exact(const struct gasan_cpu_finding *finding, struct candidate *candidates,
                                    uint32_t count) {
  bool known = finding->access != GASAN_CPU_ACCESS_UNKNOWN;
  struct candidate *nearest = NULL;
  uint64_t least = UINT64_MAX;
  for (uint32_t i = 0; i < count; i++) {
    const struct gasan_record *record = &candidates[i].fault.record;
    uint64_t distance = finding->address - record->address;
    if (distance > record->address - finding->address)
      distance = record->address - finding->address;
    if (!known)
      distance = 0;
    if ((uint32_t)record->grid_id != (uint32_t)finding->grid_id || distance > FARTHEST ||
        (nearest && distance >= least))
      continue;
    nearest = &candidates[i];
    least = distance;
  }
  if (!nearest)
    return NULL;
  struct gasan_record *record = &nearest->fault.record;
  if (known)
    record->address = record->fault = finding->address;
  memcpy(record->thread, finding->places[0].first, sizeof record->thread);
  memcpy(record->block, finding->block, sizeof record->block);
  return nearest;
}

static struct candidate *allocate_candidates(void) {
  struct candidate *candidates = malloc(GASAN_UNKNOWN_RECORDS * sizeof *candidates);
  GASAN_CHECK(candidates);
  return candidates;
}

bool gasan_device_error_explain(struct gasan_rt_device *state, const struct gasan_cpu_finding *finding, int error) {
  struct candidate *candidates = allocate_candidates();
  const struct candidate *exact = find_exact(finding, candidates, find_candidates(state, candidates));
  if (exact)
    gasan_report_unknown_address(&exact->fault, error, 0);
  free(candidates);
  return exact != NULL;
}

static void hint_at_stack(struct gasan_rt_device *state, int error) {
  struct gasan_launch launch;
  if (!state->device->kind->set_stack_limit || !gasan_launch_with_unknown_stack(state, &launch))
    return;
  char name[512];
  gasan_demangle(launch.kernel->name, name, sizeof name);
  gasan_rt_warn(
      "the device has stopped a kernel (CUDA error %d), perhaps because a thread's stack was too small. The compiler "
      "cannot know how much stack %s needs: it recurses, calls through pointers, or has variables of a size that is "
      "known at run time only. cudaDeviceSetLimit(cudaLimitStackSize, bytes) gives each thread more stack, and so does "
      "GASAN_OPTIONS=stack_scale=%d",
      error, name, gasan_options()->stack_scale < 128 ? 4 * gasan_options()->stack_scale : 512);
}

/* Returns the address of the GPU on the PCI bus ("0000:00:06.0"); NULL: not known. */
static const char *pci_address(const struct gasan_rt_device *state, char text[32]) {
  __typeof__(&cuDeviceGetPCIBusId) get = (__typeof__(get))gasan_cuda_driver_symbol("cuDeviceGetPCIBusId");
  __typeof__(&cuDeviceGet) find = (__typeof__(find))gasan_cuda_driver_symbol("cuDeviceGet");
  CUdevice device;
  return get && find && !find(&device, state->device->ordinal) && !get(text, 32, device) ? text : NULL;
}

static void report_suspects(struct gasan_rt_device *state, const struct gasan_device_stop *stop) {
  char pci[32];
  struct gasan_evidence evidence;
  struct gasan_stopped stopped = {.stop = stop, .evidence = &evidence};
  stopped.suspects = malloc(GASAN_SUSPECTS * sizeof *stopped.suspects);
  GASAN_CHECK(stopped.suspects);
  gasan_evidence_collect(pci_address(state, pci), &evidence);
  stopped.place = gasan_stop_place_find(state, stop, &evidence);
  if (evidence.dump.kernel)
    stopped.count = gasan_suspects_of_kernel(state, evidence.dump.kernel, stopped.suspects, &stopped.others);
  if (evidence.dump.has_grid)
    stopped.count =
        gasan_suspects_of_shape(stopped.suspects, stopped.count, evidence.dump.grid_size, evidence.dump.block_size);
  stopped.of_kernel = stopped.count > 0;
  if (!stopped.of_kernel)
    stopped.count = gasan_suspects_find(state, gasan_launch_unfinished, NULL, stopped.suspects, &stopped.others);
  gasan_report_stopped(state, &stopped);
  gasan_evidence_release(&evidence);
  free(stopped.suspects);
}

/* Locked during a report, so that no other thread that finds the same error ends the process before the report is
 * complete. */
static pthread_mutex_t error_lock = PTHREAD_MUTEX_INITIALIZER;

/* Must be called with error_lock. */
static void report_stop(struct gasan_rt_device *state, const struct stop *stop) {
  if (atomic_exchange(&state->launches->error_reported, true))
    return;
  gasan_ring_peek(state);
  struct candidate *candidates = allocate_candidates();
  uint32_t count = stop->by_pointer ? find_candidates(state, candidates) : 0;
  hint_at_stack(state, stop->report.error);
  if (count)
    gasan_report_unknown_address(&candidates[0].fault, stop->report.error, count - 1);
  else if (stop->of_device)
    report_suspects(state, &stop->report);
  free(candidates);
}

/* Returns the error of the device; NULL: none. */
static const struct stop *ask_device(struct gasan_rt_device *state) {
  const struct gasan_device_kind *kind = state->device->kind;
  return kind->failure ? find_stop(kind->failure(state->device)) : NULL;
}

/* Asks all devices: the failed one may not be the caller's. */
void gasan_device_error(struct gasan_rt_device *state, int error) {
  const struct stop *stop = error < FIRST_ERROR || error > LAST_ERROR ? NULL : find_stop(error);
  if (!stop || state->device->kind == &gasan_device_cpu)
    return;
  bool any = false;
  pthread_mutex_lock(&error_lock);
  for (int i = 0; i < GASAN_RT_DEVICES; i++) {
    struct gasan_rt_device *device = gasan_rt_device(i);
    const struct stop *its = device ? ask_device(device) : NULL;
    if (!its)
      continue;
    any = true;
    report_stop(device, its);
  }
  if (!any)
    report_stop(state, stop);
  pthread_mutex_unlock(&error_lock);
}

void gasan_device_error_seen(int error) {
  if (__builtin_expect(error < FIRST_ERROR || error > LAST_ERROR || !gasan_rt_started(), 1))
    return;
  struct gasan_rt_device *state = gasan_rt_current();
  if (state)
    gasan_device_error(state, error);
}

static bool ended; /* under the lock */

void gasan_device_error_poll(struct gasan_rt_device *state) {
  if (atomic_load_explicit(&state->launches->error_reported, memory_order_relaxed) || !state->device->kind->failure)
    return;
  pthread_mutex_lock(&error_lock);
  const struct stop *stop = ended ? NULL : ask_device(state);
  if (stop)
    report_stop(state, stop);
  pthread_mutex_unlock(&error_lock);
}

void gasan_device_error_end_polls(void) {
  pthread_mutex_lock(&error_lock);
  ended = true;
  pthread_mutex_unlock(&error_lock);
}
