/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files that processes of one user share: checked code by the hash of its input. A file gets its name when it is
 * complete, so other processes see whole files only. Any thread; no lock.
 *
 * The folder instrument/ puts checks into code that the program loads by the driver API. It is called by door/. */
#ifndef GASAN_RT_CODE_CACHE_H
#define GASAN_RT_CODE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GASAN_CACHE_PATH 4096 /* bytes */

struct gasan_hash {
  uint64_t words[2];
};
struct gasan_hash gasan_hash_start(void);
void gasan_hash_add(struct gasan_hash *hash, const void *bytes, size_t size);

/* Writes the path of the file for a hash, in GASAN_OPTIONS=instrument_cache or ~/.cache/gasan/kernels, or in a folder
 * for temporary files if the latter cannot be written or is full. Creates the folder. Returns false if there can be
 * none.
 */
bool gasan_cache_path(const struct gasan_hash *hash, const char *ending, char path[GASAN_CACHE_PATH]);

/* Reads a whole file. The caller frees *data, which has a NUL behind its end. */
bool gasan_cache_read(const char *path, void **data, size_t *size);
/* Writes a file under a temporary name, and then gives it its name. */
bool gasan_cache_write(const char *path, const void *data, size_t size);
/* The same for results, which have a checksum behind their end. Fetching marks a result as used, and deletes one that
 * is damaged. */
bool gasan_cache_fetch(const char *path, void **data, size_t *size);
bool gasan_cache_store(const char *path, const void *data, size_t size);
/* Deletes gasan's files that were used least lately until those in the folder of `path` have at most so many bytes. */
void gasan_cache_trim(const char *path, uint64_t most);

#endif
