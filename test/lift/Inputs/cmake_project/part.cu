__device__ void put(int *to, int at, int value) {
  to[at] = value;
}
