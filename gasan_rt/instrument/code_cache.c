/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
#include "gasan_rt/instrument/code_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
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

/* Writes a block into a new file, which it removes. access() does not know full disks and quotas. */
static bool has_room(const char *folder) {
  static const char block[4096];
  char path[GASAN_CACHE_PATH + 64];
  snprintf(path, sizeof path, "%s%032d.room.XXXXXX", folder, 0); /* as an unfinished file of gasan's */
  const int file = mkostemp(path, O_CLOEXEC);
  if (file < 0)
    return false;
  const bool written = write(file, block, sizeof block) == (ssize_t)sizeof block;
  const bool closed = !close(file); /* network file systems write here */
  unlink(path);
  return written && closed;
}

/* Makes a folder, whose path ends with a slash, unless it is too long for a file's name behind it. `has_room_now`: what
 * has_room said of this folder first, or -1. */
static bool make_writable(char path[GASAN_CACHE_PATH], int length, atomic_int *has_room_now) {
  if (length >= GASAN_CACHE_PATH - NAME_MAX || !make_folders(path) || access(path, W_OK | X_OK))
    return false;
  if (atomic_load(has_room_now) < 0)
    atomic_store(has_room_now, has_room(path));
  return atomic_load(has_room_now) > 0;
}

/* Another user may have made a folder of this name among the temporary files. */
static bool is_private(const char *path) {
  struct stat status;
  return !lstat(path, &status) && S_ISDIR(status.st_mode) && status.st_uid == geteuid() && !(status.st_mode & 022);
}

/* Writes the folder's path, with a slash at its end. */
static bool find_folder(char path[GASAN_CACHE_PATH]) {
  static atomic_int user_has_room = -1, temporary_has_room = -1;
  const char *own = gasan_options()->instrument_cache, *cache = getenv("XDG_CACHE_HOME"), *user = getenv("HOME");
  const char *temporary = getenv("TMPDIR");
  if (own && *own)
    return snprintf(path, GASAN_CACHE_PATH, "%s/", own) < GASAN_CACHE_PATH - NAME_MAX && make_folders(path);
  if (cache && *cache == '/') {
    if (make_writable(path, snprintf(path, GASAN_CACHE_PATH, "%s/gasan/kernels/", cache), &user_has_room))
      return true;
  } else if (user && *user == '/') {
    if (make_writable(path, snprintf(path, GASAN_CACHE_PATH, "%s/.cache/gasan/kernels/", user), &user_has_room))
      return true;
  }
  const int length = snprintf(path, GASAN_CACHE_PATH, "%s/gasan-%u",
                              temporary && *temporary == '/' ? temporary : "/tmp", (unsigned)geteuid());
  if (length >= GASAN_CACHE_PATH - NAME_MAX || (mkdir(path, 0700) && errno != EEXIST) || !is_private(path))
    return false;
  return make_writable(path, length + snprintf(path + length, NAME_MAX, "/kernels/"), &temporary_has_room);
}

bool gasan_cache_path(const struct gasan_hash *hash, const char *ending, char path[GASAN_CACHE_PATH]) {
  if (!find_folder(path))
    return false;
  snprintf(path + strlen(path), NAME_MAX, "%016llx%016llx%s", (unsigned long long)mix(hash->words[0]),
           (unsigned long long)mix(hash->words[1]), ending);
  return true;
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

static struct gasan_hash seal_of(const void *data, size_t size) {
  struct gasan_hash hash = gasan_hash_start();
  gasan_hash_add(&hash, data, size);
  return hash;
}

bool gasan_cache_fetch(const char *path, void **data, size_t *size) {
  struct gasan_hash seal;
  if (!gasan_cache_read(path, data, size))
    return false;
  const size_t rest = *size - sizeof seal;
  if (*size >= sizeof seal) {
    seal = seal_of(*data, rest);
    if (!memcmp(&seal, (char *)*data + rest, sizeof seal)) {
      ((char *)*data)[rest] = 0;
      *size = rest;
      utimensat(AT_FDCWD, path, NULL, 0);
      return true;
    }
  }
  free(*data);
  *data = NULL;
  unlink(path);
  return false;
}

bool gasan_cache_store(const char *path, const void *data, size_t size) {
  const struct gasan_hash seal = seal_of(data, size);
  char *sealed = malloc(size + sizeof seal);
  if (!sealed)
    return false;
  memcpy(sealed, data, size);
  memcpy(sealed + size, &seal, sizeof seal);
  const bool written = gasan_cache_write(path, sealed, size + sizeof seal);
  free(sealed);
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

/* Returns true for the names that gasan_cache_path makes, and those of unfinished files. The folder may be one in which
 * the user has other files. */
static bool is_own(const char *name) {
  return strspn(name, "0123456789abcdef") == 32 && name[32] == '.';
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
    if (!is_own(entry->d_name) || fstatat(dirfd(entries), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) ||
        !S_ISREG(status.st_mode) ||
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
