/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/core/stream_capture.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/check.h"
#include "gasan_rt/core/runtime.h"

struct capture {
  cudaStream_t stream;
  pthread_t thread;
  enum cudaStreamCaptureMode mode;
  struct capture *next;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct capture *list;
static _Atomic int captures;

bool gasan_capture_active(void) {
  return atomic_load(&captures) > 0;
}

/* Returns the stream that can capture: NULL stands for the thread's own stream in a call by its per-thread name. In a
 * call by the other name NULL is the legacy stream, which cannot capture. */
static cudaStream_t capturing(cudaStream_t stream) {
  return stream ? stream : cudaStreamPerThread;
}

bool gasan_capture_in(cudaStream_t stream) {
  if (!gasan_capture_active() || stream == cudaStreamLegacy)
    return false;
  enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return GASAN_REAL(cudaStreamIsCapturing)(capturing(stream), &status) == cudaSuccess &&
         status != cudaStreamCaptureStatusNone;
}

static enum cudaStreamCaptureMode thread_mode(void) {
  enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed, unused;
  if (GASAN_REAL(cudaThreadExchangeStreamCaptureMode)(&mode) == cudaSuccess) {
    unused = mode;
    GASAN_REAL(cudaThreadExchangeStreamCaptureMode)(&unused);
  }
  return mode;
}

bool gasan_capture_forbids(void) {
  if (!gasan_capture_active())
    return false;
  enum cudaStreamCaptureMode mine = thread_mode();
  if (mine == cudaStreamCaptureModeRelaxed)
    return false;
  bool forbids = false;
  pthread_mutex_lock(&lock);
  for (const struct capture *capture = list; capture && !forbids; capture = capture->next)
    forbids = pthread_equal(capture->thread, pthread_self())
                  ? capture->mode != cudaStreamCaptureModeRelaxed
                  : capture->mode == cudaStreamCaptureModeGlobal && mine == cudaStreamCaptureModeGlobal;
  pthread_mutex_unlock(&lock);
  return forbids;
}

void gasan_capture_begin(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
  struct capture *capture = malloc(sizeof *capture);
  GASAN_CHECK(capture && "no memory to note a capture");
  pthread_mutex_lock(&lock);
  *capture = (struct capture){capturing(stream), pthread_self(), mode, list};
  list = capture;
  atomic_fetch_add(&captures, 1);
  pthread_mutex_unlock(&lock);
}

bool gasan_capture_end(cudaStream_t named) {
  cudaStream_t stream = capturing(named);
  pthread_mutex_lock(&lock);
  struct capture **link = &list;
  while (*link && ((*link)->stream != stream ||
                   (stream == cudaStreamPerThread && !pthread_equal((*link)->thread, pthread_self()))))
    link = &(*link)->next;
  struct capture *capture = *link;
  if (capture)
    *link = capture->next;
  bool last = capture && atomic_fetch_sub(&captures, 1) == 1;
  pthread_mutex_unlock(&lock);
  free(capture);
  return last;
}
