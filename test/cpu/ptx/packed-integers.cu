// Packed 16-bit integers and minima that are not negative: add, min and max of s16x2 and u16x2, and relu, as CUDA's DPX
// functions use them, give the host's results.
// RUN: %gasan -O2 --offload-arch=sm_90 %s -o %t
// RUN: %run %t
#include "../inputs/self_check.h"

struct Results {
  uint32_t maxSigned, minSigned, maxUnsigned, minUnsigned, sum, maxRelu, minRelu, addMaxRelu;
  int32_t max32Relu, min32Relu;
};

__global__ void compute(const uint32_t *in, Results *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  uint32_t a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
  Results r;
  asm("max.s16x2 %0, %1, %2;" : "=r"(r.maxSigned) : "r"(a), "r"(b));
  asm("min.s16x2 %0, %1, %2;" : "=r"(r.minSigned) : "r"(a), "r"(b));
  asm("max.u16x2 %0, %1, %2;" : "=r"(r.maxUnsigned) : "r"(a), "r"(b));
  asm("min.u16x2 %0, %1, %2;" : "=r"(r.minUnsigned) : "r"(a), "r"(b));
  asm("add.u16x2 %0, %1, %2;" : "=r"(r.sum) : "r"(a), "r"(b));
  asm("max.s16x2.relu %0, %1, %2;" : "=r"(r.maxRelu) : "r"(a), "r"(b));
  r.minRelu = __vimin_s16x2_relu(a, b);
  r.addMaxRelu = __viaddmax_s16x2_relu(a, b, c);
  r.max32Relu = __vimax_s32_relu(int(a), int(b));
  r.min32Relu = __vimin3_s32_relu(int(a), int(b), int(c));
  out[i] = r;
}

template <typename T, typename F>
uint32_t halves(uint32_t a, uint32_t b, F f) {
  return uint32_t(uint16_t(f(T(a), T(b)))) | uint32_t(uint16_t(f(T(a >> 16), T(b >> 16)))) << 16;
}

Results expected(uint32_t a, uint32_t b, uint32_t c) {
  auto max = [](int x, int y) { return x > y ? x : y; };
  auto min = [](int x, int y) { return x < y ? x : y; };
  auto add = [](int x, int y) { return x + y; };
  auto relu = [](int x) { return x < 0 ? 0 : x; };
  auto maxRelu = [&](int x, int y) { return relu(max(x, y)); };
  auto minRelu = [&](int x, int y) { return relu(min(x, y)); };
  Results r;
  r.maxSigned = halves<int16_t>(a, b, max), r.minSigned = halves<int16_t>(a, b, min);
  r.maxUnsigned = halves<uint16_t>(a, b, max), r.minUnsigned = halves<uint16_t>(a, b, min);
  r.sum = halves<int16_t>(a, b, add);
  r.maxRelu = halves<int16_t>(a, b, maxRelu), r.minRelu = halves<int16_t>(a, b, minRelu);
  r.addMaxRelu = halves<int16_t>(r.sum, c, maxRelu);
  r.max32Relu = maxRelu(int(a), int(b)), r.min32Relu = minRelu(min(int(a), int(b)), int(c));
  return r;
}

int main() {
  const int n = 1000;
  const uint32_t edges[] = {0, 1, 0x7fff, 0x8000, 0xffff, 0x7fff8000, 0x80007fff, 0xffffffff, 0x80000000, 0x7fffffff};
  Random random(5);
  std::vector<uint32_t> in(3 * n);
  for (uint32_t &word : in)
    word = random.below(3) ? random.next() : edges[random.below(10)];
  uint32_t *dIn;
  Results *dOut;
  CUDA(cudaMalloc(&dIn, in.size() * sizeof in[0]));
  CUDA(cudaMalloc(&dOut, n * sizeof *dOut));
  CUDA(cudaMemcpy(dIn, in.data(), in.size() * sizeof in[0], cudaMemcpyHostToDevice));
  compute<<<(n + 127) / 128, 128>>>(dIn, dOut, n);
  std::vector<Results> out(n);
  CUDA(cudaMemcpy(out.data(), dOut, n * sizeof out[0], cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) {
    const Results r = expected(in[3 * i], in[3 * i + 1], in[3 * i + 2]);
    EXPECT(!memcmp(&r, &out[i], sizeof r), "%08x %08x %08x", in[3 * i], in[3 * i + 1], in[3 * i + 2]);
  }
  CUDA(cudaFree(dIn));
  CUDA(cudaFree(dOut));
  return passed();
}
