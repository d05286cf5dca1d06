/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Distances of n places to one, as Rodinia's nn; the host finds the nearest.
#include "footprint.h"

constexpr int kThreads = 256;
constexpr float kLatitude = 30, kLongitude = 90;

struct Place {
  float latitude, longitude;
};

struct MakePlace {
  __host__ __device__ Place operator()(size_t i) const {
    return {180 * scrambled_unit(2 * i) - 90, 360 * scrambled_unit(2 * i + 1) - 180};
  }
};

__global__ void measure(const Place *places, float *distances, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float y = places[i].latitude - kLatitude, x = places[i].longitude - kLongitude;
    distances[i] = sqrtf(y * y + x * x);
  }
}

static double expected(size_t i) {
  return hypot(MakePlace()(i).latitude - kLatitude, MakePlace()(i).longitude - kLongitude);
}

int main(int argc, char **argv) {
  Footprint run("nn", argc, argv, 1000, 42764, 30000000);
  int n = run.n;
  Place *places = run.allocate_made<Place>(n, MakePlace());
  float *distances = run.allocate<float>(n);
  measure<<<divide_up(n, kThreads), kThreads>>>(places, distances, n);
  run.launched();
  std::vector<float> found(n);
  REQUIRE(cudaMemcpy(found.data(), distances, n * sizeof(float), cudaMemcpyDeviceToHost));
  size_t nearest = std::min_element(found.begin(), found.end()) - found.begin();
  return run.finish(holds_for_samples(
      n, [&](size_t i) { return fabs(found[i] - expected(i)) <= 1e-3 && expected(nearest) <= expected(i) + 1e-3; }));
}
