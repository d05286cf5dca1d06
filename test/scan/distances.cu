// An index that is made of the distance between two shared arrays leaves its array wherever the compiler places them.
// RUN: not %verdicts --replay -DBUG %s 2>&1 | FileCheck %s
// RUN: %verdicts %s 2>&1 | FileCheck %s --check-prefix=FIXED

// Not inlined: else the runtime takes a + (b - a) for a pointer to b.
static __attribute__((noinline)) __device__ int distance(const int *from, const int *to) {
  return int(to - from);
}

// CHECK: possible shared-buffer-overflow for each input
// CHECK-NEXT: WRITE of size 4 {{[0-9]+}} bytes after 256-byte shared variable 'left', by thread (0,0,0)
// CHECK-NEXT: #0 in fixedSizes {{.*}}distances.cu:[[#@LINE+11]]:15
__global__ void fixedSizes(int *out, int index, bool far) {
  __shared__ int left[64], right[64];
  left[threadIdx.x] = right[threadIdx.x] = 1;
  __syncthreads();
  if (far)
#ifdef BUG
    index = distance(left, right) + 8;
#else
    index = distance(left, left + 8);
#endif
  left[index] = 2;
  out[threadIdx.x] = left[threadIdx.x] + right[threadIdx.x];
}

// Correct: in bytes, a + (b - a) is b.
__global__ void inBytes(int *out) {
  __shared__ int left[64], right[64];
  char *a = reinterpret_cast<char *>(left), *b = reinterpret_cast<char *>(right);
  long bytes = b - a;
  reinterpret_cast<int *>(a + bytes)[threadIdx.x] = 3;
  __syncthreads();
  out[threadIdx.x] = right[threadIdx.x];
}

// Not certain: the distance may be anything.
__global__ void perhaps(int *out) {
  __shared__ int left[64], right[64];
  left[threadIdx.x] = right[threadIdx.x] = 1;
  int index = distance(left, right) & 63;
  left[index] = 2;
  out[threadIdx.x] = left[threadIdx.x] + right[threadIdx.x];
}

// CHECK: 1 possible
// CHECK: 1 of 1 possible errors confirmed
// FIXED: 0 possible

int main() {
  int *out;
  cudaMalloc(&out, 256);
  fixedSizes<<<1, 64>>>(out, 0, true);
  inBytes<<<1, 64>>>(out);
  perhaps<<<1, 64>>>(out);
}
