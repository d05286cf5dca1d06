__attribute__((no_sanitize("address"))) __device__ int excluded(int *value) {
  return *value;
}

__device__ int included(int *value) {
  return *value;
}
