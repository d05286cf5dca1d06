/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports the findings of the CPU device. Any thread; no lock of its own. */
#ifndef GASAN_RT_FINDING_H
#define GASAN_RT_FINDING_H

struct gasan_cpu_finding;

/* Reports a finding. A callback for gasan_cpu_set_reporter. */
void gasan_finding_report(const struct gasan_cpu_finding *finding);

#endif
