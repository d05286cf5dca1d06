/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Imitates an ordinary graph library on compressed rows: seven small kernels with irregular loads and atomics. Compiles
// fast; stands for the many files of a project that are not extreme.
#include <cuda_runtime.h>

// The neighbours of v are targets[starts[v]] to targets[starts[v + 1] - 1], in ascending order.
struct Graph {
  const int *starts, *targets;
  const float *weights;
  int vertices;
};

// Declares the number I of this thread. Returns if the number is not below the count.
#define THIS_THREAD(I, COUNT)                                                                                          \
  const int I = blockIdx.x * blockDim.x + threadIdx.x;                                                                 \
  if (I >= (COUNT))                                                                                                    \
  return

__global__ void bfs_step(Graph graph, const int *frontier, int size, int *levels, int level, int *next,
                         int *next_size) {
  THIS_THREAD(i, size);
  const int v = frontier[i];
  for (int edge = graph.starts[v]; edge < graph.starts[v + 1]; ++edge) {
    const int target = graph.targets[edge];
    if (atomicCAS(&levels[target], -1, level) == -1)
      next[atomicAdd(next_size, 1)] = target;
  }
}

// Distances are bits of floats that are not negative: such floats have the order of their bits.
__global__ void sssp_relax(Graph graph, int *distances, int *changed) {
  THIS_THREAD(v, graph.vertices);
  const float own = __int_as_float(atomicAdd(&distances[v], 0));
  for (int edge = graph.starts[v]; edge < graph.starts[v + 1]; ++edge) {
    const int through = __float_as_int(own + graph.weights[edge]);
    if (atomicMin(&distances[graph.targets[edge]], through) > through)
      atomicExch(changed, 1);
  }
}

// Sums what the neighbours hand over. shares[v] is the rank of v divided by its degree. Edges go both ways.
__global__ void page_rank(Graph graph, const float *shares, float *ranks, float damping) {
  THIS_THREAD(v, graph.vertices);
  float sum = 0.0f;
  for (int edge = graph.starts[v]; edge < graph.starts[v + 1]; ++edge)
    sum += shares[graph.targets[edge]];
  ranks[v] = (1.0f - damping) / graph.vertices + damping * sum;
}

__global__ void components_hook(Graph graph, int *parents, int *changed) {
  THIS_THREAD(v, graph.vertices);
  for (int edge = graph.starts[v]; edge < graph.starts[v + 1]; ++edge) {
    const int a = atomicAdd(&parents[v], 0), b = atomicAdd(&parents[graph.targets[edge]], 0);
    if (a != b && atomicMin(&parents[max(a, b)], min(a, b)) > min(a, b))
      atomicExch(changed, 1);
  }
}

// Replaces the parent of each vertex by its root. A parent is never higher than the vertex.
__global__ void components_jump(int *parents, int vertices) {
  THIS_THREAD(v, vertices);
  int root = v;
  for (int above = v; (above = atomicAdd(&parents[root], 0)) != root;)
    root = above;
  atomicExch(&parents[v], root);
}

// Counts each triangle a < b < c once: at its vertex a.
__global__ void count_triangles(Graph graph, unsigned long long *triangles) {
  THIS_THREAD(a, graph.vertices);
  unsigned long long found = 0;
  for (int i = graph.starts[a]; i < graph.starts[a + 1]; ++i)
    for (int j = i + 1, b = graph.targets[i]; b > a && j < graph.starts[a + 1]; ++j) {
      int low = graph.starts[b], high = graph.starts[b + 1];
      while (low < high) {
        const int middle = low + (high - low) / 2;
        const bool below = graph.targets[middle] < graph.targets[j];
        (below ? low : high) = middle + below;
      }
      found += low < graph.starts[b + 1] && graph.targets[low] == graph.targets[j];
    }
  atomicAdd(triangles, found);
}

// Counts the vertices of each degree. The last bin counts all higher degrees too.
__global__ void degree_histogram(Graph graph, unsigned *bins, int bin_count) {
  THIS_THREAD(v, graph.vertices);
  atomicAdd(&bins[min(graph.starts[v + 1] - graph.starts[v], bin_count - 1)], 1u);
}

// Does one step of each search. The arrays have an element for each vertex, bins has 64, counters has three.
cudaError_t step(Graph graph, const int *frontier, int size, int level, int *levels, int *next, int *distances,
                 float *shares, float *ranks, int *parents, int *counters, unsigned *bins, unsigned long long *found) {
  const int blocks = (graph.vertices + 255) / 256;
  bfs_step<<<blocks, 256>>>(graph, frontier, size, levels, level, next, &counters[0]);
  sssp_relax<<<blocks, 256>>>(graph, distances, &counters[1]);
  page_rank<<<blocks, 256>>>(graph, shares, ranks, 0.85f);
  components_hook<<<blocks, 256>>>(graph, parents, &counters[2]);
  components_jump<<<blocks, 256>>>(parents, graph.vertices);
  count_triangles<<<blocks, 256>>>(graph, found);
  degree_histogram<<<blocks, 256>>>(graph, bins, 64);
  return cudaGetLastError();
}
