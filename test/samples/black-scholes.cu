// Prices European options by the closed formula, in chunks that several streams copy and compute in turn, through
// pinned memory. Also checks the put-call parity of each option. Tolerance: 2e-4 of the price plus 2e-4 against the
// formula in double precision (the polynomial for the normal distribution is accurate to 7.5e-8, and the float formula
// loses a few digits where prices cancel). With -DBUG each chunk is rounded up to whole blocks, also the last one.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
// RUN: %run %t --size 1234 --repeat 3 2>&1 | %same.1
// RUN: %run %t --size 1 2>&1 | %same.2
// RUN: %gasan -O2 -DBUG %s -o %t.bug
// RUN: not %run %t.bug --size 5000 2>&1 | FileCheck %s
#include "inputs/sample.h"

constexpr int kThreads = 128, kStreams = 3, kMostChunks = 7;

struct Market {
  float rate, volatility;
};
__constant__ Market market;

// Abramowitz and Stegun 26.2.17.
template <typename Real>
__host__ __device__ Real normalBelow(Real d) {
  Real x = d < 0 ? -d : d, k = Real(1) / (Real(1) + Real(0.2316419) * x);
  Real tail =
      Real(0.39894228040143267794) * exp(Real(-0.5) * x * x) *
      (k * (Real(0.31938153) +
            k * (Real(-0.356563782) + k * (Real(1.781477937) + k * (Real(-1.821255978) + k * Real(1.330274429))))));
  return d > 0 ? Real(1) - tail : tail;
}

template <typename Real>
__host__ __device__ void price(Real stock, Real strike, Real years, Real rate, Real volatility, Real &call, Real &put) {
  Real root = sqrt(years);
  Real d1 = (log(stock / strike) + (rate + Real(0.5) * volatility * volatility) * years) / (volatility * root);
  Real d2 = d1 - volatility * root, below1 = normalBelow(d1), below2 = normalBelow(d2);
  Real discount = exp(-rate * years);
  call = stock * below1 - strike * discount * below2;
  put = strike * discount * (Real(1) - below2) - stock * (Real(1) - below1);
}

struct Options {
  float *stock, *strike, *years, *call, *put;
};

__global__ void priceOptions(Options options, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float call, put;
    // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0
    // CHECK-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread
    // CHECK: #0 priceOptions(Options, int) {{.*}}black-scholes.cu:[[#@LINE+1]]:
    price(options.stock[i], options.strike[i], options.years[i], market.rate, market.volatility, call, put);
    options.call[i] = call;
    options.put[i] = put;
  }
}

Options at(Options options, int offset) {
  return {options.stock + offset, options.strike + offset, options.years + offset, options.call + offset,
          options.put + offset};
}

void runChunk(Options host, Options device, int count, cudaStream_t stream) {
  size_t bytes = count * sizeof(float);
  CUDA(cudaMemcpyAsync(device.stock, host.stock, bytes, cudaMemcpyHostToDevice, stream));
  CUDA(cudaMemcpyAsync(device.strike, host.strike, bytes, cudaMemcpyHostToDevice, stream));
  CUDA(cudaMemcpyAsync(device.years, host.years, bytes, cudaMemcpyHostToDevice, stream));
#ifdef BUG
  int computed = divide_up(count, kThreads) * kThreads;
#else
  int computed = count;
#endif
  priceOptions<<<divide_up(count, 2 * kThreads), kThreads, 0, stream>>>(device, computed);
  CUDA(cudaGetLastError());
  CUDA(cudaMemcpyAsync(host.call, device.call, bytes, cudaMemcpyDeviceToHost, stream));
  CUDA(cudaMemcpyAsync(host.put, device.put, bytes, cudaMemcpyDeviceToHost, stream));
}

void check(Options host, int n, Market at) {
  for (int i = 0; i < n; ++i) {
    double call, put;
    price<double>(host.stock[i], host.strike[i], host.years[i], at.rate, at.volatility, call, put);
    EXPECT(std::fabs(host.call[i] - call) <= 2e-4 * call + 2e-4, "call %d: %g, not %g", i, double(host.call[i]), call);
    EXPECT(std::fabs(host.put[i] - put) <= 2e-4 * put + 2e-4, "put %d: %g, not %g", i, double(host.put[i]), put);
    double parity = host.stock[i] - host.strike[i] * std::exp(-double(at.rate) * host.years[i]);
    EXPECT(std::fabs(host.call[i] - host.put[i] - parity) <= 1e-3, "parity of %d", i);
  }
}

int main(int count, char **texts) {
  Arguments arguments = parse(count, texts, 40000, 1, 1 << 26);
  int n = arguments.size;
  Market now = {0.02f, 0.30f};
  CUDA(cudaMemcpyToSymbol(market, &now, sizeof now));
  Options host, device;
  float **const hosts[] = {&host.stock, &host.strike, &host.years, &host.call, &host.put};
  for (float **array : hosts)
    CUDA(cudaMallocHost(array, n * sizeof(float)));
  // CHECK: is located 0 bytes after 20000-byte region
  // CHECK: in main {{.*}}black-scholes.cu:[[#@LINE+1]]:
  CUDA(cudaMalloc(&device.stock, n * sizeof(float)));
  float **const devices[] = {&device.strike, &device.years, &device.call, &device.put};
  for (float **array : devices)
    CUDA(cudaMalloc(array, n * sizeof(float)));
  Random random(41);
  for (int i = 0; i < n; ++i) {
    host.stock[i] = 5 + 25 * random.unit();
    host.strike[i] = 1 + 99 * random.unit();
    host.years[i] = 0.25f + 9.75f * random.unit();
    host.call[i] = host.put[i] = -1;
  }
  cudaStream_t streams[kStreams];
  for (cudaStream_t &stream : streams)
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  int chunk = divide_up(divide_up(n, kMostChunks), kThreads) * kThreads;
  Stopwatch watch(streams[0]);
  for (int r = 0; r < arguments.repeat; ++r)
    for (int first = 0, turn = 0; first < n; first += chunk, turn = (turn + 1) % kStreams)
      runChunk(at(host, first), at(device, first), std::min(chunk, n - first), streams[turn]);
  watch.stop(arguments, "black-scholes");
  for (cudaStream_t stream : streams) {
    CUDA(cudaStreamSynchronize(stream));
    CUDA(cudaStreamDestroy(stream));
  }
  check(host, n, now);
  printf("%d options priced\n", n);
  for (float **array : hosts)
    CUDA(cudaFreeHost(*array));
  CUDA(cudaFree(device.stock));
  for (float **array : devices)
    CUDA(cudaFree(*array));
  return passed();
}
