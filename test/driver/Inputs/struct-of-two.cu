// A struct of the program has the members of one of the device runtime's.
#include <cuda_runtime.h>

__global__ void gather(ulonglong2 *to, const ulonglong2 *from, const int *index, int n) {
  extern __shared__ ulonglong2 tile[];
  ulonglong2 *chosen = n & 1 ? to : to + n;
  tile[threadIdx.x] = from[index[threadIdx.x]];
  __syncthreads();
  ulonglong2 sum = tile[n];
  for (int i = 0; i < index[n]; i++)
    sum.x += tile[index[i]].y;
  chosen[index[2 * threadIdx.x]] = sum;
}
