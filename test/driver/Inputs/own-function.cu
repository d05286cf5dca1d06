#ifdef LOOKS_UP
__device__ __attribute__((noinline)) int next(const int *value) {
  return *value + 1;
}

__global__ void add_one(int *value) {
  *value = next(value);
}
#else
__device__ __attribute__((noinline)) int next(int value) {
  return value + 1;
}

__global__ void add_one(int *value) {
  *value = next(*value);
}
#endif
