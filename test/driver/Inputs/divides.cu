__global__ void divide(const double *numbers, double *quotients, double by) {
  quotients[threadIdx.x] = numbers[threadIdx.x] / by;
}
