/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies and sets. A bad range is reported before the call. */
#include "gasan_rt/calls/copies.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/door/door_calls.h"
#include "gasan_rt/memory/other_device.h"

static const void *at(CUdeviceptr address) {
  return (const void *)(uintptr_t)address;
}

/* Returns the primary context of a device, which has it already. */
static CUcontext primary_context(int ordinal) {
  static struct gasan_driver_call retain = {.symbol = "cuDevicePrimaryCtxRetain"},
                                  release = {.symbol = "cuDevicePrimaryCtxRelease_v2"};
  CUcontext context = NULL;
  if (GASAN_DRIVER_REAL(&retain, cuDevicePrimaryCtxRetain)(&context, ordinal) == CUDA_SUCCESS)
    GASAN_DRIVER_REAL(&release, cuDevicePrimaryCtxRelease_v2)(ordinal);
  return context;
}

/* Copies from one device's pool to another's, which the call itself cannot (gasan_rt/memory/other_device.h). `stream`
 * NULL and not `async`: the copy waits. Returns false if the copy is no such one. */
static bool copy_between(const void *to, const void *from, size_t size, CUstream stream, bool async, CUresult *result) {
  static struct gasan_driver_call peer = {.symbol = "cuMemcpyPeer"}, peer_async = {.symbol = "cuMemcpyPeerAsync"};
  const CUdeviceptr target = (uintptr_t)to, source = (uintptr_t)from;
  int to_device, from_device;
  if (!gasan_other_device_between(to, from, &to_device, &from_device))
    return false;
  CUcontext to_context = primary_context(to_device), from_context = primary_context(from_device);
  *result =
      async ? GASAN_DRIVER_REAL(&peer_async, cuMemcpyPeerAsync)(target, to_context, source, from_context, size, stream)
            : GASAN_DRIVER_REAL(&peer, cuMemcpyPeer)(target, to_context, source, from_context, size);
  return true;
}

/* Evaluates to the result of the call, if the ranges are good. */
#define COPY(to, from, stream, async, real)                                                                            \
  ({                                                                                                                   \
    CUresult result_ = CUDA_ERROR_INVALID_VALUE;                                                                       \
    if (gasan_copy_ok(call->api, to, from, size) && !copy_between(to, from, size, stream, async, &result_))            \
      result_ = (CUresult)GASAN_NEAR(to, from, (cudaError_t)(real));                                                   \
    result_;                                                                                                           \
  })
#define COPY_AND_WAIT(to, from, real)                                                                                  \
  ({                                                                                                                   \
    const CUstream stream_ = gasan_driver_call_stream(call, NULL);                                                     \
    const uint64_t launch_ = gasan_copy_wait_begins(to, from, stream_);                                                \
    (CUresult) gasan_copy_wait_ended((cudaError_t)COPY(to, from, NULL, false, real), to, from, stream_, launch_);      \
  })

CUresult gasan_door_call_memcpy(struct gasan_driver_call *call, CUdeviceptr to, CUdeviceptr from, size_t size) {
  return COPY_AND_WAIT(at(to), at(from), GASAN_DRIVER_REAL(call, cuMemcpy)(to, from, size));
}

CUresult gasan_door_call_memcpy_async(struct gasan_driver_call *call, CUdeviceptr to, CUdeviceptr from, size_t size,
                                      CUstream stream) {
  return COPY(at(to), at(from), gasan_driver_call_stream(call, stream), true,
              GASAN_DRIVER_REAL(call, cuMemcpyAsync)(to, from, size, stream));
}

CUresult gasan_door_call_memcpy_dtod(struct gasan_driver_call *call, CUdeviceptr to, CUdeviceptr from, size_t size) {
  return COPY_AND_WAIT(at(to), at(from), GASAN_DRIVER_REAL(call, cuMemcpyDtoD_v2)(to, from, size));
}

CUresult gasan_door_call_memcpy_dtod_async(struct gasan_driver_call *call, CUdeviceptr to, CUdeviceptr from,
                                           size_t size, CUstream stream) {
  return COPY(at(to), at(from), gasan_driver_call_stream(call, stream), true,
              GASAN_DRIVER_REAL(call, cuMemcpyDtoDAsync_v2)(to, from, size, stream));
}

CUresult gasan_door_call_memcpy_dtoh(struct gasan_driver_call *call, void *to, CUdeviceptr from, size_t size) {
  return COPY_AND_WAIT(to, at(from), GASAN_DRIVER_REAL(call, cuMemcpyDtoH_v2)(to, from, size));
}

CUresult gasan_door_call_memcpy_dtoh_async(struct gasan_driver_call *call, void *to, CUdeviceptr from, size_t size,
                                           CUstream stream) {
  return COPY(to, at(from), gasan_driver_call_stream(call, stream), true,
              GASAN_DRIVER_REAL(call, cuMemcpyDtoHAsync_v2)(to, from, size, stream));
}

CUresult gasan_door_call_memcpy_htod(struct gasan_driver_call *call, CUdeviceptr to, const void *from, size_t size) {
  return COPY_AND_WAIT(at(to), from, GASAN_DRIVER_REAL(call, cuMemcpyHtoD_v2)(to, from, size));
}

CUresult gasan_door_call_memcpy_htod_async(struct gasan_driver_call *call, CUdeviceptr to, const void *from,
                                           size_t size, CUstream stream) {
  return COPY(at(to), from, gasan_driver_call_stream(call, stream), true,
              GASAN_DRIVER_REAL(call, cuMemcpyHtoDAsync_v2)(to, from, size, stream));
}

/* Evaluates to the result of the call, if the range is good. An overflow of the product is left to CUDA. */
#define SET(bytes, real)                                                                                               \
  ({                                                                                                                   \
    size_t size_ = 0;                                                                                                  \
    bool ok_ = __builtin_mul_overflow(count, (size_t)(bytes), &size_) || gasan_set_ok(call->api, at(to), size_);       \
    ok_ ? (CUresult)GASAN_NEAR(at(to), NULL, (cudaError_t)(real)) : CUDA_ERROR_INVALID_VALUE;                          \
  })

CUresult gasan_door_call_memset_d8(struct gasan_driver_call *call, CUdeviceptr to, unsigned char value, size_t count) {
  return SET(1, GASAN_DRIVER_REAL(call, cuMemsetD8_v2)(to, value, count));
}

CUresult gasan_door_call_memset_d8_async(struct gasan_driver_call *call, CUdeviceptr to, unsigned char value,
                                         size_t count, CUstream stream) {
  return SET(1, GASAN_DRIVER_REAL(call, cuMemsetD8Async)(to, value, count, stream));
}

CUresult gasan_door_call_memset_d16(struct gasan_driver_call *call, CUdeviceptr to, unsigned short value,
                                    size_t count) {
  return SET(2, GASAN_DRIVER_REAL(call, cuMemsetD16_v2)(to, value, count));
}

CUresult gasan_door_call_memset_d16_async(struct gasan_driver_call *call, CUdeviceptr to, unsigned short value,
                                          size_t count, CUstream stream) {
  return SET(2, GASAN_DRIVER_REAL(call, cuMemsetD16Async)(to, value, count, stream));
}

CUresult gasan_door_call_memset_d32(struct gasan_driver_call *call, CUdeviceptr to, unsigned value, size_t count) {
  return SET(4, GASAN_DRIVER_REAL(call, cuMemsetD32_v2)(to, value, count));
}

CUresult gasan_door_call_memset_d32_async(struct gasan_driver_call *call, CUdeviceptr to, unsigned value, size_t count,
                                          CUstream stream) {
  return SET(4, GASAN_DRIVER_REAL(call, cuMemsetD32Async)(to, value, count, stream));
}
