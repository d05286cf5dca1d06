// Takes 28 values at once, and as many bounds and addresses in checks.
static __device__ __forceinline__ void work(const float *from, const int *where, float *to, int rounds) {
  float values[28];
#pragma unroll
  for (int i = 0; i < 28; i++)
    values[i] = from[where[threadIdx.x + i]];
#pragma unroll 1
  for (int round = 0; round < rounds; round++)
#pragma unroll
    for (int i = 0; i < 28; i++)
      values[i] = values[i] * from[where[round + i]] + values[(i + 7) % 28];
#pragma unroll
  for (int i = 0; i < 28; i++)
    to[where[threadIdx.x + i]] = values[i];
}

template <typename T>
__global__ void many(const T *from, const int *where, T *to, int rounds) {
  work(from, where, to, rounds);
}
template __global__ void many(const float *, const int *, float *, int);

extern "C" __global__ void __launch_bounds__(1024) largest(const float *from, const int *where, float *to, int rounds) {
  work(from, where, to, rounds);
}

// The text below looks like the function's end.
extern "C" __global__ void braces(const float *from, const int *where, float *to, int rounds) {
  asm volatile("{ // }\n"
               "}\n"
               "/* }\n"
               "} */");
  work(from, where, to, rounds);
}

extern "C" __global__ void few(float *to) {
  to[threadIdx.x] = 1;
}
