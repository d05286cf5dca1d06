// Takes 48 without checks, and more than 64 with them. A kernel with an array as small as this reports by inlined code.
extern "C" __global__ void inlined(const float *a, const float *b, const int *where, float *to, int rounds, int n) {
  int places[8];
  float values[30];
#pragma unroll
  for (int i = 0; i < 30; i++)
    values[i] = a[where[threadIdx.x + i]];
#pragma unroll 1
  for (int i = 0; i < 8; i++)
    places[i] = where[i * n];
#pragma unroll 1
  for (int round = 0; round < rounds; round++) {
    int at = places[where[round] & 15];
#pragma unroll
    for (int i = 0; i < 30; i++)
      values[i] = values[i] * b[at + i * n] + values[(i + 7) % 30];
  }
#pragma unroll
  for (int i = 0; i < 30; i++)
    to[where[threadIdx.x + i]] = values[i];
}
