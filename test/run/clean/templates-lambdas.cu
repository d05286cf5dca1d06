// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
// Function objects and templates as in C++ libraries; a linked list made on the device; local arrays.
template <typename F>
__global__ void apply(int *values, int count, F function) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] = function(i);
}

struct Node {
  Node *next;
  int value;
};

__global__ void link(Node *nodes, int count) {
  int i = threadIdx.x;
  if (i < count)
    nodes[i] = {i + 1 < count ? &nodes[i + 1] : nullptr, i};
}

struct Total {
  const Node *head;
  __device__ int operator()(int skip) const {
    int parts[4] = {0, 0, 0, 0};
    for (const Node *node = head; node; node = node->next)
      parts[node->value & 3] += node->value;
    return parts[0] + parts[1] + parts[2] + parts[3] - skip;
  }
};

int main() {
  Node *nodes;
  int *values, host[10];
  cudaMalloc(&nodes, 100 * sizeof(Node));
  cudaMalloc(&values, sizeof host);
  link<<<1, 128>>>(nodes, 100);
  apply<<<1, 32>>>(values, 10, Total{nodes});
  cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(nodes);
  cudaFree(values);
  return host[0] != 4950 || host[9] != 4941;
}
