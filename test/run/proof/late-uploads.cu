// Launches of variants without look-ups do not upload changes of the tables. A launch with look-ups uploads them first.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=print_stats=1 %run %t right 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: not %run %t freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: not %run %t behind 2>&1 | FileCheck %s --check-prefix=BEHIND
// RUN: %gasan -O2 -mllvm -gasan-late-uploads=false %s -o %t.off
// RUN: %options=print_stats=1 %run %t.off right 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: not %run %t.off freed 2>&1 | FileCheck %s --check-prefix=FREED
// One launch or more has all checks, to be compared with the variant (gasan_rt/launch/variant_trial.h).
// RIGHT: launch proof: 200 of 400 launches proven, {{1?[0-9]?[0-9]}} in part
// RIGHT: the sum is 20100
// FREED: heap-use-after-free on
// FREED: in sum(
// BEHIND: heap-buffer-overflow on
// BEHIND: in sum(
#include <cstdio>
#include <cstring>

struct Slot {
  int *values;
  int count;
};

__global__ void fill(int *values, int count, int value) {
  if (threadIdx.x < count)
    values[threadIdx.x] = value;
}

__global__ void sum(const Slot *slot, int *result) {
  for (int i = 0; i < slot->count; i++)
    *result += slot->values[i];
}

int main(int, char **arguments) {
  const int size = 10, rounds = 200;
  cudaStream_t one, other;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaEvent_t filled;
  cudaEventCreateWithFlags(&filled, cudaEventDisableTiming);
  Slot *slot;
  int *result, *kept[2] = {};
  cudaMalloc((void **)&slot, sizeof *slot);
  cudaMalloc((void **)&result, sizeof *result);
  cudaMemset(result, 0, sizeof *result);
  bool freed = !strcmp(arguments[1], "freed"), behind = !strcmp(arguments[1], "behind");
  for (int round = 1; round <= rounds; round++) {
    Slot now = {nullptr, 1};
    cudaMalloc((void **)&now.values, size * sizeof(int));
    fill<<<1, 32, 0, one>>>(now.values, size, round);
    if (round == rounds) {
      if (behind)
        now.count = size + 1;
      if (freed) {
        cudaFree(now.values);
        fill<<<1, 32, 0, one>>>(kept[0], size, round);
      }
    }
    cudaMemcpyAsync(slot, &now, sizeof now, cudaMemcpyHostToDevice, one);
    cudaEventRecord(filled, one);
    cudaStreamWaitEvent(other, filled, 0);
    sum<<<1, 1, 0, other>>>(slot, result);
    cudaStreamSynchronize(other);
    if (kept[1])
      cudaFree(kept[1]);
    kept[1] = kept[0];
    kept[0] = now.values;
  }
  int total = 0;
  cudaMemcpy(&total, result, sizeof total, cudaMemcpyDeviceToHost);
  printf("the sum is %d\n", total);
  return cudaDeviceSynchronize() != cudaSuccess;
}
