/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* memmem */
#include "gasan_rt/evidence/kernel_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FIRST_PID_NAMESPACE "pid:[4026531836]" /* PROC_PID_INIT_INO of Linux */
#define NAME_LENGTH 15u                        /* TASK_COMM_LEN - 1 */
#define WAIT_MS 50

/* The rest of a line. */
struct text {
  const char *at;
  size_t size;
};

/* Moves behind the next `word`. Returns false if there is none. */
static bool find_word(struct text *text, const char *word) {
  const char *found = memmem(text->at, text->size, word, strlen(word));
  if (!found)
    return false;
  found += strlen(word);
  text->size -= (size_t)(found - text->at);
  text->at = found;
  return true;
}

static bool take_word(struct text *text, const char *word) {
  const size_t length = strlen(word);
  if (text->size < length || memcmp(text->at, word, length) != 0)
    return false;
  text->at += length;
  text->size -= length;
  return true;
}

static int digit_of(char character, unsigned base) {
  int digit = character >= '0' && character <= '9'   ? character - '0'
              : character >= 'a' && character <= 'f' ? character - 'a' + 10
              : character >= 'A' && character <= 'F' ? character - 'A' + 10
                                                     : 16;
  return digit < (int)base ? digit : -1;
}

/* Takes a number; '_' may separate its digits. Returns false if there is none, or if it is too great. */
static bool take_number(struct text *text, unsigned base, uint64_t *value) {
  bool any = false;
  for (*value = 0; text->size; text->at++, text->size--) {
    if (any && base == 16 && *text->at == '_')
      continue;
    const int digit = digit_of(*text->at, base);
    if (digit < 0)
      break;
    if (*value > (UINT64_MAX - (unsigned)digit) / base)
      return false;
    *value = *value * base + (unsigned)digit;
    any = true;
  }
  return any;
}

static bool take_part(struct text *text, uint32_t *value) {
  uint64_t number;
  if (!take_number(text, 16, &number) || number > UINT32_MAX)
    return false;
  *value = (uint32_t)number;
  return true;
}

/* "0000:00:06", with or without a function. */
static bool take_pci(struct text *text, uint32_t *domain, uint32_t *bus, uint32_t *slot) {
  return take_part(text, domain) && take_word(text, ":") && take_part(text, bus) && take_word(text, ":") &&
         take_part(text, slot);
}

/* Skips the end of "(PCI:0000:00:06 GPU-I:05)": a part of a GPU (MIG). */
static bool skip_part(struct text *text) {
  while (text->size && *text->at != ')') {
    text->at++;
    text->size--;
  }
  return take_word(text, ")");
}

static enum gasan_log_access access_of(struct text text) {
  if (!find_word(&text, "ACCESS_TYPE_"))
    return GASAN_LOG_ACCESS_UNKNOWN;
  if (!take_word(&text, "VIRT_"))
    take_word(&text, "PHYS_");
  return take_word(&text, "READ")     ? GASAN_LOG_READ
         : take_word(&text, "WRITE")  ? GASAN_LOG_WRITE
         : take_word(&text, "ATOMIC") ? GASAN_LOG_ATOMIC
                                      : GASAN_LOG_ACCESS_UNKNOWN;
}

/* "pid=1054, name=app, ". Where the driver does not know them, it writes "pid='<unknown>', name=<unknown>". */
static void read_process(struct text text, struct gasan_log_fault *fault) {
  struct text name = text;
  uint64_t pid;
  fault->pid = find_word(&text, "pid=") && take_number(&text, 10, &pid) && pid <= INT64_MAX ? (int64_t)pid : -1;
  if (!find_word(&name, "name=") || (name.size && *name.at == '<'))
    return;
  const char *end = memmem(name.at, name.size, ", ", 2);
  size_t length = end ? (size_t)(end - name.at) : 0;
  if (length >= sizeof fault->name)
    length = 0;
  memcpy(fault->name, name.at, length);
  fault->name[length] = 0;
}

bool gasan_log_parse(const char *line, size_t size, struct gasan_log_fault *fault) {
  struct text text = {line, size};
  *fault = (struct gasan_log_fault){.pid = -1};
  if (!find_word(&text, "NVRM: Xid (PCI:") || !take_pci(&text, &fault->domain, &fault->bus, &fault->slot) ||
      !skip_part(&text) || !take_word(&text, ": 31,"))
    return false;
  struct text process = text;
  if (!find_word(&text, "faulted @ 0x"))
    return false;
  process.size = (size_t)(text.at - process.at);
  if (!take_number(&text, 16, &fault->address))
    return false;
  fault->access = access_of(text);
  read_process(process, fault);
  return true;
}

static void read_file(const char *path, char *text, size_t size) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t length = file < 0 ? 0 : read(file, text, size - 1);
  if (file >= 0)
    close(file);
  text[length > 0 ? length : 0] = 0;
  text[strcspn(text, "\n")] = 0;
}

void gasan_log_describe_self(struct gasan_log_process *process) {
  char path[4096], space[64];
  ssize_t length = readlink("/proc/self/ns/pid", space, sizeof space - 1);
  space[length > 0 ? length : 0] = 0;
  *process = (struct gasan_log_process){.pid = getpid(), .pid_is_global = strcmp(space, FIRST_PID_NAMESPACE) == 0};
  read_file("/proc/self/comm", process->name, sizeof process->name);
  length = readlink("/proc/self/exe", path, sizeof path - 1);
  path[length > 0 ? length : 0] = 0;
  const char *slash = strrchr(path, '/');
  snprintf(process->file, sizeof process->file, "%.*s", (int)NAME_LENGTH, slash ? slash + 1 : path);
}

static bool is_on_gpu(const struct gasan_log_fault *fault, const char *pci) {
  uint32_t domain, bus, slot;
  struct text text = {pci, pci ? strlen(pci) : 0};
  return !pci || !take_pci(&text, &domain, &bus, &slot) ||
         (domain == fault->domain && bus == fault->bus && slot == fault->slot);
}

bool gasan_log_matches(const struct gasan_log_fault *fault, const struct gasan_log_process *process) {
  if (!is_on_gpu(fault, process->pci))
    return false;
  if (process->pid_is_global && fault->pid >= 0)
    return fault->pid == process->pid;
  if (!*fault->name)
    return process->pci != NULL;
  return strncmp(fault->name, process->name, NAME_LENGTH) == 0 || strncmp(fault->name, process->file, NAME_LENGTH) == 0;
}

static int log_file = -1;
static struct stat log_identity;

void gasan_log_open(void) {
  log_file = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (log_file < 0)
    return;
  if (lseek(log_file, 0, SEEK_END) < 0 || fstat(log_file, &log_identity)) {
    close(log_file);
    log_file = -1;
  }
}

/* A program may close files that it did not open, and then the number is another file's. */
bool gasan_log_is_open(void) {
  struct stat now;
  return log_file >= 0 && fstat(log_file, &now) == 0 && now.st_dev == log_identity.st_dev &&
         now.st_ino == log_identity.st_ino && now.st_rdev == log_identity.st_rdev;
}

/* The lines of the log so far. */
struct found {
  struct gasan_log_fault fault;
  bool any, ambiguous;
};

/* The first fault stops the process's kernels. */
static void read_line(const char *line, size_t size, const struct gasan_log_process *process, struct found *found) {
  struct gasan_log_fault fault;
  if (!gasan_log_parse(line, size, &fault) || !gasan_log_matches(&fault, process))
    return;
  if (!found->any)
    found->fault = fault;
  else if (fault.pid != found->fault.pid)
    found->ambiguous = true;
  found->any = true;
}

/* A read gives one record, or EPIPE once records were lost. */
static void read_records(const struct gasan_log_process *process, struct found *found) {
  char record[8192];
  for (;;) {
    ssize_t size = read(log_file, record, sizeof record);
    if (size < 0 && (errno == EPIPE || errno == EINTR))
      continue;
    if (size <= 0)
      return;
    for (const char *at = record, *end = record + size; at < end;) {
      const char *newline = memchr(at, '\n', (size_t)(end - at));
      const char *stop = newline ? newline : end;
      read_line(at, (size_t)(stop - at), process, found);
      at = stop + 1;
    }
  }
}

bool gasan_log_find(const char *pci, struct gasan_log_fault *fault) {
  struct gasan_log_process process;
  struct found found = {.any = false};
  gasan_log_describe_self(&process);
  process.pci = pci;
  for (int waited = 0; waited <= WAIT_MS && !found.any && gasan_log_is_open(); waited++) {
    if (waited)
      nanosleep(&(struct timespec){0, 1000000}, NULL);
    read_records(&process, &found);
  }
  *fault = found.fault;
  return found.any && !found.ambiguous;
}
