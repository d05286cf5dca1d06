// Takes more than 64 registers without checks, because 90 values live at once. All accesses are claimed.
extern "C" __global__ void plain(const float *from, float *to, int rounds) {
  float values[90];
#pragma unroll
  for (int i = 0; i < 90; i++)
    values[i] = from[threadIdx.x + 256 * i];
#pragma unroll 1
  for (int round = 0; round < rounds; round++)
#pragma unroll
    for (int i = 0; i < 90; i++)
      values[i] = values[i] * values[(i + 1) % 90] + values[(i + 7) % 90];
#pragma unroll
  for (int i = 0; i < 90; i++)
    to[threadIdx.x + 256 * i] = values[i];
}

// Takes few without checks, and many with them.
extern "C" __global__ void checks(const float *a, const float *b, const int *where, float *to, int rounds, int n) {
  float values[20];
#pragma unroll
  for (int i = 0; i < 20; i++)
    values[i] = a[where[threadIdx.x + i]];
#pragma unroll 1
  for (int round = 0; round < rounds; round++)
#pragma unroll
    for (int i = 0; i < 20; i++)
      values[i] = values[i] * b[where[(round + i) % n] + threadIdx.x] + values[(i + 7) % 20];
#pragma unroll
  for (int i = 0; i < 20; i++)
    to[where[threadIdx.x + i]] = values[i];
}
