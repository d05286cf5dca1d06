/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gasan_rt/calls/translate_structs.h"

#include <stdint.h>

#include "gasan_rt/calls/translate_arguments.h"

bool gasan_translate_memcpy_3d(struct gasan_translated_call *call, const struct cudaMemcpy3DParms **parameters) {
  if (!*parameters)
    return true;
  struct cudaMemcpy3DParms *copy = gasan_translated_call_copy(call, *parameters, sizeof *copy);
  *parameters = copy;
  return copy && gasan_translate_pointer(call, &copy->srcPtr.ptr) && gasan_translate_pointer(call, &copy->dstPtr.ptr);
}

bool gasan_translate_memcpy_3d_peer(struct gasan_translated_call *call,
                                    const struct cudaMemcpy3DPeerParms **parameters) {
  if (!*parameters)
    return true;
  struct cudaMemcpy3DPeerParms *copy = gasan_translated_call_copy(call, *parameters, sizeof *copy);
  *parameters = copy;
  return copy && gasan_translate_pointer(call, &copy->srcPtr.ptr) && gasan_translate_pointer(call, &copy->dstPtr.ptr);
}

bool gasan_translate_memset(struct gasan_translated_call *call, const struct cudaMemsetParams **parameters) {
  if (!*parameters)
    return true;
  struct cudaMemsetParams *copy = gasan_translated_call_copy(call, *parameters, sizeof *copy);
  *parameters = copy;
  return copy && gasan_translate_pointer(call, &copy->dst);
}

bool gasan_translate_resource(struct gasan_translated_call *call, const struct cudaResourceDesc **resource) {
  if (!*resource)
    return true;
  struct cudaResourceDesc *copy = gasan_translated_call_copy(call, *resource, sizeof *copy);
  *resource = copy;
  if (!copy)
    return false;
  switch (copy->resType) {
  case cudaResourceTypeLinear:
    return gasan_translate_pointer(call, &copy->res.linear.devPtr);
  case cudaResourceTypePitch2D:
    return gasan_translate_pointer(call, &copy->res.pitch2D.devPtr);
  default:
    return true;
  }
}

/* Returns a translated copy of an array of pointers; NULL: a stale handle, or no memory. */
static void *translate_array(struct gasan_translated_call *call, const void *pointers, size_t count) {
  void **copy = gasan_translated_call_copy(call, pointers, count * sizeof *copy);
  for (size_t i = 0; copy && i < count; i++)
    if (!gasan_translate_pointer(call, &copy[i]))
      return NULL;
  return copy;
}

bool gasan_translate_batch(struct gasan_translated_call *call, void *const **to, const void *const **from,
                           size_t count) {
  if (!*to || !*from)
    return true;
  *to = translate_array(call, *to, count);
  *from = translate_array(call, *from, count);
  return *to && *from;
}

static bool translate_operand(struct gasan_translated_call *call, struct cudaMemcpy3DOperand *operand) {
  return operand->type != cudaMemcpyOperandTypePointer || gasan_translate_pointer(call, &operand->op.ptr.ptr);
}

bool gasan_translate_batch_3d(struct gasan_translated_call *call, size_t count,
                              struct cudaMemcpy3DBatchOp **operations) {
  if (!*operations)
    return true;
  struct cudaMemcpy3DBatchOp *copy = gasan_translated_call_copy(call, *operations, count * sizeof *copy);
  *operations = copy;
  for (size_t i = 0; copy && i < count; i++)
    if (!translate_operand(call, &copy[i].src) || !translate_operand(call, &copy[i].dst))
      return false;
  return copy;
}

bool gasan_translate_kernel_node(struct gasan_translated_call *call, const struct cudaKernelNodeParams **parameters) {
  if (!*parameters)
    return true;
  struct cudaKernelNodeParams *copy = gasan_translated_call_copy(call, *parameters, sizeof *copy);
  *parameters = copy;
  return copy && gasan_translate_arguments(call, copy->func, &copy->kernelParams);
}

/* Leaves the structs of other node types alone, because CUDA writes into the program's struct (an allocation node's
 * address). */
bool gasan_translate_node(struct gasan_translated_call *call, struct cudaGraphNodeParams **parameters) {
  struct cudaGraphNodeParams *node = *parameters;
  if (!node || (node->type != cudaGraphNodeTypeMemcpy && node->type != cudaGraphNodeTypeMemset &&
                node->type != cudaGraphNodeTypeKernel))
    return true;
  *parameters = node = gasan_translated_call_copy(call, node, sizeof *node);
  if (!node)
    return false;
  switch (node->type) {
  case cudaGraphNodeTypeMemcpy:
    return gasan_translate_pointer(call, &node->memcpy.copyParams.srcPtr.ptr) &&
           gasan_translate_pointer(call, &node->memcpy.copyParams.dstPtr.ptr);
  case cudaGraphNodeTypeMemset:
    return gasan_translate_pointer(call, &node->memset.dst);
  default:
    return gasan_translate_arguments(call, node->kernel.func, &node->kernel.kernelParams);
  }
}

static bool pin_window(enum cudaLaunchAttributeID attribute, cudaLaunchAttributeValue *value) {
  const struct gasan_translated_call pinned = {.pin = true};
  return attribute != cudaLaunchAttributeAccessPolicyWindow ||
         gasan_translate_pointer(&pinned, &value->accessPolicyWindow.base_ptr);
}

bool gasan_translate_attribute(struct gasan_translated_call *call, enum cudaLaunchAttributeID attribute,
                               const cudaLaunchAttributeValue **value) {
  if (!*value)
    return true;
  cudaLaunchAttributeValue *copy = gasan_translated_call_copy(call, *value, sizeof *copy);
  *value = copy;
  return copy && pin_window(attribute, copy);
}

bool gasan_translate_config(struct gasan_translated_call *call, const cudaLaunchConfig_t **config) {
  bool has_window = false;
  for (unsigned i = 0; *config && i < (*config)->numAttrs; i++)
    has_window |= (*config)->attrs[i].id == cudaLaunchAttributeAccessPolicyWindow;
  if (!has_window)
    return true;
  cudaLaunchConfig_t *copy = gasan_translated_call_copy(call, *config, sizeof *copy);
  *config = copy;
  if (!copy)
    return false;
  copy->attrs = gasan_translated_call_copy(call, copy->attrs, copy->numAttrs * sizeof *copy->attrs);
  for (unsigned i = 0; copy->attrs && i < copy->numAttrs; i++)
    (void)pin_window(copy->attrs[i].id, &copy->attrs[i].val);
  return copy->attrs;
}

void gasan_answer_memcpy_3d(struct cudaMemcpy3DParms *parameters) {
  gasan_answer_pointer(&parameters->srcPtr.ptr);
  gasan_answer_pointer(&parameters->dstPtr.ptr);
}

void gasan_answer_resource(struct cudaResourceDesc *resource) {
  if (resource->resType == cudaResourceTypeLinear)
    gasan_answer_pointer(&resource->res.linear.devPtr);
  else if (resource->resType == cudaResourceTypePitch2D)
    gasan_answer_pointer(&resource->res.pitch2D.devPtr);
}

void gasan_answer_attribute(enum cudaLaunchAttributeID attribute, cudaLaunchAttributeValue *value) {
  if (attribute == cudaLaunchAttributeAccessPolicyWindow)
    gasan_answer_pointer(&value->accessPolicyWindow.base_ptr);
}

void gasan_answer_pointer_attributes(struct cudaPointerAttributes *attributes, const void *asked) {
  if (gasan_translate_if_valid(asked) != asked) {
    attributes->devicePointer = (void *)(uintptr_t)asked;
    attributes->hostPointer = NULL;
  } else {
    gasan_answer_pointer(&attributes->devicePointer);
  }
}
