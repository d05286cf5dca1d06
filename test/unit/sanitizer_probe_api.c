/* A stand-in for libgasan_rt.so: a shared library with functions that a program calls like the CUDA API, over
 * gasan_rt/sanitizer. sanitizer_probe.c is the program, sanitizer_test.c checks its output. */
#include "base/export.h"
#include "test/unit/sanitizer_probe.h"

#include "gasan_rt/sanitizer/sanitizer.h"

#include <stdio.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

/* Two frames of the library: only its outermost one stands for the API. */
static NOINLINE uint32_t capture_deep(const char *api) {
  uint32_t stack = gasan_stack_capture(api);
  __asm__ volatile("");
  return stack;
}

GASAN_EXPORT NOINLINE uint32_t probe_malloc(void) {
  uint32_t stack = capture_deep("cudaMalloc");
  __asm__ volatile("");
  return stack;
}

GASAN_EXPORT NOINLINE uint32_t probe_launch(void) {
  uint32_t stack = capture_deep("cudaLaunchKernel");
  __asm__ volatile("");
  return stack;
}

/* Never printed, so the name may be any number: each is a stack that the depot has to store. */
GASAN_EXPORT NOINLINE void probe_store_stack(uintptr_t number) {
  capture_deep((const char *)number);
  __asm__ volatile("");
}

GASAN_EXPORT NOINLINE uint32_t probe_callback(uint32_t (*callback)(void)) {
  uint32_t stack = callback();
  __asm__ volatile("");
  return stack;
}

GASAN_EXPORT void probe_report(uint32_t launch, uint32_t allocation) {
  gasan_report_begin();
  gasan_printf("%s==%d==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x%012lx%s\n",
               gasan_color(GASAN_COLOR_ERROR), (int)getpid(), 0x1234ul, gasan_color(GASAN_COLOR_DEFAULT));
  gasan_frame_print(0, "scale(float*, int)", "/source/scale.cu", 12, 10);
  gasan_printf("    #1 kernel<<<5, 256>>> launched here by host thread T%u:\n", gasan_thread_number());
  int next = gasan_stack_print(launch, 2, false);
  gasan_printf("next frame %d\nallocated here:\n", next);
  gasan_stack_print(allocation, 0, true);
  gasan_report_summary_stack("heap-buffer-overflow", launch);
  gasan_report_end();
  if (gasan_options()->halt_on_error)
    gasan_die();
}

GASAN_EXPORT void probe_stack(uint32_t stack) {
  gasan_stack_print(stack, 0, true);
}

GASAN_EXPORT void probe_lines(int thread, int lines) {
  gasan_report_begin();
  gasan_report_begin();
  for (int line = 0; line < lines; line++)
    gasan_printf("thread %d line %d of %d\n", thread, line, lines);
  gasan_report_end();
  gasan_printf("thread %d end\n", thread);
  gasan_report_end();
}

static uint8_t shadow_128(const void *context, uint64_t address) {
  uint64_t end = *(const uint64_t *)context;
  uint64_t block = address & ~127ull;
  return block + 128 <= end ? 128 : block < end ? (uint8_t)(end - block) : 0;
}

static uint8_t shadow_8(const void *context, uint64_t address) {
  uint64_t end = *(const uint64_t *)context;
  uint64_t block = address & ~7ull;
  return block + 8 <= end ? 0 : block < end ? (uint8_t)(end - block) : 0xfa;
}

GASAN_EXPORT void probe_texts(void) {
  gasan_frame_print(0, "scale(float*, int)", "/source/scale.cu", 12, 10);
  gasan_frame_print(1, "no_line", "/source/scale.cu", 0, 0);
  gasan_frame_print(2, "no_file", NULL, 0, 0);
  gasan_report_summary("heap-buffer-overflow", "/source/scale.cu", 12, 10, "scale(float*, int)");
  gasan_report_summary("leak", NULL, 0, 0, NULL);
  uint64_t end = 0x700000004000ull + 5 * 128 + 72;
  gasan_shadow_print(end, 7, shadow_128, &end);
  gasan_shadow_print(end, 3, shadow_8, &end);
  end = 0x100; /* no rows below address 0 */
  gasan_shadow_print(end, 7, shadow_128, &end);
  char name[64];
  gasan_demangle("_Z5scalePfi", name, sizeof name);
  gasan_printf("demangled %s\n", name);
  gasan_demangle("plain_name", name, 6);
  gasan_printf("cut %s\n", name);
  gasan_printf("%.2f %5d|%-5s|%lx%%\n", 1.5, 42, "ab", 0xabcul);
}

GASAN_EXPORT void probe_suppressions(uint32_t stack) {
  printf("kernel scale %d\n", gasan_suppressed("kernel", "scale(float*, int)"));
  printf("kernel other %d\n", gasan_suppressed("kernel", "other(float*)"));
  printf("fun scale %d\n", gasan_suppressed("fun", "scale(float*, int)"));
  printf("stack alloc %d\n", gasan_stack_suppressed("alloc", stack));
  printf("stack fun %d\n", gasan_stack_suppressed("fun", stack));
}

GASAN_EXPORT void probe_options(void) {
  const struct gasan_options *options = gasan_options();
  printf("device %s redzone %d halt %d verbosity %d exitcode %d context %zu\n", options->device, options->redzone,
         options->halt_on_error, gasan_verbosity(), gasan_exitcode(), gasan_malloc_context_size());
  fflush(stdout);
}

GASAN_EXPORT unsigned probe_thread_number(void) {
  return gasan_thread_number();
}
