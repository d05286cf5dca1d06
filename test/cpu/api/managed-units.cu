// __managed__ variables of another translation unit (-fgpu-rdc): both units and the host see the same memory.
// RUN: %gasan -O2 -fgpu-rdc -c %s -o %t-main.o
// RUN: %gasan -O2 -fgpu-rdc -c %S/inputs/managed-other.cu -o %t-other.o
// RUN: %gasan -fgpu-rdc %t-main.o %t-other.o -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"
#include "inputs/managed-units.h"

static __managed__ int own = 2000;

__global__ void work() {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  addInOther(1);
  atomicAdd(&shared_counter, 1);
  atomicAdd(&own, 2);
  if (i < 8)
    records[i].weight = records[i].weight * 2 + records[i].id + i;
}

int main() {
  EXPECT(shared_counter == 40 && records[1].id == 3 && records[1].weight == 4.0f && records[2].id == 0,
         "initial values");
  EXPECT(own == 2000 && ownOfOther() == 1000, "%d %d", own, ownOfOther());
  records[7].id = 70;
  work<<<4, 64>>>();
  CUDA(cudaDeviceSynchronize());
  EXPECT(shared_counter == 40 + 512, "%d", shared_counter);
  EXPECT(own == 2000 + 512 && ownOfOther() == 1000 + 256, "%d %d", own, ownOfOther());
  EXPECT(records[0].weight == 5.0f && records[1].weight == 12.0f && records[7].weight == 77.0f, "%g",
         records[7].weight);
  printf("%d %d %d %g\n", shared_counter, own, ownOfOther(), records[7].weight);
  return passed();
}
