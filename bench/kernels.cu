// Times seven kernels and prints {"kernel": milliseconds, ...}. run.py compares the plain and the instrumented program.
//   kernels [ELEMENTS [KERNELS [REPETITIONS [WARM_UPS]]]]     KERNELS: names with commas between them, or all
// The four arrays have ELEMENTS words each: 1.6 GB together by default, many times any L2 cache.
#include "harness.h"

#include <string>

constexpr int kBlock = 256, kTile = 16, kPerThread = 64;
constexpr float kFactor = 3.0f;

__global__ void triad(const float *a, const float *b, float *out, unsigned count) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    out[i] = a[i] + kFactor * b[i];
}

__global__ void gather(const float *a, const unsigned *index, float *out, unsigned count) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    out[i] = a[index[i]];
}

__global__ void stencil(const float *in, float *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  int i = y * width + x;
  bool border = x == 0 || y == 0 || x == width - 1 || y == height - 1;
  out[i] = border ? in[i] : 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
}

__global__ void matmul_naive(const float *a, const float *b, float *out, int n) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || column >= n)
    return;
  float sum = 0;
  for (int k = 0; k < n; k++)
    sum += a[row * n + k] * b[k * n + column];
  out[row * n + column] = sum;
}

// n is a multiple of the tile.
__global__ void matmul_tiled(const float *a, const float *b, float *out, int n) {
  __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
  int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * kTile + x, row = blockIdx.y * kTile + y;
  float sum = 0;
  for (int start = 0; start < n; start += kTile) {
    tile_a[y][x] = a[row * n + start + x];
    tile_b[y][x] = b[(start + y) * n + column];
    __syncthreads();
    for (int k = 0; k < kTile; k++)
      sum += tile_a[y][k] * tile_b[k][x];
    __syncthreads();
  }
  out[row * n + column] = sum;
}

// Unsigned sums wrap, so the result does not depend on the order of the atomics.
__global__ void reduction(const unsigned *in, unsigned *sum, unsigned count) {
  __shared__ unsigned block_sum;
  if (threadIdx.x == 0)
    block_sum = 0;
  __syncthreads();
  unsigned own = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    own += in[i];
  atomicAdd(&block_sum, own);
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(sum, block_sum);
}

__global__ void empty() {}

struct Data {
  unsigned count;
  int width, height, n; // of the stencil's grid; of the square matrices
  std::vector<float> host_a, host_b;
  std::vector<unsigned> host_index;
  float *a, *b, *out;
  unsigned *index, *sum;
};

static Data make_data(unsigned count) {
  Data data = {};
  data.count = count;
  data.width = 1 << (int)floor(log2(sqrt((double)count)));
  data.height = count / data.width;
  data.n = data.width / 2;
  Random random{20240229};
  auto fraction = [&] { return (random.next() >> 8) * 0x1p-24f; };
  data.a = upload(data.host_a, count, fraction);
  data.b = upload(data.host_b, count, fraction);
  data.index = upload(data.host_index, count, [&] { return random.next() % count; });
  REQUIRE(cudaMalloc(&data.out, count * sizeof(float)));
  REQUIRE(cudaMalloc(&data.sum, sizeof(unsigned)));
  return data;
}

static bool check_stencil(const Data &d, unsigned) {
  return check_samples(d.out, d.width * d.height, [&](unsigned i) -> double {
    int x = i % d.width, y = i / d.width;
    const float *p = &d.host_a[i];
    bool border = x == 0 || y == 0 || x == d.width - 1 || y == d.height - 1;
    return border ? p[0] : 0.2 * ((double)p[0] + p[-1] + p[1] + p[-d.width] + p[d.width]);
  });
}

static bool check_matmul(const Data &d, unsigned) {
  return check_samples(d.out, d.n * d.n, [&](unsigned i) {
    double sum = 0;
    for (int k = 0; k < d.n; k++)
      sum += (double)d.host_a[i / d.n * d.n + k] * d.host_b[k * d.n + i % d.n];
    return sum;
  });
}

static bool check_sum(const Data &d, unsigned launches) {
  unsigned expected = 0, actual;
  for (unsigned element : d.host_index)
    expected += element * launches;
  REQUIRE(cudaMemcpy(&actual, d.sum, sizeof actual, cudaMemcpyDeviceToHost));
  return actual == expected;
}

struct Kernel {
  const char *name;
  void (*launch)(const Data &);
  bool (*check)(const Data &, unsigned launches);
};

static unsigned blocks(unsigned count, unsigned block) { return (count + block - 1) / block; }
static dim3 blocks2(int width, int height) { return dim3(blocks(width, kTile), blocks(height, kTile)); }

static const Kernel kernels[] = {
    {"triad", [](const Data &d) { triad<<<blocks(d.count, kBlock), kBlock>>>(d.a, d.b, d.out, d.count); },
     [](const Data &d, unsigned) {
       return check_samples(d.out, d.count, [&](unsigned i) { return d.host_a[i] + (double)kFactor * d.host_b[i]; });
     }},
    {"gather", [](const Data &d) { gather<<<blocks(d.count, kBlock), kBlock>>>(d.a, d.index, d.out, d.count); },
     [](const Data &d, unsigned) {
       return check_samples(d.out, d.count, [&](unsigned i) { return d.host_a[d.host_index[i]]; });
     }},
    {"stencil", [](const Data &d) {
       stencil<<<blocks2(d.width, d.height), dim3(kTile, kTile)>>>(d.a, d.out, d.width, d.height);
     }, check_stencil},
    {"matmul_naive", [](const Data &d) {
       matmul_naive<<<blocks2(d.n, d.n), dim3(kTile, kTile)>>>(d.a, d.b, d.out, d.n);
     }, check_matmul},
    {"matmul_tiled", [](const Data &d) {
       matmul_tiled<<<blocks2(d.n, d.n), dim3(kTile, kTile)>>>(d.a, d.b, d.out, d.n);
     }, check_matmul},
    {"reduction", [](const Data &d) {
       reduction<<<blocks(d.count, kBlock * kPerThread), kBlock>>>(d.index, d.sum, d.count);
     }, check_sum},
    {"empty", [](const Data &) { empty<<<1, 1>>>(); }, [](const Data &, unsigned) { return true; }},
};

static float measure(const Kernel &kernel, const Data &data, int repetitions, int warm_ups) {
  // NaNs, so that no kernel profits from what the one before it wrote.
  REQUIRE(cudaMemset(data.out, 0xff, data.count * sizeof(float)));
  REQUIRE(cudaMemset(data.sum, 0, sizeof(unsigned)));
  float median = time_launches([&] { kernel.launch(data); }, repetitions, warm_ups);
  if (!kernel.check(data, warm_ups + repetitions)) {
    fprintf(stderr, "kernels: %s computed something wrong\n", kernel.name);
    exit(1);
  }
  return median;
}

int main(int argc, char **argv) {
  unsigned count = argc > 1 ? strtoul(argv[1], nullptr, 10) : 96u << 20;
  std::string names = argc > 2 ? argv[2] : "all";
  int repetitions = argc > 3 ? atoi(argv[3]) : 15, warm_ups = argc > 4 ? atoi(argv[4]) : 3;
  if (count < 1024 || count > 1u << 29 || repetitions < 1 || warm_ups < 0) {
    fprintf(stderr, "usage: kernels [ELEMENTS [KERNELS [REPETITIONS [WARM_UPS]]]], ELEMENTS from 1024 to 2^29\n");
    return 2;
  }
  Data data = make_data(count);
  std::string json;
  for (const Kernel &kernel : kernels) {
    if (names != "all" && ("," + names + ",").find("," + std::string(kernel.name) + ",") == std::string::npos)
      continue;
    char entry[80];
    snprintf(entry, sizeof entry, "%s\"%s\": %.6f", json.empty() ? "" : ", ", kernel.name,
             measure(kernel, data, repetitions, warm_ups));
    json += entry;
  }
  printf("{%s}\n", json.c_str());
  return json.empty() ? 2 : 0;
}
