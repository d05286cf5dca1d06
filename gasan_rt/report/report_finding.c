/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports of findings that only the CPU device makes: deadlocks, stack overflows, and the place where a kernel was
 * stopped. */
#include <cuda_runtime_api.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/warp.h"
#include "device/cpu/cpu.h"
#include "gasan_rt/report/report.h"
#include "gasan_rt/report/report_mask.h"
#include "gasan_rt/report/report_note.h"
#include "gasan_rt/sanitizer/sanitizer.h"
#include "shadow/bounds.h"

static size_t frames_of(const struct gasan_cpu_place *place) {
  return place->depth < GASAN_CPU_FINDING_FRAMES ? place->depth : GASAN_CPU_FINDING_FRAMES;
}

static int print_frames(const struct gasan_cpu_place *place) {
  int number = gasan_device_stack_print(place->pcs, frames_of(place), 0);
  if (place->depth > GASAN_CPU_FINDING_FRAMES)
    gasan_printf("    ... %u frames in all\n", place->depth);
  return number;
}

static void print_launch(const struct gasan_cpu_finding *finding, const char *kernel,
                         const struct gasan_report_launch *launch) {
  char grid[64], block[64];
  gasan_report_shape(finding->grid_dim, grid, sizeof grid);
  gasan_report_shape(finding->block_dim, block, sizeof block);
  gasan_note_stack(GASAN_DOC_LAUNCH);
  gasan_note_kernel(kernel);
  gasan_note_shape(finding->grid_dim, finding->block_dim);
  if (!launch) {
    gasan_printf("%s<<<%s, %s>>> launched by a call that gasan does not see\n", kernel, grid, block);
    return;
  }
  gasan_printf("%s%s<<<%s, %s>>> launched here by host thread T%u:%s\n", gasan_color(GASAN_COLOR_ALLOCATION), kernel,
               grid, block, launch->thread, gasan_color(GASAN_COLOR_DEFAULT));
  gasan_note_launch(kernel, launch->thread);
  gasan_stack_print(launch->stack, 0, false);
  gasan_printf("\n");
}

/* Begins the stack of a thread. */
static void note_place(enum gasan_doc_role role, const struct gasan_cpu_finding *finding,
                       const struct gasan_cpu_place *place) {
  struct gasan_record record = {0};
  memcpy(record.thread, place->first, sizeof record.thread);
  memcpy(record.block_dim, finding->block_dim, sizeof record.block_dim);
  gasan_note_stack(role);
  gasan_note_device_thread(place->first, finding->block, gasan_report_lane(&record));
}

static void print_waiting(const struct gasan_cpu_finding *finding) {
  for (uint32_t i = 0; i < finding->place_count; i++) {
    const struct gasan_cpu_place *place = &finding->places[i];
    char others[64] = "";
    if (place->threads > 1)
      snprintf(others, sizeof others, " and %u more", place->threads - 1);
    gasan_printf("%sdevice thread (%u,%u,%u)%s wait%s %s:%s\n", gasan_color(GASAN_COLOR_ACCESS), place->first[0],
                 place->first[1], place->first[2], others, place->threads == 1 ? "s" : "", place->waits_for,
                 gasan_color(GASAN_COLOR_DEFAULT));
    note_place(GASAN_DOC_WAITING, finding, place);
    gasan_note_count(place->threads);
    print_frames(place);
    gasan_printf("\n");
  }
  if (finding->places_left_out)
    gasan_printf("%u more threads wait at other places\n\n", finding->places_left_out);
  if (finding->ended)
    gasan_printf("%u thread%s of the block ha%s ended and %s not waited for\n\n", finding->ended,
                 finding->ended == 1 ? "" : "s", finding->ended == 1 ? "s" : "ve", finding->ended == 1 ? "is" : "are");
}

static void print_overflow(const struct gasan_cpu_finding *finding) {
  const struct gasan_cpu_place *place = &finding->places[0];
  gasan_printf("%sdevice thread (%u,%u,%u) block (%u,%u,%u) has used up its stack of %llu bytes here:%s\n",
               gasan_color(GASAN_COLOR_ACCESS), place->first[0], place->first[1], place->first[2], finding->block[0],
               finding->block[1], finding->block[2], (unsigned long long)finding->stack_size,
               gasan_color(GASAN_COLOR_DEFAULT));
  note_place(GASAN_DOC_ACCESS, finding, place);
  print_frames(place);
  gasan_printf("\n");
  gasan_printf("The recursion does not end, or is too deep: cudaDeviceSetLimit(cudaLimitStackSize, bytes) before the "
               "launch gives each thread more stack\n\n");
}

static void print_access(const struct gasan_cpu_finding *finding) {
  static const char *const accesses[] = {[GASAN_CPU_ACCESS_UNKNOWN] = "Access",
                                         [GASAN_CPU_ACCESS_READ] = "READ",
                                         [GASAN_CPU_ACCESS_WRITE] = "WRITE",
                                         [GASAN_CPU_ACCESS_CALL] = "CALL"};
  const struct gasan_cpu_place *place = &finding->places[0];
  struct gasan_record record = {0};
  memcpy(record.thread, place->first, sizeof record.thread);
  memcpy(record.block, finding->block, sizeof record.block);
  memcpy(record.block_dim, finding->block_dim, sizeof record.block_dim);
  gasan_note_access(accesses[finding->access]);
  gasan_printf("%s", gasan_color(GASAN_COLOR_ACCESS));
  if (finding->signal == SIGFPE || finding->signal == SIGILL)
    gasan_printf("%s", finding->signal == SIGFPE ? "Arithmetic that traps" : "Illegal instruction");
  else if (finding->access == GASAN_CPU_ACCESS_UNKNOWN)
    gasan_printf("Access to an impossible address, or to a misaligned vector,");
  else
    gasan_printf("%s at 0x%012llx", accesses[finding->access], (unsigned long long)finding->address);
  gasan_printf(" by ");
  gasan_report_print_thread(&record);
  gasan_printf("%s\n", gasan_color(GASAN_COLOR_DEFAULT));
  if (!print_frames(place))
    gasan_frame_print(0, "<unknown site>", "", 0, 0);
  gasan_printf("\n");
}

/* Describes the memory at the address. */
static void print_memory(struct gasan_rt_device *state, const struct gasan_cpu_finding *finding) {
  struct gasan_chunk chunk;
  if (finding->access == GASAN_CPU_ACCESS_UNKNOWN)
    return;
  gasan_note_address(finding->address);
  if (finding->address < GASAN_NULL_PAGE)
    gasan_printf("%s0x%012llx is no address of memory: the pointer is null%s\n\n", gasan_color(GASAN_COLOR_LOCATION),
                 (unsigned long long)finding->address, gasan_color(GASAN_COLOR_DEFAULT));
  else if (state->pool && gasan_pool_owns(state->pool, finding->address) &&
           gasan_pool_explain(state->pool, finding->address, &chunk))
    gasan_report_print_chunk(&chunk, finding->address);
}

static void print_fault(struct gasan_rt_device *state, const struct gasan_cpu_finding *finding, const char *unchecked) {
  print_access(finding);
  print_memory(state, finding);
  gasan_printf("No check covered it%s%s\n\n", unchecked ? ": the kernel " : "", unchecked ? unchecked : "");
}

static enum gasan_kind kind_of(const struct gasan_cpu_finding *finding) {
  static const enum gasan_kind kinds[] = {[GASAN_CPU_DEADLOCK] = GASAN_KIND_BARRIER_DEADLOCK,
                                          [GASAN_CPU_STACK_OVERFLOW] = GASAN_KIND_STACK_OVERFLOW,
                                          [GASAN_CPU_WARP_MASK] = GASAN_KIND_INVALID_WARP_MASK};
  if (finding->kind != GASAN_CPU_FAULT)
    return kinds[finding->kind];
  return finding->signal == SIGFPE   ? GASAN_KIND_FPE
         : finding->signal == SIGILL ? GASAN_KIND_ILL
         : finding->signal == SIGBUS ? GASAN_KIND_BUS
                                     : GASAN_KIND_SEGV;
}

static void open_mask(const struct gasan_rt_device *state, const struct gasan_cpu_finding *finding) {
  char rest[256];
  if (finding->place_count == 1) {
    gasan_report_open_mask(state, finding->operation, finding->mask, finding->lane);
    return;
  }
  snprintf(rest, sizeof rest,
           " on %s device %d: lanes %u and %u call %s with the masks 0x%08x and 0x%08x, which both name both lanes",
           state->device->kind->name, state->device->ordinal, finding->lane, finding->other_lane,
           gasan_warp_operation_name(finding->operation), finding->mask, finding->other_mask);
  gasan_report_open(GASAN_KIND_INVALID_WARP_MASK, rest);
  gasan_note_device(state);
}

static void print_callers(const struct gasan_cpu_finding *finding) {
  for (uint32_t i = 0; i < finding->place_count; i++) {
    const struct gasan_cpu_place *place = &finding->places[i];
    gasan_printf("%sCALL by device thread (%u,%u,%u) block (%u,%u,%u) lane %u%s\n", gasan_color(GASAN_COLOR_ACCESS),
                 place->first[0], place->first[1], place->first[2], finding->block[0], finding->block[1],
                 finding->block[2], i ? finding->other_lane : finding->lane, gasan_color(GASAN_COLOR_DEFAULT));
    note_place(GASAN_DOC_ACCESS, finding, place);
    print_frames(place);
    gasan_printf("\n");
  }
}

static void open_finding(const struct gasan_rt_device *state, enum gasan_kind kind,
                         const struct gasan_cpu_finding *finding) {
  char rest[256];
  int length = snprintf(rest, sizeof rest, " on %s device %d", state->device->kind->name, state->device->ordinal);
  if (kind == GASAN_KIND_BARRIER_DEADLOCK)
    snprintf(rest + length, sizeof rest - (size_t)length, ": %u threads of block (%u,%u,%u) wait, and none can go on",
             finding->live, finding->block[0], finding->block[1], finding->block[2]);
  else if (finding->kind == GASAN_CPU_FAULT && finding->access == GASAN_CPU_ACCESS_UNKNOWN)
    snprintf(rest + length, sizeof rest - (size_t)length, " unknown address");
  else
    snprintf(rest + length, sizeof rest - (size_t)length, " address 0x%012llx", (unsigned long long)finding->address);
  gasan_report_open(kind, rest);
  gasan_note_device(state);
}

/* Warns instead of reporting, because polling is not certainly an error: the kernel and the program continue. */
void gasan_report_polling(const struct gasan_cpu_finding *finding) {
  char kernel[512];
  gasan_demangle(finding->kernel, kernel, sizeof kernel);
  const struct gasan_cpu_place *place = &finding->places[0];
  gasan_report_begin();
  gasan_rt_warn("%s may never end: for %u seconds the threads of block (%u,%u,%u) have only polled memory; thread "
                "(%u,%u,%u) polls here:",
                kernel, finding->seconds, finding->block[0], finding->block[1], finding->block[2], place->first[0],
                place->first[1], place->first[2]);
  print_frames(place);
  gasan_printf(
      "  On the CPU device a launch returns when its kernel has ended. So the kernel must not wait for the host, for a "
      "later launch, or, unless the launch is cooperative, for other blocks if more than 64 must run at once.\n");
  gasan_report_end();
}

void gasan_report_finding(struct gasan_rt_device *state, const struct gasan_cpu_finding *finding,
                          const struct gasan_report_launch *launch, const char *unchecked) {
  char kernel[512];
  gasan_demangle(finding->kernel, kernel, sizeof kernel);
  enum gasan_kind kind = kind_of(finding);
  if (gasan_suppressed("kernel", kernel) || gasan_suppressed(gasan_kind_name(kind), kernel) ||
      (launch && launch->is_left_out))
    return;
  if (finding->kind == GASAN_CPU_WARP_MASK) {
    open_mask(state, finding);
    gasan_note_access("CALL");
    print_callers(finding);
  } else {
    open_finding(state, kind, finding);
    if (finding->kind == GASAN_CPU_FAULT)
      print_fault(state, finding, unchecked);
    else
      (finding->kind == GASAN_CPU_DEADLOCK ? print_waiting : print_overflow)(finding);
  }
  print_launch(finding, kernel, launch);
  const struct gasan_cpu_place *place = &finding->places[0];
  gasan_report_summary_device_stack(gasan_kind_name(kind), place->pcs, frames_of(place), gasan_report_is_wrapper);
  gasan_report_close();
}
