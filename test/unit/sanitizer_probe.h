/* The functions of the probe's shared library. */
#ifndef GASAN_TEST_UNIT_SANITIZER_PROBE_H
#define GASAN_TEST_UNIT_SANITIZER_PROBE_H

#include <stdint.h>

uint32_t probe_malloc(void);              /* captures as "cudaMalloc" */
uint32_t probe_launch(void);              /* captures as "cudaLaunchKernel" */
void probe_store_stack(uintptr_t number); /* a new stack for each number */
uint32_t probe_callback(uint32_t (*callback)(void));
void probe_report(uint32_t launch, uint32_t allocation);
void probe_stack(uint32_t stack);
void probe_lines(int thread, int lines); /* one piece of lines + 1 lines */
void probe_texts(void);
void probe_suppressions(uint32_t stack);
void probe_options(void);
unsigned probe_thread_number(void);

#endif
