/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The C interface to LLVM's sanitizer_common: options, host stacks, printing under the report lock, symbols,
 * suppressions.
 *
 * The folder sanitizer/ contains the runtime's only C++. Any thread. Each function initialises the library if needed,
 * under a lock of its own. The report lock (Report.cpp) is process-wide and recursive: a report holds it while it
 * prints. */
#ifndef GASAN_RT_SANITIZER_SANITIZER_H
#define GASAN_RT_SANITIZER_SANITIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The runtime's own options (gasan_rt/core/options.inc). Common options (exitcode, log_path, symbolize, verbosity,
 * color, strip_path_prefix, help, ...) belong to sanitizer_common and come from the same variable. */
struct gasan_options {
#define GASAN_OPTION(type, name, value, description) type name;
#include "gasan_rt/core/options.inc"
#undef GASAN_OPTION
};

/* Returns the options; parses GASAN_OPTIONS at the first call (help=1 prints the list). Never changed or freed
 * afterwards. */
const struct gasan_options *gasan_options(void);
/* Returns true for halt_on_error=0:on_error=continue. */
bool gasan_on_error_continues(void);
int gasan_verbosity(void);
int gasan_exitcode(void);
bool gasan_detect_leaks(void);
size_t gasan_malloc_context_size(void);

/* Captures the calling thread's stack and returns its id; 0: none. The stack begins with the first frame outside
 * libgasan_rt, ends at main, and is printed with `api`, a string that is never freed, as frame #0. The stack depot
 * never frees a stack; equal stacks have equal ids. */
uint32_t gasan_stack_capture(const char *api);
/* Prints the stack's frames, symbolized, as lines "#N 0x... in function file:line:column", numbered from first_number.
 * With with_api, the first line is the API named at the capture ("#N 0x... in cudaMalloc (libgasan_rt.so+0x...)").
 * Omits the compiler's __device_stub__ functions. Prints no empty line. Returns the next number. */
int gasan_stack_print(uint32_t stack, int first_number, bool with_api);

/* Copies the return addresses of the stack, without the API's own. Returns their number, at most `count`. */
size_t gasan_stack_frames(uint32_t stack, void **frames, size_t count);

/* Returns the calling thread's number in reports: T0 is the main thread. */
uint32_t gasan_thread_number(void);

/* Print to the report's channel (stderr or log_path), with ASan's colours. begin takes the process-wide report lock and
 * end releases it, so output between them is one piece. */
void gasan_report_begin(void);
void gasan_report_end(void);
void gasan_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
enum gasan_report_color {
  GASAN_COLOR_DEFAULT,
  GASAN_COLOR_ERROR,
  GASAN_COLOR_ACCESS,
  GASAN_COLOR_LOCATION,
  GASAN_COLOR_ALLOCATION,
  GASAN_COLOR_FRAME
};
const char *gasan_color(enum gasan_report_color color); /* "" if colours are off */

/* A frame as it is printed. Texts are NULL or "", and numbers 0, if they are not known. */
struct gasan_printed_frame {
  const char *function, *file, *module;
  int line, column;
  uint64_t address, offset; /* of host code: the instruction, absolute and in the module */
};

/* Sees what a report prints, with the report lock held: the text with its colours; each frame; the frame that the
 * summary names. */
struct gasan_report_observer {
  void (*text)(const char *text);
  void (*frame)(const struct gasan_printed_frame *frame);
  void (*summary)(const struct gasan_printed_frame *frame);
};

/* Sets the observer of what the calling thread prints from now on; NULL: none. If `is_quiet`, nothing is printed. Needs
 * the report lock. */
void gasan_report_observe(const struct gasan_report_observer *observer, bool is_quiet);

/* Returns the place that the latest report's summary names: "a.cu:3:5 in f(int*)". Needs the report lock. */
const char *gasan_report_last_summary(void);

/* Returns the part of `file` after strip_path_prefix, as frames name files. */
const char *gasan_file_name(const char *file);

/* Prints a device frame in stack_trace_format, with strip_path_prefix applied: " #0 f(int) a.cu:3:5". line 0: not
 * known. */
void gasan_frame_print(int number, const char *function, const char *file, int line, int column);
/* Prints the frames of code that the CPU device ran, from their return addresses, innermost first, in the format of
 * gasan_frame_print. Omits gasan's own frames and frames outside the kernel. Returns the next number. */
int gasan_device_stack_print(const uintptr_t *pcs, size_t count, int first_number);
/* Prints the shadow bytes around `address` like ASan; `get` returns the shadow byte of an address. */
void gasan_shadow_print(uint64_t address, uint32_t scale, uint8_t (*get)(const void *context, uint64_t address),
                        const void *context);
/* Prints "SUMMARY: AddressSanitizer: <kind> <file>:<line>:<column> in <function>"; file NULL: the kind only. */
void gasan_report_summary(const char *kind, const char *file, int line, int column, const char *function);
/* The same, from a host stack's first frame. */
void gasan_report_summary_stack(const char *kind, uint32_t stack);

/* Calls `visit` with the place of the frame that gasan_report_summary_stack names; not if no frame has a file. */
void gasan_stack_visit_summary(uint32_t stack, void (*visit)(const char *file, int line, int column));

/* The same, from the first device frame whose file `skip` does not exclude. */
void gasan_report_summary_device_stack(const char *kind, const uintptr_t *pcs, size_t count,
                                       bool (*skip)(const char *file));

/* Sets a function that gets the text of each report at its end, without colours; NULL: none. */
void gasan_set_report_callback(void (*callback)(const char *report));
/* Calls that function. Must be called at the end of a report, with the report lock held. */
void gasan_report_deliver(void);

/* Sets a function that runs before the process ends by a report or a fatal error. NULL: none. */
void gasan_on_death(void (*callback)(void));
/* Prints "==pid==ABORTING" and ends the process with exitcode. Only report.c calls it. */
__attribute__((noreturn)) void gasan_die(void);
/* The same without a report; exits with 1 if exitcode is 0. */
__attribute__((noreturn)) void gasan_fail(void);
/* Flushes the program's output and ends the process with exitcode. At its end only. */
__attribute__((noreturn)) void gasan_exit(void);

/* Return true if the suppressions file has a matching line type:pattern. Types: "kernel", "fun", "file", "alloc",
 * "leak", and the kinds of errors. gasan_stack_suppressed compares the functions of the stack. */
bool gasan_suppressed(const char *type, const char *text);
bool gasan_stack_suppressed(const char *type, uint32_t stack);
/* Return true if a line suppresses an error of this kind in a function or file, or in one of the stack. */
bool gasan_frame_suppressed(const char *kind, const char *function, const char *file);
bool gasan_error_suppressed(const char *kind, uint32_t stack);

/* Demangles into `text`, always terminated; copies a name that is not mangled. */
void gasan_demangle(const char *name, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
