/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
#include "gasan_rt/instrument/code_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "gasan_rt/sanitizer/sanitizer.h"

#define UNFINISHED_SECONDS 86400 /* that a file may take */

/* Two lanes of FNV-1a over 8 bytes each, with a final mix. It protects against accidents, not against attackers: the
 * folder belongs to the user. */
struct gasan_hash gasan_hash_start(void) {
  return (struct gasan_hash){{0xcbf29ce484222325ull, 0x9e3779b97f4a7c15ull}};
}

static uint64_t mix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ull;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebull;
  return value ^ (value >> 31);
}

void gasan_hash_add(struct gasan_hash *hash, const void *bytes, size_t size) {
  const unsigned char *from = bytes;
  uint64_t word = size;
  for (size_t done = 0;; done += sizeof word) {
    hash->words[0] = (hash->words[0] ^ word) * 0x100000001b3ull;
    hash->words[0] ^= hash->words[0] >> 29;
    hash->words[1] = mix(hash->words[1] + word);
    if (done >= size)
      return;
    word = 0;
    memcpy(&word, from + done, size - done < sizeof word ? size - done : sizeof word);
  }
}

static bool make_folders(char *path) {
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    const bool made = !mkdir(path, 0700) || errno == EEXIST;
    *slash = '/';
    if (!made)
      return false;
  }
  return true;
}

bool gasan_cache_path(const struct gasan_hash *hash, const char *ending, char path[GASAN_CACHE_PATH]) {
  const char *own = gasan_options()->instrument_cache, *cache = getenv("XDG_CACHE_HOME"), *user = getenv("HOME");
  int length;
  if (own && *own)
    length = snprintf(path, GASAN_CACHE_PATH, "%s/", own);
  else if (cache && *cache == '/')
    length = snprintf(path, GASAN_CACHE_PATH, "%s/gasan/kernels/", cache);
  else if (user && *user == '/')
    length = snprintf(path, GASAN_CACHE_PATH, "%s/.cache/gasan/kernels/", user);
  else
    length = snprintf(path, GASAN_CACHE_PATH, "/tmp/gasan-%u/kernels/", (unsigned)getuid());
  const int name = length < GASAN_CACHE_PATH ? snprintf(path + length, (size_t)(GASAN_CACHE_PATH - length),
                                                        "%016llx%016llx%s", (unsigned long long)mix(hash->words[0]),
                                                        (unsigned long long)mix(hash->words[1]), ending)
                                             : GASAN_CACHE_PATH;
  return length + name < GASAN_CACHE_PATH && make_folders(path);
}

bool gasan_cache_read(const char *path, void **data, size_t *size) {
  struct stat status;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  char *bytes = fstat(file, &status) ? NULL : malloc((size_t)status.st_size + 1);
  size_t done = 0;
  while (bytes && done < (size_t)status.st_size) {
    const ssize_t got = read(file, bytes + done, (size_t)status.st_size - done);
    if (got <= 0)
      break;
    done += (size_t)got;
  }
  const bool whole = bytes && done == (size_t)status.st_size;
  if (whole) {
    futimens(file, NULL);
    bytes[done] = 0;
    *data = bytes;
    *size = done;
  } else {
    free(bytes);
  }
  close(file);
  return whole;
}

bool gasan_cache_write(const char *path, const void *data, size_t size) {
  char temporary[GASAN_CACHE_PATH + 16];
  snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
  const int file = mkostemp(temporary, O_CLOEXEC);
  if (file < 0)
    return false;
  size_t done = 0;
  while (done < size) {
    const ssize_t put = write(file, (const char *)data + done, size - done);
    if (put <= 0)
      break;
    done += (size_t)put;
  }
  const bool written = !close(file) && done == size && !rename(temporary, path);
  if (!written)
    unlink(temporary);
  return written;
}

struct file {
  struct timespec used;
  uint64_t size;
  char name[NAME_MAX + 1];
};

static int compare(const void *left, const void *right) {
  const struct timespec *a = &((const struct file *)left)->used, *b = &((const struct file *)right)->used;
  if (a->tv_sec != b->tv_sec)
    return a->tv_sec < b->tv_sec ? -1 : 1;
  return a->tv_nsec < b->tv_nsec ? -1 : a->tv_nsec > b->tv_nsec;
}

/* Returns true for an unfinished file of a process that has ended. Finished files have one dot in their names. */
static bool is_forgotten(const char *name, const struct stat *status) {
  const char *dot = strchr(name, '.');
  return dot && strchr(dot + 1, '.') && status->st_mtim.tv_sec + UNFINISHED_SECONDS < time(NULL);
}

void gasan_cache_trim(const char *path, uint64_t most) {
  char folder[GASAN_CACHE_PATH];
  const char *slash = strrchr(path, '/');
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 0, path);
  DIR *entries = opendir(folder);
  struct file *files = NULL;
  size_t count = 0, room = 0;
  uint64_t total = 0;
  for (struct dirent *entry; entries && (entry = readdir(entries));) {
    struct stat status;
    if (fstatat(dirfd(entries), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) || !S_ISREG(status.st_mode) ||
        (is_forgotten(entry->d_name, &status) && !unlinkat(dirfd(entries), entry->d_name, 0)))
      continue;
    if (count == room) {
      room = room ? 2 * room : 256;
      struct file *more = realloc(files, room * sizeof *files);
      if (!more)
        break;
      files = more;
    }
    files[count] = (struct file){.used = status.st_mtim, .size = (uint64_t)status.st_size};
    strcpy(files[count++].name, entry->d_name);
    total += (uint64_t)status.st_size;
  }
  if (total > most)
    qsort(files, count, sizeof *files, compare);
  for (size_t i = 0; i < count && total > most; i++)
    if (!unlinkat(dirfd(entries), files[i].name, 0))
      total -= files[i].size;
  free(files);
  if (entries)
    closedir(entries);
}
