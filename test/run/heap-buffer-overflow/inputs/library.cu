__global__ void fill(int *values, int count) { // the library of unloaded-library.cu
#ifdef FIXED
  if (threadIdx.x < count)
#endif
    values[threadIdx.x] = threadIdx.x;
}

extern "C" void launch_fill(int *values) {
  fill<<<1, 32>>>(values, 25);
}
