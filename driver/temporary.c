/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/temporary.h"
#include "driver/message.h"
#include "driver/strings.h"

#include <errno.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool only_names;
static const char *kept_prefix, *kept_folder;
static char *folder;
static struct gasan_strings files, trees;

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place) {
  remove(path);
  return 0;
}

void gasan_temporary_remove(void) {
  const int open_folders = 8;
  for (size_t i = 0; i < trees.count; i++)
    nftw(trees.items[i], remove_entry, open_folders, FTW_DEPTH | FTW_PHYS);
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

const char *gasan_temporary_tree(const char *name) {
  char *path = gasan_strings_format("%s/%s-XXXXXX", gasan_temporary_parent(), name);
  if (!mkdtemp(path))
    gasan_message_fatal("cannot create the folder '%s': %s", path, strerror(errno));
  if (!trees.count)
    atexit(gasan_temporary_remove);
  gasan_strings_push(&trees, path);
  return path;
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
