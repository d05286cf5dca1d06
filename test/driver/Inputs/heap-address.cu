// The address of a function of the device runtime is a value, in code and in a variable.
#include <cstdlib>

#ifdef VARIABLE
__device__ void *(*allocate)(size_t) = malloc;
#endif

__global__ void fill(int **to, int n, bool own) {
#ifdef VARIABLE
  void *(*volatile function)(size_t) = allocate;
#else
  void *(*volatile function)(size_t) = malloc;
#endif
  to[threadIdx.x] = (int *)function(n);
}
