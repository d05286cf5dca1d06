// Code without checks: it does not report an overflow of a kilobyte. The address 4096 has no memory.
__global__ void plain(int *values) {
  values[threadIdx.x] = 3;
}

void launchPlain(int *values) {
  plain<<<1, 32>>>(values);
}
