// REQUIRES: cpu
// RUN: %gasan -O0 -fsanitize-gpu-address-mode=shadow %s -o %t
// RUN: not %run %t local 2>&1 | FileCheck %s --check-prefix=LOCAL
// RUN: not %run %t shared 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not %run %t no-memory 2>&1 | FileCheck %s --check-prefix=NO-MEMORY
// RUN: %run %t fine 2>&1 >/dev/null | %silent
// Spaces that shadow mode does not check: an access far outside is stopped, and reported with its line. The function
// returns the index of such an address.
__device__ size_t distance(volatile int *values, const volatile int *array) {
  return size_t(values - array);
}

__global__ void access(char space, volatile int *values, int *result) {
  volatile int local[4] = {1, 2, 3, 4};
  __shared__ volatile int shared[4];
  shared[threadIdx.x % 4] = 1;
  __syncthreads();
  if (space == 'l')
    // LOCAL: ERROR: AddressSanitizer: SEGV on cpu device 0 address 0x005000000000
    // LOCAL-NEXT: WRITE at 0x{{.*}} by device thread ({{[0-9]+}},0,0) block (0,0,0)
    // LOCAL-NEXT: #0 access{{.*}} {{.*}}shadow-spaces.cu:[[#@LINE+4]]:
    // LOCAL: No check covered it{{$}}
    // LOCAL: access(char, int volatile*, int*)<<<1, 32>>> launched here by host thread T0:
    // LOCAL: SUMMARY: AddressSanitizer: SEGV {{.*}}shadow-spaces.cu:[[#@LINE+1]]:{{[0-9]+}} in access
    local[distance(values, local)] = 5;
  if (space == 's')
    // SHARED: ERROR: AddressSanitizer: SEGV on cpu device 0 address 0x005000000000
    // SHARED-NEXT: WRITE at 0x
    // SHARED-NEXT: #0 access{{.*}} {{.*}}shadow-spaces.cu:[[#@LINE+1]]:
    shared[distance(values, shared)] = 5;
  if (space == 'n')
    // NO-MEMORY: ERROR: AddressSanitizer: SEGV on cpu device 0 address 0x005000000000
    // NO-MEMORY-NEXT: WRITE at 0x005000000000
    // NO-MEMORY-NEXT: #0 access{{.*}} {{.*}}shadow-spaces.cu:[[#@LINE+1]]:
    *values = 5;
  *result = local[1] + shared[1];
}

int main(int, char **arguments) {
  int *result, *no_memory = reinterpret_cast<int *>(0x5000000000);
  cudaMalloc(&result, sizeof(int));
  access<<<1, 32>>>(arguments[1][0], no_memory, result);
  return 0;
}
