/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Two steps of Lloyd's algorithm on n points of 34 features, as Rodinia's kmeans: the features and their transpose,
// membership on the device, new centres on the host from some of the points.
#include "footprint.h"

constexpr int kFeatures = 34, kClusters = 5, kThreads = 256;

struct MakeFeature {
  __host__ __device__ float operator()(size_t i) const { return scrambled_unit(i); }
};

__constant__ float centres[kClusters * kFeatures];

__global__ void transpose(const float *points, float *features, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int f = 0; i < n && f < kFeatures; f++)
    features[size_t(f) * n + i] = points[size_t(i) * kFeatures + f];
}

__global__ void assign(const float *features, int *membership, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
  if (i >= n)
    return;
  float best_distance = 1e30f;
  for (int c = 0; c < kClusters; c++) {
    float distance = 0;
    for (int f = 0; f < kFeatures; f++) {
      float difference = features[size_t(f) * n + i] - centres[c * kFeatures + f];
      distance += difference * difference;
    }
    if (distance < best_distance)
      best_distance = distance, best = c;
  }
  membership[i] = best;
}

static double distance(const std::vector<float> &all, size_t point, int centre) {
  double sum = 0;
  for (int f = 0; f < kFeatures; f++) {
    double difference = MakeFeature()(point * kFeatures + f) - all[centre * kFeatures + f];
    sum += difference * difference;
  }
  return sum;
}

int main(int argc, char **argv) {
  Footprint run("kmeans", argc, argv, 500, 204800, 1500000);
  int n = run.n;
  float *points = run.allocate_made<float>(size_t(n) * kFeatures, MakeFeature());
  float *features = run.allocate<float>(size_t(n) * kFeatures);
  int *membership = run.allocate<int>(n);
  transpose<<<divide_up(n, kThreads), kThreads>>>(points, features, n);
  std::vector<float> all(kClusters * kFeatures);
  for (size_t i = 0; i < all.size(); i++)
    all[i] = MakeFeature()(i);
  bool right = true;
  for (int step = 0; step < 2; step++) {
    REQUIRE(cudaMemcpyToSymbol(centres, all.data(), all.size() * sizeof(float)));
    assign<<<divide_up(n, kThreads), kThreads>>>(features, membership, n);
    run.launched();
    right &= holds_for_samples(n, [&](size_t i) {
      double own = distance(all, i, fetch(membership + i)), least = own;
      for (int c = 0; c < kClusters; c++)
        least = std::min(least, distance(all, i, c));
      return own <= least + 1e-4;
    });
    for (float &coordinate : all)
      coordinate = 0.5f + (coordinate - 0.5f) * 0.75f;
  }
  return run.finish(right);
}
