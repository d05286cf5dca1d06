/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tensor maps, by which TMA copies. A copy by a map never leaves the tensor that the map describes, so it needs no
 * check if the tensor lies in one allocation. If not, a warning says so: it is no error yet, because the kernel may
 * never touch the tensor's end. Maps with interleaved memory and those of im2col are not looked at. */
#include <stdatomic.h>

#include "gasan_rt/calls/driver_calls.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/core/warn.h"

#define MOST_WARNINGS 10 /* programs make maps again and again */
#define MOST_DIMENSIONS 5

/* Returns the bits of an element, or 0 if the type is unknown. */
static unsigned bits_of(CUtensorMapDataType type) {
  switch ((int)type) {
  case CU_TENSOR_MAP_DATA_TYPE_UINT8:
    return 8;
  case CU_TENSOR_MAP_DATA_TYPE_UINT16:
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
  case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
    return 16;
  case CU_TENSOR_MAP_DATA_TYPE_UINT32:
  case CU_TENSOR_MAP_DATA_TYPE_INT32:
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT32:
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ:
  case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32:
  case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ:
    return 32;
  case CU_TENSOR_MAP_DATA_TYPE_UINT64:
  case CU_TENSOR_MAP_DATA_TYPE_INT64:
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT64:
    return 64;
  default:
    return 0;
  }
}

/* Returns the bytes from the tensor's start to its end. The driver has accepted the numbers. */
static uint64_t bytes_of(unsigned bits, unsigned rank, const cuuint64_t *sizes, const cuuint64_t *strides) {
  uint64_t bytes = sizes[0] * bits / 8;
  for (unsigned i = 1; i < rank; i++)
    bytes += (sizes[i] - 1) * strides[i - 1];
  return bytes;
}

static void look_at(const char *api, const void *address, uint64_t bytes) {
  static atomic_uint warnings;
  struct gasan_chunk chunk;
  struct gasan_rt_device *owner = gasan_rt_owner(address);
  const uint64_t start = (uint64_t)(uintptr_t)address;
  if (!owner || gasan_pool_translates(owner->pool) || !gasan_pool_find(owner->pool, start, &chunk))
    return;
  const bool is_live = chunk.state == GASAN_CHUNK_LIVE;
  const uint64_t behind = start + bytes - (chunk.base + chunk.size);
  if (is_live && start >= chunk.base && start + bytes <= chunk.base + chunk.size)
    return;
  if (atomic_fetch_add(&warnings, 1) >= MOST_WARNINGS)
    return;
  if (!is_live || start < chunk.base || start >= chunk.base + chunk.size)
    gasan_rt_warn(
        "%s: the tensor of %llu bytes at %p does not begin in memory that is allocated; copies by this tensor "
        "map (TMA) are not checked",
        api, (unsigned long long)bytes, address);
  else
    gasan_rt_warn("%s: the tensor of %llu bytes at %p ends %llu bytes behind its allocation of %llu bytes; copies by "
                  "this tensor map (TMA) are not checked",
                  api, (unsigned long long)bytes, address, (unsigned long long)behind, (unsigned long long)chunk.size);
}

CUresult gasan_driver_call_tensor_map_encode_tiled(struct gasan_driver_call *call, CUtensorMap *map,
                                                   CUtensorMapDataType type, cuuint32_t rank, void *address,
                                                   const cuuint64_t *sizes, const cuuint64_t *strides,
                                                   const cuuint32_t *box, const cuuint32_t *steps,
                                                   CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                                   CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  const CUresult result = GASAN_DRIVER_REAL(call, cuTensorMapEncodeTiled)(map, type, rank, address, sizes, strides, box,
                                                                          steps, interleave, swizzle, promotion, fill);
  const unsigned bits = bits_of(type);
  if (result == CUDA_SUCCESS && bits && rank && rank <= MOST_DIMENSIONS && interleave == CU_TENSOR_MAP_INTERLEAVE_NONE)
    look_at(call->api, address, bytes_of(bits, rank, sizes, strides));
  return result;
}
