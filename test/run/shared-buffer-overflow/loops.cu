// Loops over arrays in shared memory, up and down, whose first or last element is or is not in the array. Their checks
// are made before the loop, in 32 bits.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t good 2>&1 >/dev/null | %silent
// RUN: %options=halt_on_error=0 %exit=1 %t bad 2>&1 | FileCheck %s
// CHECK: ERROR: AddressSanitizer: shared-buffer-overflow
// CHECK-NEXT: READ of size 4 {{.*}} by device thread (0,0,0) block (0,0,0) lane 0{{$}}
// CHECK-NEXT: #0 void walk<1, false>(int*, int, int) {{.*}}loops.cu:[[#@LINE+22]]:
// CHECK: is located 4 bytes before shared variable 'fixed'
// Each of the launches is found:
// CHECK-DAG: in void walk<-1, false>(int*, int, int): 12 threads in 12 launches
// CHECK-DAG: in void walk<-1, true>(int*, int, int): 12 threads in 12 launches
// CHECK-DAG: in void walk<-3, false>(int*, int, int): 6 threads in 6 launches
// CHECK-DAG: in void walk<-3, true>(int*, int, int): 6 threads in 6 launches
// CHECK-DAG: in void walk<1, false>(int*, int, int): 12 threads in 12 launches
// CHECK-DAG: in void walk<1, true>(int*, int, int): 12 threads in 12 launches
// CHECK-DAG: in void walk<5, false>(int*, int, int): 2 threads in 2 launches
// CHECK-DAG: in void walk<5, true>(int*, int, int): 2 threads in 2 launches
#include <cstring>
#include <cuda_runtime.h>

constexpr int Size = 48;

template <int Step, bool IsDynamic>
__global__ void walk(int *out, int first, int rounds) {
  extern __shared__ int dynamic[];
  __shared__ int fixed[Size];
  int sum = 0;
  for (int i = first, round = 0; round < rounds; i += Step, round++)
    sum += IsDynamic ? dynamic[i] : fixed[i];
  *out = sum;
}

// Walks from each element near an end, in so many rounds that the last one is near an end, too. Returns the number of
// launches in which the first or the last element is outside.
template <int Step, bool IsDynamic>
int walk_all(int *out, bool bad) {
  const int firsts[] = {-1, 0, 1, 2, 7, 24, Size - 4, Size - 1, Size};
  int launches = 0;
  for (int first : firsts)
    for (int rounds = 0; rounds <= Size + 2; rounds++) {
      const int last = first + Step * (rounds - 1);
      const bool is_near = rounds < 2 || last == -1 || last == 0 || last == Size - 1 || last == Size;
      const bool is_good = !rounds || (first >= 0 && first < Size && last >= 0 && last < Size);
      if (!is_near || is_good == bad)
        continue;
      launches++;
      walk<Step, IsDynamic><<<1, 1, Size * sizeof(int)>>>(out, first, rounds);
      cudaDeviceSynchronize();
    }
  return launches;
}

int main(int, char **arguments) {
  const bool bad = !strcmp(arguments[1], "bad");
  int *out;
  cudaMalloc(&out, sizeof *out);
  int launches = walk_all<1, false>(out, bad) + walk_all<1, true>(out, bad) + walk_all<-1, false>(out, bad) +
                 walk_all<-1, true>(out, bad) + walk_all<5, false>(out, bad) + walk_all<5, true>(out, bad) +
                 walk_all<-3, false>(out, bad) + walk_all<-3, true>(out, bad);
  return launches ? 0 : 2;
}
