/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that create, register and free arrays. With halt_on_error=0, a reported call is not made and returns
 * cudaErrorInvalidValue. */
#include "gasan_rt/calls/calls.h"
#include "gasan_rt/core/errors.h"
#include "gasan_rt/launch/device_error.h"
#include "gasan_rt/launch/view_records.h"
#include "gasan_rt/memory/arrays.h"
#include "gasan_rt/memory/caller.h"
#include "gasan_rt/memory/range_check.h"
#include "gasan_rt/report/report_view.h"

static cudaError_t note_array(cudaError_t error, cudaArray_t *handle, const char *api) {
  if (error == cudaSuccess && handle && *handle)
    gasan_array_note_live((struct gasan_array){
        .handle = *handle, .whole = *handle, .has_allocation = true, .allocated = gasan_memory_caller(api)});
  gasan_device_error_seen(error);
  return error;
}

cudaError_t gasan_call_malloc_array(struct gasan_call *call, cudaArray_t *array,
                                    const struct cudaChannelFormatDesc *format, size_t width, size_t height,
                                    unsigned flags) {
  return note_array(GASAN_CALL_REAL(call, cudaMallocArray)(array, format, width, height, flags), array, call->api);
}

cudaError_t gasan_call_malloc_3d_array(struct gasan_call *call, cudaArray_t *array,
                                       const struct cudaChannelFormatDesc *format, struct cudaExtent extent,
                                       unsigned flags) {
  return note_array(GASAN_CALL_REAL(call, cudaMalloc3DArray)(array, format, extent, flags), array, call->api);
}

cudaError_t gasan_call_malloc_mipmapped_array(struct gasan_call *call, cudaMipmappedArray_t *handle,
                                              const struct cudaChannelFormatDesc *format, struct cudaExtent extent,
                                              unsigned levels, unsigned flags) {
  cudaError_t error = GASAN_CALL_REAL(call, cudaMallocMipmappedArray)(handle, format, extent, levels, flags);
  if (error == cudaSuccess && handle && *handle)
    gasan_array_note(&(struct gasan_array){.handle = *handle,
                                           .whole = *handle,
                                           .extent = extent,
                                           .flags = flags,
                                           .texel = (uint32_t)gasan_texel_size(format),
                                           .has_allocation = true,
                                           .is_mipmapped = true,
                                           .allocated = gasan_memory_caller(call->api)});
  gasan_device_error_seen(error);
  return error;
}

cudaError_t gasan_call_get_mipmapped_array_level(struct gasan_call *call, cudaArray_t *level,
                                                 cudaMipmappedArray_const_t mipmapped, unsigned number) {
  struct gasan_array whole;
  if (gasan_array_find(mipmapped, true, &whole) && whole.is_freed &&
      gasan_report_freed_array(call->api, &whole, GASAN_ACCESS_READ))
    return gasan_set_error(cudaErrorInvalidValue);
  cudaError_t error = GASAN_CALL_REAL(call, cudaGetMipmappedArrayLevel)(level, mipmapped, number);
  if (error == cudaSuccess && level && *level && gasan_array_find(mipmapped, true, &whole))
    gasan_array_note_live((struct gasan_array){
        .handle = *level, .whole = mipmapped, .has_allocation = whole.has_allocation, .allocated = whole.allocated});
  return error;
}

/* Reports a free only if the array is certainly freed: CUDA may have reused the handle in calls that we do not
 * intercept. */
static bool free_ok(const void *handle, bool is_mipmapped, const struct gasan_pool_caller *caller) {
  struct gasan_array array;
  return !handle || !gasan_array_find(handle, is_mipmapped, &array) || !array.is_freed ||
         !gasan_report_array_double_free(&array, caller);
}

/* The latest records before CUDA frees an array. */
struct latest {
  uint64_t array;
  uint32_t view;
};

static struct latest latest_records(void) {
  return (struct latest){gasan_array_latest(), gasan_views_latest()};
}

static cudaError_t note_freed(cudaError_t error, const void *handle, struct latest until,
                              struct gasan_pool_caller caller) {
  if (error == cudaSuccess && handle) {
    gasan_array_note_freed(handle, until.array, caller);
    gasan_views_array_freed(handle, until.view, caller);
  }
  gasan_device_error_seen(error);
  return error;
}

cudaError_t gasan_call_free_array(struct gasan_call *call, cudaArray_t array) {
  struct gasan_pool_caller caller = gasan_memory_caller(call->api);
  if (!free_ok(array, false, &caller))
    return gasan_set_error(cudaErrorInvalidValue);
  const struct latest until = latest_records();
  return note_freed(GASAN_CALL_REAL(call, cudaFreeArray)(array), array, until, caller);
}

cudaError_t gasan_call_free_mipmapped_array(struct gasan_call *call, cudaMipmappedArray_t array) {
  struct gasan_pool_caller caller = gasan_memory_caller(call->api);
  if (!free_ok(array, true, &caller))
    return gasan_set_error(cudaErrorInvalidValue);
  const struct latest until = latest_records();
  return note_freed(GASAN_CALL_REAL(call, cudaFreeMipmappedArray)(array), array, until, caller);
}

/* Removes the record of an array that another API or process has created, because its handle may be that of a freed
 * array. `handle`: where the call has stored the handle; may be NULL. */
#define FORGET(error, handle)                                                                                          \
  ({                                                                                                                   \
    cudaError_t error_ = (error);                                                                                      \
    if (error_ == cudaSuccess && (handle))                                                                             \
      gasan_array_forget(*(handle));                                                                                   \
    error_;                                                                                                            \
  })

cudaError_t gasan_call_array_get_plane(struct gasan_call *call, cudaArray_t *plane, cudaArray_t array,
                                       unsigned number) {
  return FORGET(GASAN_CALL_REAL(call, cudaArrayGetPlane)(plane, array, number), plane);
}

cudaError_t
gasan_call_external_memory_get_mapped_mipmapped_array(struct gasan_call *call, cudaMipmappedArray_t *array,
                                                      cudaExternalMemory_t memory,
                                                      const struct cudaExternalMemoryMipmappedArrayDesc *description) {
  return FORGET(GASAN_CALL_REAL(call, cudaExternalMemoryGetMappedMipmappedArray)(array, memory, description), array);
}

cudaError_t gasan_call_graphics_resource_get_mapped_mipmapped_array(struct gasan_call *call,
                                                                    cudaMipmappedArray_t *array,
                                                                    cudaGraphicsResource_t resource) {
  return FORGET(GASAN_CALL_REAL(call, cudaGraphicsResourceGetMappedMipmappedArray)(array, resource), array);
}

cudaError_t gasan_call_graphics_sub_resource_get_mapped_array(struct gasan_call *call, cudaArray_t *array,
                                                              cudaGraphicsResource_t resource, unsigned index,
                                                              unsigned level) {
  return FORGET(GASAN_CALL_REAL(call, cudaGraphicsSubResourceGetMappedArray)(array, resource, index, level), array);
}

/* `planes` is the first member of a cudaEglFrame, whose header needs EGL's headers. */
cudaError_t cudaGraphicsResourceGetMappedEglFrame(void **planes, cudaGraphicsResource_t resource, unsigned index,
                                                  unsigned level);
cudaError_t gasan_call_graphics_resource_get_mapped_egl_frame(struct gasan_call *call, void **planes,
                                                              cudaGraphicsResource_t resource, unsigned index,
                                                              unsigned level) {
  cudaError_t error = GASAN_CALL_REAL(call, cudaGraphicsResourceGetMappedEglFrame)(planes, resource, index, level);
  for (int i = 0; error == cudaSuccess && planes && i < 3; i++)
    gasan_array_forget(planes[i]);
  return error;
}
