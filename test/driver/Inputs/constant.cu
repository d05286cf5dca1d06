__constant__ float weights[16];

__global__ void weigh(const float *numbers, float *weighted, int first) {
  weighted[threadIdx.x] = numbers[threadIdx.x] * weights[(first + threadIdx.x) & 15];
}
