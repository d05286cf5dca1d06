/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// One round of k-means: finds the nearest centre of each point, and adds up the points of each centre.
// Stands for dynamic shared memory with a strided fill, and for atomics on counters that the data choose.
#include "../program.h"

struct Sizes {
  int points, dimensions, centers;
};

__device__ void fill_shared(float *to, const float *from, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    to[i] = from[i];
}

__host__ __device__ float square_distance(const float *a, const float *b, int dimensions) {
  float sum = 0;
  for (int d = 0; d < dimensions; d++) {
    float difference = a[d] - b[d];
    sum += difference * difference;
  }
  return sum;
}

__device__ int find_nearest(const float *point, const float *centers, Sizes sizes) {
  int nearest = 0;
  float least = 1e30f;
  for (int c = 0; c < sizes.centers; c++) {
    float distance = square_distance(point, centers + c * sizes.dimensions, sizes.dimensions);
    if (distance < least) {
      least = distance;
      nearest = c;
    }
  }
  return nearest;
}

__global__ void assign_points(const float *points, const float *centers, int *labels, float *sums, int *counts,
                              Sizes sizes) {
  extern __shared__ float shared_centers[];
  int *shared_counts = (int *)(shared_centers + sizes.centers * sizes.dimensions);
  fill_shared(shared_centers, centers, sizes.centers * sizes.dimensions);
  for (int c = threadIdx.x; c < sizes.centers; c += blockDim.x)
    shared_counts[c] = 0;
  __syncthreads();
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p < sizes.points) {
    const float *point = points + (size_t)p * sizes.dimensions;
    int nearest = find_nearest(point, shared_centers, sizes);
    labels[p] = nearest;
    atomicAdd(&shared_counts[nearest], 1);
    for (int d = 0; d < sizes.dimensions; d++)
      atomicAdd(&sums[nearest * sizes.dimensions + d], point[d]);
  }
  __syncthreads();
  for (int c = threadIdx.x; c < sizes.centers; c += blockDim.x)
    if (shared_counts[c])
      atomicAdd(&counts[c], shared_counts[c]);
}

int main(int argc, char **argv) {
  Program program(argc, argv);
  Sizes sizes = {int(program.size(1100, 8000003)), 8, int(program.size(10, 40))};
  float *points = program.allocate_made<float>(size_t(sizes.points) * sizes.dimensions, MakeUnits{0});
  float *centers = program.allocate_made<float>(sizes.centers * sizes.dimensions, MakeUnits{1});
  float *sums = program.allocate<float>(sizes.centers * sizes.dimensions);
  int *labels = program.allocate<int>(sizes.points), *counts = program.allocate<int>(sizes.centers);
  size_t shared = sizes.centers * (sizes.dimensions * sizeof(float) + sizeof(int));
  program.time(
      [&] {
        REQUIRE(cudaMemset(sums, 0, sizes.centers * sizes.dimensions * sizeof *sums));
        REQUIRE(cudaMemset(counts, 0, sizes.centers * sizeof *counts));
      },
      [&] {
        assign_points<<<divide_up(sizes.points, 256), 256, shared>>>(points, centers, labels, sums, counts, sizes);
      });
  std::vector<float> host_centers = copy_back(centers, sizes.centers * sizes.dimensions);
  std::vector<int> host_labels = copy_back(labels, sizes.points), wanted(sizes.centers);
  std::vector<double> wanted_sums(host_centers.size());
  for (int p = 0; p < sizes.points; p++) {
    wanted[host_labels[p]]++;
    for (int d = 0; d < sizes.dimensions; d++)
      wanted_sums[host_labels[p] * sizes.dimensions + d] += unit(0, size_t(p) * sizes.dimensions + d);
  }
  bool verified = copy_back(counts, sizes.centers) == wanted;
  for (size_t i = 0; i < wanted_sums.size(); i++)
    verified &= is_close(fetch(sums + i), wanted_sums[i], 1e-2);
  auto check = [&](size_t p) {
    std::vector<float> point = copy_back(points + p * sizes.dimensions, sizes.dimensions);
    auto distance = [&](int c) {
      return square_distance(point.data(), &host_centers[c * sizes.dimensions], sizes.dimensions);
    };
    float least = distance(0);
    for (int c = 1; c < sizes.centers; c++)
      least = std::min(least, distance(c));
    return distance(host_labels[p]) <= least * 1.0001f;
  };
  return program.finish(verified && program.verify(sizes.points, check, sizes.centers));
}
