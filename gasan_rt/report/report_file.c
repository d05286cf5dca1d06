/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A process may not replace the file of another one that runs beside it: its parent, another rank, a process with the
 * same id in another container. The writer of a file holds a lock (flock) on it until it ends. A file without a lock is
 * another process's, too, if it was written since this process has started. The first write of a process holds a lock
 * on the folder, so that two processes do not choose one name. */
#include "gasan_rt/report/report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "document/writers.h"
#include "gasan_rt/core/warn.h"
#include "gasan_rt/report/report_name.h"
#include "gasan_rt/sanitizer/sanitizer.h"

#define ENDING_ROOM 48u /* for ".sarif", and in front of it a number */
#define LOCK_TRIES 100  /* of 10 ms each */

static struct {
  const char *name, *ending;
  void (*write)(const struct gasan_document *document, struct gasan_text *out);
  /* The file of this process, open for its lock; a program may close it, and open another file with this number. */
  int held;
  dev_t device;
  ino_t inode;
} formats[] = {{.name = "json", .ending = ".json", .write = gasan_write_json, .held = -1},
               {.name = "sarif", .ending = ".sarif", .write = gasan_write_sarif, .held = -1}};
#define FORMATS (sizeof formats / sizeof *formats)

/* The name of this process's files without an ending. */
static struct {
  pid_t owner; /* the process that has chosen the name; 0: none */
  char path[PATH_MAX];
} stem;

bool gasan_report_has_format(const char *name) {
  const size_t length = strlen(name);
  for (const char *word = gasan_options()->report_format; *word; word += strspn(word, ",")) {
    const size_t size = strcspn(word, ",");
    if (size == length && memcmp(word, name, length) == 0)
      return true;
    word += size;
  }
  return false;
}

bool gasan_report_has_files(void) {
  for (size_t i = 0; i < FORMATS; i++)
    if (gasan_report_has_format(formats[i].name))
      return true;
  return false;
}

static struct timespec loaded; /* the time when this process, or the one that has forked it, loaded the library */

__attribute__((constructor)) static void note_time(void) {
  clock_gettime(CLOCK_REALTIME_COARSE, &loaded); /* the clock of files */
}

/* Returns the time when this process began, in seconds since 1970; a program that calls exec stays a process. */
static double find_start(void) {
  struct timespec since_boot, now;
  double start = (double)loaded.tv_sec + (double)loaded.tv_nsec * 1e-9;
  char line[1024];
  unsigned long long ticks;
  FILE *file = fopen("/proc/self/stat", "re");
  const char *name_end = file && fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
  if (file)
    fclose(file);
  if (!name_end || sscanf(name_end + 1, " %*c%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%llu", &ticks) != 1)
    return start;
  clock_gettime(CLOCK_BOOTTIME, &since_boot);
  clock_gettime(CLOCK_REALTIME, &now);
  const double boot = (double)(now.tv_sec - since_boot.tv_sec) + (double)(now.tv_nsec - since_boot.tv_nsec) * 1e-9;
  const double began = boot + (double)ticks / (double)sysconf(_SC_CLK_TCK);
  return began < start ? began : start;
}

static bool is_others_file(const char *path, double start) {
  struct stat status;
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return false;
  const bool is_regular = !fstat(file, &status) && S_ISREG(status.st_mode);
  const bool is_newer = (double)status.st_mtim.tv_sec + (double)status.st_mtim.tv_nsec * 1e-9 >= start;
  const bool is_others = is_regular && (is_newer || (flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK));
  close(file);
  return is_others;
}

static bool is_others_stem(const char *path, double start) {
  for (size_t i = 0; i < FORMATS; i++) {
    char file[PATH_MAX];
    snprintf(file, sizeof file, "%s%s", path, formats[i].ending);
    if (gasan_report_has_format(formats[i].name) && is_others_file(file, start))
      return true;
  }
  return false;
}

static bool ends_with(const char *text, const char *ending) {
  const size_t length = strlen(text), size = strlen(ending);
  return length > size && strcmp(text + length - size, ending) == 0;
}

static void make_folders(char *path) {
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    mkdir(path, 0777);
    *slash = '/';
  }
}

/* Waits for a while only: a process that holds the lock may be stopped. Returns -1 if there is no lock. */
static int lock_folder(const char *path) {
  char folder[PATH_MAX];
  snprintf(folder, sizeof folder, "%s", path);
  char *slash = strrchr(folder, '/');
  if (slash)
    slash[slash == folder] = 0;
  const int file = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (int i = 0; file >= 0 && i < LOCK_TRIES; i++) {
    if (!flock(file, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK)
      break;
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
  return file;
}

/* Adds numbers to the name until no other process has it. */
static void avoid_others(bool has_pid) {
  const double start = find_start();
  const size_t length = strlen(stem.path);
  for (int tries = has_pid; tries < 1000 && is_others_stem(stem.path, start); tries++) {
    snprintf(stem.path + length, sizeof stem.path - length, ".%d", (int)getpid());
    if (tries)
      snprintf(stem.path + strlen(stem.path), sizeof stem.path - strlen(stem.path), ".%d", tries + 1);
  }
}

/* Chooses the name of this process's files, and locks its folder. *folder: the lock, to be closed after the first
 * write, or -1. Returns NULL, or the reason why there is no name. */
static const char *choose_stem(int *folder) {
  bool has_pid;
  const char *why = gasan_report_expand_path(stem.path, sizeof stem.path - ENDING_ROOM, &has_pid);
  if (why)
    return why;
  for (size_t i = 0; i < FORMATS; i++)
    if (ends_with(stem.path, formats[i].ending)) {
      stem.path[strlen(stem.path) - strlen(formats[i].ending)] = 0;
      break;
    }
  make_folders(stem.path);
  *folder = lock_folder(stem.path);
  avoid_others(has_pid);
  stem.owner = getpid();
  return NULL;
}

void gasan_report_file_name(const char *ending, char *path, size_t size) {
  snprintf(path, size, "%s%s", stem.path, ending);
}

static bool write_all(int file, const struct gasan_text *text) {
  for (size_t done = 0; done < text->length;) {
    const ssize_t written = write(file, text->bytes + done, text->length - done);
    if (written < 0 && errno != EINTR)
      return false;
    done += written > 0 ? (size_t)written : 0;
  }
  return true;
}

/* Keeps the file open in place of the one before. */
static void hold(size_t format, int file) {
  struct stat status;
  const int before = formats[format].held;
  if (before >= 0 && !fstat(before, &status) && status.st_dev == formats[format].device &&
      status.st_ino == formats[format].inode)
    close(before);
  if (!fstat(file, &status)) {
    formats[format].device = status.st_dev;
    formats[format].inode = status.st_ino;
  }
  formats[format].held = file;
}

/* Writes to a file that has no content of its own: a pipe. */
static bool write_special(const char *path, const struct gasan_text *text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK); /* not waiting for a reader */
  if (file >= 0)
    fcntl(file, F_SETFL, 0);
  const bool written = file >= 0 && write_all(file, text);
  return (file < 0 || !close(file)) && written;
}

/* Returns false and errno. */
static bool replace_file(size_t format, char *path, const struct gasan_text *text) {
  char beside[PATH_MAX + 32];
  struct stat status;
  if (!stat(path, &status) && !S_ISREG(status.st_mode))
    return write_special(path, text);
  snprintf(beside, sizeof beside, "%s.%d.part", path, (int)getpid());
  const int file = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0)
    return false;
  flock(file, LOCK_EX | LOCK_NB);
  if (write_all(file, text) && !rename(beside, path)) {
    hold(format, file);
    return true;
  }
  const int error = errno;
  close(file);
  unlink(beside);
  errno = error;
  return false;
}

/* Prints an error, once in a process. */
static void complain(const char *path, const char *why) {
  static bool complained;
  if (!complained)
    gasan_rt_warn("ERROR: the report cannot be written to %s: %s; set GASAN_OPTIONS=report_path to a file in a folder "
                  "that can be written",
                  path, why);
  complained = true;
}

static bool write_format(size_t format, const struct gasan_document *document) {
  char path[PATH_MAX];
  struct gasan_text text = {0};
  formats[format].write(document, &text);
  gasan_report_file_name(formats[format].ending, path, sizeof path);
  const bool written = replace_file(format, path, &text);
  if (!written)
    complain(path, strerror(errno));
  gasan_text_free(&text);
  return written;
}

bool gasan_report_write_files(const struct gasan_document *document) {
  int folder = -1;
  const char *why = stem.owner == getpid() ? NULL : choose_stem(&folder);
  bool all = !why;
  if (why)
    complain(gasan_options()->report_path, why);
  for (size_t i = 0; i < FORMATS && !why; i++)
    if (gasan_report_has_format(formats[i].name))
      all &= write_format(i, document);
  if (folder >= 0)
    close(folder);
  return all;
}
