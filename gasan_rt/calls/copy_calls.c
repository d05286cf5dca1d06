/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies and sets. Each range must be inside one live allocation (range_check.h). A bad range is reported before the
 * call. With halt_on_error=0 the call is then not made, and returns cudaErrorInvalidValue. */
#include <stdint.h>

#include "gasan_rt/calls/calls.h"
#include "gasan_rt/calls/copies.h"
#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/launch/canary_watch.h"
#include "gasan_rt/launch/device_error.h"
#include "gasan_rt/launch/device_launches.h"
#include "gasan_rt/launch/faults.h"
#include "gasan_rt/launch/launch_log.h"
#include "gasan_rt/memory/managed_variables.h"
#include "gasan_rt/memory/other_device.h"
#include "gasan_rt/memory/pending_frees.h"
#include "gasan_rt/memory/range_check.h"

/* CUDA's headers declare these names only with per-thread default streams. */
cudaError_t cudaMemcpy3DPeer_ptds(const struct cudaMemcpy3DPeerParms *parameters);
cudaError_t cudaMemcpy3DPeerAsync_ptsz(const struct cudaMemcpy3DPeerParms *parameters, cudaStream_t stream);
cudaError_t cudaMemcpy_ptds(void *to, const void *from, size_t size, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync_ptsz(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                                 cudaStream_t stream);

/* Notes a set or a copy inside the device. The hardware may count it as a grid, so launches can no longer be identified
 * by number (gasan_rt/launch/launch_log.h). */
static bool counts_as_grid(void) {
  struct gasan_rt_device *state = gasan_rt_current();
  if (state && state->device->kind->sets_are_grids)
    state->launches->numbers_shifted = true;
  return true;
}

/* Notes the copy if both sides are inside the device. A side that is NULL is a symbol or an array. */
static bool inside_device(const void *to, const void *from) {
  gasan_rt_kind();
  return (to && !gasan_rt_owner(to)) || (from && !gasan_rt_owner(from)) || counts_as_grid();
}

void gasan_copy_noted(const void *to, const void *from) {
  (void)inside_device(to, from);
}

static bool copy3d_ok(const char *api, const struct cudaMemcpy3DParms *p) {
  return !p || (inside_device(p->dstPtr.ptr, p->srcPtr.ptr) && gasan_copy3d_ok(api, p));
}

/* Must be called after a copy. A copy between host and device in the default stream waits for the kernels before it. */
cudaError_t gasan_copy_waited(cudaError_t error, const void *to, const void *from) {
  struct gasan_rt_device *state = gasan_rt_current();
  if (state && !(gasan_rt_owner(to) && gasan_rt_owner(from))) {
    if (error == cudaSuccess)
      gasan_launch_mark_stream(state, NULL);
    gasan_faults_peek(state);
    gasan_device_error(state, error);
    gasan_pending_frees_poll();
  }
  return error;
}

uint64_t gasan_copy_wait_begins(const void *to, const void *from, cudaStream_t stream) {
  struct gasan_rt_device *state = gasan_rt_current();
  return state && !(gasan_rt_owner(to) && gasan_rt_owner(from)) ? gasan_canary_watch_waits(state, stream) : 0;
}

cudaError_t gasan_copy_wait_ended(cudaError_t error, const void *to, const void *from, cudaStream_t stream,
                                  uint64_t launch) {
  struct gasan_rt_device *state = gasan_rt_current();
  if (state && launch && error == cudaSuccess)
    gasan_canary_watch_waited(state, stream, launch);
  return gasan_copy_waited(error, to, from);
}

static cudaError_t refused(void) {
  return gasan_set_error(cudaErrorInvalidValue);
}

static cudaError_t seen(cudaError_t error) {
  gasan_device_error_seen(error);
  return error;
}

bool gasan_copy_ok(const char *api, const void *to, const void *from, size_t size) {
  return inside_device(to, from) && gasan_range_ok(api, GASAN_ACCESS_READ, from, size) &&
         gasan_range_ok(api, GASAN_ACCESS_WRITE, to, size) && gasan_apart(api, to, from, size);
}

static bool rows_ok(const char *api, const void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                    size_t height) {
  return inside_device(to, from) && gasan_rows_ok(api, GASAN_ACCESS_READ, from, from_pitch, width, height) &&
         gasan_rows_ok(api, GASAN_ACCESS_WRITE, to, to_pitch, width, height) &&
         gasan_rows_apart(api, to, to_pitch, from, from_pitch, width, height);
}

/* Copies from one device's pool to another's, in place of the call. */
static cudaError_t copy_between(const struct gasan_call *call, const struct cudaMemcpy3DPeerParms *peer) {
  return call->default_stream == GASAN_STREAM_THREAD ? GASAN_REAL(cudaMemcpy3DPeer_ptds)(peer)
                                                     : GASAN_REAL(cudaMemcpy3DPeer)(peer);
}

static cudaError_t copy_between_async(const struct gasan_call *call, const struct cudaMemcpy3DPeerParms *peer,
                                      cudaStream_t stream) {
  return call->default_stream == GASAN_STREAM_THREAD ? GASAN_REAL(cudaMemcpy3DPeerAsync_ptsz)(peer, stream)
                                                     : GASAN_REAL(cudaMemcpy3DPeerAsync)(peer, stream);
}

cudaError_t gasan_call_memcpy(struct gasan_call *call, void *to, const void *from, size_t size,
                              enum cudaMemcpyKind kind) {
  int to_device, from_device;
  if (!gasan_copy_ok(call->api, to, from, size))
    return refused();
  bool between = gasan_other_device_between(to, from, &to_device, &from_device);
  const cudaStream_t stream = gasan_call_stream(call, NULL);
  const uint64_t launch = gasan_copy_wait_begins(to, from, stream);
  cudaError_t error = between ? GASAN_REAL(cudaMemcpyPeer)(to, to_device, from, from_device, size)
                              : GASAN_NEAR(to, from, GASAN_CALL_REAL(call, cudaMemcpy)(to, from, size, kind));
  return seen(gasan_copy_wait_ended(error, to, from, stream, launch));
}

cudaError_t gasan_call_memcpy_async(struct gasan_call *call, void *to, const void *from, size_t size,
                                    enum cudaMemcpyKind kind, cudaStream_t stream) {
  int to_device, from_device;
  if (!gasan_copy_ok(call->api, to, from, size))
    return refused();
  if (gasan_other_device_between(to, from, &to_device, &from_device))
    return seen(
        GASAN_REAL(cudaMemcpyPeerAsync)(to, to_device, from, from_device, size, gasan_call_stream(call, stream)));
  return seen(GASAN_NEAR(to, from, GASAN_CALL_REAL(call, cudaMemcpyAsync)(to, from, size, kind, stream)));
}

cudaError_t gasan_call_memcpy_peer(struct gasan_call *call, void *to, int to_device, const void *from, int from_device,
                                   size_t size) {
  if (!gasan_copy_ok(call->api, to, from, size))
    return refused();
  return seen(GASAN_CALL_REAL(call, cudaMemcpyPeer)(to, to_device, from, from_device, size));
}

cudaError_t gasan_call_memcpy_peer_async(struct gasan_call *call, void *to, int to_device, const void *from,
                                         int from_device, size_t size, cudaStream_t stream) {
  if (!gasan_copy_ok(call->api, to, from, size))
    return refused();
  return seen(GASAN_CALL_REAL(call, cudaMemcpyPeerAsync)(to, to_device, from, from_device, size, stream));
}

cudaError_t gasan_call_memcpy_2d(struct gasan_call *call, void *to, size_t to_pitch, const void *from,
                                 size_t from_pitch, size_t width, size_t height, enum cudaMemcpyKind kind) {
  struct cudaMemcpy3DPeerParms peer;
  if (!rows_ok(call->api, to, to_pitch, from, from_pitch, width, height))
    return refused();
  bool between = gasan_other_device_rows(to, to_pitch, from, from_pitch, width, height, &peer);
  cudaError_t error =
      between ? copy_between(call, &peer)
              : GASAN_NEAR(to, from,
                           GASAN_CALL_REAL(call, cudaMemcpy2D)(to, to_pitch, from, from_pitch, width, height, kind));
  return seen(gasan_copy_waited(error, to, from));
}

cudaError_t gasan_call_memcpy_2d_async(struct gasan_call *call, void *to, size_t to_pitch, const void *from,
                                       size_t from_pitch, size_t width, size_t height, enum cudaMemcpyKind kind,
                                       cudaStream_t stream) {
  struct cudaMemcpy3DPeerParms peer;
  if (!rows_ok(call->api, to, to_pitch, from, from_pitch, width, height))
    return refused();
  if (gasan_other_device_rows(to, to_pitch, from, from_pitch, width, height, &peer))
    return seen(copy_between_async(call, &peer, stream));
  return seen(GASAN_NEAR(
      to, from, GASAN_CALL_REAL(call, cudaMemcpy2DAsync)(to, to_pitch, from, from_pitch, width, height, kind, stream)));
}

cudaError_t gasan_call_memcpy_3d(struct gasan_call *call, const struct cudaMemcpy3DParms *parameters) {
  struct cudaMemcpy3DPeerParms peer;
  if (!copy3d_ok(call->api, parameters))
    return refused();
  if (gasan_other_device_box(parameters, &peer))
    return seen(copy_between(call, &peer));
  const void *to = parameters ? parameters->dstPtr.ptr : NULL, *from = parameters ? parameters->srcPtr.ptr : NULL;
  return seen(GASAN_NEAR(to, from, GASAN_CALL_REAL(call, cudaMemcpy3D)(parameters)));
}

cudaError_t gasan_call_memcpy_3d_async(struct gasan_call *call, const struct cudaMemcpy3DParms *parameters,
                                       cudaStream_t stream) {
  struct cudaMemcpy3DPeerParms peer;
  if (!copy3d_ok(call->api, parameters))
    return refused();
  if (gasan_other_device_box(parameters, &peer))
    return seen(copy_between_async(call, &peer, stream));
  const void *to = parameters ? parameters->dstPtr.ptr : NULL, *from = parameters ? parameters->srcPtr.ptr : NULL;
  return seen(GASAN_NEAR(to, from, GASAN_CALL_REAL(call, cudaMemcpy3DAsync)(parameters, stream)));
}

static bool peer3d_ok(const char *api, const struct cudaMemcpy3DPeerParms *p) {
  struct cudaMemcpy3DParms plain = {0};
  if (!p)
    return true;
  plain.srcArray = p->srcArray;
  plain.srcPos = p->srcPos;
  plain.srcPtr = p->srcPtr;
  plain.dstArray = p->dstArray;
  plain.dstPos = p->dstPos;
  plain.dstPtr = p->dstPtr;
  plain.extent = p->extent;
  return copy3d_ok(api, &plain);
}

cudaError_t gasan_call_memcpy_3d_peer(struct gasan_call *call, const struct cudaMemcpy3DPeerParms *parameters) {
  if (!peer3d_ok(call->api, parameters))
    return refused();
  return seen(GASAN_CALL_REAL(call, cudaMemcpy3DPeer)(parameters));
}

cudaError_t gasan_call_memcpy_3d_peer_async(struct gasan_call *call, const struct cudaMemcpy3DPeerParms *parameters,
                                            cudaStream_t stream) {
  if (!peer3d_ok(call->api, parameters))
    return refused();
  return seen(GASAN_CALL_REAL(call, cudaMemcpy3DPeerAsync)(parameters, stream));
}

/* Checks a batch. Leaves arguments that CUDA refuses to CUDA. */
static bool batch_ok(const char *api, void *const *to, const void *const *from, const size_t *sizes, size_t count) {
  for (size_t i = 0; to && from && sizes && i < count; i++) {
    inside_device(to[i], from[i]);
    if (!gasan_range_ok(api, GASAN_ACCESS_READ, from[i], sizes[i]) ||
        !gasan_range_ok(api, GASAN_ACCESS_WRITE, to[i], sizes[i]) || !gasan_apart(api, to[i], from[i], sizes[i]))
      return false;
  }
  return true;
}

cudaError_t gasan_call_memcpy_batch_async(struct gasan_call *call, void *const *to, const void *const *from,
                                          const size_t *sizes, size_t count, struct cudaMemcpyAttributes *attributes,
                                          size_t *indices, size_t attribute_count, cudaStream_t stream) {
  if (!batch_ok(call->api, to, from, sizes, count))
    return refused();
  return seen(GASAN_CALL_REAL(call, cudaMemcpyBatchAsync)(to, from, sizes, count, attributes, indices, attribute_count,
                                                          stream));
}

/* Row length and layer height 0 mean packed. With an array on either side, they and the extent count its elements, of
 * `texel` bytes. */
static bool operand_ok(const char *api, enum gasan_access access, const struct cudaMemcpy3DOperand *operand,
                       struct cudaExtent extent, size_t texel) {
  if (operand->type == cudaMemcpyOperandTypeArray) {
    const struct cudaOffset3D at = operand->op.array.offset;
    return gasan_array_box_ok(api, access, operand->op.array.array, (struct cudaPos){at.x * texel, at.y, at.z},
                              extent.width * texel, extent.height, extent.depth);
  }
  size_t pitch = (operand->op.ptr.rowLength ? operand->op.ptr.rowLength : extent.width) * texel;
  size_t height = operand->op.ptr.layerHeight ? operand->op.ptr.layerHeight : extent.height;
  struct cudaPitchedPtr box = {operand->op.ptr.ptr, pitch, extent.width * texel, height};
  return gasan_box_ok(api, access, box, (struct cudaPos){0, 0, 0}, extent.width * texel, extent.height, extent.depth);
}

/* Returns the bytes of an element of the copy's array; 1: neither side is an array; 0: not known. */
static size_t texel_of(const struct cudaMemcpy3DBatchOp *copy) {
  const struct cudaMemcpy3DOperand *array = copy->src.type == cudaMemcpyOperandTypeArray   ? &copy->src
                                            : copy->dst.type == cudaMemcpyOperandTypeArray ? &copy->dst
                                                                                           : NULL;
  return array ? gasan_array_texel(array->op.array.array) : 1;
}

static bool batch3d_ok(const char *api, const struct cudaMemcpy3DBatchOp *list, size_t count) {
  counts_as_grid();
  for (size_t i = 0; list && i < count; i++) {
    const size_t texel = texel_of(&list[i]);
    if (texel && (!operand_ok(api, GASAN_ACCESS_READ, &list[i].src, list[i].extent, texel) ||
                  !operand_ok(api, GASAN_ACCESS_WRITE, &list[i].dst, list[i].extent, texel)))
      return false;
  }
  return true;
}

cudaError_t gasan_call_memcpy_3d_batch_async(struct gasan_call *call, size_t count, struct cudaMemcpy3DBatchOp *list,
                                             unsigned long long flags, cudaStream_t stream) {
  if (!batch3d_ok(call->api, list, count))
    return refused();
  return seen(GASAN_CALL_REAL(call, cudaMemcpy3DBatchAsync)(count, list, flags, stream));
}

/* Copies a part of a managed variable. Such a variable is host memory, but libcudart only knows the device's copy of
 * its initial value. So the copy is made like a copy of plain memory. */
static cudaError_t managed_part(size_t variable_size, size_t size, size_t offset, enum cudaMemcpyKind kind,
                                enum cudaMemcpyKind host_side) {
  if (offset > variable_size || size > variable_size - offset)
    return cudaErrorInvalidValue;
  bool right = kind == cudaMemcpyDefault || kind == cudaMemcpyDeviceToDevice || kind == host_side;
  return right ? cudaSuccess : cudaErrorInvalidMemcpyDirection;
}

cudaError_t gasan_call_memcpy_to_symbol(struct gasan_call *call, const void *symbol, const void *from, size_t size,
                                        size_t offset, enum cudaMemcpyKind kind) {
  size_t managed;
  if (!(inside_device(NULL, from) && gasan_range_ok(call->api, GASAN_ACCESS_READ, from, size)))
    return refused();
  if (!gasan_managed_find(symbol, &managed))
    return gasan_copy_waited(
        GASAN_NEAR(NULL, from, GASAN_CALL_REAL(call, cudaMemcpyToSymbol)(symbol, from, size, offset, kind)), NULL,
        from);
  cudaError_t error = managed_part(managed, size, offset, kind, cudaMemcpyHostToDevice);
  if (error != cudaSuccess)
    return gasan_set_error(error);
  return gasan_copy_waited(
      GASAN_NEAR(NULL, from,
                 call->default_stream == GASAN_STREAM_THREAD
                     ? GASAN_REAL(cudaMemcpy_ptds)((char *)(uintptr_t)symbol + offset, from, size, cudaMemcpyDefault)
                     : GASAN_REAL(cudaMemcpy)((char *)(uintptr_t)symbol + offset, from, size, cudaMemcpyDefault)),
      NULL, from);
}

cudaError_t gasan_call_memcpy_to_symbol_async(struct gasan_call *call, const void *symbol, const void *from,
                                              size_t size, size_t offset, enum cudaMemcpyKind kind,
                                              cudaStream_t stream) {
  size_t managed;
  if (!(inside_device(NULL, from) && gasan_range_ok(call->api, GASAN_ACCESS_READ, from, size)))
    return refused();
  if (!gasan_managed_find(symbol, &managed))
    return GASAN_CALL_REAL(call, cudaMemcpyToSymbolAsync)(symbol, from, size, offset, kind, stream);
  cudaError_t error = managed_part(managed, size, offset, kind, cudaMemcpyHostToDevice);
  if (error != cudaSuccess)
    return gasan_set_error(error);
  return call->default_stream == GASAN_STREAM_THREAD
             ? GASAN_REAL(cudaMemcpyAsync_ptsz)((char *)(uintptr_t)symbol + offset, from, size, cudaMemcpyDefault,
                                                stream)
             : GASAN_REAL(cudaMemcpyAsync)((char *)(uintptr_t)symbol + offset, from, size, cudaMemcpyDefault, stream);
}

cudaError_t gasan_call_memcpy_from_symbol(struct gasan_call *call, void *to, const void *symbol, size_t size,
                                          size_t offset, enum cudaMemcpyKind kind) {
  size_t managed;
  if (!(inside_device(to, NULL) && gasan_range_ok(call->api, GASAN_ACCESS_WRITE, to, size)))
    return refused();
  if (!gasan_managed_find(symbol, &managed))
    return gasan_copy_waited(
        GASAN_NEAR(to, NULL, GASAN_CALL_REAL(call, cudaMemcpyFromSymbol)(to, symbol, size, offset, kind)), to, NULL);
  cudaError_t error = managed_part(managed, size, offset, kind, cudaMemcpyDeviceToHost);
  if (error != cudaSuccess)
    return gasan_set_error(error);
  return gasan_copy_waited(
      GASAN_NEAR(to, NULL,
                 call->default_stream == GASAN_STREAM_THREAD
                     ? GASAN_REAL(cudaMemcpy_ptds)(to, (const char *)symbol + offset, size, cudaMemcpyDefault)
                     : GASAN_REAL(cudaMemcpy)(to, (const char *)symbol + offset, size, cudaMemcpyDefault)),
      to, NULL);
}

cudaError_t gasan_call_memcpy_from_symbol_async(struct gasan_call *call, void *to, const void *symbol, size_t size,
                                                size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream) {
  size_t managed;
  if (!(inside_device(to, NULL) && gasan_range_ok(call->api, GASAN_ACCESS_WRITE, to, size)))
    return refused();
  if (!gasan_managed_find(symbol, &managed))
    return GASAN_CALL_REAL(call, cudaMemcpyFromSymbolAsync)(to, symbol, size, offset, kind, stream);
  cudaError_t error = managed_part(managed, size, offset, kind, cudaMemcpyDeviceToHost);
  if (error != cudaSuccess)
    return gasan_set_error(error);
  return call->default_stream == GASAN_STREAM_THREAD
             ? GASAN_REAL(cudaMemcpyAsync_ptsz)(to, (const char *)symbol + offset, size, cudaMemcpyDefault, stream)
             : GASAN_REAL(cudaMemcpyAsync)(to, (const char *)symbol + offset, size, cudaMemcpyDefault, stream);
}

cudaError_t gasan_call_memcpy_2d_to_array(struct gasan_call *call, cudaArray_t array, size_t x, size_t y,
                                          const void *from, size_t pitch, size_t width, size_t height,
                                          enum cudaMemcpyKind kind) {
  if (!gasan_rows_ok(call->api, GASAN_ACCESS_READ, from, pitch, width, height) ||
      !gasan_array_rows_ok(call->api, GASAN_ACCESS_WRITE, array, x, y, width, height))
    return refused();
  return seen(gasan_copy_waited(
      GASAN_NEAR(NULL, from, GASAN_CALL_REAL(call, cudaMemcpy2DToArray)(array, x, y, from, pitch, width, height, kind)),
      NULL, from));
}

cudaError_t gasan_call_memcpy_2d_to_array_async(struct gasan_call *call, cudaArray_t array, size_t x, size_t y,
                                                const void *from, size_t pitch, size_t width, size_t height,
                                                enum cudaMemcpyKind kind, cudaStream_t stream) {
  if (!gasan_rows_ok(call->api, GASAN_ACCESS_READ, from, pitch, width, height) ||
      !gasan_array_rows_ok(call->api, GASAN_ACCESS_WRITE, array, x, y, width, height))
    return refused();
  return seen(GASAN_CALL_REAL(call, cudaMemcpy2DToArrayAsync)(array, x, y, from, pitch, width, height, kind, stream));
}

/* CUDA deprecates the following four calls. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
cudaError_t gasan_call_memcpy_to_array(struct gasan_call *call, cudaArray_t array, size_t x, size_t y, const void *from,
                                       size_t size, enum cudaMemcpyKind kind) {
  if (!gasan_range_ok(call->api, GASAN_ACCESS_READ, from, size) ||
      !gasan_array_run_ok(call->api, GASAN_ACCESS_WRITE, array, x, y, size))
    return refused();
  return seen(gasan_copy_waited(
      GASAN_NEAR(NULL, from, GASAN_CALL_REAL(call, cudaMemcpyToArray)(array, x, y, from, size, kind)), NULL, from));
}

cudaError_t gasan_call_memcpy_to_array_async(struct gasan_call *call, cudaArray_t array, size_t x, size_t y,
                                             const void *from, size_t size, enum cudaMemcpyKind kind,
                                             cudaStream_t stream) {
  if (!gasan_range_ok(call->api, GASAN_ACCESS_READ, from, size) ||
      !gasan_array_run_ok(call->api, GASAN_ACCESS_WRITE, array, x, y, size))
    return refused();
  return seen(GASAN_CALL_REAL(call, cudaMemcpyToArrayAsync)(array, x, y, from, size, kind, stream));
}

cudaError_t gasan_call_memcpy_from_array(struct gasan_call *call, void *to, cudaArray_const_t array, size_t x, size_t y,
                                         size_t size, enum cudaMemcpyKind kind) {
  if (!gasan_array_run_ok(call->api, GASAN_ACCESS_READ, array, x, y, size) ||
      !gasan_range_ok(call->api, GASAN_ACCESS_WRITE, to, size))
    return refused();
  return seen(gasan_copy_waited(
      GASAN_NEAR(to, NULL, GASAN_CALL_REAL(call, cudaMemcpyFromArray)(to, array, x, y, size, kind)), to, NULL));
}

cudaError_t gasan_call_memcpy_from_array_async(struct gasan_call *call, void *to, cudaArray_const_t array, size_t x,
                                               size_t y, size_t size, enum cudaMemcpyKind kind, cudaStream_t stream) {
  if (!gasan_array_run_ok(call->api, GASAN_ACCESS_READ, array, x, y, size) ||
      !gasan_range_ok(call->api, GASAN_ACCESS_WRITE, to, size))
    return refused();
  return seen(GASAN_CALL_REAL(call, cudaMemcpyFromArrayAsync)(to, array, x, y, size, kind, stream));
}
#pragma clang diagnostic pop

cudaError_t gasan_call_memcpy_2d_from_array(struct gasan_call *call, void *to, size_t pitch, cudaArray_const_t array,
                                            size_t x, size_t y, size_t width, size_t height, enum cudaMemcpyKind kind) {
  if (!gasan_array_rows_ok(call->api, GASAN_ACCESS_READ, array, x, y, width, height) ||
      !gasan_rows_ok(call->api, GASAN_ACCESS_WRITE, to, pitch, width, height))
    return refused();
  return seen(gasan_copy_waited(
      GASAN_NEAR(to, NULL, GASAN_CALL_REAL(call, cudaMemcpy2DFromArray)(to, pitch, array, x, y, width, height, kind)),
      to, NULL));
}

cudaError_t gasan_call_memcpy_2d_from_array_async(struct gasan_call *call, void *to, size_t pitch,
                                                  cudaArray_const_t array, size_t x, size_t y, size_t width,
                                                  size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) {
  if (!gasan_array_rows_ok(call->api, GASAN_ACCESS_READ, array, x, y, width, height) ||
      !gasan_rows_ok(call->api, GASAN_ACCESS_WRITE, to, pitch, width, height))
    return refused();
  return seen(GASAN_CALL_REAL(call, cudaMemcpy2DFromArrayAsync)(to, pitch, array, x, y, width, height, kind, stream));
}

/* A copy inside the device; CUDA orders it like a copy of device memory. */
cudaError_t gasan_call_memcpy_2d_array_to_array(struct gasan_call *call, cudaArray_t to, size_t to_x, size_t to_y,
                                                cudaArray_const_t from, size_t from_x, size_t from_y, size_t width,
                                                size_t height, enum cudaMemcpyKind kind) {
  counts_as_grid();
  if (!gasan_array_rows_ok(call->api, GASAN_ACCESS_READ, from, from_x, from_y, width, height) ||
      !gasan_array_rows_ok(call->api, GASAN_ACCESS_WRITE, to, to_x, to_y, width, height))
    return refused();
  return seen(
      GASAN_CALL_REAL(call, cudaMemcpy2DArrayToArray)(to, to_x, to_y, from, from_x, from_y, width, height, kind));
}

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
cudaError_t gasan_call_memcpy_array_to_array(struct gasan_call *call, cudaArray_t to, size_t to_x, size_t to_y,
                                             cudaArray_const_t from, size_t from_x, size_t from_y, size_t size,
                                             enum cudaMemcpyKind kind) {
  counts_as_grid();
  if (!gasan_array_run_ok(call->api, GASAN_ACCESS_READ, from, from_x, from_y, size) ||
      !gasan_array_run_ok(call->api, GASAN_ACCESS_WRITE, to, to_x, to_y, size))
    return refused();
  return seen(GASAN_CALL_REAL(call, cudaMemcpyArrayToArray)(to, to_x, to_y, from, from_x, from_y, size, kind));
}
#pragma clang diagnostic pop

bool gasan_set_ok(const char *api, const void *to, size_t size) {
  return counts_as_grid() && gasan_range_ok(api, GASAN_ACCESS_WRITE, to, size);
}

cudaError_t gasan_call_memset(struct gasan_call *call, void *to, int value, size_t size) {
  if (!gasan_set_ok(call->api, to, size))
    return refused();
  return seen(GASAN_NEAR(to, NULL, GASAN_CALL_REAL(call, cudaMemset)(to, value, size)));
}

cudaError_t gasan_call_memset_async(struct gasan_call *call, void *to, int value, size_t size, cudaStream_t stream) {
  if (!gasan_set_ok(call->api, to, size))
    return refused();
  return seen(GASAN_NEAR(to, NULL, GASAN_CALL_REAL(call, cudaMemsetAsync)(to, value, size, stream)));
}

cudaError_t gasan_call_memset_2d(struct gasan_call *call, void *to, size_t pitch, int value, size_t width,
                                 size_t height) {
  if (!(counts_as_grid() && gasan_rows_ok(call->api, GASAN_ACCESS_WRITE, to, pitch, width, height)))
    return refused();
  return seen(GASAN_NEAR(to, NULL, GASAN_CALL_REAL(call, cudaMemset2D)(to, pitch, value, width, height)));
}

cudaError_t gasan_call_memset_2d_async(struct gasan_call *call, void *to, size_t pitch, int value, size_t width,
                                       size_t height, cudaStream_t stream) {
  if (!(counts_as_grid() && gasan_rows_ok(call->api, GASAN_ACCESS_WRITE, to, pitch, width, height)))
    return refused();
  return seen(GASAN_NEAR(to, NULL, GASAN_CALL_REAL(call, cudaMemset2DAsync)(to, pitch, value, width, height, stream)));
}

static bool box_ok(const char *api, struct cudaPitchedPtr to, struct cudaExtent extent) {
  return counts_as_grid() && gasan_box_ok(api, GASAN_ACCESS_WRITE, to, (struct cudaPos){0, 0, 0}, extent.width,
                                          extent.height, extent.depth);
}

cudaError_t gasan_call_memset_3d(struct gasan_call *call, struct cudaPitchedPtr to, int value,
                                 struct cudaExtent extent) {
  if (!box_ok(call->api, to, extent))
    return refused();
  return seen(GASAN_NEAR(to.ptr, NULL, GASAN_CALL_REAL(call, cudaMemset3D)(to, value, extent)));
}

cudaError_t gasan_call_memset_3d_async(struct gasan_call *call, struct cudaPitchedPtr to, int value,
                                       struct cudaExtent extent, cudaStream_t stream) {
  if (!box_ok(call->api, to, extent))
    return refused();
  return seen(GASAN_NEAR(to.ptr, NULL, GASAN_CALL_REAL(call, cudaMemset3DAsync)(to, value, extent, stream)));
}
