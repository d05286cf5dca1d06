/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/report/report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "document/writers.h"
#include "gasan_rt/core/warn.h"
#include "gasan_rt/sanitizer/sanitizer.h"

static const struct {
  const char *name, *ending;
  void (*write)(const struct gasan_document *document, struct gasan_text *out);
} formats[] = {{"json", ".json", gasan_write_json}, {"sarif", ".sarif", gasan_write_sarif}};
#define FORMATS (sizeof formats / sizeof *formats)

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

static void add(char *path, size_t size, const char *text, size_t length) {
  const size_t used = strlen(path);
  if (length < size - used) {
    memcpy(path + used, text, length);
    path[used + length] = 0;
  }
}

/* Adds the value of the variable that %q{NAME} names. Returns the rest of the pattern, behind the bracket. */
static const char *add_variable(char *path, size_t size, const char *name, const char *end) {
  char *copy = strndup(name, (size_t)(end - name));
  const char *value = copy ? getenv(copy) : NULL;
  add(path, size, value ? value : "", value ? strlen(value) : 0);
  free(copy);
  return end + 1;
}

/* Returns true if the pattern has %p. */
static bool expand(const char *pattern, char *path, size_t size) {
  char pid[16];
  bool has_pid = false;
  snprintf(pid, sizeof pid, "%d", (int)getpid());
  for (*path = 0; *pattern;) {
    const char *end = strncmp(pattern, "%q{", 3) == 0 ? strchr(pattern, '}') : NULL;
    if (end) {
      pattern = add_variable(path, size, pattern + 3, end);
      continue;
    }
    const bool is_pid = strncmp(pattern, "%p", 2) == 0, is_percent = strncmp(pattern, "%%", 2) == 0;
    has_pid |= is_pid;
    add(path, size, is_pid ? pid : pattern, is_pid ? strlen(pid) : 1);
    pattern += is_pid || is_percent ? 2 : 1;
  }
  return has_pid;
}

static bool ends_with(const char *text, const char *ending) {
  const size_t length = strlen(text), size = strlen(ending);
  return length > size && strcmp(text + length - size, ending) == 0;
}

static struct timespec loaded; /* the time when this process, or the one that has forked it, loaded the library */

__attribute__((constructor)) static void note_time(void) {
  clock_gettime(CLOCK_REALTIME, &loaded);
}

/* Returns true if another process that runs beside this one has written a file with this name: its parent, another
 * rank. Decides once in each process. */
static bool is_others_file(const char *stem) {
  static pid_t decided;
  static bool is_others;
  if (decided == getpid())
    return is_others;
  decided = getpid();
  is_others = false;
  for (size_t i = 0; i < FORMATS; i++) {
    char path[PATH_MAX + 8];
    struct stat status;
    snprintf(path, sizeof path, "%s%s", stem, formats[i].ending);
    is_others |= gasan_report_has_format(formats[i].name) && !stat(path, &status) && S_ISREG(status.st_mode) &&
                 (status.st_mtim.tv_sec > loaded.tv_sec ||
                  (status.st_mtim.tv_sec == loaded.tv_sec && status.st_mtim.tv_nsec >= loaded.tv_nsec));
  }
  return is_others;
}

/* Writes the name without its ending. */
static void name_stem(char *path, size_t size) {
  const bool has_pid = expand(gasan_options()->report_path, path, size);
  for (size_t i = 0; i < FORMATS; i++)
    if (ends_with(path, formats[i].ending)) {
      path[strlen(path) - strlen(formats[i].ending)] = 0;
      break;
    }
  if (!has_pid && is_others_file(path))
    snprintf(path + strlen(path), size - strlen(path), ".%d", (int)getpid());
}

void gasan_report_file_name(const char *ending, char *path, size_t size) {
  name_stem(path, size);
  snprintf(path + strlen(path), size - strlen(path), "%s", ending);
}

static void make_folders(char *path) {
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    mkdir(path, 0777);
    *slash = '/';
  }
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

/* Returns false and errno. */
static bool replace_file(char *path, const struct gasan_text *text) {
  char beside[PATH_MAX + 32];
  struct stat status;
  if (!stat(path, &status) && !S_ISREG(status.st_mode)) { /* /dev/stderr, a pipe */
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    const bool written = file >= 0 && write_all(file, text);
    return (file < 0 || !close(file)) && written;
  }
  make_folders(path);
  snprintf(beside, sizeof beside, "%s.%d.part", path, (int)getpid());
  const int file = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0)
    return false;
  bool written = write_all(file, text);
  written = !close(file) && written && !rename(beside, path);
  if (!written) {
    const int error = errno;
    unlink(beside);
    errno = error;
  }
  return written;
}

bool gasan_report_write_files(const struct gasan_document *document) {
  static bool complained;
  bool all = true;
  for (size_t i = 0; i < FORMATS; i++) {
    if (!gasan_report_has_format(formats[i].name))
      continue;
    char path[PATH_MAX];
    struct gasan_text text = {0};
    formats[i].write(document, &text);
    gasan_report_file_name(formats[i].ending, path, sizeof path);
    if (!replace_file(path, &text)) {
      if (!complained)
        gasan_rt_warn("ERROR: the report cannot be written to %s: %s; set GASAN_OPTIONS=report_path to a file in a "
                      "folder that can be written",
                      path, strerror(errno));
      complained = true;
      all = false;
    }
    gasan_text_free(&text);
  }
  return all;
}
