// A kernel with an atomic in a loop, whose variant reports without calls and without a branch. The report is the same
// as for other kernels: it names the first faulting thread and counts all of them. Each launch reports each place.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=print_stats=1 %run %t 0 2>&1 | FileCheck %s --check-prefix=GOOD
// RUN: not %run %t 1 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: not %run %t 2 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: %options=halt_on_error=0:print_repeated=1 not %run %t 3 2>&1 | FileCheck %s --check-prefix=PLACES
// RUN: %gasan -O2 -mllvm -gasan-inline-reports=false %s -o %t
// RUN: not %run %t 1 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: not %run %t 2 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: %options=halt_on_error=0:print_repeated=1 not %run %t 3 2>&1 | FileCheck %s --check-prefix=PLACES
// GOOD: launch proof: 0 of 1 launches proven, 1 in part
// ONE: ERROR: AddressSanitizer: heap-buffer-overflow on {{.*}} address
// ONE: WRITE of size 4 at {{.*}} by device thread (5,0,0) block (3,0,0) lane 5{{$}}
// ONE: #2 relax({{.*}}atomic-loop.cu:[[#@LINE+26]]:5
// ONE: is located 4 bytes after 262144-byte region
// MANY: ERROR: AddressSanitizer: heap-buffer-overflow on {{.*}} address
// MANY: WRITE of size 4 at {{.*}} by device thread (0,0,0) block (0,0,0) lane 0 (and 65535 more threads of this kernel)
// MANY: #2 relax({{.*}}atomic-loop.cu:[[#@LINE+22]]:5
// MANY: is located 4 bytes after 262144-byte region
// PLACES: ERROR: AddressSanitizer: heap-buffer-overflow
// PLACES: #0 relax({{.*}}atomic-loop.cu:[[#@LINE+19]]:30
// PLACES: ERROR: AddressSanitizer: heap-buffer-overflow
// PLACES: #2 relax({{.*}}atomic-loop.cu:[[#@LINE+17]]:5
// PLACES: ERROR: AddressSanitizer: heap-buffer-overflow
// PLACES: #0 relax({{.*}}atomic-loop.cu:[[#@LINE+15]]:30
// PLACES: ERROR: AddressSanitizer: heap-buffer-overflow
// PLACES: #2 relax({{.*}}atomic-loop.cu:[[#@LINE+13]]:5
// PLACES-NOT: ERROR: AddressSanitizer
#include <cstdlib>
#include <vector>

constexpr unsigned kNodes = 1 << 16, kEdges = 4;

__global__ void relax(const unsigned *targets, const unsigned *places, const unsigned *weights, unsigned *distance) {
  unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned edge = node * kEdges; edge < (node + 1) * kEdges; edge++) {
    unsigned to = targets[edge];
    if (to == node)
      continue;
    atomicMin(&distance[to], weights[places[edge]]);
  }
}

template <class T>
T *on_device(const std::vector<T> &values) {
  T *copy;
  cudaMalloc((void **)&copy, values.size() * sizeof(T));
  cudaMemcpy(copy, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return copy;
}

int main(int, char **arguments) {
  const int what = atoi(arguments[1]);
  std::vector<unsigned> targets(kNodes * kEdges), places(kNodes * kEdges), weights(1000, 7), distance(kNodes, ~0u);
  for (unsigned edge = 0; edge < targets.size(); edge++) {
    unsigned node = edge / kEdges;
    targets[edge] = (node * 7919u + edge) % kNodes;
    places[edge] = edge % 1000;
    if ((what == 1 && edge == (3 * 256 + 5) * kEdges + 2) || (what == 2 && edge % kEdges == 3) ||
        (what == 3 && node % 2))
      targets[edge] = kNodes + 1;
    if (what == 3 && node % 2 == 0)
      places[edge] = 1000 + node;
  }
  unsigned *device_targets = on_device(targets), *device_places = on_device(places),
           *device_weights = on_device(weights);
  unsigned *device_distance = on_device(distance);
  for (int launch = 0; launch < (what == 3 ? 2 : 1); launch++) {
    relax<<<kNodes / 256, 256>>>(device_targets, device_places, device_weights, device_distance);
    if (cudaDeviceSynchronize() != cudaSuccess)
      return 1;
  }
}
