__device__ int deep(int value) {
  return value + 1;
}
