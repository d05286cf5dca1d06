/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files that live as long as the driver runs. They are removed when the process ends; process.c sees to it that this
 * also holds for SIGINT, SIGTERM and SIGHUP. */
#ifndef GASAN_DRIVER_TEMPORARY_H
#define GASAN_DRIVER_TEMPORARY_H

/* -###: names are given but nothing is created. */
void gasan_temporary_only_names(void);
/* -save-temps: files are called `prefix` + name and stay. */
void gasan_temporary_keep(const char *prefix);

/* The path of a temporary file called `name`; the same name gives the same path. */
const char *gasan_temporary_path(const char *name);

/* As above for the driver's own notes, which nobody wants to keep. */
const char *gasan_temporary_private_path(const char *name);

/* The folder for such files: TMPDIR, else /tmp. */
const char *gasan_temporary_parent(void);

/* Removes what is there now; also happens when the process ends by exit(). */
void gasan_temporary_remove(void);

#endif
