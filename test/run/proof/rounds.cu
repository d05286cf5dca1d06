// Loops that halve or double a distance in each round: a Walsh transform and a cyclic reduction in dynamic shared
// memory, and a wavelet whose levels store behind each other. Each round is proven by itself, because the greatest
// thread and the greatest distance never meet.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=print_stats=1 %run %t fine 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: not %run %t shared 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not %run %t coefficients 2>&1 | FileCheck %s --check-prefix=COEFFICIENTS
// RUN: not %run %t late 2>&1 | FileCheck %s --check-prefix=LATE
// FINE: launch proof: 5 of 5 launches proven, by 5 evaluations; 4 of 4 kernels in every launch
// FINE: Stats: 0 reports
#include <cstring>

extern __shared__ float elements[];

__global__ void walsh(float *data, int log2_n, int greatest) {
  const int n = 1 << log2_n, thread = threadIdx.x;
  float *own = data + (blockIdx.x << log2_n);
  for (int i = thread; i < n; i += blockDim.x)
    elements[i] = own[i];
  for (int stride = greatest; stride > 0; stride >>= 2) {
    int low = thread & (stride - 1), i = ((thread - low) << 2) + low;
    __syncthreads();
    // SHARED: ERROR: AddressSanitizer: shared-buffer-overflow
    // SHARED: READ of size 4
    // SHARED-NEXT: #0 walsh(float*, int, int) {{.*}}rounds.cu:[[#@LINE+2]]:
    // SHARED: located {{[0-9]+}} bytes after {{.*}} 'elements'
    float a = elements[i], b = elements[i + stride], c = elements[i + 2 * stride], d = elements[i + 3 * stride];
    elements[i] = a + b + c + d;
    elements[i + stride] = a - b + c - d;
    elements[i + 2 * stride] = a + b - c - d;
    elements[i + 3 * stride] = a - b - c + d;
  }
  __syncthreads();
  for (int i = thread; i < n; i += blockDim.x)
    own[i] = elements[i];
}

__global__ void reduce(float *data, int size, int rounds) {
  int thread = threadIdx.x, stride = 1, active = size / 2;
  elements[thread] = data[thread];
  elements[thread + size / 2] = data[thread + size / 2];
  for (int round = 0; round < rounds; round++) {
    __syncthreads();
    stride <<= 1;
    if (thread < active) {
      int i = stride * thread + stride - 1, right = (i + stride / 2) & (size - 1);
      elements[i] += elements[i - stride / 2] + elements[right];
    }
    active >>= 1;
  }
  __syncthreads();
  data[thread] = elements[thread];
}

__global__ void wavelet(const float *in, float *coefficients, unsigned levels, unsigned length) {
  unsigned thread = threadIdx.x, n = blockDim.x, active = (1u << levels) / 2, middle = length / 2;
  elements[thread] = in[blockIdx.x * n * 2 + thread];
  elements[n + thread] = in[blockIdx.x * n * 2 + n + thread];
  __syncthreads();
  for (unsigned level = 0; level < levels; level++) {
    float first = 0, second = 0;
    if (thread < active) {
      first = elements[2 * thread];
      second = elements[2 * thread + 1];
    }
    __syncthreads();
    if (thread < active) {
      elements[thread] = first + second;
      // COEFFICIENTS: ERROR: AddressSanitizer: heap-buffer-overflow
      // COEFFICIENTS: WRITE of size 4
      // COEFFICIENTS-NEXT: #0 wavelet(float const*, float*, unsigned int, unsigned int) {{.*}}rounds.cu:[[#@LINE+3]]:
      // COEFFICIENTS: located 0 bytes after 8188-byte region
      // COEFFICIENTS: allocated by host thread T0 here:
      coefficients[middle + blockIdx.x * active + thread] = first - second;
      middle >>= 1;
    }
    active >>= 1;
    __syncthreads();
  }
}

// A loop may have more rounds than the proof looks at.
__global__ void spread(float *to, int n) {
  for (int distance = 1; distance < n; distance *= 2)
    // LATE: ERROR: AddressSanitizer: heap-buffer-overflow
    // LATE: WRITE of size 4
    // LATE-NEXT: #0 spread(float*, int) {{.*}}rounds.cu:[[#@LINE+1]]:
    to[distance] = n;
}

int main(int, char **arguments) {
  const bool is_shared = !strcmp(arguments[1], "shared"), is_coefficients = !strcmp(arguments[1], "coefficients");
  float *data, *coefficients;
  cudaMalloc(&data, 16384);
  cudaMemset(data, 0, 16384);
  cudaMalloc(&coefficients, is_coefficients ? 8188 : 8192);
  walsh<<<2, 512, 8192>>>(data, 11, is_shared ? 1024 : 512);
  walsh<<<4, 256, 4096>>>(data, 10, 256);
  reduce<<<1, 256, 2048>>>(data, 512, 8);
  wavelet<<<4, 256, 2048>>>(data, coefficients, 9, 2048);
  float *to;
  cudaMalloc(&to, sizeof(float) << 17);
  spread<<<1, 1>>>(to, strcmp(arguments[1], "late") ? 1 << 12 : 1 << 19);
  return cudaDeviceSynchronize();
}
