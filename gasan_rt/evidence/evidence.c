/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/evidence/evidence.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/coredump.h"

/* A child process inherits the variable of its parent, but needs its own folder. */
#define FOLDER_NAME GASAN_COREDUMP_FOLDER
#define FLAGS GASAN_COREDUMP_FLAGS

/* A dump appears at once. An H100 full of threads needs 5 s for it. */
#define APPEARS_MS 1000
#define GROWS_MS 10000
#define TICK_MS 10

static char folder[PATH_MAX], path[PATH_MAX]; /* of the dump; "": not ours, or none */
static char in_use[PATH_MAX];                 /* a file that keeps the folder while this process may need it */
static pid_t owner;

static bool make_folder(void) {
  const char *parent = getenv("TMPDIR");
  int length = snprintf(folder, sizeof folder, "%s/" FOLDER_NAME "XXXXXX", parent && *parent ? parent : "/tmp");
  if (length >= (int)sizeof folder - 16 || !mkdtemp(folder)) {
    folder[0] = 0;
    return false;
  }
  snprintf(path, sizeof path, "%.*s/core", (int)sizeof path - 8, folder);
  setenv("CUDA_COREDUMP_FILE", path, 1);
  owner = getpid();
  return true;
}

/* In the program's file name, CUDA replaces %p and others, so that the file is not known. */
static bool choose_file(void) {
  const char *file = getenv("CUDA_COREDUMP_FILE");
  const char *end = file ? strrchr(file, '/') : NULL;
  if (end && strstr(file, "/" FOLDER_NAME) && !strcmp(end, GASAN_COREDUMP_FILE)) {
    snprintf(folder, sizeof folder, "%.*s", (int)(end - file), file);
    snprintf(path, sizeof path, "%.*s/%d", (int)sizeof path - 16, folder, (int)getpid());
    snprintf(in_use, sizeof in_use, "%.*s.used", (int)sizeof in_use - 8, path);
    owner = getpid();
    /* An earlier process of the command may have removed the folder at its end. */
    if (mkdir(folder, 0700) && errno != EEXIST)
      return false;
    const int file = open(in_use, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0)
      close(file);
    return file >= 0;
  }
  if (!file || !*file || strstr(file, "/" FOLDER_NAME))
    return make_folder();
  if (!strchr(file, '%'))
    snprintf(path, sizeof path, "%s", file);
  return true;
}

bool gasan_evidence_start(bool coredump, bool serialize) {
  gasan_log_open();
  if (serialize)
    setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
  if (!coredump)
    return true;
  if (!choose_file())
    return false;
  setenv("CUDA_ENABLE_COREDUMP_ON_EXCEPTION", "1", 1);
  setenv("CUDA_COREDUMP_GENERATION_FLAGS", FLAGS, 0);
  return true;
}

static void sleep_ms(long milliseconds) {
  nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000}, NULL);
}

static off_t size_of(int file) {
  struct stat status;
  return fstat(file, &status) == 0 && S_ISREG(status.st_mode) ? status.st_size : 0;
}

static struct gasan_bytes read_all(int file, off_t size) {
  uint8_t *bytes = malloc((size_t)size);
  off_t done = 0;
  for (ssize_t got = 1; bytes && done < size && got > 0; done += got > 0 ? got : 0)
    got = pread(file, bytes + done, (size_t)(size - done), done);
  return (struct gasan_bytes){bytes, bytes ? (uint64_t)done : 0};
}

/* Reads the dump once the driver has written all of it. Returns no bytes if it does not get complete. */
static struct gasan_bytes read_dump(int file) {
  off_t size = 0;
  for (int idle = 0; idle < (size ? GROWS_MS : APPEARS_MS);) {
    sleep_ms(TICK_MS);
    const off_t now = size_of(file);
    idle = now == size ? idle + TICK_MS : 0;
    size = now;
    if (!size || idle % 100 != TICK_MS)
      continue;
    struct gasan_bytes bytes = read_all(file, size);
    if (gasan_core_dump_is_complete(bytes))
      return bytes;
    free((void *)bytes.at);
  }
  return (struct gasan_bytes){NULL, 0};
}

/* Does not open a pipe of the user's, which has another reader. */
static int open_dump(void) {
  struct stat status;
  for (int waited = 0; *path && waited < APPEARS_MS; waited += TICK_MS) {
    if (stat(path, &status) == 0)
      return S_ISREG(status.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    sleep_ms(TICK_MS);
  }
  return -1;
}

void gasan_evidence_collect(const char *pci, struct gasan_evidence *evidence) {
  memset(evidence, 0, sizeof *evidence);
  evidence->log_readable = gasan_log_is_open();
  evidence->has_log = gasan_log_find(pci, &evidence->log);
  const char *enabled = getenv("CUDA_ENABLE_COREDUMP_ON_EXCEPTION");
  evidence->dump_expected = enabled && atoi(enabled) && *path;
  int file = evidence->dump_expected ? open_dump() : -1;
  if (file >= 0) {
    struct gasan_bytes bytes = read_dump(file);
    close(file);
    evidence->file = (void *)bytes.at;
    evidence->has_dump = bytes.size && gasan_core_dump_read(bytes, &evidence->dump);
  }
  gasan_evidence_end();
}

void gasan_evidence_release(struct gasan_evidence *evidence) {
  free(evidence->file);
  evidence->file = NULL;
}

void gasan_evidence_end(void) {
  if (!*folder || getpid() != owner)
    return;
  unlink(path);
  if (*in_use)
    unlink(in_use);
  rmdir(folder);
}
