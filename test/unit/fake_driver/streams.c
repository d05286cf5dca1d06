/* Streams and events of the fake libcuda. A program with fake_late has a GPU that does no work before a call waits for
 * it, and then only the work that this wait needs. So a launch sees exactly the work that streams and events order
 * before it. For other programs all work is done at once. A kernel can only read a byte: its arguments are the
 * addresses of the byte and of the result. */
#define _GNU_SOURCE
#include <cuda.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/canary_check.h"

#define MOST_STEPS 1000

struct CUstream_st {
  char unused;
};

struct CUevent_st {
  int recorded; /* step; -1: never */
};

static struct step {
  CUstream stream;
  void *to, *from; /* a copy; NULL: none */
  size_t size;
  int after; /* another stream's step; -1: none */
  bool done;
} steps[MOST_STEPS];
static int step_count;

static bool is_late(void) {
  return dlsym(RTLD_DEFAULT, "fake_late") != NULL;
}

static void carry_out(int number) {
  struct step *step = &steps[number];
  for (int i = 0; i < number && !step->done; i++)
    if (steps[i].stream == step->stream && !steps[i].done)
      carry_out(i);
  if (!step->done && step->after >= 0)
    carry_out(step->after);
  if (!step->done && step->to)
    memcpy(step->to, step->from, step->size);
  step->done = true;
}

static CUresult give(struct step step) {
  if (step_count == MOST_STEPS)
    return CUDA_ERROR_OUT_OF_MEMORY;
  steps[step_count++] = step;
  return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  *stream = calloc(1, sizeof **stream);
  return *stream ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  *least = *greatest = 0;
  return CUDA_SUCCESS;
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority) {
  return cuStreamCreate(stream, flags);
}

CUresult cuStreamSynchronize(CUstream stream) {
  for (int i = 0; i < step_count; i++)
    if (steps[i].stream == stream)
      carry_out(i);
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void) {
  for (int i = 0; i < step_count; i++)
    carry_out(i);
  step_count = 0;
  int *error = dlsym(RTLD_DEFAULT, "fake_error");
  return error ? (CUresult)*error : CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent *event, unsigned flags) {
  *event = malloc(sizeof **event);
  if (!*event)
    return CUDA_ERROR_OUT_OF_MEMORY;
  (*event)->recorded = -1;
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  if (!is_late())
    return CUDA_SUCCESS;
  event->recorded = step_count;
  return give((struct step){.stream = stream, .after = -1});
}

CUresult cuEventQuery(CUevent event) {
  return !is_late() || event->recorded < 0 || steps[event->recorded].done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

/* (CUstream)-1 is no stream. */
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  if (stream == (CUstream)-1)
    return CUDA_ERROR_INVALID_HANDLE;
  return is_late() ? give((struct step){.stream = stream, .after = event->recorded}) : CUDA_SUCCESS;
}

/* Does what gasan_rt/kernel/canary.cu does. */
static CUresult check_canaries(const struct gasan_canary_check *check, bool few) {
  struct gasan_canary_table *table = (struct gasan_canary_table *)(uintptr_t)check->table;
  for (uint64_t i = 0; i < check->strips; i++) {
    const struct gasan_canary_strip *segment =
        (const struct gasan_canary_strip *)(uintptr_t)table->segments[i / GASAN_CANARY_SEGMENT];
    struct gasan_canary_strip strip = few ? (struct gasan_canary_strip){check->few[i] >> 16, check->few[i] & 0xffff}
                                          : segment[i % GASAN_CANARY_SEGMENT];
    for (uint64_t at = strip.address; at < strip.address + strip.size && !table->found_by; at++)
      if (*(const volatile uint8_t *)(uintptr_t)at != gasan_canary_byte(check->key, at)) {
        table->found_at = at;
        table->found_by = check->number;
      }
  }
  table->finished[check->number % GASAN_CANARY_CHECKS] = check->number;
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void **arguments,
                        void **extra) {
  int (*launch)(const void *, unsigned) = (int (*)(const void *, unsigned))dlsym(RTLD_DEFAULT, "fake_launch");
  if (function && !strncmp((const char *)function, "gasan_canary_check", 18))
    return check_canaries(arguments[0], !strcmp((const char *)function, "gasan_canary_check_few"));
  if (!is_late())
    return launch ? (CUresult)launch(function, block_x * block_y * block_z) : CUDA_ERROR_NOT_SUPPORTED;
  return give((struct step){
      .stream = stream, .from = *(void **)arguments[0], .to = *(void **)arguments[1], .size = 1, .after = -1});
}

/* Like a copy from pageable memory: the driver has its own copy when the call returns. */
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t size, CUstream stream) {
  if (!is_late()) {
    memcpy((void *)(uintptr_t)to, from, size);
    return CUDA_SUCCESS;
  }
  void *kept = malloc(size);
  if (!kept)
    return CUDA_ERROR_OUT_OF_MEMORY;
  memcpy(kept, from, size);
  return give((struct step){.stream = stream, .to = (void *)(uintptr_t)to, .from = kept, .size = size, .after = -1});
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t size, CUstream stream) {
  cuStreamSynchronize(stream);
  memcpy(to, (void *)(uintptr_t)from, size);
  return CUDA_SUCCESS;
}
