/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Uploads the host's changes of shadow and tables to the device. Any thread; no lock of its own.
 *
 * Changes are uploaded before each launch. A new chunk is uploaded at once if a running kernel may get its pointer. An
 * upload takes several times as long as an allocation, so this module tracks whether kernels may be running. No kernel
 * runs if each launch so far was made before the start of a device-wide wait that has ended. */
#ifndef GASAN_RT_UPLOAD_H
#define GASAN_RT_UPLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "gasan_rt/core/runtime.h"

/* Must be called around each launch, successful or not. before_launch returns cudaSuccess, or the error with which the
 * launch must fail: the device lacks data that the checks need, so they would report accesses to live memory. A failed
 * device is not such an error; the launch itself returns its error. */
int gasan_upload_before_launch(struct gasan_rt_device *state);
/* Does the same for a launch that is not captured, into this stream. */
int gasan_upload_before_launch_in(struct gasan_rt_device *state, void *stream);
void gasan_upload_after_launch(struct gasan_rt_device *state);

/* Must be called after freeing memory that unordered streams may still access. The next launch then uploads the tables
 * even if its kernel does not need them. */
void gasan_upload_soon(struct gasan_rt_device *state);
bool gasan_upload_is_wanted(struct gasan_rt_device *state);

/* Returns true if the program may launch checked kernels by calls that we do not intercept. */
bool gasan_upload_may_miss_launches(void);

/* Must be called around each wait for the whole device. `ended` gets the result of `begins`, and is called only after a
 * successful wait. */
uint64_t gasan_upload_wait_begins(struct gasan_rt_device *state);
void gasan_upload_wait_ended(struct gasan_rt_device *state, uint64_t begun);

/* Must be called after allocating a chunk. Returns the status of gasan_upload. */
struct gasan_status gasan_upload_new_chunk(struct gasan_rt_device *state);

/* Uploads the host's changes. Prints a warning if it fails. */
struct gasan_status gasan_upload(struct gasan_rt_device *state);

/* Must be called when the program gets a way to launch checked kernels by calls that we do not intercept. */
void gasan_upload_launches_unseen(void);

#endif
