/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Waits for a debugger at the end of a report. */
#ifndef GASAN_RT_REPORT_DEBUGGER_H
#define GASAN_RT_REPORT_DEBUGGER_H

/* Prints the command that attaches gdb, and returns when a debugger has attached and lets the process go on. Returns at
 * once if there is one. */
void gasan_debugger_wait(void);

#endif
