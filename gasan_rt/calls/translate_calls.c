/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gasan_rt/calls/translate.h"
#include "gasan_rt/calls/translate_arguments.h"
#include "gasan_rt/core/errors.h"
#include "gasan_rt/core/runtime.h"
#include "gasan_rt/core/stream_capture.h"
#include "gasan_rt/sanitizer/sanitizer.h"

/* Held shared from the translation of a pointer until the device's call has returned; what it has put into a stream by
 * then, the device's idle and synchronize tell. Whoever moves the pool only tries to hold it alone, so that nobody
 * waits here. */
static pthread_rwlock_t use = PTHREAD_RWLOCK_INITIALIZER;

static pthread_once_t expect_once = PTHREAD_ONCE_INIT;
static bool expected;

static void expect(void) {
  const struct gasan_device_kind *kind = gasan_rt_kind();
  const char *wanted = gasan_options()->pool;
  expected = gasan_rt_tags() || strcmp(wanted, "handles") == 0;
  for (int i = 0; i < kind->count() && strcmp(wanted, "auto") == 0; i++)
    expected |= !kind->virtual_memory(i);
}

static bool is_expected(void) {
  pthread_once(&expect_once, expect);
  return expected;
}

/* A captured copy or a graph's would not be seen by synchronize; what they keep is pinned, but capturing threads forbid
 * to wait. */
bool gasan_translate_try_still(struct gasan_device *device) {
  if (pthread_rwlock_trywrlock(&use) != 0)
    return false;
  if (!gasan_capture_active() && device->kind->idle(device) && gasan_ok(device->kind->synchronize(device)))
    return true;
  pthread_rwlock_unlock(&use);
  return false;
}

void gasan_translate_end_still(struct gasan_device *device) {
  (void)device;
  pthread_rwlock_unlock(&use);
}

static void begin(void) {
  pthread_rwlock_rdlock(&use);
}

static cudaError_t end(cudaError_t error) {
  pthread_rwlock_unlock(&use);
  return error;
}

/* A stale handle where no check has stopped the call (it may be suppressed). */
static cudaError_t refuse(void) {
  return end(gasan_set_error(cudaErrorInvalidValue));
}

static bool translate(void *pointer, bool pin) {
  void *held;
  memcpy(&held, pointer, sizeof held);
  struct gasan_rt_device *owner = gasan_rt_owner(held);
  if (!owner || !gasan_pool_translates(owner->pool))
    return true;
  uint64_t address = 0;
  if (!gasan_ok(gasan_pool_translate(owner->pool, (uint64_t)(uintptr_t)held, pin, &address)))
    return false;
  held = (void *)(uintptr_t)address;
  memcpy(pointer, &held, sizeof held);
  return true;
}

/* What a call answers: what the program holds for an address of the pool's. */
static void translate_back(void *pointer) {
  void *address;
  memcpy(&address, pointer, sizeof address);
  for (int i = 0; address && i < GASAN_RT_DEVICES; i++) {
    struct gasan_rt_device *state = gasan_rt_device(i);
    uint64_t held = state && state->pool && gasan_pool_translates(state->pool)
                        ? gasan_pool_pointer_to(state->pool, (uint64_t)(uintptr_t)address)
                        : 0;
    if (held) {
      address = (void *)(uintptr_t)held;
      memcpy(pointer, &address, sizeof address);
      return;
    }
  }
}

#define AT(pointer) translate(&(pointer), false)
#define FOR(pointer) translate(&(pointer), gasan_capture_in(stream))
#define PINNED(pointer) translate(&(pointer), true)

#define GASAN_TRANSLATED_CALL(name, parameters, arguments, translated)                                                 \
  static cudaError_t(*real_##name) parameters;                                                                         \
  static cudaError_t translated_##name parameters {                                                                    \
    begin();                                                                                                           \
    return translated ? end(real_##name arguments) : refuse();                                                         \
  }
#define GASAN_TRANSLATED_OWN(name, parameters)                                                                         \
  static cudaError_t(*real_##name) parameters;                                                                         \
  static cudaError_t translated_##name parameters;
#include "gasan_rt/calls/translate_calls.inc"
#undef GASAN_TRANSLATED_CALL
#undef GASAN_TRANSLATED_OWN

/* A call with a struct (`given`) that stays its caller's: `copy` is ours. */
#define WITH_COPY(name, type, parameters, arguments, translated)                                                       \
  static cudaError_t translated_##name parameters {                                                                    \
    begin();                                                                                                           \
    if (!given)                                                                                                        \
      return end(real_##name arguments);                                                                               \
    type copy = *given;                                                                                                \
    given = &copy;                                                                                                     \
    return translated ? end(real_##name arguments) : refuse();                                                         \
  }
#define SIDES(how) (how(copy.srcPtr.ptr) && how(copy.dstPtr.ptr))

#define PARMS_3D struct cudaMemcpy3DParms
WITH_COPY(cudaMemcpy3D, PARMS_3D, (const PARMS_3D *given), (given), SIDES(AT))
WITH_COPY(cudaMemcpy3D_ptds, PARMS_3D, (const PARMS_3D *given), (given), SIDES(AT))
WITH_COPY(cudaMemcpy3DAsync, PARMS_3D, (const PARMS_3D *given, cudaStream_t stream), (given, stream), SIDES(FOR))
WITH_COPY(cudaMemcpy3DAsync_ptsz, PARMS_3D, (const PARMS_3D *given, cudaStream_t stream), (given, stream), SIDES(FOR))
#define PEER_3D struct cudaMemcpy3DPeerParms
WITH_COPY(cudaMemcpy3DPeer, PEER_3D, (const PEER_3D *given), (given), SIDES(AT))
WITH_COPY(cudaMemcpy3DPeer_ptds, PEER_3D, (const PEER_3D *given), (given), SIDES(AT))
WITH_COPY(cudaMemcpy3DPeerAsync, PEER_3D, (const PEER_3D *given, cudaStream_t stream), (given, stream), SIDES(FOR))
WITH_COPY(cudaMemcpy3DPeerAsync_ptsz, PEER_3D, (const PEER_3D *given, cudaStream_t stream), (given, stream), SIDES(FOR))

#define NODE cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count
WITH_COPY(cudaGraphAddMemcpyNode, PARMS_3D, (NODE, const PARMS_3D *given), (node, graph, before, count, given),
          SIDES(PINNED))
WITH_COPY(cudaGraphMemcpyNodeSetParams, PARMS_3D, (cudaGraphNode_t node, const PARMS_3D *given), (node, given),
          SIDES(PINNED))
WITH_COPY(cudaGraphExecMemcpyNodeSetParams, PARMS_3D,
          (cudaGraphExec_t exec, cudaGraphNode_t node, const PARMS_3D *given), (exec, node, given), SIDES(PINNED))
#define PARMS_SET struct cudaMemsetParams
WITH_COPY(cudaGraphAddMemsetNode, PARMS_SET, (NODE, const PARMS_SET *given), (node, graph, before, count, given),
          PINNED(copy.dst))
WITH_COPY(cudaGraphMemsetNodeSetParams, PARMS_SET, (cudaGraphNode_t node, const PARMS_SET *given), (node, given),
          PINNED(copy.dst))
WITH_COPY(cudaGraphExecMemsetNodeSetParams, PARMS_SET,
          (cudaGraphExec_t exec, cudaGraphNode_t node, const PARMS_SET *given), (exec, node, given), PINNED(copy.dst))

static cudaError_t translated_cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, PARMS_3D *given) {
  cudaError_t error = real_cudaGraphMemcpyNodeGetParams(node, given);
  if (error == cudaSuccess) {
    translate_back(&given->srcPtr.ptr);
    translate_back(&given->dstPtr.ptr);
  }
  return error;
}

static cudaError_t translated_cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, PARMS_SET *given) {
  cudaError_t error = real_cudaGraphMemsetNodeGetParams(node, given);
  if (error == cudaSuccess)
    translate_back(&given->dst);
  return error;
}

/* A kernel's node keeps the arguments. */
#define PARMS_KERNEL struct cudaKernelNodeParams
#define KERNEL_CALL(name, parameters, arguments)                                                                       \
  static cudaError_t translated_##name parameters {                                                                    \
    begin();                                                                                                           \
    if (!given)                                                                                                        \
      return end(real_##name arguments);                                                                               \
    PARMS_KERNEL copy = *given;                                                                                        \
    given = &copy;                                                                                                     \
    struct gasan_translated_arguments held;                                                                            \
    copy.kernelParams = gasan_translated_arguments(&held, copy.func, copy.kernelParams, true);                         \
    cudaError_t error = end(real_##name arguments);                                                                    \
    gasan_translated_arguments_free(&held);                                                                            \
    return error;                                                                                                      \
  }
KERNEL_CALL(cudaGraphAddKernelNode, (NODE, const PARMS_KERNEL *given), (node, graph, before, count, given))
KERNEL_CALL(cudaGraphKernelNodeSetParams, (cudaGraphNode_t node, const PARMS_KERNEL *given), (node, given))
KERNEL_CALL(cudaGraphExecKernelNodeSetParams, (cudaGraphExec_t exec, cudaGraphNode_t node, const PARMS_KERNEL *given),
            (exec, node, given))

static bool pin_node(struct cudaGraphNodeParams *node, struct gasan_translated_arguments *held) {
  switch (node->type) {
  case cudaGraphNodeTypeMemcpy:
    return PINNED(node->memcpy.copyParams.srcPtr.ptr) && PINNED(node->memcpy.copyParams.dstPtr.ptr);
  case cudaGraphNodeTypeMemset:
    return PINNED(node->memset.dst);
  case cudaGraphNodeTypeKernel:
    node->kernel.kernelParams = gasan_translated_arguments(held, node->kernel.func, node->kernel.kernelParams, true);
    return true;
  default:
    return true;
  }
}

static bool is_pinned(enum cudaGraphNodeType type) {
  return type == cudaGraphNodeTypeMemcpy || type == cudaGraphNodeTypeMemset || type == cudaGraphNodeTypeKernel;
}

/* Nodes of other types answer in the struct (an allocation's address): theirs is not copied. */
#define NODE_CALL(name, parameters, arguments)                                                                         \
  static cudaError_t translated_##name parameters {                                                                    \
    begin();                                                                                                           \
    struct cudaGraphNodeParams copy;                                                                                   \
    struct gasan_translated_arguments held = {0};                                                                      \
    bool good = true;                                                                                                  \
    if (given && is_pinned(given->type)) {                                                                             \
      copy = *given;                                                                                                   \
      given = &copy;                                                                                                   \
      good = pin_node(&copy, &held);                                                                                   \
    }                                                                                                                  \
    cudaError_t error = good ? end(real_##name arguments) : refuse();                                                  \
    gasan_translated_arguments_free(&held);                                                                            \
    return error;                                                                                                      \
  }
NODE_CALL(cudaGraphAddNode,
          (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *before, const cudaGraphEdgeData *edges,
           size_t count, struct cudaGraphNodeParams *given),
          (node, graph, before, edges, count, given))
NODE_CALL(cudaGraphNodeSetParams, (cudaGraphNode_t node, struct cudaGraphNodeParams *given), (node, given))
NODE_CALL(cudaGraphExecNodeSetParams, (cudaGraphExec_t exec, cudaGraphNode_t node, struct cudaGraphNodeParams *given),
          (exec, node, given))

static bool pin_window(enum cudaLaunchAttributeID attribute, cudaLaunchAttributeValue *value) {
  return attribute != cudaLaunchAttributeAccessPolicyWindow || PINNED(value->accessPolicyWindow.base_ptr);
}

#define SET_ATTRIBUTE(name, owner_type)                                                                                \
  static cudaError_t translated_##name(owner_type owner, enum cudaLaunchAttributeID attribute,                         \
                                       const cudaLaunchAttributeValue *value) {                                        \
    begin();                                                                                                           \
    if (!value)                                                                                                        \
      return end(real_##name(owner, attribute, value));                                                                \
    cudaLaunchAttributeValue copy = *value;                                                                            \
    return pin_window(attribute, &copy) ? end(real_##name(owner, attribute, &copy)) : refuse();                        \
  }
#define GET_ATTRIBUTE(name, owner_type)                                                                                \
  static cudaError_t translated_##name(owner_type owner, enum cudaLaunchAttributeID attribute,                         \
                                       cudaLaunchAttributeValue *value) {                                              \
    cudaError_t error = real_##name(owner, attribute, value);                                                          \
    if (error == cudaSuccess && attribute == cudaLaunchAttributeAccessPolicyWindow)                                    \
      translate_back(&value->accessPolicyWindow.base_ptr);                                                             \
    return error;                                                                                                      \
  }
SET_ATTRIBUTE(cudaGraphKernelNodeSetAttribute, cudaGraphNode_t)
GET_ATTRIBUTE(cudaGraphKernelNodeGetAttribute, cudaGraphNode_t)
SET_ATTRIBUTE(cudaStreamSetAttribute, cudaStream_t)
SET_ATTRIBUTE(cudaStreamSetAttribute_ptsz, cudaStream_t)
GET_ATTRIBUTE(cudaStreamGetAttribute, cudaStream_t)
GET_ATTRIBUTE(cudaStreamGetAttribute_ptsz, cudaStream_t)

/* A copy of the array with its pointers translated; NULL: no memory, or a stale handle. */
static const void **translated_array(const void **pointers, size_t count, cudaStream_t stream) {
  const void **copy = malloc((count ? count : 1) * sizeof *copy);
  for (size_t i = 0; copy && i < count; i++) {
    copy[i] = pointers[i];
    if (!FOR(copy[i])) {
      free(copy);
      return NULL;
    }
  }
  return copy;
}

#define DEFINE_BATCH(name)                                                                                             \
  static cudaError_t translated_##name(const void **to, const void **from, const size_t *sizes, size_t count,          \
                                       struct cudaMemcpyAttributes *attributes, size_t *indices,                       \
                                       size_t attribute_count, cudaStream_t stream) {                                  \
    begin();                                                                                                           \
    if (!to || !from)                                                                                                  \
      return end(real_##name(to, from, sizes, count, attributes, indices, attribute_count, stream));                   \
    const void **targets = translated_array(to, count, stream), **sources = translated_array(from, count, stream);     \
    cudaError_t error =                                                                                                \
        targets && sources                                                                                             \
            ? end(real_##name(targets, sources, sizes, count, attributes, indices, attribute_count, stream))           \
            : refuse();                                                                                                \
    free(targets);                                                                                                     \
    free(sources);                                                                                                     \
    return error;                                                                                                      \
  }
DEFINE_BATCH(cudaMemcpyBatchAsync)
DEFINE_BATCH(cudaMemcpyBatchAsync_ptsz)

static bool translate_operand(struct cudaMemcpy3DOperand *operand, cudaStream_t stream) {
  return operand->type != cudaMemcpyOperandTypePointer || FOR(operand->op.ptr.ptr);
}

#define DEFINE_BATCH_3D(name)                                                                                          \
  static cudaError_t translated_##name(size_t count, struct cudaMemcpy3DBatchOp *operations, unsigned long long flags, \
                                       cudaStream_t stream) {                                                          \
    begin();                                                                                                           \
    if (!operations)                                                                                                   \
      return end(real_##name(count, operations, flags, stream));                                                       \
    struct cudaMemcpy3DBatchOp *copy = malloc((count ? count : 1) * sizeof *copy);                                     \
    bool good = copy != NULL;                                                                                          \
    for (size_t i = 0; good && i < count; i++) {                                                                       \
      copy[i] = operations[i];                                                                                         \
      good = translate_operand(&copy[i].src, stream) && translate_operand(&copy[i].dst, stream);                       \
    }                                                                                                                  \
    cudaError_t error = good ? end(real_##name(count, copy, flags, stream)) : refuse();                                \
    free(copy);                                                                                                        \
    return error;                                                                                                      \
  }
DEFINE_BATCH_3D(cudaMemcpy3DBatchAsync)
DEFINE_BATCH_3D(cudaMemcpy3DBatchAsync_ptsz)

/* A stale handle is no memory that CUDA knows. */
static cudaError_t translated_cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *at) {
  begin();
  const void *held = at;
  AT(at);
  cudaError_t error = end(real_cudaPointerGetAttributes(attributes, at));
  if (error == cudaSuccess && at != held) {
    attributes->devicePointer = (void *)(uintptr_t)held;
    attributes->hostPointer = NULL;
  } else if (error == cudaSuccess) {
    translate_back(&attributes->devicePointer);
  }
  return error;
}

static bool pin_resource(struct cudaResourceDesc *resource) {
  switch (resource->resType) {
  case cudaResourceTypeLinear:
    return PINNED(resource->res.linear.devPtr);
  case cudaResourceTypePitch2D:
    return PINNED(resource->res.pitch2D.devPtr);
  default:
    return true;
  }
}
WITH_COPY(cudaCreateTextureObject, struct cudaResourceDesc,
          (cudaTextureObject_t * texture, const struct cudaResourceDesc *given,
           const struct cudaTextureDesc *description, const struct cudaResourceViewDesc *view),
          (texture, given, description, view), pin_resource(&copy))

static cudaError_t translated_cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource,
                                                               cudaTextureObject_t texture) {
  cudaError_t error = real_cudaGetTextureObjectResourceDesc(resource, texture);
  if (error == cudaSuccess && resource->resType == cudaResourceTypeLinear)
    translate_back(&resource->res.linear.devPtr);
  else if (error == cudaSuccess && resource->resType == cudaResourceTypePitch2D)
    translate_back(&resource->res.pitch2D.devPtr);
  return error;
}

#define DEFINE_LAUNCH(name)                                                                                            \
  static cudaError_t translated_##name(const void *function, struct dim3 grid, struct dim3 block, void **arguments,    \
                                       size_t shared, cudaStream_t stream) {                                           \
    begin();                                                                                                           \
    struct gasan_translated_arguments held;                                                                            \
    void **passed = gasan_translated_arguments(&held, function, arguments, gasan_capture_in(stream));                  \
    cudaError_t error = end(real_##name(function, grid, block, passed, shared, stream));                               \
    gasan_translated_arguments_free(&held);                                                                            \
    return error;                                                                                                      \
  }
DEFINE_LAUNCH(cudaLaunchKernel)
DEFINE_LAUNCH(cudaLaunchKernel_ptsz)
DEFINE_LAUNCH(cudaLaunchCooperativeKernel)
DEFINE_LAUNCH(cudaLaunchCooperativeKernel_ptsz)
DEFINE_LAUNCH(__cudaLaunchKernel)
DEFINE_LAUNCH(__cudaLaunchKernel_ptsz)

/* The launch's attributes with their window translated, and *copy with them; NULL: there is no window, or no memory. */
static cudaLaunchAttribute *own_attributes(const cudaLaunchConfig_t *config, cudaLaunchConfig_t *copy) {
  bool any = false;
  for (unsigned i = 0; config && i < config->numAttrs; i++)
    any |= config->attrs[i].id == cudaLaunchAttributeAccessPolicyWindow;
  cudaLaunchAttribute *attributes = any ? malloc(config->numAttrs * sizeof *attributes) : NULL;
  if (!attributes)
    return NULL;
  memcpy(attributes, config->attrs, config->numAttrs * sizeof *attributes);
  for (unsigned i = 0; i < config->numAttrs; i++)
    pin_window(attributes[i].id, &attributes[i].val);
  *copy = *config;
  copy->attrs = attributes;
  return attributes;
}

static cudaError_t launch_ex(cudaError_t (*real)(const cudaLaunchConfig_t *, const void *, void **),
                             const cudaLaunchConfig_t *config, const void *function, void **arguments) {
  begin();
  cudaLaunchConfig_t copy;
  cudaLaunchAttribute *attributes = own_attributes(config, &copy);
  struct gasan_translated_arguments held;
  void **passed = gasan_translated_arguments(&held, function, arguments, config && gasan_capture_in(config->stream));
  cudaError_t error = end(real(attributes ? &copy : config, function, passed));
  gasan_translated_arguments_free(&held);
  free(attributes);
  return error;
}

#define DEFINE_LAUNCH_EX(name)                                                                                         \
  static cudaError_t translated_##name(const cudaLaunchConfig_t *config, const void *function, void **arguments) {     \
    return launch_ex(real_##name, config, function, arguments);                                                        \
  }
DEFINE_LAUNCH_EX(cudaLaunchKernelExC)
DEFINE_LAUNCH_EX(cudaLaunchKernelExC_ptsz)

static const struct {
  const char *symbol;
  void *ours;
  void *real; /* where the device's own goes */
} calls[] = {
#define GASAN_TRANSLATED_CALL(name, parameters, arguments, translated) {#name, (void *)translated_##name, &real_##name},
#define GASAN_TRANSLATED_OWN(name, parameters) {#name, (void *)translated_##name, &real_##name},
#include "gasan_rt/calls/translate_calls.inc"
#undef GASAN_TRANSLATED_CALL
#undef GASAN_TRANSLATED_OWN
};

void *gasan_translate_call(const char *symbol, void *target) {
  if (!is_expected())
    return target;
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    if (strcmp(calls[i].symbol, symbol) == 0) {
      memcpy(calls[i].real, &target, sizeof target); /* always the same */
      return calls[i].ours;
    }
  return target;
}
