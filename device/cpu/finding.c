/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes findings (cpu.h), and passes them to the reporter. */
#include <signal.h>
#include <stdio.h>

#include "device/cpu/print.h"
#include "device/cpu/trace.h"
#include "device/cpu/worker.h"

static void (*_Atomic reporter)(const struct gasan_cpu_finding *finding);

void gasan_cpu_set_reporter(void (*report)(const struct gasan_cpu_finding *finding)) {
  atomic_store(&reporter, report);
}

static const char *name_of(const struct gasan_cpu_finding *finding) {
  static const char *const names[] = {[GASAN_CPU_DEADLOCK] = "deadlock",
                                      [GASAN_CPU_STACK_OVERFLOW] = "stack overflow",
                                      [GASAN_CPU_FAULT] = "illegal memory access",
                                      [GASAN_CPU_WARP_MASK] = "invalid mask",
                                      [GASAN_CPU_POLLING] = "polling"};
  if (finding->kind == GASAN_CPU_FAULT && finding->signal == SIGFPE)
    return "arithmetic fault";
  return finding->kind == GASAN_CPU_FAULT && finding->signal == SIGILL ? "illegal instruction" : names[finding->kind];
}

/* Prints the finding as one line, because there is no reporter. */
static void print_line(const struct gasan_cpu_finding *finding) {
  const struct gasan_cpu_place *place = &finding->places[0];
  fprintf(stderr, "gasan: %s in kernel %s, block (%u,%u,%u): ", name_of(finding), finding->kernel, finding->block[0],
          finding->block[1], finding->block[2]);
  if (finding->kind == GASAN_CPU_DEADLOCK)
    fprintf(stderr, "%u of %u threads wait and none can go on; thread (%u,%u,%u) waits %s\n", finding->live,
            finding->live + finding->ended, place->first[0], place->first[1], place->first[2], place->waits_for);
  else if (finding->kind == GASAN_CPU_WARP_MASK)
    fprintf(stderr, "thread (%u,%u,%u), lane %u, calls %s with the mask 0x%08x\n", place->first[0], place->first[1],
            place->first[2], finding->lane, gasan_warp_operation_name(finding->operation), finding->mask);
  else if (finding->kind == GASAN_CPU_POLLING)
    fprintf(stderr, "its threads have only polled memory for %u s\n", finding->seconds);
  else if (finding->kind == GASAN_CPU_FAULT)
    fprintf(stderr, "thread (%u,%u,%u), at address 0x%llx, pc 0x%lx\n", place->first[0], place->first[1],
            place->first[2], (unsigned long long)finding->address, (unsigned long)finding->pc);
  else
    fprintf(stderr, "thread (%u,%u,%u) needs more than %llu bytes\n", place->first[0], place->first[1], place->first[2],
            (unsigned long long)finding->stack_size);
}

struct gasan_cpu_finding *gasan_cpu_finding_begin(struct gasan_cpu_worker *worker, enum gasan_cpu_finding_kind kind) {
  struct gasan_cpu_finding *finding = &worker->finding;
  finding->kind = kind;
  finding->kernel = gasan_cpu_launch_name(worker->launch);
  finding->grid_id = worker->launch->grid_id;
  memcpy(finding->grid_dim, worker->launch->grid, sizeof finding->grid_dim);
  memcpy(finding->block_dim, worker->launch->block, sizeof finding->block_dim);
  memcpy(finding->block, gasan_cpu_thread.ctaid, sizeof finding->block);
  finding->live = worker->live;
  finding->ended = worker->count - worker->live;
  finding->stack_size = worker->launch->stack_size;
  finding->place_count = finding->places_left_out = 0;
  return finding;
}

void gasan_cpu_finding_send(struct gasan_cpu_worker *worker) {
  void (*report)(const struct gasan_cpu_finding *) = atomic_load(&reporter);
  if (report)
    report(&worker->finding);
  else
    print_line(&worker->finding);
}

void gasan_cpu_report_found(struct gasan_cpu_worker *worker) {
  struct gasan_cpu_place *second = &worker->finding.places[1];
  worker->found = false;
  if (worker->finding.kind == GASAN_CPU_WARP_MASK && worker->finding.place_count == 2)
    second->depth = gasan_cpu_trace_parked(worker->parked[worker->contrary], second->pcs, GASAN_CPU_FINDING_FRAMES);
  gasan_cpu_print_flush(); /* first, because the kernel printed this text before the finding */
  fflush(stdout);
  gasan_cpu_finding_send(worker);
}

GASAN_CPU_HIDE_FRAME void gasan_cpu_fail_mask(struct gasan_cpu_worker *worker, uint32_t other) {
  if (gasan_cpu_launch_fail(worker->launch, GASAN_CPU_ERROR_LAUNCH_FAILURE)) {
    struct gasan_cpu_finding *finding = gasan_cpu_finding_begin(worker, GASAN_CPU_WARP_MASK);
    uint32_t self = gasan_cpu_thread.linear;
    const struct gasan_cpu_warp *warp = &worker->warps[self / 32];
    const uint32_t threads[] = {self, other};
    finding->lane = self % 32;
    finding->operation = warp->operation[self % 32];
    finding->mask = warp->mask[self % 32];
    finding->other_lane = other % 32;
    finding->other_mask = warp->mask[other % 32];
    finding->place_count = other == self ? 1 : 2;
    for (uint32_t i = 0; i < finding->place_count; i++) {
      struct gasan_cpu_place *place = &finding->places[i];
      place->waits_for[0] = 0;
      place->threads = 1;
      memcpy(place->first, worker->identities[threads[i]].tid, sizeof place->first);
    }
    finding->places[0].depth = gasan_cpu_trace_here(finding->places[0].pcs, GASAN_CPU_FINDING_FRAMES);
    worker->contrary = other;
    worker->found = true;
  }
  gasan_cpu_stacks_unpoison(&worker->stacks, worker->stacks.count);
  gasan_cpu_fiber_jump(worker->scheduler);
}

static void note_stopped(struct gasan_cpu_worker *worker, struct gasan_cpu_finding *finding, uintptr_t address,
                         uintptr_t pc) {
  struct gasan_cpu_place *place = &finding->places[0];
  finding->address = address;
  finding->pc = pc;
  finding->place_count = 1;
  place->waits_for[0] = 0;
  place->threads = 1;
  memcpy(place->first, gasan_cpu_thread.tid, sizeof place->first);
  place->depth = gasan_cpu_trace_interrupted(pc, place->pcs, GASAN_CPU_FINDING_FRAMES);
  worker->found = true;
}

void gasan_cpu_note_stack_overflow(struct gasan_cpu_worker *worker, uintptr_t address, uintptr_t pc) {
  note_stopped(worker, gasan_cpu_finding_begin(worker, GASAN_CPU_STACK_OVERFLOW), address, pc);
}

void gasan_cpu_note_fault(struct gasan_cpu_worker *worker, int signal, enum gasan_cpu_access access, uintptr_t address,
                          uintptr_t pc) {
  struct gasan_cpu_finding *finding = gasan_cpu_finding_begin(worker, GASAN_CPU_FAULT);
  finding->signal = signal;
  finding->access = access;
  note_stopped(worker, finding, address, pc);
}
