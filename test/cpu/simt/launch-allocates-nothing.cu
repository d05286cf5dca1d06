// In the steady state a launch makes no allocation, no mapping and no thread.
// REQUIRES: cpu
// RUN: %gasan -O2 %s -o %t
// RUN: %options=cpu_threads=2 %run %t 2>&1 >/dev/null | %silent
#include "../inputs/self_check.h"
#include <atomic>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>

static std::atomic<bool> counting;
static std::atomic<int> asked;

// These definitions replace the C library's functions, also for the runtime.
#define COUNTED(result, name, parameters, arguments)                                                                   \
  extern "C" result name parameters {                                                                                  \
    static auto real = reinterpret_cast<result(*) parameters>(dlsym(RTLD_NEXT, #name));                                \
    asked += counting;                                                                                                 \
    return real arguments;                                                                                             \
  }
COUNTED(void *, malloc, (size_t size), (size))
COUNTED(void *, realloc, (void *p, size_t size), (p, size))
COUNTED(void *, aligned_alloc, (size_t alignment, size_t size), (alignment, size))
COUNTED(int, pthread_create, (pthread_t * thread, const pthread_attr_t *a, void *(*start)(void *), void *argument),
        (thread, a, start, argument))
COUNTED(void *, mmap, (void *at, size_t size, int protection, int flags, int file, off_t offset),
        (at, size, protection, flags, file, offset))

__global__ void loop(int *out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
}
__global__ void fibers(int *out) {
  __shared__ int values[64];
  extern __shared__ int more[];
  values[threadIdx.x] = threadIdx.x;
  more[threadIdx.x] = blockIdx.x;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = values[63 - threadIdx.x] + more[63 - threadIdx.x];
}

int main() {
  int *out;
  CUDA(cudaMalloc(&out, 100 * 64 * sizeof(int)));
  auto launch = [&] {
    for (int i = 0; i < 200; i++) {
      loop<<<100, 64>>>(out);
      fibers<<<100, 64, 256>>>(out);
      loop<<<1, 1>>>(out);
    }
    CUDA(cudaDeviceSynchronize());
  };
  free(malloc(1));
  launch();
  void *p = nullptr;
  counting = true;
  p = malloc(10);
  EXPECT(asked == 1, "the counter counts %d of 1", asked.load());
  asked = 0;
  launch();
  EXPECT(asked == 0, "%d allocations in 600 launches", asked.load());
  counting = false;
  free(p);
  CUDA(cudaFree(out));
  return passed();
}
