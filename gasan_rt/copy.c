/* Copies and sets: each range must lie inside one live allocation (range_check.h); a copy that does not is reported before it
 * happens. Under halt_on_error=0 it is not made and the call returns cudaErrorInvalidValue. */
#include <cuda_runtime_api.h>
#include <stdint.h>

#include "gasan_rt/device_error.h"
#include "gasan_rt/errors.h"
#include "gasan_rt/faults.h"
#include "gasan_rt/managed.h"
#include "gasan_rt/ordered.h"
#include "gasan_rt/other_device.h"
#include "gasan_rt/range_check.h"
#include "gasan_rt/report.h"
#include "gasan_rt/runtime.h"

#define EXPORT __attribute__((visibility("default")))

/* After a set, or a copy inside the device, launches cannot be told by their number any more (gasan_rt/launch.h). */
static bool counts_as_grid(void) {
  struct gasan_rt_device *state = gasan_rt_current();
  if (state && state->device->kind->sets_are_grids)
    state->numbers_shifted = true;
  return true;
}

/* `to` or `from` NULL: that side is the device's own (a symbol, an array). */
static bool inside_device(const void *to, const void *from) {
  gasan_rt_kind();
  return (to && !gasan_rt_owner(to)) || (from && !gasan_rt_owner(from)) || counts_as_grid();
}

static bool copy3d_ok(const char *api, const struct cudaMemcpy3DParms *p) {
  return !p || (inside_device(p->dstPtr.ptr, p->srcPtr.ptr) && gasan_copy3d_ok(api, p));
}

/* A copy between host and device in the default stream waits for the kernels before it. */
static cudaError_t after_blocking(cudaError_t error, const void *to, const void *from) {
  struct gasan_rt_device *state = gasan_rt_current();
  if (state && !(gasan_rt_owner(to) && gasan_rt_owner(from))) {
    if (error == cudaSuccess)
      gasan_launch_mark_stream(state, NULL);
    gasan_faults_peek(state);
    gasan_device_error(state, error);
    gasan_ordered_poll();
  }
  return error;
}

#define REFUSED gasan_set_error(cudaErrorInvalidValue)

/* A function and how it is called; BLOCKING wraps the real call of those that wait. */
#define INTERCEPT(name, parameters, ok, arguments, wrap)        \
  EXPORT cudaError_t name parameters;                           \
  EXPORT cudaError_t name parameters {                          \
    static const char api[] = #name;                            \
    if (!(ok))                                                  \
      return REFUSED;                                           \
    cudaError_t error_ = wrap(GASAN_REAL(name) arguments);      \
    gasan_device_error_seen(error_);                            \
    return error_;                                              \
  }
#define AT_ONCE(call) call
#define COPY(call) GASAN_NEAR(to, from, call)
#define READ(call) GASAN_NEAR(NULL, from, call)
#define WRITE(call) GASAN_NEAR(to, NULL, call)
#define WRITE_BOX(call) GASAN_NEAR(to.ptr, NULL, call)
#define BLOCKING_COPY(call) after_blocking(COPY(call), to, from)
#define BLOCKING_READ(call) after_blocking(READ(call), NULL, from)
#define BLOCKING_WRITE(call) after_blocking(WRITE(call), to, NULL)

EXPORT cudaError_t cudaMemcpy3DPeer_ptds(const struct cudaMemcpy3DPeerParms *parameters);
EXPORT cudaError_t cudaMemcpy3DPeerAsync_ptsz(const struct cudaMemcpy3DPeerParms *parameters, cudaStream_t stream);

/* From one device's pool to another's: `peer_call`, which may use `peer`, is made in place of the call. */
#define LINEAR(call, peer_call)                                                                     \
  ({                                                                                                \
    int to_device, from_device;                                                                     \
    gasan_other_device_between(to, from, &to_device, &from_device) ? peer_call : COPY(call);        \
  })
#define ROWS(call, peer_call)                                                                                 \
  ({                                                                                                          \
    struct cudaMemcpy3DPeerParms peer;                                                                        \
    gasan_other_device_rows(to, to_pitch, from, from_pitch, width, height, &peer) ? peer_call : COPY(call);   \
  })
#define PITCHED(call, peer_call)                                                                          \
  ({                                                                                                      \
    struct cudaMemcpy3DPeerParms peer;                                                                    \
    gasan_other_device_box(parameters, &peer)                                                             \
        ? peer_call                                                                                       \
        : GASAN_NEAR(parameters ? parameters->dstPtr.ptr : NULL, parameters ? parameters->srcPtr.ptr : NULL, call); \
  })
#define BLOCKING_LINEAR(call) \
  after_blocking(LINEAR(call, GASAN_REAL(cudaMemcpyPeer)(to, to_device, from, from_device, size)), to, from)
#define LINEAR_ASYNC(call) LINEAR(call, GASAN_REAL(cudaMemcpyPeerAsync)(to, to_device, from, from_device, size, stream))
#define LINEAR_ASYNC_PTSZ(call)                                                              \
  LINEAR(call, GASAN_REAL(cudaMemcpyPeerAsync)(to, to_device, from, from_device, size,       \
                                               stream ? stream : cudaStreamPerThread))
#define BLOCKING_ROWS(call) after_blocking(ROWS(call, GASAN_REAL(cudaMemcpy3DPeer)(&peer)), to, from)
#define BLOCKING_ROWS_PTDS(call) after_blocking(ROWS(call, GASAN_REAL(cudaMemcpy3DPeer_ptds)(&peer)), to, from)
#define ROWS_ASYNC(call) ROWS(call, GASAN_REAL(cudaMemcpy3DPeerAsync)(&peer, stream))
#define ROWS_ASYNC_PTSZ(call) ROWS(call, GASAN_REAL(cudaMemcpy3DPeerAsync_ptsz)(&peer, stream))
#define BOXES(call) PITCHED(call, GASAN_REAL(cudaMemcpy3DPeer)(&peer))
#define BOXES_PTDS(call) PITCHED(call, GASAN_REAL(cudaMemcpy3DPeer_ptds)(&peer))
#define BOXES_ASYNC(call) PITCHED(call, GASAN_REAL(cudaMemcpy3DPeerAsync)(&peer, stream))
#define BOXES_ASYNC_PTSZ(call) PITCHED(call, GASAN_REAL(cudaMemcpy3DPeerAsync_ptsz)(&peer, stream))

#define BOTH(size)                                                                                          \
  inside_device(to, from) && gasan_range_ok(api, GASAN_READS, from, size) && gasan_range_ok(api, GASAN_WRITES, to, size) && \
      gasan_apart(api, to, from, size)
#define BOTH_ROWS(to_pitch, from_pitch) \
  inside_device(to, from) && gasan_rows_ok(api, GASAN_READS, from, from_pitch, width, height) && \
      gasan_rows_ok(api, GASAN_WRITES, to, to_pitch, width, height) && \
      gasan_rows_apart(api, to, to_pitch, from, from_pitch, width, height)

#define MEMCPY(name, wrap) \
  INTERCEPT(name, (void *to, const void *from, size_t size, enum cudaMemcpyKind kind), BOTH(size), \
            (to, from, size, kind), wrap)
MEMCPY(cudaMemcpy, BLOCKING_LINEAR)
MEMCPY(cudaMemcpy_ptds, BLOCKING_LINEAR)

#define MEMCPY_ASYNC(name, wrap)                                                                                       \
  INTERCEPT(name, (void *to, const void *from, size_t size, enum cudaMemcpyKind kind, cudaStream_t stream), BOTH(size), \
            (to, from, size, kind, stream), wrap)
MEMCPY_ASYNC(cudaMemcpyAsync, LINEAR_ASYNC)
MEMCPY_ASYNC(cudaMemcpyAsync_ptsz, LINEAR_ASYNC_PTSZ)

INTERCEPT(cudaMemcpyPeer, (void *to, int to_device, const void *from, int from_device, size_t size), BOTH(size),
          (to, to_device, from, from_device, size), AT_ONCE)
INTERCEPT(cudaMemcpyPeerAsync,
          (void *to, int to_device, const void *from, int from_device, size_t size, cudaStream_t stream), BOTH(size),
          (to, to_device, from, from_device, size, stream), AT_ONCE)

#define MEMCPY_2D(name, wrap)                                                                                              \
  INTERCEPT(name,                                                                                                    \
            (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,            \
             enum cudaMemcpyKind kind),                                                                              \
            BOTH_ROWS(to_pitch, from_pitch), (to, to_pitch, from, from_pitch, width, height, kind), wrap)
MEMCPY_2D(cudaMemcpy2D, BLOCKING_ROWS)
MEMCPY_2D(cudaMemcpy2D_ptds, BLOCKING_ROWS_PTDS)

#define MEMCPY_2D_ASYNC(name, wrap)                                                                                        \
  INTERCEPT(name,                                                                                                    \
            (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,            \
             enum cudaMemcpyKind kind, cudaStream_t stream),                                                         \
            BOTH_ROWS(to_pitch, from_pitch), (to, to_pitch, from, from_pitch, width, height, kind, stream), wrap)
MEMCPY_2D_ASYNC(cudaMemcpy2DAsync, ROWS_ASYNC)
MEMCPY_2D_ASYNC(cudaMemcpy2DAsync_ptsz, ROWS_ASYNC_PTSZ)

#define MEMCPY_3D(name, wrap) \
  INTERCEPT(name, (const struct cudaMemcpy3DParms *parameters), copy3d_ok(api, parameters), (parameters), wrap)
MEMCPY_3D(cudaMemcpy3D, BOXES)
MEMCPY_3D(cudaMemcpy3D_ptds, BOXES_PTDS)

#define MEMCPY_3D_ASYNC(name, wrap)                                                                                     \
  INTERCEPT(name, (const struct cudaMemcpy3DParms *parameters, cudaStream_t stream), copy3d_ok(api, parameters), \
            (parameters, stream), wrap)
MEMCPY_3D_ASYNC(cudaMemcpy3DAsync, BOXES_ASYNC)
MEMCPY_3D_ASYNC(cudaMemcpy3DAsync_ptsz, BOXES_ASYNC_PTSZ)

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

#define MEMCPY_3D_PEER(name) \
  INTERCEPT(name, (const struct cudaMemcpy3DPeerParms *parameters), peer3d_ok(api, parameters), (parameters), AT_ONCE)
MEMCPY_3D_PEER(cudaMemcpy3DPeer)
MEMCPY_3D_PEER(cudaMemcpy3DPeer_ptds)

#define MEMCPY_3D_PEER_ASYNC(name)                                                                                    \
  INTERCEPT(name, (const struct cudaMemcpy3DPeerParms *parameters, cudaStream_t stream), peer3d_ok(api, parameters), \
            (parameters, stream), AT_ONCE)
MEMCPY_3D_PEER_ASYNC(cudaMemcpy3DPeerAsync)
MEMCPY_3D_PEER_ASYNC(cudaMemcpy3DPeerAsync_ptsz)

/* What CUDA refuses of a batch is its to say. */
static bool batch_ok(const char *api, void *const *to, const void *const *from, const size_t *sizes, size_t count) {
  for (size_t i = 0; to && from && sizes && i < count; i++) {
    inside_device(to[i], from[i]);
    if (!gasan_range_ok(api, GASAN_READS, from[i], sizes[i]) || !gasan_range_ok(api, GASAN_WRITES, to[i], sizes[i]) ||
        !gasan_apart(api, to[i], from[i], sizes[i]))
      return false;
  }
  return true;
}

#define MEMCPY_BATCH(name)                                                                                          \
  INTERCEPT(name,                                                                                                   \
            (void *const *to, const void *const *from, const size_t *sizes, size_t count,                           \
             struct cudaMemcpyAttributes *attributes, size_t *indices, size_t attribute_count, cudaStream_t stream), \
            batch_ok(api, to, from, sizes, count),                                                                  \
            (to, from, sizes, count, attributes, indices, attribute_count, stream), AT_ONCE)
MEMCPY_BATCH(cudaMemcpyBatchAsync)
MEMCPY_BATCH(cudaMemcpyBatchAsync_ptsz)

/* Row length and layer height 0: packed. With an array on either side they and the extent count its elements, of `texel` bytes. */
static bool operand_ok(const char *api, enum gasan_direction direction, const struct cudaMemcpy3DOperand *operand,
                       struct cudaExtent extent, size_t texel) {
  if (operand->type == cudaMemcpyOperandTypeArray) {
    const struct cudaOffset3D at = operand->op.array.offset;
    return gasan_array_box_ok(api, direction, operand->op.array.array, (struct cudaPos){at.x * texel, at.y, at.z},
                              extent.width * texel, extent.height, extent.depth);
  }
  size_t pitch = (operand->op.ptr.rowLength ? operand->op.ptr.rowLength : extent.width) * texel;
  size_t height = operand->op.ptr.layerHeight ? operand->op.ptr.layerHeight : extent.height;
  struct cudaPitchedPtr box = {operand->op.ptr.ptr, pitch, extent.width * texel, height};
  return gasan_box_ok(api, direction, box, (struct cudaPos){0, 0, 0}, extent.width * texel, extent.height, extent.depth);
}

/* 1: both sides are memory; 0: not known. */
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
    if (texel && (!operand_ok(api, GASAN_READS, &list[i].src, list[i].extent, texel) ||
                  !operand_ok(api, GASAN_WRITES, &list[i].dst, list[i].extent, texel)))
      return false;
  }
  return true;
}

#define MEMCPY_3D_BATCH(name)                                                                                        \
  INTERCEPT(name, (size_t count, struct cudaMemcpy3DBatchOp *list, unsigned long long flags, cudaStream_t stream),   \
            batch3d_ok(api, list, count), (count, list, flags, stream), AT_ONCE)
MEMCPY_3D_BATCH(cudaMemcpy3DBatchAsync)
MEMCPY_3D_BATCH(cudaMemcpy3DBatchAsync_ptsz)

/* A managed variable is the host's own, while libcudart knows the device's copy of its initial value: a copy of plain memory. */
static cudaError_t managed_part(size_t variable_size, size_t size, size_t offset, enum cudaMemcpyKind kind,
                                enum cudaMemcpyKind host_side) {
  if (offset > variable_size || size > variable_size - offset)
    return cudaErrorInvalidValue;
  bool right = kind == cudaMemcpyDefault || kind == cudaMemcpyDeviceToDevice || kind == host_side;
  return right ? cudaSuccess : cudaErrorInvalidMemcpyDirection;
}

#define SYMBOL_COPY(name, parameters, ok, arguments, wrap, host_side, plain)             \
  EXPORT cudaError_t name parameters;                                                    \
  EXPORT cudaError_t name parameters {                                                   \
    static const char api[] = #name;                                                     \
    size_t managed;                                                                      \
    if (!(ok))                                                                           \
      return REFUSED;                                                                    \
    if (!gasan_managed_find(symbol, &managed))                                           \
      return wrap(GASAN_REAL(name) arguments);                                           \
    cudaError_t error = managed_part(managed, size, offset, kind, host_side);            \
    return error == cudaSuccess ? wrap(plain) : gasan_set_error(error);                  \
  }

#define TO_SYMBOL(name, plain)                                                                                     \
  SYMBOL_COPY(name, (const void *symbol, const void *from, size_t size, size_t offset, enum cudaMemcpyKind kind),  \
              inside_device(NULL, from) && gasan_range_ok(api, GASAN_READS, from, size), (symbol, from, size, offset, kind),   \
              BLOCKING_READ, cudaMemcpyHostToDevice,                                                               \
              GASAN_REAL(plain)((char *)symbol + offset, from, size, cudaMemcpyDefault))
TO_SYMBOL(cudaMemcpyToSymbol, cudaMemcpy)
TO_SYMBOL(cudaMemcpyToSymbol_ptds, cudaMemcpy_ptds)

#define TO_SYMBOL_ASYNC(name, plain)                                                                                  \
  SYMBOL_COPY(name,                                                                                                   \
              (const void *symbol, const void *from, size_t size, size_t offset, enum cudaMemcpyKind kind,            \
               cudaStream_t stream),                                                                                  \
              inside_device(NULL, from) && gasan_range_ok(api, GASAN_READS, from, size),                                          \
              (symbol, from, size, offset, kind, stream), AT_ONCE, cudaMemcpyHostToDevice,                            \
              GASAN_REAL(plain)((char *)symbol + offset, from, size, cudaMemcpyDefault, stream))
TO_SYMBOL_ASYNC(cudaMemcpyToSymbolAsync, cudaMemcpyAsync)
TO_SYMBOL_ASYNC(cudaMemcpyToSymbolAsync_ptsz, cudaMemcpyAsync_ptsz)

#define FROM_SYMBOL(name, plain)                                                                                 \
  SYMBOL_COPY(name, (void *to, const void *symbol, size_t size, size_t offset, enum cudaMemcpyKind kind),        \
              inside_device(to, NULL) && gasan_range_ok(api, GASAN_WRITES, to, size), (to, symbol, size, offset, kind),      \
              BLOCKING_WRITE, cudaMemcpyDeviceToHost,                                                            \
              GASAN_REAL(plain)(to, (const char *)symbol + offset, size, cudaMemcpyDefault))
FROM_SYMBOL(cudaMemcpyFromSymbol, cudaMemcpy)
FROM_SYMBOL(cudaMemcpyFromSymbol_ptds, cudaMemcpy_ptds)

#define FROM_SYMBOL_ASYNC(name, plain)                                                                               \
  SYMBOL_COPY(name,                                                                                                  \
              (void *to, const void *symbol, size_t size, size_t offset, enum cudaMemcpyKind kind,                   \
               cudaStream_t stream),                                                                                 \
              inside_device(to, NULL) && gasan_range_ok(api, GASAN_WRITES, to, size), (to, symbol, size, offset, kind, stream),  \
              AT_ONCE, cudaMemcpyDeviceToHost,                                                                       \
              GASAN_REAL(plain)(to, (const char *)symbol + offset, size, cudaMemcpyDefault, stream))
FROM_SYMBOL_ASYNC(cudaMemcpyFromSymbolAsync, cudaMemcpyAsync)
FROM_SYMBOL_ASYNC(cudaMemcpyFromSymbolAsync_ptsz, cudaMemcpyAsync_ptsz)

#define TO_ARRAY_2D(name)                                                                                            \
  INTERCEPT(name,                                                                                                    \
            (cudaArray_t array, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,     \
             enum cudaMemcpyKind kind),                                                                              \
            gasan_rows_ok(api, GASAN_READS, from, pitch, width, height) &&                                          \
                gasan_array_rows_ok(api, GASAN_WRITES, array, x, y, width, height),                                  \
            (array, x, y, from, pitch, width, height, kind), BLOCKING_READ)
TO_ARRAY_2D(cudaMemcpy2DToArray)
TO_ARRAY_2D(cudaMemcpy2DToArray_ptds)

#define TO_ARRAY_2D_ASYNC(name)                                                                                      \
  INTERCEPT(name,                                                                                                    \
            (cudaArray_t array, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,     \
             enum cudaMemcpyKind kind, cudaStream_t stream),                                                         \
            gasan_rows_ok(api, GASAN_READS, from, pitch, width, height) &&                                           \
                gasan_array_rows_ok(api, GASAN_WRITES, array, x, y, width, height),                                  \
            (array, x, y, from, pitch, width, height, kind, stream), AT_ONCE)
TO_ARRAY_2D_ASYNC(cudaMemcpy2DToArrayAsync)
TO_ARRAY_2D_ASYNC(cudaMemcpy2DToArrayAsync_ptsz)

#define TO_ARRAY(name)                                                                                               \
  INTERCEPT(name, (cudaArray_t array, size_t x, size_t y, const void *from, size_t size, enum cudaMemcpyKind kind),  \
            gasan_range_ok(api, GASAN_READS, from, size) && gasan_array_run_ok(api, GASAN_WRITES, array, x, y, size), \
            (array, x, y, from, size, kind), BLOCKING_READ)
TO_ARRAY(cudaMemcpyToArray)
TO_ARRAY(cudaMemcpyToArray_ptds)

#define TO_ARRAY_ASYNC(name)                                                                                         \
  INTERCEPT(name,                                                                                                    \
            (cudaArray_t array, size_t x, size_t y, const void *from, size_t size, enum cudaMemcpyKind kind,         \
             cudaStream_t stream),                                                                                   \
            gasan_range_ok(api, GASAN_READS, from, size) && gasan_array_run_ok(api, GASAN_WRITES, array, x, y, size), \
            (array, x, y, from, size, kind, stream), AT_ONCE)
TO_ARRAY_ASYNC(cudaMemcpyToArrayAsync)
TO_ARRAY_ASYNC(cudaMemcpyToArrayAsync_ptsz)

#define FROM_ARRAY(name)                                                                                             \
  INTERCEPT(name, (void *to, cudaArray_const_t array, size_t x, size_t y, size_t size, enum cudaMemcpyKind kind),    \
            gasan_array_run_ok(api, GASAN_READS, array, x, y, size) && gasan_range_ok(api, GASAN_WRITES, to, size), \
            (to, array, x, y, size, kind), BLOCKING_WRITE)
FROM_ARRAY(cudaMemcpyFromArray)
FROM_ARRAY(cudaMemcpyFromArray_ptds)

#define FROM_ARRAY_ASYNC(name)                                                                                       \
  INTERCEPT(name,                                                                                                    \
            (void *to, cudaArray_const_t array, size_t x, size_t y, size_t size, enum cudaMemcpyKind kind,           \
             cudaStream_t stream),                                                                                   \
            gasan_array_run_ok(api, GASAN_READS, array, x, y, size) && gasan_range_ok(api, GASAN_WRITES, to, size), \
            (to, array, x, y, size, kind, stream), AT_ONCE)
FROM_ARRAY_ASYNC(cudaMemcpyFromArrayAsync)
FROM_ARRAY_ASYNC(cudaMemcpyFromArrayAsync_ptsz)

#define FROM_ARRAY_2D(name)                                                                                          \
  INTERCEPT(name,                                                                                                    \
            (void *to, size_t pitch, cudaArray_const_t array, size_t x, size_t y, size_t width, size_t height,       \
             enum cudaMemcpyKind kind),                                                                              \
            gasan_array_rows_ok(api, GASAN_READS, array, x, y, width, height) &&                                     \
                gasan_rows_ok(api, GASAN_WRITES, to, pitch, width, height),                                          \
            (to, pitch, array, x, y, width, height, kind), BLOCKING_WRITE)
FROM_ARRAY_2D(cudaMemcpy2DFromArray)
FROM_ARRAY_2D(cudaMemcpy2DFromArray_ptds)

#define FROM_ARRAY_2D_ASYNC(name)                                                                                    \
  INTERCEPT(name,                                                                                                    \
            (void *to, size_t pitch, cudaArray_const_t array, size_t x, size_t y, size_t width, size_t height,       \
             enum cudaMemcpyKind kind, cudaStream_t stream),                                                         \
            gasan_array_rows_ok(api, GASAN_READS, array, x, y, width, height) &&                                     \
                gasan_rows_ok(api, GASAN_WRITES, to, pitch, width, height),                                          \
            (to, pitch, array, x, y, width, height, kind, stream), AT_ONCE)
FROM_ARRAY_2D_ASYNC(cudaMemcpy2DFromArrayAsync)
FROM_ARRAY_2D_ASYNC(cudaMemcpy2DFromArrayAsync_ptsz)

/* Inside the device; CUDA orders it as a copy of device memory. */
#define ARRAY_TO_ARRAY_2D(name)                                                                                      \
  INTERCEPT(name,                                                                                                    \
            (cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x, size_t from_y,         \
             size_t width, size_t height, enum cudaMemcpyKind kind),                                                 \
            counts_as_grid() && gasan_array_rows_ok(api, GASAN_READS, from, from_x, from_y, width, height) &&        \
                gasan_array_rows_ok(api, GASAN_WRITES, to, to_x, to_y, width, height),                               \
            (to, to_x, to_y, from, from_x, from_y, width, height, kind), AT_ONCE)
ARRAY_TO_ARRAY_2D(cudaMemcpy2DArrayToArray)
ARRAY_TO_ARRAY_2D(cudaMemcpy2DArrayToArray_ptds)

#define ARRAY_TO_ARRAY(name)                                                                                         \
  INTERCEPT(name,                                                                                                    \
            (cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x, size_t from_y,         \
             size_t size, enum cudaMemcpyKind kind),                                                                 \
            counts_as_grid() && gasan_array_run_ok(api, GASAN_READS, from, from_x, from_y, size) &&                  \
                gasan_array_run_ok(api, GASAN_WRITES, to, to_x, to_y, size),                                         \
            (to, to_x, to_y, from, from_x, from_y, size, kind), AT_ONCE)
ARRAY_TO_ARRAY(cudaMemcpyArrayToArray)
ARRAY_TO_ARRAY(cudaMemcpyArrayToArray_ptds)

#define MEMSET(name) \
  INTERCEPT(name, (void *to, int value, size_t size), counts_as_grid() && gasan_range_ok(api, GASAN_WRITES, to, size), (to, value, size), WRITE)
MEMSET(cudaMemset)
MEMSET(cudaMemset_ptds)

#define MEMSET_ASYNC(name)                                                                                          \
  INTERCEPT(name, (void *to, int value, size_t size, cudaStream_t stream), gasan_range_ok(api, GASAN_WRITES, to, size),         \
            (to, value, size, stream), WRITE)
MEMSET_ASYNC(cudaMemsetAsync)
MEMSET_ASYNC(cudaMemsetAsync_ptsz)

#define MEMSET_2D(name)                                                            \
  INTERCEPT(name, (void *to, size_t pitch, int value, size_t width, size_t height), \
            counts_as_grid() && gasan_rows_ok(api, GASAN_WRITES, to, pitch, width, height), (to, pitch, value, width, height), WRITE)
MEMSET_2D(cudaMemset2D)
MEMSET_2D(cudaMemset2D_ptds)

#define MEMSET_2D_ASYNC(name)                                                                          \
  INTERCEPT(name, (void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream), \
            counts_as_grid() && gasan_rows_ok(api, GASAN_WRITES, to, pitch, width, height), (to, pitch, value, width, height, stream), WRITE)
MEMSET_2D_ASYNC(cudaMemset2DAsync)
MEMSET_2D_ASYNC(cudaMemset2DAsync_ptsz)

#define BOX counts_as_grid() && gasan_box_ok(api, GASAN_WRITES, to, (struct cudaPos){0, 0, 0}, extent.width, extent.height, extent.depth)
#define MEMSET_3D(name) \
  INTERCEPT(name, (struct cudaPitchedPtr to, int value, struct cudaExtent extent), BOX, (to, value, extent), WRITE_BOX)
MEMSET_3D(cudaMemset3D)
MEMSET_3D(cudaMemset3D_ptds)

#define MEMSET_3D_ASYNC(name)                                                                                     \
  INTERCEPT(name, (struct cudaPitchedPtr to, int value, struct cudaExtent extent, cudaStream_t stream), BOX,      \
            (to, value, extent, stream), WRITE_BOX)
MEMSET_3D_ASYNC(cudaMemset3DAsync)
MEMSET_3D_ASYNC(cudaMemset3DAsync_ptsz)
