/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the Python frames of the calling thread: the lines of a Python program that lead to a call of CUDA.
 *
 * Frameworks call the driver without the interpreter's lock (the GIL). The interpreter's API for frames counts
 * references, so it must not be used then. The frames themselves can be read: only their own thread changes them, and
 * that thread is in this call. They keep their code objects and the strings of these alive.
 *
 * Any thread. One lock (`frames_lock`), under which nothing is called. */
#ifndef GASAN_RT_PYTHON_H
#define GASAN_RT_PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gasan_python_frame {
  int line; /* 0: not known */
  const char *function, *file;
};

/* Looks for an interpreter in the process. From then on, the other functions return the frames of its threads. Does
 * nothing without an interpreter, or if the process has it with hidden symbols. Calls `warn` now or later, at most
 * once, if there is an interpreter whose frames cannot be read. Must be called once. */
void gasan_python_start(void (*warn)(const char *format, ...));

/* Returns a number that identifies the innermost `most` Python frames of the calling thread and their instructions; 0:
 * there are none. Takes 10 to 20 ns a frame. */
uint64_t gasan_python_position(size_t most);

/* Writes a word for each of the innermost `most` Python frames of the calling thread, innermost first, and returns
 * their number. Equal frames have equal words. No word is an address of code. Leaves out the frames of the import
 * system, as Python's tracebacks do. */
size_t gasan_python_capture(uintptr_t *words, size_t most);

/* Returns the frame of such a word, which is never freed; NULL for an address of code. */
const struct gasan_python_frame *gasan_python_find(uintptr_t word);

/* Returns true for an address in the interpreter's own code. */
bool gasan_python_is_interpreter(uintptr_t pc);

#ifdef __cplusplus
}
#endif
#endif
