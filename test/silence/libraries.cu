// cuBLAS, cuFFT and cuRAND, whose kernels are not instrumented, with pointers to the start and the middle of chunks.
// REQUIRES: cuda
// RUN: %gasan -O2 %s -o %t -ldl
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"
#include <dlfcn.h>

// Skips a library that is missing: the machine may have a part of the toolkit only.
static void *library(const char *name, const char *other) {
  void *handle = dlopen(name, RTLD_NOW);
  if (!handle)
    handle = dlopen(other, RTLD_NOW);
  if (!handle)
    printf("no %s\n", name);
  return handle;
}

template <typename F>
F *function(void *handle, const char *name) {
  F *found = reinterpret_cast<F *>(dlsym(handle, name));
  EXPECT(found, "%s", name);
  if (!found)
    exit(1);
  return found;
}

__global__ void scale(float *values, int count, float by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] *= by;
}

static void blas(int count) {
  void *handle = library("libcublas.so.13", "libcublas.so.12");
  if (!handle)
    return;
  void *context;
  EXPECT(function<int(void **)>(handle, "cublasCreate_v2")(&context) == 0, "create");
  Buffer<float> x(std::vector<float>(count, 2)), y(std::vector<float>(count + 10, 1));
  float alpha = 3;
  int status = function<int(void *, int, const float *, const float *, int, float *, int)>(handle, "cublasSaxpy_v2")(
      context, count, &alpha, x, 1, y + 10, 1);
  EXPECT(status == 0, "%d", status);
  scale<<<(count + 265) / 256, 256>>>(y, count + 10, 2);
  std::vector<float> got = y.host();
  EXPECT(got[9] == 2 && got[10] == 14 && got[count + 9] == 14, "%g %g", got[9], got[count + 9]);
  function<int(void *)>(handle, "cublasDestroy_v2")(context);
}

static void fft(int count) { // count is a power of two
  void *handle = library("libcufft.so.12", "libcufft.so.11");
  if (!handle)
    return;
  int plan, forward = -1, complex = 0x29;
  EXPECT(function<int(int *, int, int, int)>(handle, "cufftPlan1d")(&plan, count, complex, 1) == 0, "plan");
  Buffer<float2> values(std::vector<float2>(count, make_float2(1, 0)));
  auto *execute = function<int(int, float2 *, float2 *, int)>(handle, "cufftExecC2C");
  EXPECT(execute(plan, values, values, forward) == 0, "execute");
  scale<<<(2 * count + 255) / 256, 256>>>(reinterpret_cast<float *>(values.data), 2 * count, 1);
  std::vector<float2> got = values.host();
  EXPECT(got[0].x == float(count) && got[1].x == 0, "%g %g", got[0].x, got[1].x);
  function<int(int)>(handle, "cufftDestroy")(plan);
}

static void rand(int count) {
  void *handle = library("libcurand.so.10", "libcurand.so");
  if (!handle)
    return;
  void *generator;
  EXPECT(function<int(void **, int)>(handle, "curandCreateGenerator")(&generator, 100) == 0, "create");
  Buffer<float> values(count + 1);
  CUDA(cudaMemset(values, 0, (count + 1) * sizeof(float)));
  EXPECT(function<int(void *, float *, size_t)>(handle, "curandGenerateUniform")(generator, values, count) == 0,
         "generate");
  scale<<<(count + 256) / 256, 256>>>(values, count + 1, 2);
  std::vector<float> got = values.host();
  EXPECT(got[0] > 0 && got[0] <= 2 && got[count] == 0, "%g %g", got[0], got[count]);
  function<int(void *)>(handle, "curandDestroyGenerator")(generator);
}

int main() {
  for (int count : {256, 65536}) {
    blas(count);
    fft(count);
    rand(count);
  }
  return passed();
}
