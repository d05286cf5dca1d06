/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* When the host's changes of the shadow go to the device: before each launch, and at once where a kernel that runs
 * already may be handed the pointer of a new chunk. An upload takes several times as long as an allocation, so it
 * matters to know that no kernel runs: every launch so far was made before a wait for the whole device began that has
 * ended. */
#ifndef GASAN_RT_UPLOAD_H
#define GASAN_RT_UPLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "gasan_rt/core/runtime.h"

/* Around each launch, successful or not. Not cudaSuccess: the device does not have what the checks need (memory of live
 * chunks would be reported), and the launch must fail with this error; a failed device is the launch's own to tell of.
 */
int gasan_upload_before_launch(struct gasan_rt_device *state);
/* For one that CUDA makes in this stream, and that is not captured. */
int gasan_upload_before_launch_in(struct gasan_rt_device *state, void *stream);
void gasan_upload_after_launch(struct gasan_rt_device *state);

/* Memory has ended that kernels of other streams may still use, since nothing orders them with the one that freed it:
 * they find it ended as soon as something is launched, and not only when a launch needs the tables. */
void gasan_upload_soon(struct gasan_rt_device *state);
bool gasan_upload_is_wanted(struct gasan_rt_device *state);

/* May the program launch checked kernels past the runtime API, where we do not see it? */
bool gasan_upload_may_miss_launches(void);

/* Around each wait for the whole device: ended takes what begins has returned, if the wait was successful. */
uint64_t gasan_upload_wait_begins(struct gasan_rt_device *state);
void gasan_upload_wait_ended(struct gasan_rt_device *state, uint64_t begun);

/* After the allocation of a chunk; the status is gasan_upload's. */
struct gasan_status gasan_upload_new_chunk(struct gasan_rt_device *state);

/* Uploads what the host changed. Says so if it fails. */
struct gasan_status gasan_upload(struct gasan_rt_device *state);

/* The program may launch checked kernels past the runtime API from now on. */
void gasan_upload_launches_unseen(void);

#endif
