/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls of the driver API that change or destroy an executable graph. The graph may come from the runtime API, so its
 * proof must follow. */
#include "gasan_rt/calls/driver_calls.h"
#include "gasan_rt/launch/graph_kernels.h"
#include "gasan_rt/launch/graph_launch_proof.h"

CUresult gasan_driver_call_graph_exec_batch_mem_op_node_set_params(struct gasan_driver_call *call, CUgraphExec exec,
                                                                   CUgraphNode node,
                                                                   const CUDA_BATCH_MEM_OP_NODE_PARAMS *params) {
  gasan_graph_launch_proof_lost(exec);
  return GASAN_DRIVER_REAL(call, cuGraphExecBatchMemOpNodeSetParams)(exec, node, params);
}

CUresult gasan_driver_call_graph_exec_child_graph_node_set_params(struct gasan_driver_call *call, CUgraphExec exec,
                                                                  CUgraphNode node, CUgraph child) {
  gasan_graph_launch_proof_lost(exec);
  return GASAN_DRIVER_REAL(call, cuGraphExecChildGraphNodeSetParams)(exec, node, child);
}

CUresult gasan_driver_call_graph_exec_destroy(struct gasan_driver_call *call, CUgraphExec exec) {
  gasan_graph_forget_executable(exec);
  gasan_graph_launch_proof_forget(exec);
  return GASAN_DRIVER_REAL(call, cuGraphExecDestroy)(exec);
}

CUresult gasan_driver_call_graph_exec_event_record_node_set_event(struct gasan_driver_call *call, CUgraphExec exec,
                                                                  CUgraphNode node, CUevent event) {
  gasan_graph_launch_proof_lost(exec);
  return GASAN_DRIVER_REAL(call, cuGraphExecEventRecordNodeSetEvent)(exec, node, event);
}

CUresult gasan_driver_call_graph_exec_event_wait_node_set_event(struct gasan_driver_call *call, CUgraphExec exec,
                                                                CUgraphNode node, CUevent event) {
  gasan_graph_launch_proof_lost(exec);
  return GASAN_DRIVER_REAL(call, cuGraphExecEventWaitNodeSetEvent)(exec, node, event);
}

CUresult gasan_driver_call_graph_exec_external_semaphores_signal_node_set_params(
    struct gasan_driver_call *call, CUgraphExec exec, CUgraphNode node, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params) {
  gasan_graph_launch_proof_lost(exec);
  return GASAN_DRIVER_REAL(call, cuGraphExecExternalSemaphoresSignalNodeSetParams)(exec, node, params);
}

CUresult gasan_driver_call_graph_exec_external_semaphores_wait_node_set_params(
    struct gasan_driver_call *call, CUgraphExec exec, CUgraphNode node, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params) {
  gasan_graph_launch_proof_lost(exec);
  return GASAN_DRIVER_REAL(call, cuGraphExecExternalSemaphoresWaitNodeSetParams)(exec, node, params);
}

CUresult gasan_driver_call_graph_exec_host_node_set_params(struct gasan_driver_call *call, CUgraphExec exec,
                                                           CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params) {
  gasan_graph_launch_proof_lost(exec);
  return GASAN_DRIVER_REAL(call, cuGraphExecHostNodeSetParams)(exec, node, params);
}

CUresult gasan_driver_call_graph_exec_kernel_node_set_params(struct gasan_driver_call *call, CUgraphExec exec,
                                                             CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params) {
  gasan_graph_launch_proof_lost(exec);
  return GASAN_DRIVER_REAL(call, cuGraphExecKernelNodeSetParams_v2)(exec, node, params);
}

CUresult gasan_driver_call_graph_exec_memcpy_node_set_params(struct gasan_driver_call *call, CUgraphExec exec,
                                                             CUgraphNode node, const CUDA_MEMCPY3D *copy,
                                                             CUcontext context) {
  gasan_graph_launch_proof_lost(exec);
  return GASAN_DRIVER_REAL(call, cuGraphExecMemcpyNodeSetParams)(exec, node, copy, context);
}

CUresult gasan_driver_call_graph_exec_memset_node_set_params(struct gasan_driver_call *call, CUgraphExec exec,
                                                             CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *set,
                                                             CUcontext context) {
  gasan_graph_launch_proof_lost(exec);
  return GASAN_DRIVER_REAL(call, cuGraphExecMemsetNodeSetParams)(exec, node, set, context);
}

CUresult gasan_driver_call_graph_exec_node_set_params(struct gasan_driver_call *call, CUgraphExec exec,
                                                      CUgraphNode node, CUgraphNodeParams *params) {
  gasan_graph_launch_proof_lost(exec);
  return GASAN_DRIVER_REAL(call, cuGraphExecNodeSetParams)(exec, node, params);
}

CUresult gasan_driver_call_graph_exec_update(struct gasan_driver_call *call, CUgraphExec exec, CUgraph graph,
                                             CUgraphExecUpdateResultInfo *info) {
  gasan_graph_launch_proof_lost(exec);
  return GASAN_DRIVER_REAL(call, cuGraphExecUpdate_v2)(exec, graph, info);
}

CUresult gasan_driver_call_graph_node_set_enabled(struct gasan_driver_call *call, CUgraphExec exec, CUgraphNode node,
                                                  unsigned enabled) {
  gasan_graph_launch_proof_switched(exec);
  return GASAN_DRIVER_REAL(call, cuGraphNodeSetEnabled)(exec, node, enabled);
}
