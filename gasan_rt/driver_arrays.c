/* Arrays, texture and surface objects of the driver API. They are not checked; but their handles and numbers may have
 * been those of others, which the program has destroyed, here or there. */
#define __CUDA_API_VERSION_INTERNAL /* every function by its symbol */
#include <cuda.h>

#include "gasan_rt/arrays.h"
#include "gasan_rt/driver_calls.h"
#include "gasan_rt/runtime.h"
#include "gasan_rt/views.h"

#define EXPORT __attribute__((visibility("default")))

static void forget_array(const void *handle) {
  if (gasan_rt_kind() == &gasan_device_cuda)
    gasan_array_forget(handle);
}

static void forget_view(bool is_surface, uint64_t object, const char *api) {
  if (gasan_rt_kind() == &gasan_device_cuda)
    gasan_views_note_created(is_surface, object, NULL, api);
}

#define MAKES(name, parameters, arguments, forget)                                                                     \
  EXPORT CUresult name parameters {                                                                                    \
    CUresult result = GASAN_DRIVER_REAL(name) arguments;                                                               \
    if (result == CUDA_SUCCESS)                                                                                        \
      forget;                                                                                                          \
    return result;                                                                                                     \
  }

MAKES(cuArrayCreate_v2, (CUarray * array, const CUDA_ARRAY_DESCRIPTOR *description), (array, description),
      forget_array(*array))
MAKES(cuArray3DCreate_v2, (CUarray * array, const CUDA_ARRAY3D_DESCRIPTOR *description), (array, description),
      forget_array(*array))
MAKES(cuArrayGetPlane, (CUarray * plane, CUarray array, unsigned number), (plane, array, number), forget_array(*plane))
MAKES(cuMipmappedArrayCreate, (CUmipmappedArray * array, const CUDA_ARRAY3D_DESCRIPTOR *description, unsigned levels),
      (array, description, levels), forget_array(*array))
MAKES(cuMipmappedArrayGetLevel, (CUarray * level, CUmipmappedArray array, unsigned number), (level, array, number),
      forget_array(*level))
MAKES(cuExternalMemoryGetMappedMipmappedArray,
      (CUmipmappedArray * array, CUexternalMemory memory, const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *description),
      (array, memory, description), forget_array(*array))
MAKES(cuGraphicsResourceGetMappedMipmappedArray, (CUmipmappedArray * array, CUgraphicsResource resource),
      (array, resource), forget_array(*array))
MAKES(cuGraphicsSubResourceGetMappedArray,
      (CUarray * array, CUgraphicsResource resource, unsigned index, unsigned level), (array, resource, index, level),
      forget_array(*array))
MAKES(cuTexObjectCreate,
      (CUtexObject * object, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *texture,
       const CUDA_RESOURCE_VIEW_DESC *view),
      (object, resource, texture, view), forget_view(false, *object, "cuTexObjectCreate"))
MAKES(cuSurfObjectCreate, (CUsurfObject * object, const CUDA_RESOURCE_DESC *resource), (object, resource),
      forget_view(true, *object, "cuSurfObjectCreate"))
