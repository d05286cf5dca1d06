/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One CUDA call whose pointers are translated to addresses. The pool does not move until the call returns.
 *
 * Any thread. Between begin and end the thread holds a read lock that keeps the pool in place. */
#ifndef GASAN_RT_TRANSLATED_CALL_H
#define GASAN_RT_TRANSLATED_CALL_H

#include <driver_types.h>
#include <stdbool.h>
#include <stddef.h>

struct gasan_translated_copy;

struct gasan_translated_call {
  bool pin;                             /* CUDA keeps the addresses: their chunks must never move */
  struct gasan_translated_copy *copies; /* freed by end */
};

void gasan_translated_call_begin(struct gasan_translated_call *call, bool pin);

/* Frees the call's copies, lets the pool move again, and returns `error`. */
cudaError_t gasan_translated_call_end(struct gasan_translated_call *call, cudaError_t error);

/* Returns memory that the call's end frees, uninitialised; NULL: no memory. */
void *gasan_translated_call_allocate(struct gasan_translated_call *call, size_t size);

/* Returns a copy of `size` bytes that the call's end frees; NULL: no memory. CUDA gets the copy in place of the
 * program's struct or array, which keeps its pointers. */
void *gasan_translated_call_copy(struct gasan_translated_call *call, const void *bytes, size_t size);

/* Replaces *pointer, a pointer of any type, by the address that it stands for. Returns false if it is a stale handle. A
 * check may have let a stale handle pass, because its report is suppressed. */
bool gasan_translate_pointer(const struct gasan_translated_call *call, void *pointer);

/* Returns the address that `pointer` stands for. Returns `pointer` itself if it is a stale handle; CUDA then reports
 * that it does not know the memory. */
const void *gasan_translate_if_valid(const void *pointer);

/* Replaces *pointer, an address that CUDA has returned, by the program's pointer to the same byte. Leaves addresses
 * outside the pools unchanged. */
void gasan_answer_pointer(void *pointer);

#endif
