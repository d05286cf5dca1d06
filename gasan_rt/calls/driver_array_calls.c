/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arrays, texture and surface objects of the driver API. They are not checked. But they may have the handle or number
 * of an array or object that the program has destroyed, through this API or the runtime API, so the old record must be
 * removed. */
#include "gasan_rt/calls/driver_calls.h"
#include "gasan_rt/launch/view_records.h"
#include "gasan_rt/memory/arrays.h"

static CUresult forget_array(CUresult result, const void *const *handle) {
  if (result == CUDA_SUCCESS && gasan_rt_kind() == &gasan_device_cuda)
    gasan_array_forget(*handle);
  return result;
}

static CUresult forget_view(CUresult result, bool is_surface, const unsigned long long *object, const char *api) {
  if (result == CUDA_SUCCESS && gasan_rt_kind() == &gasan_device_cuda)
    gasan_views_note_created(is_surface, *object, NULL, api);
  return result;
}

CUresult gasan_driver_call_array_create(struct gasan_driver_call *call, CUarray *array,
                                        const CUDA_ARRAY_DESCRIPTOR *description) {
  return forget_array(GASAN_DRIVER_REAL(call, cuArrayCreate_v2)(array, description), (const void *const *)array);
}

CUresult gasan_driver_call_array_3d_create(struct gasan_driver_call *call, CUarray *array,
                                           const CUDA_ARRAY3D_DESCRIPTOR *description) {
  return forget_array(GASAN_DRIVER_REAL(call, cuArray3DCreate_v2)(array, description), (const void *const *)array);
}

CUresult gasan_driver_call_array_get_plane(struct gasan_driver_call *call, CUarray *plane, CUarray array,
                                           unsigned number) {
  return forget_array(GASAN_DRIVER_REAL(call, cuArrayGetPlane)(plane, array, number), (const void *const *)plane);
}

CUresult gasan_driver_call_mipmapped_array_create(struct gasan_driver_call *call, CUmipmappedArray *array,
                                                  const CUDA_ARRAY3D_DESCRIPTOR *description, unsigned levels) {
  return forget_array(GASAN_DRIVER_REAL(call, cuMipmappedArrayCreate)(array, description, levels),
                      (const void *const *)array);
}

CUresult gasan_driver_call_mipmapped_array_get_level(struct gasan_driver_call *call, CUarray *level,
                                                     CUmipmappedArray array, unsigned number) {
  return forget_array(GASAN_DRIVER_REAL(call, cuMipmappedArrayGetLevel)(level, array, number),
                      (const void *const *)level);
}

CUresult gasan_driver_call_external_memory_get_mapped_mipmapped_array(
    struct gasan_driver_call *call, CUmipmappedArray *array, CUexternalMemory memory,
    const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *description) {
  return forget_array(GASAN_DRIVER_REAL(call, cuExternalMemoryGetMappedMipmappedArray)(array, memory, description),
                      (const void *const *)array);
}

CUresult gasan_driver_call_graphics_resource_get_mapped_mipmapped_array(struct gasan_driver_call *call,
                                                                        CUmipmappedArray *array,
                                                                        CUgraphicsResource resource) {
  return forget_array(GASAN_DRIVER_REAL(call, cuGraphicsResourceGetMappedMipmappedArray)(array, resource),
                      (const void *const *)array);
}

CUresult gasan_driver_call_graphics_sub_resource_get_mapped_array(struct gasan_driver_call *call, CUarray *array,
                                                                  CUgraphicsResource resource, unsigned index,
                                                                  unsigned level) {
  return forget_array(GASAN_DRIVER_REAL(call, cuGraphicsSubResourceGetMappedArray)(array, resource, index, level),
                      (const void *const *)array);
}

CUresult gasan_driver_call_tex_object_create(struct gasan_driver_call *call, CUtexObject *object,
                                             const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *texture,
                                             const CUDA_RESOURCE_VIEW_DESC *view) {
  return forget_view(GASAN_DRIVER_REAL(call, cuTexObjectCreate)(object, resource, texture, view), false, object,
                     call->api);
}

CUresult gasan_driver_call_surf_object_create(struct gasan_driver_call *call, CUsurfObject *object,
                                              const CUDA_RESOURCE_DESC *resource) {
  return forget_view(GASAN_DRIVER_REAL(call, cuSurfObjectCreate)(object, resource), true, object, call->api);
}
