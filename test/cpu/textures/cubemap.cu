// texCubemap and texCubemapLayered read the face that a direction meets (+x, -x, +y, -y, +z, -z), at the place that the
// table in CUDA's programming guide defines. Cubemap surfaces name faces by number.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/sampling.h"

__global__ void sample(cudaTextureObject_t texture, const float3 *directions, int count, int layer, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    out[i] = layer < 0 ? texCubemap<int>(texture, directions[i].x, directions[i].y, directions[i].z)
                       : texCubemapLayered<int>(texture, directions[i].x, directions[i].y, directions[i].z, layer);
}

__global__ void fill(cudaSurfaceObject_t surface, int size) {
  int x = threadIdx.x, y = threadIdx.y, face = blockIdx.x;
  surfCubemapwrite(face * 10000 + y * 100 + x, surface, x * sizeof(int), y, face);
}

__global__ void fillLayered(cudaSurfaceObject_t surface, int size) {
  int x = threadIdx.x, y = threadIdx.y, face = blockIdx.x;
  surfCubemapLayeredwrite(face * 10000 + y * 100 + x, surface, x * sizeof(int), y, face);
}

// A separate kernel: a surface's writes may be read only from the next launch on.
__global__ void addLayered(cudaSurfaceObject_t surface) {
  int x = threadIdx.x, y = threadIdx.y, face = blockIdx.x;
  int value;
  surfCubemapLayeredread(&value, surface, x * sizeof(int), y, face);
  surfCubemapLayeredwrite(value + 7, surface, x * sizeof(int), y, face);
}

// Returns a direction of any length that meets texel (x, y) of a face.
float3 direction(int face, int x, int y, int size, Random &random) {
  double s = 2 * (x + 0.5 + (random.unit() - 0.5) * 0.6) / size - 1,
         t = 2 * (y + 0.5 + (random.unit() - 0.5) * 0.6) / size - 1;
  double length = 0.25 + random.unit() * 8;
  double faces[6][3] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t}, {s, -1, -t}, {s, -t, 1}, {-s, -t, -1}};
  return make_float3(float(faces[face][0] * length), float(faces[face][1] * length), float(faces[face][2] * length));
}

int main() {
  const int size = 24, layers = 3, perFace = size * size, count = 6 * perFace;
  cudaChannelFormatDesc channels = cudaCreateChannelDesc<int>();
  Random random(6);
  std::vector<float3> directions;
  for (int i = 0; i < count; ++i)
    directions.push_back(direction(i / perFace, i % size, i / size % size, size, random));
  float3 *places = upload(directions);
  int *out;
  CUDA(cudaMalloc(&out, count * sizeof(int)));

  cudaArray_t array;
  CUDA(cudaMalloc3DArray(&array, &channels, make_cudaExtent(size, size, 6),
                         cudaArrayCubemap | cudaArraySurfaceLoadStore));
  cudaSurfaceObject_t surface = surfaceOf(array);
  fill<<<6, dim3(size, size)>>>(surface, size);
  cudaTextureObject_t texture = textureOf(resourceOf(array), describe(cudaFilterModePoint, cudaAddressModeClamp, true));
  sample<<<(count + 127) / 128, 128>>>(texture, places, count, -1, out);
  std::vector<int> seen = download(out, count);
  for (int i = 0; i < count; ++i) {
    int expected = i / perFace * 10000 + i / size % size * 100 + i % size;
    EXPECT(seen[i] == expected, "(%g %g %g): %d, not %d", double(directions[i].x), double(directions[i].y),
           double(directions[i].z), seen[i], expected);
  }
  printf("cubemap %016llx\n", (unsigned long long)checksum(seen));
  CUDA(cudaDestroyTextureObject(texture));
  CUDA(cudaDestroySurfaceObject(surface));
  CUDA(cudaFreeArray(array));

  CUDA(cudaMalloc3DArray(&array, &channels, make_cudaExtent(size, size, 6 * layers),
                         cudaArrayCubemap | cudaArrayLayered | cudaArraySurfaceLoadStore));
  surface = surfaceOf(array);
  fillLayered<<<6 * layers, dim3(size, size)>>>(surface, size);
  addLayered<<<6 * layers, dim3(size, size)>>>(surface);
  texture = textureOf(resourceOf(array), describe(cudaFilterModePoint, cudaAddressModeClamp, true));
  for (int layer = 0; layer < layers; ++layer) {
    sample<<<(count + 127) / 128, 128>>>(texture, places, count, layer, out);
    seen = download(out, count);
    for (int i = 0; i < count; ++i) {
      int expected = (layer * 6 + i / perFace) * 10000 + i / size % size * 100 + i % size + 7;
      EXPECT(seen[i] == expected, "layer %d: %d, not %d", layer, seen[i], expected);
    }
    printf("layer %d %016llx\n", layer, (unsigned long long)checksum(seen));
  }
  CUDA(cudaDestroyTextureObject(texture));
  CUDA(cudaDestroySurfaceObject(surface));
  CUDA(cudaFreeArray(array));
  CUDA(cudaFree(places));
  CUDA(cudaFree(out));
  return passed();
}
