// Breadth-first search in a graph in compressed rows: a queue of the frontier that blocks fill through shared memory
// (top down) and, where the frontier is large, a sweep over the nodes not yet visited (bottom up). Levels are exact;
// the order in the queue is not, and nobody looks at it. With -DBUG the queue is smaller than the largest frontier.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
// RUN: %run %t --size 301 --repeat 2 2>&1 | %same.1
// RUN: %run %t --size 1 2>&1 | %same.2
// RUN: %gasan -O2 -DBUG %s -o %t.bug
// RUN: not %run %t.bug --size 1000 2>&1 | FileCheck %s
#include "inputs/sample.h"

constexpr int kThreads = 128, kLocal = 256, kUnreached = -1;

struct Graph {
  const int *first, *neighbours; // neighbours of node i: [first[i], first[i + 1])
  int nodes;
};

struct Queue {
  int *nodes;
  unsigned *count;
};

// A queue of the block in shared memory; what does not fit there goes to the global queue at once.
__global__ void expandDown(Graph graph, int *levels, Queue from, Queue to, unsigned frontier, int level) {
  __shared__ int local[kLocal];
  __shared__ unsigned localCount, place;
  if (threadIdx.x == 0)
    localCount = 0;
  __syncthreads();
  unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index < frontier) {
    int node = from.nodes[index];
    for (int edge = graph.first[node]; edge < graph.first[node + 1]; ++edge) {
      int next = graph.neighbours[edge];
      if (levels[next] != kUnreached || atomicCAS(&levels[next], kUnreached, level) != kUnreached)
        continue;
      unsigned slot = atomicAdd(&localCount, 1u);
      if (slot < kLocal)
        local[slot] = next;
      else
        to.nodes[atomicAdd(to.count, 1u)] = next;
    }
  }
  __syncthreads();
  unsigned count = min(localCount, unsigned(kLocal));
  if (threadIdx.x == 0)
    place = atomicAdd(to.count, count);
  __syncthreads();
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
    // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0
    // CHECK-NEXT: WRITE of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0 (and 127 more
    // CHECK-NEXT: #0 expandDown(Graph, int*, Queue, Queue, unsigned int, int) {{.*}}graph-bfs.cu:[[#@LINE+1]]:
    to.nodes[place + i] = local[i];
}

// Every node that is not reached looks for a neighbour in the frontier (the graph is symmetric).
__global__ void expandUp(Graph graph, int *levels, Queue to, int level) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= graph.nodes || levels[node] != kUnreached)
    return;
  for (int edge = graph.first[node]; edge < graph.first[node + 1]; ++edge)
    if (volatile int *neighbour = &levels[graph.neighbours[edge]]; *neighbour == level - 1) {
      levels[node] = level;
      to.nodes[atomicAdd(to.count, 1u)] = node;
      return;
    }
}

std::vector<int> searchOnHost(const std::vector<int> &first, const std::vector<int> &neighbours, int source) {
  std::vector<int> levels(first.size() - 1, kUnreached), queue = {source};
  levels[source] = 0;
  for (size_t i = 0; i < queue.size(); ++i)
    for (int edge = first[queue[i]]; edge < first[queue[i] + 1]; ++edge)
      if (levels[neighbours[edge]] == kUnreached) {
        levels[neighbours[edge]] = levels[queue[i]] + 1;
        queue.push_back(neighbours[edge]);
      }
  return levels;
}

// Node 0 knows most of the others; then some chains, and a few nodes that are alone.
void makeGraph(int nodes, std::vector<int> &first, std::vector<int> &neighbours) {
  Random random(55);
  std::vector<std::vector<int>> lists(nodes);
  auto join = [&](int a, int b) { lists[a].push_back(b), lists[b].push_back(a); };
  int hub = nodes * 9 / 10, chained = nodes * 49 / 50;
  for (int i = 1; i < hub; ++i)
    join(0, i);
  for (int i = std::max(hub, 1); i < chained; ++i)
    join(i, i % 5 && i > hub ? i - 1 : int(random.below(hub)));
  for (int i = 0; i < 2 * hub; ++i)
    join(random.below(hub), random.below(hub));
  for (const std::vector<int> &list : lists) {
    first.push_back(int(neighbours.size()));
    neighbours.insert(neighbours.end(), list.begin(), list.end());
  }
  first.push_back(int(neighbours.size()));
}

int main(int count, char **texts) {
  Arguments arguments = parse(count, texts, 30000, 1, 1 << 26);
  int nodes = arguments.size;
  std::vector<int> first, neighbours, levels(nodes);
  makeGraph(nodes, first, neighbours);
#ifdef BUG
  int capacity = nodes - nodes / 4;
#else
  int capacity = nodes;
#endif
  int *firstOnDevice, *neighboursOnDevice, *levelsOnDevice;
  Queue queues[2];
  CUDA(cudaMalloc(&firstOnDevice, first.size() * sizeof(int)));
  CUDA(cudaMalloc(&neighboursOnDevice, (neighbours.size() + 1) * sizeof(int)));
  CUDA(cudaMalloc(&levelsOnDevice, nodes * sizeof(int)));
  for (Queue &queue : queues) {
    // CHECK: is located 84 bytes after 3000-byte region
    // CHECK: in main {{.*}}graph-bfs.cu:[[#@LINE+1]]:
    CUDA(cudaMalloc(&queue.nodes, capacity * sizeof(int)));
    CUDA(cudaMalloc(&queue.count, sizeof(unsigned)));
  }
  upload(firstOnDevice, first);
  upload(neighboursOnDevice, neighbours);
  Graph graph = {firstOnDevice, neighboursOnDevice, nodes};
  for (int source : {0, nodes / 2, nodes - 1}) {
    Stopwatch watch;
    int downs = 0, ups = 0;
    for (int r = 0; r < arguments.repeat; ++r) {
      std::fill(levels.begin(), levels.end(), kUnreached);
      levels[source] = 0;
      upload(levelsOnDevice, levels);
      CUDA(cudaMemcpy(queues[0].nodes, &source, sizeof source, cudaMemcpyHostToDevice));
      unsigned frontier = 1;
      for (int level = 1, turn = 0; frontier; ++level, turn ^= 1) {
        Queue from = queues[turn], to = queues[turn ^ 1];
        CUDA(cudaMemset(to.count, 0, sizeof(unsigned)));
        bool up = frontier > unsigned(nodes) / 2;
        if (up)
          expandUp<<<divide_up(nodes, kThreads), kThreads>>>(graph, levelsOnDevice, to, level);
        else
          expandDown<<<divide_up(frontier, kThreads), kThreads>>>(graph, levelsOnDevice, from, to, frontier, level);
        CUDA(cudaGetLastError());
        CUDA(cudaMemcpy(&frontier, to.count, sizeof frontier, cudaMemcpyDeviceToHost));
        ++(up ? ups : downs);
      }
    }
    watch.stop(arguments, "bfs");
    std::vector<int> expected = searchOnHost(first, neighbours, source);
    download(levels, levelsOnDevice);
    for (int i = 0; i < nodes; ++i)
      EXPECT(levels[i] == expected[i], "from %d, node %d: level %d, not %d", source, i, levels[i], expected[i]);
    printf("from %d: %d steps down, %d up, levels %016llx\n", source, downs, ups, (unsigned long long)checksum(levels));
  }
  for (Queue &queue : queues) {
    CUDA(cudaFree(queue.nodes));
    CUDA(cudaFree(queue.count));
  }
  CUDA(cudaFree(firstOnDevice));
  CUDA(cudaFree(neighboursOnDevice));
  CUDA(cudaFree(levelsOnDevice));
  return passed();
}
