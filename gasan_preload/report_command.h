/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* `gasan report`: merges the files of report_format=json. */
#ifndef GASAN_PRELOAD_REPORT_COMMAND_H
#define GASAN_PRELOAD_REPORT_COMMAND_H

/* Runs the command with the arguments behind "report". Returns its exit code: 0 without reports, 1 with reports, 2 if
 * an argument or a file is wrong. */
int gasan_report_command(char **arguments);

#endif
