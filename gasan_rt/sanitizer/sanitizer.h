/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A C face on LLVM's sanitizer_common: options, host stacks, printing under the report lock, symbols, suppressions.
 *
 * The only C++ of the runtime is behind this header. Any thread. Everything initialises lazily and once. */
#ifndef GASAN_RT_SANITIZER_SANITIZER_H
#define GASAN_RT_SANITIZER_SANITIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The runtime's own options (gasan_rt/core/options.inc); ASan's common ones (exitcode, log_path, symbolize, verbosity,
 * color, strip_path_prefix, help, ...) are sanitizer_common's and come from the same variable. */
struct gasan_options {
#define GASAN_OPTION(type, name, value, description) type name;
#include "gasan_rt/core/options.inc"
#undef GASAN_OPTION
};

/* Parses GASAN_OPTIONS on the first call (help=1 prints the list). The result is read-only and lives for ever. */
const struct gasan_options *gasan_options(void);
int gasan_verbosity(void);
int gasan_exitcode(void);
bool gasan_detect_leaks(void);
size_t gasan_malloc_context_size(void);

/* The calling thread's stack, from the first frame outside libgasan_rt on, with `api` (a string that lives for ever) as
 * frame #0 when printed; cut below main. Kept for ever in the stack depot; the same stack gives the same id. 0: none.
 */
uint32_t gasan_stack_capture(const char *api);
/* Prints "    #N 0x... in function file:line:column" lines, numbered from first_number, symbolized. With with_api the
 * api named at capture is the first line ("#N 0x... in cudaMalloc (libgasan_rt.so+0x...)"). The compiler's
 * __device_stub__ functions are left out. Returns the next number; no empty line follows. */
int gasan_stack_print(uint32_t stack, int first_number, bool with_api);

/* A small number for the calling thread as reports name it: T0 is the main thread. */
uint32_t gasan_thread_number(void);

/* To the report's channel (stderr or log_path), with ASan's colours: names as in gasan_report_color. Any output between
 * begin and end is one piece: begin takes the process-wide report lock (a report by a second thread waits). */
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
const char *gasan_color(enum gasan_report_color color); /* "" when colours are off */
/* The file as frames name it: strip_path_prefix applied. Part of `file`. */
const char *gasan_file_name(const char *file);

/* One device frame in stack_trace_format, strip_path_prefix applied: "    #0 f(int) a.cu:3:5". line 0: no line known.
 */
void gasan_frame_print(int number, const char *function, const char *file, int line, int column);
/* The frames of code that the CPU device ran, from their return addresses, innermost first: without our own and what is
 * outside the kernel, each as gasan_frame_print has it. Returns the next number. */
int gasan_device_stack_print(const uintptr_t *pcs, size_t count, int first_number);
/* The shadow bytes around `address` as ASan prints them: get returns the shadow byte of an address. */
void gasan_shadow_print(uint64_t address, uint32_t scale, uint8_t (*get)(const void *context, uint64_t address),
                        const void *context);
/* "SUMMARY: AddressSanitizer: <kind> <file>:<line>:<column> in <function>"; file NULL: only the kind. */
void gasan_report_summary(const char *kind, const char *file, int line, int column, const char *function);
/* The same from a host stack's first frame. */
void gasan_report_summary_stack(const char *kind, uint32_t stack);

/* The same from the first device frame that `skip` (by its file) does not leave out. */
void gasan_report_summary_device_stack(const char *kind, const uintptr_t *pcs, size_t count,
                                       bool (*skip)(const char *file));

/* Prints "==pid==ABORTING" and ends the process with exitcode. Only report.c calls it. */
__attribute__((noreturn)) void gasan_die(void);
/* The same for what is no report: with 1 if exitcode is 0. */
__attribute__((noreturn)) void gasan_fail(void);
/* Ends the process with exitcode; what the program wrote is flushed. Only leaks.c calls it. */
__attribute__((noreturn)) void gasan_exit(void);

/* True if the suppressions file has a line type:pattern that matches. Types: "kernel", "fun", "alloc", "leak". */
bool gasan_suppressed(const char *type, const char *text);
bool gasan_stack_suppressed(const char *type, uint32_t stack);

/* Demangles into text (always terminated); copies the name if it cannot. */
void gasan_demangle(const char *name, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
