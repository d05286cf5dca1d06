/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies and fills. Each is complete when its call returns. An asynchronous call does not return errors of earlier
 * work. */
#include <string.h>

#include "device/cpu/api.h"
#include "device/cpu/array.h"
#include "device/cpu/box_copy.h"

/* Begins a copy. If it sets *go, the caller has the device's lock and must unlock it; otherwise the call returns the
 * result. */
static cudaError_t begin(bool asynchronous, cudaStream_t stream, bool *go) {
  *go = false;
  cudaError_t error = asynchronous ? gasan_cpu_check() : gasan_cpu_synchronize();
  if (error != cudaSuccess)
    return error;
  if (!gasan_cpu_stream_valid(stream))
    return gasan_cpu_result(cudaErrorInvalidResourceHandle);
  if (gasan_cpu_device_failed()) /* asynchronous work after a failed kernel never runs */
    return cudaSuccess;
  gasan_cpu_device_lock();
  *go = true;
  return cudaSuccess;
}

static bool direction_valid(enum cudaMemcpyKind kind) {
  return (unsigned)kind <= cudaMemcpyDefault;
}

cudaError_t gasan_cpu_copy_bytes(void *to, const void *from, size_t size, enum cudaMemcpyKind kind, bool asynchronous,
                                 cudaStream_t stream) {
  if (!direction_valid(kind))
    return gasan_cpu_result(cudaErrorInvalidMemcpyDirection);
  if (size && (!to || !from))
    return gasan_cpu_result(cudaErrorInvalidValue);
  bool go;
  cudaError_t error = begin(asynchronous, stream, &go);
  if (!go)
    return error;
  if (size)
    memmove(to, from, size);
  gasan_cpu_device_unlock();
  return cudaSuccess;
}

cudaError_t gasan_cpu_cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind) {
  return gasan_cpu_copy_bytes(to, from, size, kind, false, NULL);
}

cudaError_t gasan_cpu_cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  return gasan_cpu_copy_bytes(to, from, size, kind, true, stream);
}

cudaError_t gasan_cpu_cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t size) {
  if (to_device != 0 || from_device != 0)
    return gasan_cpu_result(cudaErrorInvalidDevice);
  return gasan_cpu_copy_bytes(to, from, size, cudaMemcpyDeviceToDevice, false, NULL);
}

cudaError_t gasan_cpu_cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t size,
                                          cudaStream_t stream) {
  if (to_device != 0 || from_device != 0)
    return gasan_cpu_result(cudaErrorInvalidDevice);
  return gasan_cpu_copy_bytes(to, from, size, cudaMemcpyDeviceToDevice, true, stream);
}

static char *row_of(const struct gasan_cpu_box *box, size_t row, size_t slice) {
  return box->origin + (slice * box->rows_per_slice + row) * box->pitch;
}

cudaError_t gasan_cpu_copy_box(struct gasan_cpu_box to, struct gasan_cpu_box from, struct cudaExtent extent,
                               enum cudaMemcpyKind kind, bool asynchronous, cudaStream_t stream) {
  if (!direction_valid(kind))
    return gasan_cpu_result(cudaErrorInvalidMemcpyDirection);
  bool empty = !extent.width || !extent.height || !extent.depth;
  if (!empty && (extent.width > to.pitch || extent.width > from.pitch))
    return gasan_cpu_result(cudaErrorInvalidPitchValue);
  if (!empty && (!to.origin || !from.origin))
    return gasan_cpu_result(cudaErrorInvalidValue);
  bool go;
  cudaError_t error = begin(asynchronous, stream, &go);
  if (!go)
    return error;
  for (size_t slice = 0; !empty && slice < extent.depth; slice++)
    for (size_t row = 0; row < extent.height; row++)
      memmove(row_of(&to, row, slice), row_of(&from, row, slice), extent.width);
  gasan_cpu_device_unlock();
  return cudaSuccess;
}

static cudaError_t copy_plane(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind, bool asynchronous, cudaStream_t stream) {
  struct gasan_cpu_box to_box = {to, to_pitch, height}, from_box = {(char *)from, from_pitch, height};
  struct cudaExtent extent = {width, height, 1};
  return gasan_cpu_copy_box(to_box, from_box, extent, kind, asynchronous, stream);
}

cudaError_t gasan_cpu_cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                                   size_t height, enum cudaMemcpyKind kind) {
  return copy_plane(to, to_pitch, from, from_pitch, width, height, kind, false, NULL);
}

cudaError_t gasan_cpu_cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                                        size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_plane(to, to_pitch, from, from_pitch, width, height, kind, true, stream);
}

/* Returns false if the position is outside the plane that the pointer describes. */
static bool box_at(struct cudaPitchedPtr pointer, struct cudaPos position, struct cudaExtent extent,
                   struct gasan_cpu_box *box) {
  box->pitch = pointer.pitch;
  box->rows_per_slice = pointer.ysize;
  if (position.x + extent.width > pointer.pitch || (extent.depth > 1 && position.y + extent.height > pointer.ysize))
    return false;
  box->origin = pointer.ptr;
  if (box->origin)
    box->origin = row_of(box, position.y, position.z) + position.x;
  return true;
}

/* Sets one side of a 3D copy, which is either an array or memory. */
static bool side_at(cudaArray_t array, struct cudaPitchedPtr pointer, struct cudaPos position, struct cudaExtent extent,
                    struct gasan_cpu_box *box) {
  if (!array)
    return box_at(pointer, position, extent, box);
  position.x *= gasan_cpu_texel_size(&array->format);
  return !pointer.ptr && gasan_cpu_array_box(array, position, extent, box);
}

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *p, bool asynchronous, cudaStream_t stream) {
  struct gasan_cpu_box to, from;
  if (!p)
    return gasan_cpu_result(cudaErrorInvalidValue);
  if ((p->srcArray && !gasan_cpu_array_valid(p->srcArray)) || (p->dstArray && !gasan_cpu_array_valid(p->dstArray)))
    return gasan_cpu_result(cudaErrorInvalidResourceHandle);
  /* If a side is an array, the extent's width is in elements of the array. */
  const struct cudaArray *array = p->srcArray ? p->srcArray : p->dstArray;
  struct cudaExtent extent = p->extent;
  if (array)
    extent.width *= gasan_cpu_texel_size(&array->format);
  if (p->srcArray && p->dstArray &&
      gasan_cpu_texel_size(&p->srcArray->format) != gasan_cpu_texel_size(&p->dstArray->format))
    return gasan_cpu_result(cudaErrorInvalidValue);
  if (!side_at(p->dstArray, p->dstPtr, p->dstPos, extent, &to) ||
      !side_at(p->srcArray, p->srcPtr, p->srcPos, extent, &from))
    return gasan_cpu_result(cudaErrorInvalidValue);
  return gasan_cpu_copy_box(to, from, extent, p->kind, asynchronous, stream);
}

cudaError_t gasan_cpu_cudaMemcpy3D(const struct cudaMemcpy3DParms *parameters) {
  return copy_3d(parameters, false, NULL);
}

cudaError_t gasan_cpu_cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *parameters, cudaStream_t stream) {
  return copy_3d(parameters, true, stream);
}

static cudaError_t copy_3d_peer(const struct cudaMemcpy3DPeerParms *parameters, bool asynchronous,
                                cudaStream_t stream) {
  if (!parameters)
    return gasan_cpu_result(cudaErrorInvalidValue);
  if (parameters->srcDevice != 0 || parameters->dstDevice != 0)
    return gasan_cpu_result(cudaErrorInvalidDevice);
  struct cudaMemcpy3DParms same = {
      .srcArray = parameters->srcArray,
      .srcPos = parameters->srcPos,
      .srcPtr = parameters->srcPtr,
      .dstArray = parameters->dstArray,
      .dstPos = parameters->dstPos,
      .dstPtr = parameters->dstPtr,
      .extent = parameters->extent,
      .kind = cudaMemcpyDeviceToDevice,
  };
  return copy_3d(&same, asynchronous, stream);
}

cudaError_t gasan_cpu_cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *parameters) {
  return copy_3d_peer(parameters, false, NULL);
}

cudaError_t gasan_cpu_cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *parameters, cudaStream_t stream) {
  return copy_3d_peer(parameters, true, stream);
}

char *gasan_cpu_symbol_part(const void *symbol, size_t offset, size_t size, cudaError_t *error) {
  const struct gasan_cpu_variable *variable = gasan_cpu_variable_find(symbol);
  *error = cudaSuccess;
  if (!variable)
    *error = gasan_cpu_result(cudaErrorInvalidSymbol);
  else if (offset > variable->size || size > variable->size - offset)
    *error = gasan_cpu_result(cudaErrorInvalidValue);
  return *error == cudaSuccess ? (char *)variable->address + offset : NULL;
}

static cudaError_t copy_to_symbol(const void *symbol, const void *from, size_t size, size_t offset,
                                  enum cudaMemcpyKind kind, bool asynchronous, cudaStream_t stream) {
  cudaError_t error;
  char *to = gasan_cpu_symbol_part(symbol, offset, size, &error);
  if (!to)
    return error;
  if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return gasan_cpu_result(cudaErrorInvalidMemcpyDirection);
  return gasan_cpu_copy_bytes(to, from, size, kind, asynchronous, stream);
}

static cudaError_t copy_from_symbol(void *to, const void *symbol, size_t size, size_t offset, enum cudaMemcpyKind kind,
                                    bool asynchronous, cudaStream_t stream) {
  cudaError_t error;
  char *from = gasan_cpu_symbol_part(symbol, offset, size, &error);
  if (!from)
    return error;
  if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return gasan_cpu_result(cudaErrorInvalidMemcpyDirection);
  return gasan_cpu_copy_bytes(to, from, size, kind, asynchronous, stream);
}

cudaError_t gasan_cpu_cudaMemcpyToSymbol(const void *symbol, const void *from, size_t size, size_t offset,
                                         enum cudaMemcpyKind kind) {
  return copy_to_symbol(symbol, from, size, offset, kind, false, NULL);
}

cudaError_t gasan_cpu_cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t size, size_t offset,
                                              enum cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_to_symbol(symbol, from, size, offset, kind, true, stream);
}

cudaError_t gasan_cpu_cudaMemcpyFromSymbol(void *to, const void *symbol, size_t size, size_t offset,
                                           enum cudaMemcpyKind kind) {
  return copy_from_symbol(to, symbol, size, offset, kind, false, NULL);
}

cudaError_t gasan_cpu_cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t size, size_t offset,
                                                enum cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_from_symbol(to, symbol, size, offset, kind, true, stream);
}

static cudaError_t fill_box(struct gasan_cpu_box box, int value, struct cudaExtent extent, bool asynchronous,
                            cudaStream_t stream) {
  bool empty = !extent.width || !extent.height || !extent.depth;
  bool one_row = extent.height <= 1 && extent.depth <= 1;
  if (!empty && !one_row && extent.width > box.pitch)
    return gasan_cpu_result(cudaErrorInvalidValue);
  if (!empty && !box.origin)
    return gasan_cpu_result(cudaErrorInvalidValue);
  bool go;
  cudaError_t error = begin(asynchronous, stream, &go);
  if (!go)
    return error;
  for (size_t slice = 0; !empty && slice < extent.depth; slice++)
    for (size_t row = 0; row < extent.height; row++)
      memset(row_of(&box, row, slice), value, extent.width);
  gasan_cpu_device_unlock();
  return cudaSuccess;
}

static cudaError_t fill(void *pointer, size_t pitch, int value, size_t width, size_t height, bool asynchronous,
                        cudaStream_t stream) {
  struct gasan_cpu_box box = {pointer, pitch, height};
  struct cudaExtent extent = {width, height, 1};
  return fill_box(box, value, extent, asynchronous, stream);
}

cudaError_t gasan_cpu_cudaMemset(void *pointer, int value, size_t size) {
  return fill(pointer, size, value, size, 1, false, NULL);
}

cudaError_t gasan_cpu_cudaMemsetAsync(void *pointer, int value, size_t size, cudaStream_t stream) {
  return fill(pointer, size, value, size, 1, true, stream);
}

cudaError_t gasan_cpu_cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height) {
  return fill(pointer, pitch, value, width, height, false, NULL);
}

cudaError_t gasan_cpu_cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
                                        cudaStream_t stream) {
  return fill(pointer, pitch, value, width, height, true, stream);
}

cudaError_t gasan_cpu_cudaMemset3D(struct cudaPitchedPtr pointer, int value, struct cudaExtent extent) {
  struct gasan_cpu_box box = {pointer.ptr, pointer.pitch, pointer.ysize};
  return fill_box(box, value, extent, false, NULL);
}

cudaError_t gasan_cpu_cudaMemset3DAsync(struct cudaPitchedPtr pointer, int value, struct cudaExtent extent,
                                        cudaStream_t stream) {
  struct gasan_cpu_box box = {pointer.ptr, pointer.pitch, pointer.ysize};
  return fill_box(box, value, extent, true, stream);
}
