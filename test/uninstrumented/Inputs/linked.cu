// A library of two files, of which nvcc links the device code (-rdc=true).
__device__ void put(int *to, int at, int value);

__global__ void fill_linked(int *to, int value) {
  put(to, threadIdx.x, value);
}

extern "C" void run(int *to) {
  fill_linked<<<1, 1>>>(to, 1);
}
