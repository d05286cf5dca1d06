// Layered arrays contain planes (or rows) of one size. tex1DLayered and tex2DLayered read the named layer, clamped to
// the existing layers, and never blend layers. For cudaMemcpy3D the layers are the depth.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/sampling.h"

__global__ void sampleRows(cudaTextureObject_t texture, int width, int layers, int *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, layer = blockIdx.y;
  if (x < width)
    out[layer * width + x] = tex1DLayered<int>(texture, x + 0.5f, layer);
}

__global__ void samplePlanes(cudaTextureObject_t texture, int width, int height, ushort4 *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, layer = blockIdx.y;
  if (i < width * height)
    out[layer * width * height + i] =
        tex2DLayered<ushort4>(texture, (i % width + 0.3f) / width, (i / width + 0.7f) / height, layer);
}

__global__ void blendPlanes(cudaTextureObject_t texture, int width, int height, int layers, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, layer = blockIdx.y;
  if (i < width * height)
    out[layer * width * height + i] = tex2DLayered<float>(texture, i % width + 1.0f, i / width + 0.5f, layer);
}

template <typename T>
cudaArray_t layered(const std::vector<T> &values, int width, int height, int layers) {
  cudaArray_t array;
  cudaChannelFormatDesc channels = cudaCreateChannelDesc<T>();
  CUDA(cudaMalloc3DArray(&array, &channels, make_cudaExtent(width, height, layers), cudaArrayLayered));
  int rows = height ? height : 1;
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(const_cast<T *>(values.data()), width * sizeof(T), width, rows);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(width, rows, layers);
  copy.kind = cudaMemcpyHostToDevice;
  CUDA(cudaMemcpy3D(&copy));
  return array;
}

int main() {
  const int width = 50, height = 20, layers = 6;
  Random random(8);

  std::vector<int> rows(width * layers);
  for (int &value : rows)
    value = random.next();
  cudaArray_t array = layered(rows, width, 0, layers);
  cudaTextureObject_t texture = textureOf(resourceOf(array), describe());
  int *rowOut;
  CUDA(cudaMalloc(&rowOut, rows.size() * sizeof(int)));
  sampleRows<<<dim3(1, layers), 64>>>(texture, width, layers, rowOut);
  std::vector<int> seenRows = download(rowOut, rows.size());
  EXPECT(seenRows == rows, "rows differ");
  printf("rows %016llx\n", (unsigned long long)checksum(seenRows));
  CUDA(cudaDestroyTextureObject(texture));
  CUDA(cudaFreeArray(array));

  std::vector<ushort4> planes(width * height * layers);
  for (ushort4 &value : planes)
    value = make_ushort4(random.next(), random.next(), random.next(), random.next());
  array = layered(planes, width, height, layers);
  texture = textureOf(resourceOf(array), describe(cudaFilterModePoint, cudaAddressModeWrap, true));
  ushort4 *planeOut;
  const int beyond = 3; // layers that do not exist
  CUDA(cudaMalloc(&planeOut, width * height * (layers + beyond) * sizeof(ushort4)));
  samplePlanes<<<dim3((width * height + 127) / 128, layers + beyond), 128>>>(texture, width, height, planeOut);
  std::vector<ushort4> seenPlanes = download(planeOut, width * height * (layers + beyond));
  for (int i = 0; i < width * height * (layers + beyond); ++i) {
    int layer = i / (width * height), last = layer < layers ? layer : layers - 1;
    EXPECT(memcmp(&seenPlanes[i], &planes[last * width * height + i % (width * height)], sizeof(ushort4)) == 0,
           "layer %d texel %d", layer, i % (width * height));
  }
  printf("planes %016llx\n", (unsigned long long)checksum(seenPlanes));
  CUDA(cudaDestroyTextureObject(texture));
  CUDA(cudaFreeArray(array));

  // Halfway between two texels of a row; layers differ by 1000, so that none leaks into another.
  std::vector<float> ramps;
  for (int layer = 0; layer < layers; ++layer)
    for (int i = 0; i < width * height; ++i)
      ramps.push_back(layer * 1000 + i % width);
  array = layered(ramps, width, height, layers);
  texture = textureOf(resourceOf(array), describe(cudaFilterModeLinear));
  float *rampOut;
  CUDA(cudaMalloc(&rampOut, ramps.size() * sizeof(float)));
  blendPlanes<<<dim3((width * height + 127) / 128, layers), 128>>>(texture, width, height, layers, rampOut);
  std::vector<float> seenRamps = download(rampOut, ramps.size());
  for (size_t i = 0; i < ramps.size(); ++i) {
    float expected = ramps[i] + (i % width < width - 1 ? 0.5f : 0.0f);
    EXPECT(std::fabs(seenRamps[i] - expected) <= 1.0 / 256, "%g, not %g", double(seenRamps[i]), double(expected));
  }
  CUDA(cudaDestroyTextureObject(texture));
  CUDA(cudaFreeArray(array));

  cudaChannelFormatDesc channels;
  cudaExtent extent;
  unsigned flags;
  array = layered(rows, width, 0, layers);
  CUDA(cudaArrayGetInfo(&channels, &extent, &flags, array));
  EXPECT(extent.width == width && extent.height == 0 && extent.depth == layers, "%zu %zu %zu", extent.width,
         extent.height, extent.depth);
  EXPECT((flags & cudaArrayLayered) != 0, "flags %u", flags);
  EXPECT(channels.x == 32 && channels.y == 0 && channels.f == cudaChannelFormatKindSigned, "%d bits", channels.x);
  CUDA(cudaFreeArray(array));
  CUDA(cudaFree(rowOut));
  CUDA(cudaFree(planeOut));
  CUDA(cudaFree(rampOut));
  return passed();
}
