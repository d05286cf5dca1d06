/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* CUDA's memory pools. The two APIs share the layout of their structures. */
#include "gasan_rt/door/door_calls.h"

CUresult gasan_door_call_mem_pool_create(struct gasan_driver_call *call, CUmemoryPool *pool,
                                         const CUmemPoolProps *properties) {
  return (CUresult)gasan_call_mem_pool_create(GASAN_AS_RUNTIME_CALL(call), pool,
                                              (const struct cudaMemPoolProps *)properties);
}

CUresult gasan_door_call_mem_pool_destroy(struct gasan_driver_call *call, CUmemoryPool pool) {
  return (CUresult)gasan_call_mem_pool_destroy(GASAN_AS_RUNTIME_CALL(call), pool);
}

CUresult gasan_door_call_mem_pool_set_access(struct gasan_driver_call *call, CUmemoryPool pool,
                                             const CUmemAccessDesc *accesses, size_t count) {
  return (CUresult)gasan_call_mem_pool_set_access(GASAN_AS_RUNTIME_CALL(call), pool,
                                                  (const struct cudaMemAccessDesc *)accesses, count);
}
