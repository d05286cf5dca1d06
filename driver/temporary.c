/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/temporary.h"
#include "driver/message.h"
#include "driver/strings.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool only_names;
static const char *kept_prefix, *kept_folder;
static char *folder;
static struct gasan_strings files;

void gasan_temporary_remove(void) {
  if (!folder || only_names)
    return;
  for (size_t i = 0; i < files.count; i++)
    unlink(files.items[i]);
  rmdir(folder);
}

void gasan_temporary_only_names(void) {
  only_names = true;
}

void gasan_temporary_keep(const char *prefix) {
  kept_prefix = kept_folder ? gasan_strings_format("%s/", kept_folder) : prefix;
}

void gasan_temporary_keep_in(const char *kept) {
  kept_folder = kept;
}

const char *gasan_temporary_parent(void) {
  const char *parent = getenv("TMPDIR");
  return parent && *parent ? parent : "/tmp";
}

static void create_folder(void) {
  folder = gasan_strings_format("%s/gasan-XXXXXX", gasan_temporary_parent());
  if (only_names)
    return;
  if (!mkdtemp(folder))
    gasan_message_fatal("cannot create the folder '%s': %s", folder, strerror(errno));
  atexit(gasan_temporary_remove);
}

const char *gasan_temporary_private_path(const char *name) {
  if (!folder)
    create_folder();
  char *path = gasan_strings_format("%s/%s", folder, name);
  if (!gasan_strings_contain(&files, path))
    gasan_strings_push(&files, path);
  return path;
}

const char *gasan_temporary_path(const char *name) {
  return kept_prefix ? gasan_strings_format("%s%s", kept_prefix, name) : gasan_temporary_private_path(name);
}
