// A kernel that calls a function which is not inlined. Only the kernel has registers of its own to print.
__device__ __noinline__ float half_of(float value) {
  return value / 2;
}

__global__ void copy(float *to, const float *from, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    to[i] = half_of(from[i]);
}
