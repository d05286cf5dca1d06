/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "document/document.h"

/* Reads the process's arguments. */
static void read_command(struct gasan_document *document, struct gasan_doc_process *process) {
  char bytes[16384];
  FILE *file = fopen("/proc/self/cmdline", "re");
  const size_t length = file ? fread(bytes, 1, sizeof bytes - 1, file) : 0;
  size_t count = 0;
  if (file)
    fclose(file);
  bytes[length] = 0;
  process->command = gasan_arena_allocate(&document->arena, (length + 1) * sizeof *process->command);
  for (size_t at = 0; at < length; at += strlen(bytes + at) + 1)
    process->command[count++] = gasan_arena_copy(&document->arena, bytes + at);
}

static const char *find_rank(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID", "RANK"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (getenv(names[i]))
      return getenv(names[i]);
  return NULL;
}

void gasan_doc_add_this_process(struct gasan_document *document) {
  char host[256] = "", directory[PATH_MAX];
  struct gasan_doc_process *process = gasan_doc_create_process(document);
  process->pid = getpid();
  if (!gethostname(host, sizeof host - 1) && *host)
    process->host = gasan_arena_copy(&document->arena, host);
  if (getcwd(directory, sizeof directory))
    process->directory = gasan_arena_copy(&document->arena, directory);
  process->rank = gasan_arena_copy(&document->arena, find_rank());
  read_command(document, process);
}
