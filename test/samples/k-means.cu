// Lloyd's algorithm on points with integer features: assigns each point to the nearest centre, sums clusters by partial
// sums of blocks and atomics, and computes new centres. All values are integers, so every iteration is exact. With
// -DBUG the search for the nearest centre reads one centre too many.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
// RUN: %run %t --size 777 --repeat 2 2>&1 | %same.1
// RUN: %run %t --size 12 2>&1 | %same.2
// RUN: %gasan -O2 -DBUG %s -o %t.bug
// RUN: not %run %t.bug --size 500 2>&1 | FileCheck %s
#include "inputs/sample.h"

constexpr int kFeatures = 6, kClusters = 9, kThreads = 128, kMostIterations = 12;
#ifdef BUG
constexpr int kLastCentre = kClusters;
#else
constexpr int kLastCentre = kClusters - 1;
#endif

// features[f * n + i]: neighbouring threads read neighbouring words.
__global__ void transpose(const short *points, short *features, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int f = 0; f < kFeatures; ++f)
      features[f * n + i] = points[i * kFeatures + f];
}

__global__ void assign(const short *features, const int *centres, int *membership, unsigned *changed, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int best = 0;
  unsigned bestDistance = ~0u;
  if (i < n)
    for (int c = 0; c <= kLastCentre; ++c) {
      unsigned distance = 0;
      for (int f = 0; f < kFeatures; ++f) {
        // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow on {{cpu|cuda}} device 0
        // CHECK-NEXT: READ of size 4 at {{0x[0-9a-f]+}} by device thread (0,0,0) block (0,0,0) lane 0 (and 499 more
        // CHECK-NEXT: #0 assign(short const*, int const*, int*, unsigned int*, int) {{.*}}k-means.cu:[[#@LINE+1]]:
        int difference = features[f * n + i] - centres[c * kFeatures + f];
        distance += difference * difference;
      }
      if (distance < bestDistance) {
        bestDistance = distance;
        best = c;
      }
    }
  bool differs = i < n && membership[i] != best;
  if (differs)
    membership[i] = best;
  unsigned lanes = __ballot_sync(~0u, differs);
  if (threadIdx.x % 32 == 0 && lanes)
    atomicAdd(changed, __popc(lanes));
}

struct Sums {
  unsigned long long features[kClusters][kFeatures]; // two's complement
  unsigned count[kClusters];
};

__global__ void sumClusters(const short *features, const int *membership, Sums *sums, int n) {
  __shared__ int partial[kClusters][kFeatures];
  __shared__ unsigned count[kClusters];
  for (int k = threadIdx.x; k < kClusters * kFeatures; k += blockDim.x)
    partial[k / kFeatures][k % kFeatures] = 0;
  if (threadIdx.x < kClusters)
    count[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int cluster = membership[i];
    atomicAdd(&count[cluster], 1u);
    for (int f = 0; f < kFeatures; ++f)
      atomicAdd(&partial[cluster][f], int(features[f * n + i]));
  }
  __syncthreads();
  for (int k = threadIdx.x; k < kClusters * kFeatures; k += blockDim.x)
    atomicAdd(&sums->features[k / kFeatures][k % kFeatures],
              (unsigned long long)(long long)partial[k / kFeatures][k % kFeatures]);
  if (threadIdx.x < kClusters)
    atomicAdd(&sums->count[threadIdx.x], count[threadIdx.x]);
}

__global__ void moveCentres(const Sums *sums, int *centres) {
  int c = blockIdx.x, f = threadIdx.x;
  if (sums->count[c])
    centres[c * kFeatures + f] = int((long long)sums->features[c][f] / (long long)sums->count[c]);
}

struct Result {
  std::vector<int> centres, membership;
  int iterations = 0;
};

Result clusterOnHost(const std::vector<short> &points, std::vector<int> centres) {
  int n = int(points.size() / kFeatures);
  Result result{centres, std::vector<int>(n, -1)};
  for (bool changed = true; changed && result.iterations < kMostIterations; ++result.iterations) {
    changed = false;
    Sums sums = {};
    for (int i = 0; i < n; ++i) {
      int best = 0;
      unsigned bestDistance = ~0u;
      for (int c = 0; c < kClusters; ++c) {
        unsigned distance = 0;
        for (int f = 0; f < kFeatures; ++f) {
          int difference = points[i * kFeatures + f] - result.centres[c * kFeatures + f];
          distance += difference * difference;
        }
        if (distance < bestDistance)
          bestDistance = distance, best = c;
      }
      changed |= result.membership[i] != best;
      result.membership[i] = best;
      sums.count[best]++;
      for (int f = 0; f < kFeatures; ++f)
        sums.features[best][f] += (long long)points[i * kFeatures + f];
    }
    for (int k = 0; k < kClusters * kFeatures; ++k)
      if (sums.count[k / kFeatures])
        result.centres[k] =
            int((long long)sums.features[k / kFeatures][k % kFeatures] / (long long)sums.count[k / kFeatures]);
  }
  return result;
}

int main(int count, char **texts) {
  Arguments arguments = parse(count, texts, 8000, kClusters, 1 << 24);
  int n = arguments.size, blocks = divide_up(n, kThreads);
  Random random(90);
  std::vector<short> points(size_t(n) * kFeatures);
  for (int i = 0; i < n; ++i)
    for (int f = 0; f < kFeatures; ++f) // a few clouds
      points[i * kFeatures + f] = short(int(random.below(900)) + (i % 7) * 400 * (f % 3) - 2000);
  std::vector<int> start(points.begin(), points.begin() + kClusters * kFeatures);
  Result expected = clusterOnHost(points, start), result;

  short *rows, *features;
  int *centres, *membership;
  unsigned *changed;
  Sums *sums;
  CUDA(cudaMalloc(&rows, points.size() * sizeof(short)));
  CUDA(cudaMalloc(&features, points.size() * sizeof(short)));
  // CHECK: is located 0 bytes after 216-byte region
  // CHECK: in main {{.*}}k-means.cu:[[#@LINE+1]]:
  CUDA(cudaMalloc(&centres, kClusters * kFeatures * sizeof(int)));
  CUDA(cudaMalloc(&membership, n * sizeof(int)));
  CUDA(cudaMalloc(&changed, sizeof(unsigned)));
  CUDA(cudaMalloc(&sums, sizeof(Sums)));
  upload(rows, points);
  transpose<<<blocks, kThreads>>>(rows, features, n);
  for (int r = 0; r < arguments.repeat; ++r) {
    upload(centres, start);
    CUDA(cudaMemset(membership, 0xff, n * sizeof(int)));
    result.iterations = 0;
    Stopwatch watch;
    for (unsigned moved = 1; moved && result.iterations < kMostIterations; ++result.iterations) {
      CUDA(cudaMemset(changed, 0, sizeof(unsigned)));
      CUDA(cudaMemset(sums, 0, sizeof(Sums)));
      assign<<<blocks, kThreads>>>(features, centres, membership, changed, n);
      sumClusters<<<blocks, kThreads>>>(features, membership, sums, n);
      moveCentres<<<kClusters, kFeatures>>>(sums, centres);
      CUDA(cudaGetLastError());
      CUDA(cudaMemcpy(&moved, changed, sizeof moved, cudaMemcpyDeviceToHost));
    }
    watch.stop(arguments, "k-means");
  }
  result.centres.resize(kClusters * kFeatures);
  result.membership.resize(n);
  download(result.centres, centres);
  download(result.membership, membership);
  EXPECT(result.iterations == expected.iterations, "%d iterations, not %d", result.iterations, expected.iterations);
  for (int k = 0; k < kClusters * kFeatures; ++k)
    EXPECT(result.centres[k] == expected.centres[k], "centre %d: %d, not %d", k, result.centres[k],
           expected.centres[k]);
  for (int i = 0; i < n; ++i)
    EXPECT(result.membership[i] == expected.membership[i], "point %d", i);
  printf("%d iterations, membership %016llx, centres %016llx\n", result.iterations,
         (unsigned long long)checksum(result.membership), (unsigned long long)checksum(result.centres));
  void *const all[] = {rows, features, centres, membership, changed, sums};
  for (void *pointer : all)
    CUDA(cudaFree(pointer));
  return passed();
}
