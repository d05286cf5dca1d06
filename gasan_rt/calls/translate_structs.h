/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Translates the pointers inside the structs of CUDA calls (translated_call.h). Any thread.
 *
 * gasan_translate_* make the given variable point to a translated copy; NULL stays NULL, for CUDA to refuse. They
 * return false if a handle is stale or memory is short. gasan_answer_* change the program's struct in place. */
#ifndef GASAN_RT_TRANSLATE_STRUCTS_H
#define GASAN_RT_TRANSLATE_STRUCTS_H

#include <cuda_runtime_api.h>

#include "gasan_rt/calls/translated_call.h"

bool gasan_translate_memcpy_3d(struct gasan_translated_call *call, const struct cudaMemcpy3DParms **parameters);
bool gasan_translate_memcpy_3d_peer(struct gasan_translated_call *call,
                                    const struct cudaMemcpy3DPeerParms **parameters);
bool gasan_translate_memset(struct gasan_translated_call *call, const struct cudaMemsetParams **parameters);
bool gasan_translate_resource(struct gasan_translated_call *call, const struct cudaResourceDesc **resource);
bool gasan_translate_batch(struct gasan_translated_call *call, void *const **to, const void *const **from,
                           size_t count);
bool gasan_translate_batch_3d(struct gasan_translated_call *call, size_t count,
                              struct cudaMemcpy3DBatchOp **operations);

/* The calls that use the next two functions must pin. */
bool gasan_translate_kernel_node(struct gasan_translated_call *call, const struct cudaKernelNodeParams **parameters);
bool gasan_translate_node(struct gasan_translated_call *call, struct cudaGraphNodeParams **parameters);

/* Translate an access policy window. The address is always pinned, because a stream or a graph's node keeps the window.
 * In a launch's attributes a stale window stays as it is. */
bool gasan_translate_attribute(struct gasan_translated_call *call, enum cudaLaunchAttributeID attribute,
                               const cudaLaunchAttributeValue **value);
bool gasan_translate_config(struct gasan_translated_call *call, const cudaLaunchConfig_t **config);

void gasan_answer_memcpy_3d(struct cudaMemcpy3DParms *parameters);
void gasan_answer_resource(struct cudaResourceDesc *resource);
void gasan_answer_attribute(enum cudaLaunchAttributeID attribute, cudaLaunchAttributeValue *value);

/* `asked`: the pointer that the program asked about. */
void gasan_answer_pointer_attributes(struct cudaPointerAttributes *attributes, const void *asked);

#endif
