// Not instrumented. An overflow of a kilobyte stays unseen; nothing is at the address 4096.
__global__ void plain(int *values) {
  values[threadIdx.x] = 3;
}

void launchPlain(int *values) {
  plain<<<1, 32>>>(values);
}
