/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Collects evidence about a kernel that a GPU has stopped: the log of the Linux kernel, and a GPU core dump.
 *
 * The folder evidence/ reads untrusted data, and knows nothing of gasan's state. It has no lock: start is called while
 * the runtime starts, collect under error_lock (device_error.c), end at the end of the process. */
#ifndef GASAN_RT_EVIDENCE_H
#define GASAN_RT_EVIDENCE_H

#include "gasan_rt/evidence/core_dump.h"
#include "gasan_rt/evidence/kernel_log.h"

struct gasan_evidence {
  bool has_log, has_dump;
  bool log_readable;  /* this process may read the log */
  bool dump_expected; /* core dumps are on */
  struct gasan_log_fault log;
  struct gasan_dump_fault dump;
  void *file; /* the dump's bytes */
};

/* Must be called before CUDA starts: sets its environment variables, and opens the kernel's log. `coredump`: the GPU
 * writes core dumps, to the program's CUDA_COREDUMP_FILE, or to a temporary folder. `serialize`: launches wait for
 * their kernels. Returns false if there is no place for core dumps. */
bool gasan_evidence_start(bool coredump, bool serialize);

/* Must be called when the driver has said that a GPU has stopped a kernel. Waits for a core dump to be complete.
 * `pci`: the GPU ("0000:00:06.0"); NULL: not known. */
void gasan_evidence_collect(const char *pci, struct gasan_evidence *evidence);
void gasan_evidence_release(struct gasan_evidence *evidence);

/* Removes the temporary folder. Does nothing in a forked child. */
void gasan_evidence_end(void);

#endif
