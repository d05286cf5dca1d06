/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/launch/finding.h"

#include <cuda_runtime_api.h>
#include <signal.h>

#include "device/cpu/cpu.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/launch/describe.h"
#include "gasan_rt/launch/device_error.h"
#include "gasan_rt/launch/launch_log.h"
#include "gasan_rt/launch/ring.h"
#include "gasan_rt/launch/suspects.h"

static bool is_access(const struct gasan_cpu_finding *finding) {
  return finding->kind == GASAN_CPU_FAULT && finding->signal != SIGFPE && finding->signal != SIGILL;
}

void gasan_finding_report(const struct gasan_cpu_finding *finding) {
  /* There is one CPU device. */
  struct gasan_rt_device *state = gasan_rt_device(0);
  if (!state)
    return;
  if (finding->kind == GASAN_CPU_POLLING) {
    gasan_report_polling(finding);
    return;
  }
  /* A bad access may be the cause of a deadlock. */
  gasan_ring_peek(state);
  if (is_access(finding) && gasan_device_error_explain(state, finding, cudaErrorIllegalAddress))
    return;
  struct gasan_launch launch;
  if (!gasan_launch_numbered(state, finding->grid_id, &launch)) {
    gasan_report_finding(state, finding, NULL, NULL);
    return;
  }
  struct gasan_report_launch known = gasan_describe_launch(&launch);
  gasan_report_finding(state, finding, &known, gasan_suspect_unchecked(state, &launch));
}
