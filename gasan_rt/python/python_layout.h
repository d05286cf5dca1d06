/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the interpreter of the process, and where its structures have what a frame needs. Offsets are fixed within a
 * minor version of CPython. Since 3.13, the interpreter has a table of them for debuggers.
 *
 * Any thread, after gasan_python_find_layout. No lock. */
#ifndef GASAN_RT_PYTHON_LAYOUT_H
#define GASAN_RT_PYTHON_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>

#define GASAN_PYTHON_NO_FIELD UINT16_MAX

/* Offsets in bytes. */
struct gasan_python_offsets {
  uint16_t thread_frame; /* of the innermost frame in a thread state, or of a structure that has it ... */
  uint16_t inner_frame;  /* ... at this offset; GASAN_PYTHON_NO_FIELD: there is no such structure */
  uint16_t frame_previous, frame_code;
  uint16_t frame_instruction; /* a pointer, or an int before 3.11 */
  uint16_t frame_owner;       /* a byte; GASAN_PYTHON_NO_FIELD: all frames are those of Python functions */
  uint16_t code_file, code_name, code_lines;
  uint16_t code_bytes; /* the instructions; GASAN_PYTHON_NO_FIELD: not needed for a line */
};

struct gasan_python_layout {
  struct gasan_python_offsets at;
  int (*is_initialized)(void);
  void *(*thread_state)(void); /* the calling thread's; NULL: it has none */
  /* Of these, one is not NULL. All only read. */
  int (*line_of_object)(void *frame);          /* to 3.10 */
  int (*line_of_code)(void *code, int offset); /* 3.11 */
  int (*line_of_frame)(const void *frame);     /* since 3.12 */
  long (*characters)(void *, wchar_t *, long); /* copies a string's first characters; returns how many */
  const void *code_type, *string_type;
  uintptr_t code_begin, code_end; /* the interpreter's own code */
};

/* Returns true if there is an interpreter whose frames can be read. Otherwise *version is its version, or NULL without
 * an interpreter. */
bool gasan_python_find_layout(struct gasan_python_layout *layout, const char **version);

#endif
