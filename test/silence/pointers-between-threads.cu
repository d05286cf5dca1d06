// Pointers that threads exchange as numbers: by shuffles, whole and in halves, to memory of several spaces; on a
// lock-free stack whose top has a counter in its upper bits; as members of a union.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
union Address {
  const int *pointer;
  unsigned halves[2];
};

__global__ void shuffles(const int *in, int *out) {
  __shared__ int tile[32];
  int lane = threadIdx.x;
  tile[lane] = in[lane];
  __syncwarp();
  Address mine, theirs;
  mine.pointer = lane & 1 ? in + lane : tile + lane;
  for (int i = 0; i < 2; ++i)
    theirs.halves[i] = __shfl_sync(~0u, mine.halves[i], (lane + 5) & 31);
  auto whole = __shfl_xor_sync(~0u, reinterpret_cast<unsigned long long>(mine.pointer), 1);
  out[lane] = *theirs.pointer * 100 + *reinterpret_cast<const int *>(whole);
}

struct Node {
  int value;
  Node *next;
};

constexpr int COUNTER = 48;
__device__ unsigned long long top;

__device__ Node *node_of(unsigned long long word) {
  return reinterpret_cast<Node *>(word & ((1ull << COUNTER) - 1));
}

__device__ void push(Node *node) {
  unsigned long long seen = *const_cast<volatile unsigned long long *>(&top), old;
  do {
    old = seen;
    node->next = node_of(old);
    __threadfence();
    seen = atomicCAS(&top, old, ((old >> COUNTER) + 1) << COUNTER | reinterpret_cast<unsigned long long>(node));
  } while (seen != old);
}

__device__ Node *pop() {
  unsigned long long seen = *const_cast<volatile unsigned long long *>(&top), old;
  do {
    old = seen;
    Node *node = node_of(old);
    if (!node)
      return nullptr;
    auto next = reinterpret_cast<unsigned long long>(*const_cast<Node *volatile *>(&node->next));
    seen = atomicCAS(&top, old, ((old >> COUNTER) + 1) << COUNTER | next);
  } while (seen != old);
  return node_of(old);
}

__global__ void pushes(Node *nodes) {
  nodes[threadIdx.x].value = threadIdx.x;
  push(nodes + threadIdx.x);
}

__global__ void pops(int *sum) {
  if (Node *node = pop())
    atomicAdd(sum, node->value);
}

int main() {
  int host[32], got[32], sum = 0;
  for (int i = 0; i < 32; ++i)
    host[i] = 3 * i;
  int *in, *out;
  Node *nodes;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMalloc(&nodes, 64 * sizeof *nodes);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  shuffles<<<1, 32>>>(in, out);
  cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  cudaMemset(out, 0, sizeof *out);
  pushes<<<1, 64>>>(nodes);
  pops<<<1, 80>>>(out); /* more threads than nodes */
  cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 32; ++i)
    if (got[i] != host[(i + 5) & 31] * 100 + host[i ^ 1])
      return 1;
  return cudaDeviceSynchronize() != cudaSuccess || sum != 63 * 32;
}
