/* The driver API's calls that change or end an executable graph, which may be one that the runtime API made: what is proven of it
 * does not know of the change. */
#define __CUDA_API_VERSION_INTERNAL /* every function by its symbol */
#include <cuda.h>

#include "gasan_rt/calls/driver_calls.h"
#include "gasan_rt/calls/export.h"
#include "gasan_rt/launch/graph_kernels.h"
#include "gasan_rt/launch/graph_launch_proof.h"

#define LIST(...) __VA_ARGS__
#define CALL(name, parameters, arguments, tell)                            \
  EXPORT CUresult name(CUgraphExec exec, CUgraphNode node, parameters) {   \
    tell(exec);                                                            \
    return GASAN_DRIVER_REAL(name)(exec, node, arguments);                 \
  }
#define CHANGES(name, parameters, arguments) CALL(name, LIST(parameters), LIST(arguments), gasan_graph_proof_lost)
CHANGES(cuGraphExecBatchMemOpNodeSetParams, const CUDA_BATCH_MEM_OP_NODE_PARAMS *params, params)
CHANGES(cuGraphExecChildGraphNodeSetParams, CUgraph child, child)
CHANGES(cuGraphExecEventRecordNodeSetEvent, CUevent event, event)
CHANGES(cuGraphExecEventWaitNodeSetEvent, CUevent event, event)
CHANGES(cuGraphExecExternalSemaphoresSignalNodeSetParams, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params, params)
CHANGES(cuGraphExecExternalSemaphoresWaitNodeSetParams, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params, params)
CHANGES(cuGraphExecHostNodeSetParams, const CUDA_HOST_NODE_PARAMS *params, params)
CHANGES(cuGraphExecKernelNodeSetParams_v2, const CUDA_KERNEL_NODE_PARAMS *params, params)
CHANGES(cuGraphExecMemcpyNodeSetParams, LIST(const CUDA_MEMCPY3D *copy, CUcontext context), LIST(copy, context))
CHANGES(cuGraphExecMemsetNodeSetParams, LIST(const CUDA_MEMSET_NODE_PARAMS *set, CUcontext context), LIST(set, context))
CHANGES(cuGraphExecNodeSetParams, CUgraphNodeParams *params, params)
CALL(cuGraphNodeSetEnabled, unsigned enabled, enabled, gasan_graph_proof_switched)

EXPORT CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info) {
  gasan_graph_proof_lost(exec);
  return GASAN_DRIVER_REAL(cuGraphExecUpdate_v2)(exec, graph, info);
}

EXPORT CUresult cuGraphExecDestroy(CUgraphExec exec) {
  gasan_graph_forget_executable(exec);
  gasan_graph_proof_forget(exec);
  return GASAN_DRIVER_REAL(cuGraphExecDestroy)(exec);
}
