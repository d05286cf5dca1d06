/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies with an array on at least one side. Offsets and widths are in bytes; only cudaMemcpy3D counts elements. */
#include "device/cpu/api.h"
#include "device/cpu/array.h"

static struct gasan_cpu_box rows(const void *pointer, size_t pitch, size_t height) {
  return (struct gasan_cpu_box){(char *)pointer, pitch, height};
}

static struct cudaPos place(size_t x, size_t y) {
  return (struct cudaPos){x, y, 0};
}

static struct cudaExtent plane(size_t width, size_t height) {
  return (struct cudaExtent){width, height, 1};
}

static cudaError_t to_array(cudaArray_t array, size_t x, size_t y, struct gasan_cpu_box from, size_t width,
                            size_t height, enum cudaMemcpyKind kind, bool asynchronous, cudaStream_t stream) {
  struct gasan_cpu_box to;
  if (!gasan_cpu_array_valid(array))
    return gasan_cpu_result(cudaErrorInvalidResourceHandle);
  if (!gasan_cpu_array_box(array, place(x, y), plane(width, height), &to))
    return gasan_cpu_result(cudaErrorInvalidValue);
  return gasan_cpu_copy_box(to, from, plane(width, height), kind, asynchronous, stream);
}

static cudaError_t from_array(struct gasan_cpu_box to, cudaArray_const_t array, size_t x, size_t y, size_t width,
                              size_t height, enum cudaMemcpyKind kind, bool asynchronous, cudaStream_t stream) {
  struct gasan_cpu_box from;
  if (!gasan_cpu_array_valid(array))
    return gasan_cpu_result(cudaErrorInvalidResourceHandle);
  if (!gasan_cpu_array_box(array, place(x, y), plane(width, height), &from))
    return gasan_cpu_result(cudaErrorInvalidValue);
  return gasan_cpu_copy_box(to, from, plane(width, height), kind, asynchronous, stream);
}

cudaError_t gasan_cpu_cudaMemcpy2DToArray(cudaArray_t array, size_t x, size_t y, const void *from, size_t pitch,
                                          size_t width, size_t height, enum cudaMemcpyKind kind) {
  return to_array(array, x, y, rows(from, pitch, height), width, height, kind, false, NULL);
}

cudaError_t gasan_cpu_cudaMemcpy2DToArrayAsync(cudaArray_t array, size_t x, size_t y, const void *from, size_t pitch,
                                               size_t width, size_t height, enum cudaMemcpyKind kind,
                                               cudaStream_t stream) {
  return to_array(array, x, y, rows(from, pitch, height), width, height, kind, true, stream);
}

cudaError_t gasan_cpu_cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t array, size_t x, size_t y,
                                            size_t width, size_t height, enum cudaMemcpyKind kind) {
  return from_array(rows(to, pitch, height), array, x, y, width, height, kind, false, NULL);
}

cudaError_t gasan_cpu_cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t array, size_t x, size_t y,
                                                 size_t width, size_t height, enum cudaMemcpyKind kind,
                                                 cudaStream_t stream) {
  return from_array(rows(to, pitch, height), array, x, y, width, height, kind, true, stream);
}

cudaError_t gasan_cpu_cudaMemcpy2DArrayToArray(cudaArray_t array, size_t x, size_t y, cudaArray_const_t source,
                                               size_t source_x, size_t source_y, size_t width, size_t height,
                                               enum cudaMemcpyKind kind) {
  struct gasan_cpu_box from;
  if (!gasan_cpu_array_valid(source))
    return gasan_cpu_result(cudaErrorInvalidResourceHandle);
  if (!gasan_cpu_array_box(source, place(source_x, source_y), plane(width, height), &from))
    return gasan_cpu_result(cudaErrorInvalidValue);
  return to_array(array, x, y, from, width, height, kind, false, NULL);
}

/* The deprecated calls copy one run of bytes, which continues in the next row. */
static char *run_in(cudaArray_const_t array, size_t x, size_t y, size_t size, cudaError_t *error) {
  *error = cudaErrorInvalidResourceHandle;
  if (!gasan_cpu_array_valid(array))
    return NULL;
  const struct gasan_cpu_texels *texels = &array->texels;
  *error = cudaErrorInvalidValue;
  if (x > texels->pitch || y >= texels->height || size > texels->slice_pitch - y * texels->pitch - x)
    return NULL;
  *error = cudaSuccess;
  return gasan_cpu_texel_at(texels, 1, 0, (uint32_t)y, 0) + x;
}

static cudaError_t run_to_array(cudaArray_t array, size_t x, size_t y, const void *from, size_t size,
                                enum cudaMemcpyKind kind, bool asynchronous, cudaStream_t stream) {
  cudaError_t error;
  char *to = run_in(array, x, y, size, &error);
  return to ? gasan_cpu_copy_bytes(to, from, size, kind, asynchronous, stream) : gasan_cpu_result(error);
}

static cudaError_t run_from_array(void *to, cudaArray_const_t array, size_t x, size_t y, size_t size,
                                  enum cudaMemcpyKind kind, bool asynchronous, cudaStream_t stream) {
  cudaError_t error;
  const char *from = run_in(array, x, y, size, &error);
  return from ? gasan_cpu_copy_bytes(to, from, size, kind, asynchronous, stream) : gasan_cpu_result(error);
}

cudaError_t gasan_cpu_cudaMemcpyToArray(cudaArray_t array, size_t x, size_t y, const void *from, size_t size,
                                        enum cudaMemcpyKind kind) {
  return run_to_array(array, x, y, from, size, kind, false, NULL);
}

cudaError_t gasan_cpu_cudaMemcpyToArrayAsync(cudaArray_t array, size_t x, size_t y, const void *from, size_t size,
                                             enum cudaMemcpyKind kind, cudaStream_t stream) {
  return run_to_array(array, x, y, from, size, kind, true, stream);
}

cudaError_t gasan_cpu_cudaMemcpyFromArray(void *to, cudaArray_const_t array, size_t x, size_t y, size_t size,
                                          enum cudaMemcpyKind kind) {
  return run_from_array(to, array, x, y, size, kind, false, NULL);
}

cudaError_t gasan_cpu_cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t array, size_t x, size_t y, size_t size,
                                               enum cudaMemcpyKind kind, cudaStream_t stream) {
  return run_from_array(to, array, x, y, size, kind, true, stream);
}

cudaError_t gasan_cpu_cudaMemcpyArrayToArray(cudaArray_t array, size_t x, size_t y, cudaArray_const_t source,
                                             size_t source_x, size_t source_y, size_t size, enum cudaMemcpyKind kind) {
  cudaError_t error;
  const char *from = run_in(source, source_x, source_y, size, &error);
  return from ? run_to_array(array, x, y, from, size, kind, false, NULL) : gasan_cpu_result(error);
}
