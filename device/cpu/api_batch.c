/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Batches of copies. If one copy of a batch is invalid, the call copies nothing. */
#include "device/cpu/api.h"

/* Returns true for the legacy default stream, which a batch must not use. */
static bool stream_wrong(cudaStream_t stream) {
  return stream == NULL || stream == cudaStreamLegacy;
}

static bool attributes_wrong(enum cudaMemcpySrcAccessOrder order, unsigned flags) {
  return order <= cudaMemcpySrcAccessOrderInvalid || order > cudaMemcpySrcAccessOrderAny ||
         flags & ~(unsigned)cudaMemcpyFlagPreferOverlapWithCompute;
}

static bool batch_wrong(void *const *to, const void *const *from, const size_t *sizes, size_t count,
                        const struct cudaMemcpyAttributes *attributes, const size_t *first_copies,
                        size_t attribute_count) {
  if (!to || !from || !sizes || !count || !attributes || !first_copies || !attribute_count || attribute_count > count ||
      first_copies[0] != 0)
    return true;
  for (size_t i = 0; i < attribute_count; i++)
    if (attributes_wrong(attributes[i].srcAccessOrder, attributes[i].flags) || first_copies[i] >= count ||
        (i && first_copies[i] <= first_copies[i - 1]))
      return true;
  for (size_t i = 0; i < count; i++)
    if (!to[i] || !from[i] || !sizes[i])
      return true;
  return false;
}

cudaError_t gasan_cpu_cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *sizes, size_t count,
                                           struct cudaMemcpyAttributes *attributes, size_t *first_copies,
                                           size_t attribute_count, cudaStream_t stream) {
  if (stream_wrong(stream) || batch_wrong(to, from, sizes, count, attributes, first_copies, attribute_count))
    return gasan_cpu_result(cudaErrorInvalidValue);
  cudaError_t error = cudaSuccess;
  for (size_t i = 0; error == cudaSuccess && i < count; i++)
    error = gasan_cpu_cudaMemcpyAsync(to[i], from[i], sizes[i], cudaMemcpyDefault, stream);
  return error;
}

/* Returns false if the extent does not fit in the operand. A row or layer length of 0 stands for packed rows or
 * layers. */
static bool read_operand(const struct cudaMemcpy3DOperand *operand, struct cudaExtent extent,
                         struct cudaPitchedPtr *result) {
  size_t width = operand->op.ptr.rowLength ? operand->op.ptr.rowLength : extent.width;
  size_t height = operand->op.ptr.layerHeight ? operand->op.ptr.layerHeight : extent.height;
  *result = (struct cudaPitchedPtr){operand->op.ptr.ptr, width, extent.width, height};
  return operand->op.ptr.ptr && width >= extent.width && height >= extent.height;
}

static cudaError_t read_copy(const struct cudaMemcpy3DBatchOp *copy, struct cudaMemcpy3DParms *result) {
  if (copy->src.type == cudaMemcpyOperandTypeArray || copy->dst.type == cudaMemcpyOperandTypeArray)
    return cudaErrorNotSupported;
  *result = (struct cudaMemcpy3DParms){.extent = copy->extent, .kind = cudaMemcpyDefault};
  bool right = copy->src.type == cudaMemcpyOperandTypePointer && copy->dst.type == cudaMemcpyOperandTypePointer &&
               copy->extent.width && copy->extent.height && copy->extent.depth &&
               !attributes_wrong(copy->srcAccessOrder, copy->flags) &&
               read_operand(&copy->src, copy->extent, &result->srcPtr) &&
               read_operand(&copy->dst, copy->extent, &result->dstPtr);
  return right ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t gasan_cpu_cudaMemcpy3DBatchAsync(size_t count, struct cudaMemcpy3DBatchOp *copies, unsigned long long flags,
                                             cudaStream_t stream) {
  struct cudaMemcpy3DParms parameters;
  if (stream_wrong(stream) || !count || !copies || flags)
    return gasan_cpu_result(cudaErrorInvalidValue);
  cudaError_t error = cudaSuccess;
  for (size_t i = 0; error == cudaSuccess && i < count; i++)
    error = read_copy(&copies[i], &parameters);
  if (error != cudaSuccess)
    return gasan_cpu_result(error);
  for (size_t i = 0; error == cudaSuccess && i < count; i++) {
    read_copy(&copies[i], &parameters);
    error = gasan_cpu_cudaMemcpy3DAsync(&parameters, stream);
  }
  return error;
}
