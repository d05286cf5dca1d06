/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names the driver's temporary files. The files are removed when the process ends; process.c ensures this also for
 * SIGINT, SIGTERM and SIGHUP. */
#ifndef GASAN_DRIVER_TEMPORARY_H
#define GASAN_DRIVER_TEMPORARY_H

/* For -###: makes this module name files, but create none. */
void gasan_temporary_only_names(void);
/* For -save-temps: files are named `prefix` + name, and are not removed. */
void gasan_temporary_keep(const char *prefix);

/* For -keep-dir: files that are kept go into this folder, whatever the prefix. Must be called before
 * gasan_temporary_keep. */
void gasan_temporary_keep_in(const char *kept);

/* Returns the path of the temporary file `name`. The same name gives the same path. */
const char *gasan_temporary_path(const char *name);

/* Returns the path of one of the driver's own files, which -save-temps does not keep. */
const char *gasan_temporary_private_path(const char *name);

/* Creates a new folder, whose name begins with `name`. It is removed with everything in it when the process ends. */
const char *gasan_temporary_tree(const char *name);

/* Returns the folder for such files: TMPDIR, else /tmp. */
const char *gasan_temporary_parent(void);

/* Removes the files that exist now. Also called when the process ends by exit(). */
void gasan_temporary_remove(void);

#endif
