/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver/rdc_inputs.h"
#include "device/cpu/image.h"
#include "driver/archive.h"
#include "driver/elf_sections.h"
#include "driver/rdc_container.h"
#include "driver/rdc_stub.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add(struct gasan_rdc_inputs *inputs, const struct gasan_rdc_input *input) {
  struct gasan_rdc_input *items = gasan_strings_allocate((inputs->count + 1) * sizeof *items);
  if (inputs->count)
    memcpy(items, inputs->items, inputs->count * sizeof *items);
  items[inputs->count] = *input;
  inputs->items = items;
  inputs->count++;
  inputs->archives |= input->member != NULL;
}

static void add_object(struct gasan_rdc_inputs *inputs, const char *path, const char *member,
                       struct gasan_bytes object) {
  struct gasan_rdc_input input = {.path = path, .member = member, .object = object};
  struct gasan_rdc_container container;
  size_t offset = 0;
  gasan_elf_add_symbols(object, GASAN_RDC_REGISTRATION, /*defined=*/true, &inputs->linked);
  if (!gasan_elf_is_relocatable(object) || !gasan_elf_find_section(object, GASAN_RDC_SECTION, &input.section))
    return;
  if (gasan_rdc_container_read(input.section, &offset, &container))
    add(inputs, &input);
  else if (!member) /* libcudadevrt.a has such members */
    inputs->foreign = path;
}

/* Adds a file's containers. `name`: the user's name of the file. */
static void add_file(struct gasan_rdc_inputs *inputs, const char *path, const char *name) {
  struct gasan_bytes file;
  if (!gasan_file_try_read(path, &file))
    return;
  if (!gasan_archive_is(file)) {
    gasan_agreement_add(&inputs->agreement, name, file);
    add_object(inputs, path, NULL, file);
    return;
  }
  struct gasan_archive_member member;
  for (size_t position = 0; gasan_archive_next(path, file, &position, &member);) {
    if (!inputs->archive_cuda)
      inputs->archive_cuda = gasan_agreement_cuda(member.contents);
    add_object(inputs, path, member.name, member.contents);
  }
}

static struct gasan_strings library_folders(const struct gasan_arguments *arguments) {
  struct gasan_strings folders = {0};
  for (size_t i = 0; i < arguments->count; i++)
    if (arguments->items[i].role == GASAN_ROLE_LIBRARY_FOLDER)
      gasan_strings_push(&folders, arguments->items[i].value);
  const char *more = getenv("LIBRARY_PATH");
  struct gasan_strings parts = gasan_strings_split(more ? more : "", ':');
  gasan_strings_push_all(&folders, &parts);
  return folders;
}

static void add_library(struct gasan_rdc_inputs *inputs, const struct gasan_strings *folders, const char *name) {
  const char *file = name[0] == ':' ? name + 1 : gasan_strings_format("lib%s.a", name);
  for (size_t i = 0; i < folders->count; i++) {
    const char *path = gasan_strings_format("%s/%s", folders->items[i], file);
    if (access(path, R_OK))
      continue;
    add_file(inputs, path, path);
    return;
  }
}

/* Adds the files of options such as -Wl,--whole-archive,libx.a. */
static void add_linker_files(struct gasan_rdc_inputs *inputs, const struct gasan_strings *folders, const char *list) {
  struct gasan_strings parts = gasan_strings_split(list, ',');
  for (size_t i = 0; i < parts.count; i++)
    if (gasan_strings_start(parts.items[i], "-l"))
      add_library(inputs, folders, parts.items[i] + 2);
    else if (parts.items[i][0] != '-')
      add_file(inputs, parts.items[i], parts.items[i]);
}

struct gasan_rdc_inputs gasan_rdc_inputs_find(const struct gasan_arguments *arguments,
                                              const struct gasan_link_objects *objects) {
  struct gasan_rdc_inputs inputs = {0};
  struct gasan_strings folders = library_folders(arguments);
  for (size_t i = 0; i < arguments->count; i++) {
    const struct gasan_argument *argument = &arguments->items[i];
    if (argument->role == GASAN_ROLE_INPUT)
      add_file(&inputs, objects->paths[i] ? objects->paths[i] : argument->value, argument->value);
    else if (argument->role == GASAN_ROLE_LIBRARY)
      add_library(&inputs, &folders, argument->value);
    else if (argument->role == GASAN_ROLE_LINKER && argument->value)
      add_linker_files(&inputs, &folders, argument->value);
  }
  return inputs;
}

/* Returns true for an object or a shared library with checks. A shared library no longer has notes, but it calls the
 * runtime. */
static bool has_checks(struct gasan_bytes file) {
  static const char call[] = "gasan_cpu_register_image";
  struct gasan_bytes section;
  return gasan_elf_find_section(file, GASAN_CPU_NOTE_SECTION, &section) ||
         gasan_elf_find_section(file, GASAN_RDC_SECTION, &section) ||
         (gasan_elf_find_section(file, ".dynstr", &section) && memmem(section.data, section.size, call, sizeof call));
}

bool gasan_rdc_inputs_have_checks(const struct gasan_arguments *arguments) {
  for (size_t i = 0; i < arguments->count; i++) {
    struct gasan_bytes file;
    if (arguments->items[i].role != GASAN_ROLE_INPUT || !gasan_file_try_read(arguments->items[i].value, &file))
      continue;
    if (has_checks(file))
      return true;
    struct gasan_archive_member member;
    for (size_t position = 0;
         gasan_archive_is(file) && gasan_archive_next(arguments->items[i].value, file, &position, &member);)
      if (has_checks(member.contents))
        return true;
  }
  return false;
}

struct gasan_rdc_inputs gasan_rdc_inputs_not_linked(const struct gasan_rdc_inputs *inputs) {
  struct gasan_rdc_inputs others = *inputs;
  others.items = NULL;
  others.count = 0;
  others.archives = false;
  for (size_t i = 0; i < inputs->count; i++) {
    struct gasan_strings registrations = {0};
    bool is_linked = false;
    gasan_elf_add_symbols(inputs->items[i].object, GASAN_RDC_REGISTRATION, /*defined=*/false, &registrations);
    for (size_t j = 0; j < registrations.count; j++)
      is_linked |= gasan_strings_contain(&inputs->linked, registrations.items[j]);
    if (!is_linked)
      add(&others, &inputs->items[i]);
  }
  return others;
}

static bool same_file(const char *left, const char *right) {
  char *real_left = realpath(left, NULL), *real_right = realpath(right, NULL);
  return real_left && real_right && !strcmp(real_left, real_right);
}

/* Returns true for the line "path/libx.a(member.o)" of this member. */
static bool names_member(const char *line, const struct gasan_rdc_input *input) {
  const char *suffix = gasan_strings_format("(%s)", gasan_strings_basename(input->member));
  if (!gasan_strings_end(line, suffix) && !gasan_strings_end(line, gasan_strings_format("(%s)", input->member)))
    return false;
  const char *open = strrchr(line, '(');
  return same_file(gasan_strings_format("%.*s", (int)(open - line), line), input->path);
}

struct gasan_rdc_inputs gasan_rdc_inputs_select(const struct gasan_rdc_inputs *inputs, const char *trace) {
  struct gasan_rdc_inputs selected = {0};
  struct gasan_strings lines = gasan_strings_split(trace, '\n');
  for (size_t i = 0; i < inputs->count; i++) {
    bool linked = !inputs->items[i].member;
    for (size_t j = 0; j < lines.count && !linked; j++)
      linked = names_member(lines.items[j], &inputs->items[i]);
    if (linked)
      add(&selected, &inputs->items[i]);
  }
  return selected;
}

struct gasan_rdc_inputs gasan_rdc_inputs_others(const struct gasan_rdc_inputs *inputs,
                                                const struct gasan_rdc_inputs *selected) {
  struct gasan_rdc_inputs others = {0};
  for (size_t i = 0; i < inputs->count; i++) {
    bool taken = false;
    for (size_t j = 0; j < selected->count && !taken; j++)
      taken = selected->items[j].section.data == inputs->items[i].section.data;
    if (!taken)
      add(&others, &inputs->items[i]);
  }
  return others;
}
