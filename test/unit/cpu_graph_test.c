/* Graphs of the CPU device: order, cycles, copies, the rules of updates, and invalid handles. */
#include <pthread.h>
#include <unistd.h>

#include "device/cpu/graph.h"
#include "device/cpu/handles.h"
#include "greatest.h"
#include "test/unit/cpu_program.h"

#define ASSERT_CUDA(expected, call) ASSERT_STR_EQ(#expected, API(cudaGetErrorName)(call))
#define ASSERT_OK(call) ASSERT_CUDA(cudaSuccess, call)

static uint32_t seed = 12345;

static uint32_t below(uint32_t bound) {
  seed = seed * 1664525u + 1013904223u;
  return (uint32_t)((uint64_t)(seed >> 4) * bound >> 28);
}

static cudaGraphNode_t empty_node(cudaGraph_t graph, const cudaGraphNode_t *before, size_t count) {
  cudaGraphNode_t node = NULL;
  API(cudaGraphAddEmptyNode)(&node, graph, before, count);
  return node;
}

static void nothing(void *data) {}

static cudaGraphNode_t host_node(cudaGraph_t graph, const cudaGraphNode_t *before, size_t count) {
  cudaGraphNode_t node = NULL;
  struct cudaHostNodeParams params = {nothing, NULL};
  API(cudaGraphAddHostNode)(&node, graph, before, count, &params);
  return node;
}

/* Position of the node in the order; -1: the node did not run. */
static int position(struct CUgraphNode_st **order, size_t count, const struct CUgraphNode_st *node) {
  for (size_t i = 0; i < count; i++)
    if (order[i] == node)
      return (int)i;
  return -1;
}

enum { MOST = 60 };

TEST order_of_random_graphs(void) {
  for (int round = 0; round < 200; round++) {
    cudaGraph_t graph;
    cudaGraphNode_t nodes[MOST];
    unsigned rank[MOST], count = 1 + below(MOST);
    ASSERT_OK(API(cudaGraphCreate)(&graph, 0));
    for (unsigned i = 0; i < count; i++) {
      nodes[i] = empty_node(graph, NULL, 0);
      rank[i] = below(1000000);
    }
    for (unsigned edges = below(4 * count); edges > 0; edges--) {
      unsigned a = below(count), b = below(count);
      if (rank[a] < rank[b])
        API(cudaGraphAddDependencies)(graph, &nodes[a], &nodes[b], NULL, 1); /* a second equal edge is refused */
    }
    struct CUgraphNode_st **order, *bad;
    ASSERT_EQ(cudaSuccess, gasan_cpu_graph_order(graph, &order, &bad));
    for (unsigned i = 0; i < count; i++) {
      int mine = position(order, count, nodes[i]);
      ASSERT(mine >= 0);
      for (size_t e = 0; e < nodes[i]->dependencies.count; e++)
        ASSERT(position(order, count, nodes[i]->dependencies.items[e].node) < mine);
    }
    free(order);
    ASSERT_OK(API(cudaGraphDestroy)(graph));
  }
  API(cudaGetLastError)();
  PASS();
}

TEST long_chain(void) {
  cudaGraph_t graph;
  ASSERT_OK(API(cudaGraphCreate)(&graph, 0));
  cudaGraphNode_t last = NULL;
  for (int i = 0; i < 20000; i++)
    last = empty_node(graph, &last, last != NULL);
  cudaGraphExec_t exec;
  ASSERT_OK(API(cudaGraphInstantiate)(&exec, graph, 0)); /* no recursion over nodes */
  ASSERT_OK(API(cudaGraphLaunch)(exec, NULL));
  ASSERT_OK(API(cudaGraphExecDestroy)(exec));
  ASSERT_OK(API(cudaGraphDestroy)(graph));
  PASS();
}

TEST circles(void) {
  cudaGraph_t graph;
  cudaGraphNode_t nodes[4];
  cudaGraphExec_t exec;
  ASSERT_OK(API(cudaGraphCreate)(&graph, 0));
  for (int i = 0; i < 4; i++)
    nodes[i] = empty_node(graph, i ? &nodes[i - 1] : NULL, i != 0);
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaGraphAddDependencies)(graph, &nodes[1], &nodes[1], NULL, 1));
  ASSERT_OK(API(cudaGraphAddDependencies)(graph, &nodes[3], &nodes[1], NULL, 1));
  cudaGraphInstantiateParams params = {0};
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaGraphInstantiateWithParams)(&exec, graph, &params));
  ASSERT_EQ(cudaGraphInstantiateInvalidStructure, params.result_out);
  ASSERT(params.errNode_out == nodes[1] || params.errNode_out == nodes[2] || params.errNode_out == nodes[3]);
  ASSERT_OK(API(cudaGraphRemoveDependencies)(graph, &nodes[3], &nodes[1], NULL, 1));
  ASSERT_OK(API(cudaGraphInstantiateWithParams)(&exec, graph, &params));
  ASSERT_EQ(cudaGraphInstantiateSuccess, params.result_out);
  ASSERT_OK(API(cudaGraphExecDestroy)(exec));
  ASSERT_OK(API(cudaGraphDestroy)(graph));
  API(cudaGetLastError)();
  PASS();
}

TEST edges_all_or_none(void) {
  cudaGraph_t graph, other;
  ASSERT_OK(API(cudaGraphCreate)(&graph, 0));
  ASSERT_OK(API(cudaGraphCreate)(&other, 0));
  cudaGraphNode_t a = empty_node(graph, NULL, 0), b = empty_node(graph, NULL, 0), c = empty_node(graph, &a, 1);
  cudaGraphNode_t foreign = empty_node(other, NULL, 0);
  cudaGraphNode_t from[] = {a, b, a}, to[] = {b, c, c}; /* the last edge exists already */
  size_t count = 0;
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaGraphAddDependencies)(graph, from, to, NULL, 3));
  ASSERT_OK(API(cudaGraphGetEdges)(graph, NULL, NULL, NULL, &count));
  ASSERT_EQ(1, count);
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaGraphAddDependencies)(graph, &a, &foreign, NULL, 1));
  ASSERT_EQ(NULL, empty_node(graph, &foreign, 1));
  cudaGraphNode_t twice[] = {a, a};
  ASSERT_EQ(NULL, empty_node(graph, twice, 2));
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaGraphRemoveDependencies)(graph, &b, &c, NULL, 1));
  ASSERT_OK(API(cudaGraphDestroy)(graph));
  ASSERT_OK(API(cudaGraphDestroy)(other));
  API(cudaGetLastError)();
  PASS();
}

/* The same graph from nodes that were added in another order: nodes are paired by their edges. */
TEST update_pairs_over_edges(void) {
  cudaGraph_t first, second, third;
  cudaGraphExec_t exec;
  cudaGraphExecUpdateResultInfo info;
  ASSERT_OK(API(cudaGraphCreate)(&first, 0));
  cudaGraphNode_t a = host_node(first, NULL, 0), b = empty_node(first, &a, 1);
  host_node(first, &b, 1);
  ASSERT_OK(API(cudaGraphInstantiate)(&exec, first, 0));

  ASSERT_OK(API(cudaGraphCreate)(&second, 0));
  cudaGraphNode_t last = host_node(second, NULL, 0), middle = empty_node(second, NULL, 0),
                  root = host_node(second, NULL, 0);
  ASSERT_OK(API(cudaGraphAddDependencies)(second, &root, &middle, NULL, 1));
  ASSERT_OK(API(cudaGraphAddDependencies)(second, &middle, &last, NULL, 1));
  ASSERT_OK(API(cudaGraphExecUpdate)(exec, second, &info));
  ASSERT_EQ(cudaGraphExecUpdateSuccess, info.result);

  ASSERT_OK(API(cudaGraphCreate)(&third, 0)); /* two roots, one exit */
  cudaGraphNode_t roots[] = {host_node(third, NULL, 0), empty_node(third, NULL, 0)};
  cudaGraphNode_t join = host_node(third, roots, 2);
  ASSERT_CUDA(cudaErrorGraphExecUpdateFailure, API(cudaGraphExecUpdate)(exec, third, &info));
  ASSERT_EQ(cudaGraphExecUpdateErrorTopologyChanged, info.result);
  ASSERT_EQ(join, info.errorNode);
  ASSERT_OK(API(cudaGraphExecDestroy)(exec));
  ASSERT_OK(API(cudaGraphDestroy)(first));
  ASSERT_OK(API(cudaGraphDestroy)(second));
  ASSERT_OK(API(cudaGraphDestroy)(third));
  API(cudaGetLastError)();
  PASS();
}

TEST what_may_become_what(void) {
  struct gasan_cpu_work now = {0}, next = {0};
  now.params.type = cudaGraphNodeTypeMemset;
  now.params.memset = (struct cudaMemsetParamsV2){&now, 64, 0, 1, 32, 4};
  next = now;
  next.params.memset.value = 5;
  next.params.memset.dst = &next;
  ASSERT_EQ(cudaGraphExecUpdateSuccess, gasan_cpu_work_may_become(&now, &next));
  next.params.memset.width = 31; /* of two dimensions */
  ASSERT_EQ(cudaGraphExecUpdateErrorParametersChanged, gasan_cpu_work_may_become(&now, &next));
  now.params.memset.height = next.params.memset.height = 1;
  ASSERT_EQ(cudaGraphExecUpdateSuccess, gasan_cpu_work_may_become(&now, &next));
  next.params.type = cudaGraphNodeTypeEmpty;
  ASSERT_EQ(cudaGraphExecUpdateErrorNodeTypeChanged, gasan_cpu_work_may_become(&now, &next));
  now.params.type = next.params.type = cudaGraphNodeTypeMemAlloc;
  ASSERT_EQ(cudaGraphExecUpdateErrorNotSupported, gasan_cpu_work_may_become(&now, &next));
  now.params.type = next.params.type = cudaGraphNodeTypeKernel;
  struct gasan_cpu_attributes attributes = {0};
  attributes.values[cudaLaunchAttributeCooperative].cooperative = 1;
  next.attributes = &attributes;
  ASSERT_EQ(cudaGraphExecUpdateErrorAttributesChanged, gasan_cpu_work_may_become(&now, &next));
  PASS();
}

/* Copies of copies: a node of a nested graph is found by the original node. */
TEST nested_copies(void) {
  cudaGraph_t inner, outer, clone, child;
  ASSERT_OK(API(cudaGraphCreate)(&inner, 0));
  ASSERT_OK(API(cudaGraphCreate)(&outer, 0));
  empty_node(inner, NULL, 0);
  host_node(inner, NULL, 0);
  cudaGraphNode_t parent, found, deep[2];
  size_t count = 2;
  ASSERT_OK(API(cudaGraphAddChildGraphNode)(&parent, outer, NULL, 0, inner));
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaGraphAddChildGraphNode)(&found, outer, NULL, 0, outer));
  ASSERT_OK(API(cudaGraphChildGraphNodeGetGraph)(parent, &child));
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaGraphDestroy)(child)); /* the node's own */
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaGraphAddChildGraphNode)(&found, child, NULL, 0, outer));
  ASSERT_OK(API(cudaGraphGetNodes)(child, deep, &count));
  ASSERT_OK(API(cudaGraphClone)(&clone, outer));
  ASSERT_OK(API(cudaGraphNodeFindInClone)(&found, deep[1], clone));
  ASSERT(found != deep[1] && found->work.params.type == cudaGraphNodeTypeHost && found->graph->owner->graph == clone);
  ASSERT_OK(API(cudaGraphDestroy)(outer)); /* the child graph is destroyed, too */
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaGraphGetNodes)(child, NULL, &count));
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaGraphNodeFindInClone)(&found, deep[1], clone));
  ASSERT_OK(API(cudaGraphDestroy)(clone));
  ASSERT_OK(API(cudaGraphDestroy)(inner));
  API(cudaGetLastError)();
  PASS();
}

TEST handles_that_are_none(void) {
  char garbage[64] = {0};
  void *wrong[] = {NULL, garbage, (void *)0x10};
  for (int i = 0; i < 3; i++) {
    cudaGraph_t graph = wrong[i], out;
    cudaGraphNode_t node = wrong[i];
    cudaGraphExec_t exec = wrong[i];
    enum cudaGraphNodeType type;
    size_t count = 0;
    unsigned enabled;
    cudaGraphExecUpdateResultInfo info;
    ASSERT_CUDA(cudaErrorInvalidValue, API(cudaGraphDestroy)(graph));
    ASSERT_CUDA(cudaErrorInvalidValue, API(cudaGraphClone)(&out, graph));
    ASSERT_CUDA(cudaErrorInvalidValue, API(cudaGraphGetNodes)(graph, NULL, &count));
    ASSERT_CUDA(cudaErrorInvalidValue, API(cudaGraphAddEmptyNode)(&node, graph, NULL, 0));
    node = wrong[i];
    ASSERT_CUDA(cudaErrorInvalidValue, API(cudaGraphNodeGetType)(node, &type));
    ASSERT_CUDA(cudaErrorInvalidValue, API(cudaGraphDestroyNode)(node));
    ASSERT_CUDA(cudaErrorInvalidValue, API(cudaGraphNodeGetDependencies)(node, NULL, NULL, &count));
    ASSERT_CUDA(cudaErrorInvalidValue, API(cudaGraphInstantiate)(&exec, graph, 0));
    exec = wrong[i];
    ASSERT_CUDA(cudaErrorInvalidValue, API(cudaGraphLaunch)(exec, NULL));
    ASSERT_CUDA(cudaErrorInvalidValue, API(cudaGraphExecDestroy)(exec));
    ASSERT_CUDA(cudaErrorInvalidValue, API(cudaGraphExecUpdate)(exec, graph, &info));
    ASSERT_EQ(cudaGraphExecUpdateError, info.result);
    ASSERT_CUDA(cudaErrorInvalidValue, API(cudaGraphNodeGetEnabled)(exec, node, &enabled));
    ASSERT_CUDA(cudaErrorInvalidValue, API(cudaUserObjectRelease)(wrong[i], 1));
  }
  API(cudaGetLastError)();
  PASS();
}

struct meeting {
  pthread_barrier_t begun;
  cudaGraphExec_t exec;
  cudaError_t error;
};

static void *destroy_exec(void *data) {
  struct meeting *meeting = data;
  pthread_barrier_wait(&meeting->begun);
  meeting->error = API(cudaGraphExecDestroy)(meeting->exec);
  pthread_barrier_wait(&meeting->begun);
  return NULL;
}

static void wait_for_destruction(void *data) {
  struct meeting *meeting = data;
  pthread_barrier_wait(&meeting->begun);
  pthread_barrier_wait(&meeting->begun);
}

/* The remaining nodes run; memory nodes, which take the lock of the graphs, are among them. */
TEST destroyed_while_it_runs(void) {
  struct meeting meeting;
  cudaGraph_t graph;
  cudaGraphNode_t first, allocation, release;
  struct cudaHostNodeParams host = {wait_for_destruction, &meeting};
  struct cudaMemAllocNodeParams memory = {.poolProps.allocType = cudaMemAllocationTypePinned,
                                          .poolProps.location.type = cudaMemLocationTypeDevice,
                                          .bytesize = 64};
  ASSERT_OK(API(cudaGraphCreate)(&graph, 0));
  ASSERT_OK(API(cudaGraphAddHostNode)(&first, graph, NULL, 0, &host));
  ASSERT_OK(API(cudaGraphAddMemAllocNode)(&allocation, graph, &first, 1, &memory));
  ASSERT_OK(API(cudaGraphAddMemFreeNode)(&release, graph, &allocation, 1, memory.dptr));
  ASSERT_OK(API(cudaGraphInstantiate)(&meeting.exec, graph, 0));
  ASSERT_EQ(0, pthread_barrier_init(&meeting.begun, NULL, 2));
  pthread_t other;
  ASSERT_EQ(0, pthread_create(&other, NULL, destroy_exec, &meeting));
  ASSERT_OK(API(cudaGraphLaunch)(meeting.exec, NULL));
  ASSERT_EQ(0, pthread_join(other, NULL));
  ASSERT_EQ(cudaSuccess, meeting.error);
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaGraphLaunch)(meeting.exec, NULL));
  API(cudaGetLastError)();
  pthread_barrier_destroy(&meeting.begun);
  ASSERT_OK(API(cudaGraphDestroy)(graph));
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  GREATEST_MAIN_BEGIN();
  const char *why = NULL;
  gasan_device_cpu.start(&why);
  RUN_TEST(order_of_random_graphs);
  RUN_TEST(long_chain);
  RUN_TEST(circles);
  RUN_TEST(edges_all_or_none);
  RUN_TEST(update_pairs_over_edges);
  RUN_TEST(what_may_become_what);
  RUN_TEST(nested_copies);
  RUN_TEST(handles_that_are_none);
  RUN_TEST(destroyed_while_it_runs);
  GREATEST_MAIN_END();
}
