__global__ void store(int *value) { // the library of late-library.cu
  *value = 7;
}

extern "C" int launch_store(int *value) {
  store<<<1, 1>>>(value);
  return cudaDeviceSynchronize();
}
