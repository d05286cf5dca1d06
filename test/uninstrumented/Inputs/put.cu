// The function of put.ptx.
extern "C" __device__ void put(int *to, int value) {
  *to = value;
}
