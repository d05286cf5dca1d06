// RUN: %gasan -O2 -fsanitize-gpu-address-launch-proof=off %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
// RUN: not %run %t wrong 2>&1 | FileCheck %s
// The same element of two arrays of one structure: the distance is constant, and each array has its own bounds.
struct Pair {
  int first[4];
  int second[4];
};

__global__ void both(Pair *pairs, int more) {
  int i = threadIdx.x + more;
  // CHECK: ERROR: AddressSanitizer: intra-object-overflow
  // CHECK: WRITE of size 4 at {{.*}} by device thread (3,0,0) block (0,0,0)
  // CHECK-NEXT: #0 both(Pair*, int) {{.*}}same-index.cu:[[#@LINE+1]]:
  pairs->first[i] = i;
  pairs->second[i] = 2 * i;
}

int main(int argc, char **) {
  Pair *pairs;
  cudaMalloc((void **)&pairs, 2 * sizeof *pairs);
  both<<<1, 4>>>(pairs, argc > 1);
  return cudaDeviceSynchronize() != cudaSuccess;
}
