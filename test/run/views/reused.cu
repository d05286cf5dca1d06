// Threads that create and destroy surface objects and arrays. CUDA gives an object's number, and an array's handle, to
// another thread before the call that destroyed it returns.
// RUN: %gasan -O1 %s -o %t
// RUN: %run %t objects 2>&1 >/dev/null | %silent
// RUN: %run %t arrays 2>&1 >/dev/null | %silent
#include <cstdlib>
#include <cstring>
#include <thread>

__global__ void put(cudaSurfaceObject_t surface, int value) {
  surf2Dwrite(value, surface, 4 * threadIdx.x, 0);
}

#define CUDA(call) ((call) == cudaSuccess ? (void)0 : exit(2))

static cudaArray_t make_array() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t array;
  CUDA(cudaMallocArray(&array, &format, 8, 8, cudaArraySurfaceLoadStore));
  return array;
}

static void use(cudaArray_t array, cudaStream_t stream, int value) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface;
  CUDA(cudaCreateSurfaceObject(&surface, &resource));
  put<<<1, 8, 0, stream>>>(surface, value);
  CUDA(cudaStreamSynchronize(stream));
  CUDA(cudaDestroySurfaceObject(surface));
}

static void run(bool with_arrays, int rounds) {
  cudaStream_t stream;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaArray_t array = make_array();
  for (int i = 0; i < rounds; i++) {
    use(array, stream, i);
    if (with_arrays) {
      CUDA(cudaFreeArray(array));
      array = make_array();
    }
  }
  CUDA(cudaFreeArray(array));
}

int main(int, char **argv) {
  const bool with_arrays = !strcmp(argv[1], "arrays");
  const int rounds = with_arrays ? 5000 : 60000;
  std::thread threads[4];
  for (std::thread &thread : threads)
    thread = std::thread(run, with_arrays, rounds);
  for (std::thread &thread : threads)
    thread.join();
}
