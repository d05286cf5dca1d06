/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies and sets of rows and of boxes. A bad range is reported before the call. The sides of a copy that are arrays
 * are not checked. */
#include "gasan_rt/calls/copies.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/door/door_calls.h"
#include "gasan_rt/memory/other_device.h"
#include "gasan_rt/memory/range_check.h"

/* One side of a copy. */
struct side {
  void *memory; /* NULL: an array */
  size_t pitch, rows;
  size_t x, y, z; /* x: in bytes */
};

/* Returns the memory of a side. The type `unified` stands for any address. */
static void *memory_of(CUmemorytype type, const void *host, CUdeviceptr device) {
  if (type == CU_MEMORYTYPE_HOST)
    return (void *)(uintptr_t)host;
  return type == CU_MEMORYTYPE_ARRAY ? NULL : (void *)(uintptr_t)device;
}

static bool side_ok(const char *api, enum gasan_access access, const struct side *side, size_t width, size_t height,
                    size_t depth) {
  struct cudaPitchedPtr box = {side->memory, side->pitch, 0, side->rows};
  struct cudaPos position = {side->x, side->y, side->z};
  return !side->memory || gasan_box_ok(api, access, box, position, width, height, depth);
}

static bool copy_ok(const char *api, const struct side *to, const struct side *from, size_t width, size_t height,
                    size_t depth) {
  gasan_copy_noted(to->memory, from->memory);
  return side_ok(api, GASAN_ACCESS_READ, from, width, height, depth) &&
         side_ok(api, GASAN_ACCESS_WRITE, to, width, height, depth);
}

static struct side source_2d(const CUDA_MEMCPY2D *copy) {
  return (struct side){memory_of(copy->srcMemoryType, copy->srcHost, copy->srcDevice),
                       copy->srcPitch,
                       copy->Height,
                       copy->srcXInBytes,
                       copy->srcY,
                       0};
}

static struct side target_2d(const CUDA_MEMCPY2D *copy) {
  return (struct side){memory_of(copy->dstMemoryType, copy->dstHost, copy->dstDevice),
                       copy->dstPitch,
                       copy->Height,
                       copy->dstXInBytes,
                       copy->dstY,
                       0};
}

static struct side source_3d(const CUDA_MEMCPY3D *copy) {
  return (struct side){memory_of(copy->srcMemoryType, copy->srcHost, copy->srcDevice),
                       copy->srcPitch,
                       copy->srcHeight,
                       copy->srcXInBytes,
                       copy->srcY,
                       copy->srcZ};
}

static struct side target_3d(const CUDA_MEMCPY3D *copy) {
  return (struct side){memory_of(copy->dstMemoryType, copy->dstHost, copy->dstDevice),
                       copy->dstPitch,
                       copy->dstHeight,
                       copy->dstXInBytes,
                       copy->dstY,
                       copy->dstZ};
}

/* Evaluates to the result of the call, if the ranges are good. CUDA refuses a copy that is NULL. */
#define COPY(dimensions, depth, after, real)                                                                           \
  ({                                                                                                                   \
    CUresult result_ = CUDA_ERROR_INVALID_VALUE;                                                                       \
    if (copy) {                                                                                                        \
      const struct side to_ = target_##dimensions(copy), from_ = source_##dimensions(copy);                            \
      if (copy_ok(call->api, &to_, &from_, copy->WidthInBytes, copy->Height, depth))                                   \
        result_ = after(GASAN_NEAR(to_.memory, from_.memory, (cudaError_t)(real)), to_.memory, from_.memory);          \
    } else {                                                                                                           \
      result_ = (real);                                                                                                \
    }                                                                                                                  \
    result_;                                                                                                           \
  })

static CUresult waited(cudaError_t error, const void *to, const void *from) {
  return (CUresult)gasan_copy_waited(error, to, from);
}

static CUresult begun(cudaError_t error, const void *to, const void *from) {
  (void)to;
  (void)from;
  return (CUresult)error;
}

CUresult gasan_door_call_memcpy_2d(struct gasan_driver_call *call, const CUDA_MEMCPY2D *copy) {
  return COPY(2d, 1, waited, GASAN_DRIVER_REAL(call, cuMemcpy2D_v2)(copy));
}

CUresult gasan_door_call_memcpy_2d_async(struct gasan_driver_call *call, const CUDA_MEMCPY2D *copy, CUstream stream) {
  return COPY(2d, 1, begun, GASAN_DRIVER_REAL(call, cuMemcpy2DAsync_v2)(copy, stream));
}

CUresult gasan_door_call_memcpy_3d(struct gasan_driver_call *call, const CUDA_MEMCPY3D *copy) {
  return COPY(3d, copy->Depth, waited, GASAN_DRIVER_REAL(call, cuMemcpy3D_v2)(copy));
}

CUresult gasan_door_call_memcpy_3d_async(struct gasan_driver_call *call, const CUDA_MEMCPY3D *copy, CUstream stream) {
  return COPY(3d, copy->Depth, begun, GASAN_DRIVER_REAL(call, cuMemcpy3DAsync_v2)(copy, stream));
}

static bool set_ok(const char *api, CUdeviceptr to, size_t pitch, size_t width, size_t bytes, size_t height) {
  const void *memory = (const void *)(uintptr_t)to;
  size_t row = 0;
  gasan_copy_noted(memory, memory);
  return __builtin_mul_overflow(width, bytes, &row) ||
         gasan_rows_ok(api, GASAN_ACCESS_WRITE, memory, pitch, row, height);
}

/* Evaluates to the result of the call, if the rows are good. */
#define SET(bytes, real)                                                                                               \
  (set_ok(call->api, to, pitch, width, bytes, height)                                                                  \
       ? (CUresult)GASAN_NEAR((const void *)(uintptr_t)to, NULL, (cudaError_t)(real))                                  \
       : CUDA_ERROR_INVALID_VALUE)

CUresult gasan_door_call_memset_d2d8(struct gasan_driver_call *call, CUdeviceptr to, size_t pitch, unsigned char value,
                                     size_t width, size_t height) {
  return SET(1, GASAN_DRIVER_REAL(call, cuMemsetD2D8_v2)(to, pitch, value, width, height));
}

CUresult gasan_door_call_memset_d2d8_async(struct gasan_driver_call *call, CUdeviceptr to, size_t pitch,
                                           unsigned char value, size_t width, size_t height, CUstream stream) {
  return SET(1, GASAN_DRIVER_REAL(call, cuMemsetD2D8Async)(to, pitch, value, width, height, stream));
}

CUresult gasan_door_call_memset_d2d16(struct gasan_driver_call *call, CUdeviceptr to, size_t pitch,
                                      unsigned short value, size_t width, size_t height) {
  return SET(2, GASAN_DRIVER_REAL(call, cuMemsetD2D16_v2)(to, pitch, value, width, height));
}

CUresult gasan_door_call_memset_d2d16_async(struct gasan_driver_call *call, CUdeviceptr to, size_t pitch,
                                            unsigned short value, size_t width, size_t height, CUstream stream) {
  return SET(2, GASAN_DRIVER_REAL(call, cuMemsetD2D16Async)(to, pitch, value, width, height, stream));
}

CUresult gasan_door_call_memset_d2d32(struct gasan_driver_call *call, CUdeviceptr to, size_t pitch, unsigned value,
                                      size_t width, size_t height) {
  return SET(4, GASAN_DRIVER_REAL(call, cuMemsetD2D32_v2)(to, pitch, value, width, height));
}

CUresult gasan_door_call_memset_d2d32_async(struct gasan_driver_call *call, CUdeviceptr to, size_t pitch,
                                            unsigned value, size_t width, size_t height, CUstream stream) {
  return SET(4, GASAN_DRIVER_REAL(call, cuMemsetD2D32Async)(to, pitch, value, width, height, stream));
}
