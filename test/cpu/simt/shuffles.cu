// __shfl_sync, _up, _down and _xor: every type, every width, sources in and out of range, full and partial masks, whole
// and partial warps. With a source outside of its segment a lane gets its own value.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"
#include <cuda_fp16.h>

enum Operation { Index, Up, Down, Xor };

template <typename T>
__global__ void shuffle(Operation operation, unsigned mask, int width, int b, const T *in, T *out) {
  const int lane = threadIdx.x % 32;
  if (!(mask >> lane & 1))
    return;
  T value = in[threadIdx.x];
  // With __shfl_sync a lane may choose its own source.
  T result = operation == Index  ? __shfl_sync(mask, value, b + lane % 3, width)
             : operation == Up   ? __shfl_up_sync(mask, value, b, width)
             : operation == Down ? __shfl_down_sync(mask, value, b, width)
                                 : __shfl_xor_sync(mask, value, b, width);
  out[threadIdx.x] = result;
}

// CUDA C++ Programming Guide, "Warp Shuffle Functions".
static int sourceLane(Operation operation, int lane, int width, int b) {
  const int first = lane / width * width, at = lane - first;
  switch (operation) {
  case Index:
    return first + ((b + lane % 3) & (width - 1));
  case Up:
    return at - b < 0 ? lane : lane - b;
  case Down:
    return at + b >= width ? lane : lane + b;
  default: // may read an earlier segment, not a later one
    return (lane ^ b) >= first + width ? lane : lane ^ b;
  }
}

template <typename T>
static T valueOf(Random &random) {
  return T(int(random.below(2000001)) - 1000000) / T(4);
}
template <>
long long valueOf(Random &random) {
  return (long long)random.next() << 32 | random.next();
}
template <>
unsigned long long valueOf(Random &random) {
  return (unsigned long long)random.next() << 32 | random.next();
}
template <>
__half valueOf(Random &random) {
  return __half(float(random.below(2048)) / 4.0f);
}

template <typename T>
static void check(const char *name) {
  static const unsigned masks[] = {0xffffffffu, 0x0000ffffu, 0x00ff00f0u, 0x7fffffffu};
  static const int offsets[] = {0, 1, 2, 5, 8, 16, 17, 31};
  const int threads = 64;
  Random random(21);
  std::vector<T> in(threads), out(threads);
  T *dIn, *dOut;
  CUDA(cudaMalloc(&dIn, threads * sizeof(T)));
  CUDA(cudaMalloc(&dOut, threads * sizeof(T)));
  uint64_t sum = 0;
  for (int i = 0; i < threads; ++i)
    in[i] = valueOf<T>(random);
  CUDA(cudaMemcpy(dIn, in.data(), threads * sizeof(T), cudaMemcpyHostToDevice));
  for (int operation = Index; operation <= Xor; ++operation)
    for (int width = 1; width <= 32; width *= 2)
      for (int b : offsets)
        for (unsigned mask : masks) {
          CUDA(cudaMemset(dOut, 0, threads * sizeof(T)));
          shuffle<<<1, threads>>>(Operation(operation), mask, width, b, dIn, dOut);
          CUDA(cudaMemcpy(out.data(), dOut, threads * sizeof(T), cudaMemcpyDeviceToHost));
          for (int t = 0; t < threads; ++t) {
            const int lane = t % 32, source = sourceLane(Operation(operation), lane, width, b);
            if (!(mask >> lane & 1) || !(mask >> source & 1)) {
              memset(&out[t], 0, sizeof(T)); // undefined, or no such lane
              continue;
            }
            EXPECT(memcmp(&out[t], &in[t / 32 * 32 + source], sizeof(T)) == 0,
                   "%s operation %d width %d b %d mask %08x thread %d: not lane %d's", name, operation, width, b, mask,
                   t, source);
          }
          sum = checksum(out.data(), threads * sizeof(T), sum);
        }
  printf("%s %016llx\n", name, (unsigned long long)sum);
  CUDA(cudaFree(dIn));
  CUDA(cudaFree(dOut));
}

// A last warp of 5 threads: a mask of all lanes means the existing lanes.
__global__ void lastWarp(int *out) {
  int sum = threadIdx.x % 32;
  const unsigned there = threadIdx.x < 32 ? 0xffffffffu : 0x1fu;
  for (int distance = 16; distance; distance /= 2) {
    int other = __shfl_down_sync(there, sum, distance);
    if (threadIdx.x % 32 + distance < __popc(there))
      sum += other;
  }
  out[threadIdx.x] = __shfl_sync(there, sum, 0);
}

int main() {
  check<int>("int");
  check<unsigned>("unsigned");
  check<long>("long");
  check<unsigned long>("unsigned long");
  check<long long>("long long");
  check<unsigned long long>("unsigned long long");
  check<float>("float");
  check<double>("double");
  check<__half>("half");
  int *d, out[37];
  CUDA(cudaMalloc(&d, sizeof out));
  lastWarp<<<1, 37>>>(d);
  CUDA(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
  for (int t = 0; t < 37; ++t)
    EXPECT(out[t] == (t < 32 ? 496 : 10), "thread %d: %d", t, out[t]);
  CUDA(cudaFree(d));
  return passed();
}
