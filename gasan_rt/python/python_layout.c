/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* RTLD_DEFAULT, dl_iterate_phdr */
#include "gasan_rt/python/python_layout.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#define NONE GASAN_PYTHON_NO_FIELD

/* From CPython's headers. */
static const struct {
  int minor;
  struct gasan_python_offsets at;
} fixed[] = {
    {9, {24, NONE, 24, 32, 104, NONE, 104, 112, 120, NONE}},
    {10, {24, NONE, 24, 32, 96, NONE, 104, 112, 120, NONE}},
    {11, {56, 8, 48, 32, 56, 69, 112, 128, 136, 184}},
    {12, {56, 0, 8, 0, 56, 70, 112, 128, 136, NONE}},
};

/* The interpreter's table for debuggers, which _PyRuntime begins with: numbers of 64 bits. It begins with a cookie and
 * the version, and has other fields in each minor version. These are the places of the fields. */
struct places {
  int minor;
  uint8_t thread_frame, frame_previous, frame_code, frame_instruction, frame_owner, code_file, code_name, code_lines;
};
static const struct places tables[] = {
    {13, 23, 29, 30, 31, 33, 35, 37, 38},
    {14, 26, 32, 33, 34, 36, 40, 42, 43},
};
static const char cookie[] = "xdebugpy";

static void *find(const char *symbol) {
  return dlsym(RTLD_DEFAULT, symbol);
}

/* Returns false if an offset cannot be one. */
static bool copy_offset(uint16_t *to, const uint64_t *table, uint8_t place) {
  *to = (uint16_t)table[place];
  return table[place] < 4096;
}

static bool read_table(int minor, struct gasan_python_offsets *at) {
  const uint64_t *table = find("_PyRuntime");
  const struct places *p = tables;
  while (p < tables + sizeof tables / sizeof *tables && p->minor != minor)
    p++;
  if (p == tables + sizeof tables / sizeof *tables || !table || memcmp(table, cookie, strlen(cookie)) != 0 ||
      table[1] >> 16 != (uint64_t)(3 << 8 | minor))
    return false;
  at->inner_frame = at->code_bytes = NONE;
  return copy_offset(&at->thread_frame, table, p->thread_frame) &&
         copy_offset(&at->frame_previous, table, p->frame_previous) &&
         copy_offset(&at->frame_code, table, p->frame_code) &&
         copy_offset(&at->frame_instruction, table, p->frame_instruction) &&
         copy_offset(&at->frame_owner, table, p->frame_owner) && copy_offset(&at->code_file, table, p->code_file) &&
         copy_offset(&at->code_name, table, p->code_name) && copy_offset(&at->code_lines, table, p->code_lines);
}

static bool find_offsets(int minor, struct gasan_python_offsets *at) {
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
    if (fixed[i].minor == minor) {
      *at = fixed[i].at;
      return true;
    }
  return read_table(minor, at);
}

/* Notes the code of the module that has the layout's is_initialized. */
static int note_code(struct dl_phdr_info *module, size_t size, void *argument) {
  struct gasan_python_layout *layout = argument;
  uintptr_t begin = UINTPTR_MAX, end = 0, wanted = (uintptr_t)layout->is_initialized;
  for (int i = 0; i < module->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &module->dlpi_phdr[i];
    uintptr_t first = module->dlpi_addr + part->p_vaddr;
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
      continue;
    begin = first < begin ? first : begin;
    end = first + part->p_memsz > end ? first + part->p_memsz : end;
  }
  if (wanted < begin || wanted >= end)
    return 0;
  layout->code_begin = begin;
  layout->code_end = end;
  return 1;
}

bool gasan_python_find_layout(struct gasan_python_layout *layout, const char **version) {
  const char *(*get_version)(void) = (const char *(*)(void))find("Py_GetVersion");
  memset(layout, 0, sizeof *layout);
  layout->is_initialized = (int (*)(void))find("Py_IsInitialized");
  *version = get_version && layout->is_initialized ? get_version() : NULL;
  if (!*version)
    return false;
  /* Without the GIL, the interpreter has other layouts, and instructions that belong to threads. */
  char *rest = NULL;
  if (strtol(*version, &rest, 10) != 3 || *rest != '.' || strstr(*version, "free-threading"))
    return false;
  const int minor = (int)strtol(rest + 1, NULL, 10);
  layout->thread_state = (void *(*)(void))find("PyGILState_GetThisThreadState");
  layout->characters = (long (*)(void *, wchar_t *, long))find("PyUnicode_AsWideChar");
  layout->code_type = find("PyCode_Type");
  layout->string_type = find("PyUnicode_Type");
  if (minor <= 10)
    layout->line_of_object = (int (*)(void *))find("PyFrame_GetLineNumber");
  else if (minor == 11)
    layout->line_of_code = (int (*)(void *, int))find("PyCode_Addr2Line");
  else
    layout->line_of_frame = (int (*)(const void *))find("PyUnstable_InterpreterFrame_GetLine");
  dl_iterate_phdr(note_code, layout);
  return find_offsets(minor, &layout->at) && layout->thread_state && layout->characters && layout->code_type &&
         layout->string_type && (layout->line_of_object || layout->line_of_code || layout->line_of_frame);
}
