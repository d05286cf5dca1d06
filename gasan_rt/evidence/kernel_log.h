/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds in the kernel's log (/dev/kmsg) the line that the NVIDIA driver writes when a GPU stops a kernel:
 *
 *   NVRM: Xid (PCI:0000:00:06): 31, pid=1054, name=app, channel 0x0000000a, intr 00000000. MMU Fault: ENGINE GRAPHICS
 *   GPC1 GPCCLIENT_T1_8 faulted @ 0x80_00600000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_WRITE
 *
 * The log is readable for root, and for all users where kernel.dmesg_restrict is 0. Any thread may call any function,
 * one at a time for `open` and `find`. */
#ifndef GASAN_RT_KERNEL_LOG_H
#define GASAN_RT_KERNEL_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The driver names the page of the access. */
#define GASAN_LOG_PAGE 4096u

enum gasan_log_access { GASAN_LOG_ACCESS_UNKNOWN, GASAN_LOG_READ, GASAN_LOG_WRITE, GASAN_LOG_ATOMIC };

struct gasan_log_fault {
  uint64_t address;
  enum gasan_log_access access;
  uint32_t domain, bus, slot; /* of the GPU on the PCI bus */
  int64_t pid;                /* in the machine's first PID namespace; -1: not known */
  char name[64];              /* of the process; "": not known */
};

/* Reads a line of the log, or a part of it. Returns false if it is not that line. */
bool gasan_log_parse(const char *line, size_t size, struct gasan_log_fault *fault);

/* Describes this process and a GPU. */
struct gasan_log_process {
  int64_t pid;
  bool pid_is_global;      /* the process is in the machine's first PID namespace */
  char name[64], file[64]; /* as /proc/self/comm has it, and the program's file; the kernel cuts off behind 15 bytes */
  const char *pci;         /* the GPU: "0000:00:06.0"; NULL: not known */
};
void gasan_log_describe_self(struct gasan_log_process *process);
/* Returns true if the fault is this process's. In a container, the log has other PIDs than the process knows. */
bool gasan_log_matches(const struct gasan_log_fault *fault, const struct gasan_log_process *process);

/* Opens the log at its end. Does nothing without the permission. */
void gasan_log_open(void);
bool gasan_log_is_open(void);
/* Reads the log since it was opened; waits a few ms for the line. Returns false if the log does not have the line, or
 * if it has lines of several processes that may be this one. `pci`: see gasan_log_process. */
bool gasan_log_find(const char *pci, struct gasan_log_fault *fault);

#endif
