// Launches by <<<>>>, cudaLaunchKernel and cudaLaunchKernelExC with attributes, with arguments of every size. A wrong
// configuration is an error of the launch and has no other effect.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

struct Big {
  int values[200];
  double last;
};
struct __align__(16) Aligned {
  char c;
  double d[2];
};

__global__ void take(char a, Big big, short b, Aligned aligned, long long c, float f, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = a + big.values[i % 200] + int(big.last) + b + aligned.c + int(aligned.d[1]) + int(c % 1000) + int(f);
}
__global__ void shape(unsigned long long *sum) {
  unsigned long long block = blockIdx.x + gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
  unsigned long long thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  atomicAdd(sum, block * 10007 + thread + 1);
}

static int failed;
static void bad(dim3 grid, dim3 block, size_t shared, unsigned long long *sum) {
  shape<<<grid, block, shared>>>(sum);
  EXPECT(cudaPeekAtLastError() == cudaErrorInvalidValue || cudaPeekAtLastError() == cudaErrorInvalidConfiguration,
         "(%u,%u,%u) x (%u,%u,%u): %s", grid.x, grid.y, grid.z, block.x, block.y, block.z,
         cudaGetErrorName(cudaPeekAtLastError()));
  failed += cudaGetLastError() != cudaSuccess;
  EXPECT(cudaGetLastError() == cudaSuccess, "not sticky");
}

int main() {
  int *out;
  unsigned long long *sum;
  CUDA(cudaMallocManaged(&out, 400 * sizeof(int)));
  CUDA(cudaMallocManaged(&sum, sizeof *sum));
  Big big;
  for (int i = 0; i < 200; ++i)
    big.values[i] = i * i;
  big.last = 77.5;
  Aligned aligned = {3, {1, 42.5}};
  char a = 5;
  short b = -9;
  long long c = 123456789012345678ll;
  float f = 6.5f;
  uint64_t result = 0;
  for (int form = 0; form < 3; ++form) {
    memset(out, 0, 400 * sizeof(int));
    void *arguments[] = {&a, &big, &b, &aligned, &c, &f, &out};
    if (form == 0) {
      take<<<4, 100>>>(a, big, b, aligned, c, f, out);
      big.values[3] = -1; // arguments were copied
    } else if (form == 1) {
      CUDA(cudaLaunchKernel((void *)take, dim3(4), dim3(100), arguments, 0, nullptr));
    } else {
      cudaLaunchAttribute attributes[2];
      memset(attributes, 0, sizeof attributes);
      attributes[0].id = cudaLaunchAttributePriority;
      attributes[0].val.priority = 0;
      attributes[1].id = cudaLaunchAttributeCooperative;
      attributes[1].val.cooperative = 1;
      cudaLaunchConfig_t config = {};
      config.gridDim = dim3(4);
      config.blockDim = dim3(100);
      config.attrs = attributes;
      config.numAttrs = 2;
      CUDA(cudaLaunchKernelExC(&config, (void *)take, arguments));
    }
    CUDA(cudaDeviceSynchronize());
    big.values[3] = 9;
    for (int i = 0; i < 400; ++i)
      EXPECT(out[i] == 5 + (i % 200) * (i % 200) + 77 - 9 + 3 + 42 + 678 + 6, "form %d: %d: %d", form, i, out[i]);
    result = checksum(out, 400 * sizeof(int), result);
  }

  for (dim3 grid : {dim3(1), dim3(7), dim3(3, 5), dim3(2, 3, 4), dim3(1, 1, 9)})
    for (dim3 block : {dim3(1), dim3(33), dim3(8, 8), dim3(4, 3, 5), dim3(1, 1, 64), dim3(1024)}) {
      unsigned long long blocks = (unsigned long long)grid.x * grid.y * grid.z, threads = block.x * block.y * block.z;
      *sum = 0;
      shape<<<grid, block>>>(sum);
      CUDA(cudaDeviceSynchronize());
      unsigned long long expected =
          blocks * (blocks - 1) / 2 * 10007 * threads + blocks * (threads * (threads + 1) / 2);
      EXPECT(*sum == expected, "(%u,%u,%u) x (%u,%u,%u): %llu, not %llu", grid.x, grid.y, grid.z, block.x, block.y,
             block.z, *sum, expected);
    }
  *sum = 0;
  bad(dim3(0), dim3(1), 0, sum);
  bad(dim3(1), dim3(0), 0, sum);
  bad(dim3(1, 0), dim3(1), 0, sum);
  bad(dim3(1), dim3(1025), 0, sum);
  bad(dim3(1), dim3(32, 33), 0, sum);
  bad(dim3(1), dim3(1, 1, 65), 0, sum);
  bad(dim3(1, 65536), dim3(1), 0, sum);
  bad(dim3(1, 1, 65536), dim3(1), 0, sum);
  bad(dim3(1), dim3(1), 1 << 20, sum);
  CUDA(cudaDeviceSynchronize());
  EXPECT(*sum == 0, "a wrong launch ran");
  EXPECT(cudaLaunchKernel((void *)&failed, dim3(1), dim3(1), nullptr, 0, nullptr) == cudaErrorInvalidResourceHandle,
         "no kernel");
  cudaGetLastError();
  shape<<<1, 1>>>(sum);
  CUDA(cudaDeviceSynchronize());
  EXPECT(*sum == 1, "the next one does");
  printf("%016llx %d\n", (unsigned long long)result, failed);
  CUDA(cudaFree(out));
  CUDA(cudaFree(sum));
  return passed();
}
