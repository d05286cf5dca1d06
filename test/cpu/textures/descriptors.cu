// Objects return the descriptors they were made with. Descriptors that CUDA documents as wrong are errors (formats,
// sizes, alignment, filters that do not fit the format, surfaces on arrays without the flag), and the alignments in the
// device's properties are sufficient.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/sampling.h"

#define REFUSED(call) EXPECT((call) != cudaSuccess, "was not refused")

__global__ void fetch(cudaTextureObject_t texture, int *out) {
  out[threadIdx.x] = tex1Dfetch<int>(texture, threadIdx.x);
}

void testArrays() {
  cudaArray_t array;
  cudaChannelFormatDesc floats = cudaCreateChannelDesc<float4>();
  const cudaExtent extents[] = {{64, 0, 0}, {64, 32, 0}, {64, 32, 16}};
  for (cudaExtent extent : extents) {
    CUDA(cudaMalloc3DArray(&array, &floats, extent));
    cudaChannelFormatDesc channels;
    cudaExtent seen;
    unsigned flags;
    CUDA(cudaArrayGetInfo(&channels, &seen, &flags, array));
    EXPECT(memcmp(&seen, &extent, sizeof seen) == 0, "%zu %zu %zu", seen.width, seen.height, seen.depth);
    EXPECT(channels.x == 32 && channels.w == 32 && channels.f == cudaChannelFormatKindFloat, "%d", channels.x);
    EXPECT(flags == 0, "flags %u", flags);
    CUDA(cudaGetChannelDesc(&channels, array));
    EXPECT(channels.y == 32 && channels.z == 32, "%d %d", channels.y, channels.z);
    CUDA(cudaFreeArray(array));
  }
  REFUSED(cudaMallocArray(&array, &floats, 0));
  cudaChannelFormatDesc three = cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat);
  REFUSED(cudaMallocArray(&array, &three, 16, 16));
  cudaChannelFormatDesc odd = cudaCreateChannelDesc(12, 0, 0, 0, cudaChannelFormatKindUnsigned);
  REFUSED(cudaMallocArray(&array, &odd, 16, 16));
  cudaChannelFormatDesc narrow = cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindFloat);
  REFUSED(cudaMallocArray(&array, &narrow, 16, 16));
  REFUSED(cudaMalloc3DArray(&array, &floats, make_cudaExtent(16, 8, 6), cudaArrayCubemap)); // faces are squares
  REFUSED(cudaMalloc3DArray(&array, &floats, make_cudaExtent(16, 16, 5), cudaArrayCubemap));
  cudaDeviceProp properties;
  CUDA(cudaGetDeviceProperties(&properties, 0));
  EXPECT(properties.maxTexture1D > 0 && properties.maxTexture2D[0] > 0 && properties.maxTexture3D[2] > 0 &&
             properties.maxSurface2D[1] > 0,
         "no limits");
  REFUSED(cudaMallocArray(&array, &floats, size_t(properties.maxTexture2D[0]) + 1, 16));
  puts("arrays");
}

void testObjects() {
  cudaArray_t array;
  cudaChannelFormatDesc ints = cudaCreateChannelDesc<int>();
  CUDA(cudaMallocArray(&array, &ints, 32, 16));
  cudaResourceDesc resource = resourceOf(array), seenResource;
  cudaTextureDesc description = describe(cudaFilterModePoint, cudaAddressModeMirror, true), seenDescription;
  cudaTextureObject_t texture = textureOf(resource, description);
  CUDA(cudaGetTextureObjectResourceDesc(&seenResource, texture));
  EXPECT(seenResource.resType == cudaResourceTypeArray && seenResource.res.array.array == array, "resource");
  CUDA(cudaGetTextureObjectTextureDesc(&seenDescription, texture));
  EXPECT(seenDescription.addressMode[1] == cudaAddressModeMirror && seenDescription.normalizedCoords, "description");
  CUDA(cudaDestroyTextureObject(texture));

  cudaTextureObject_t refused;
  cudaSurfaceObject_t surface;
  description = describe(cudaFilterModeLinear);
  REFUSED(cudaCreateTextureObject(&refused, &resource, &description, nullptr)); // integers are not blended
  description = describe(cudaFilterModePoint, cudaAddressModeClamp, false, cudaReadModeNormalizedFloat);
  REFUSED(cudaCreateTextureObject(&refused, &resource, &description, nullptr)); // nor 32-bit ones normalised
  CUDA(cudaFreeArray(array));

  CUDA(cudaMallocArray(&array, &ints, 32, 16, cudaArraySurfaceLoadStore));
  surface = surfaceOf(array);
  CUDA(cudaGetSurfaceObjectResourceDesc(&seenResource, surface));
  EXPECT(seenResource.resType == cudaResourceTypeArray && seenResource.res.array.array == array, "surface's resource");
  CUDA(cudaDestroySurfaceObject(surface));
  CUDA(cudaFreeArray(array));
  puts("objects");
}

// Textures can be made on allocations of any size, and inside of them at multiples of the alignment.
void testAlignment() {
  int alignment, pitchAlignment;
  CUDA(cudaDeviceGetAttribute(&alignment, cudaDevAttrTextureAlignment, 0));
  CUDA(cudaDeviceGetAttribute(&pitchAlignment, cudaDevAttrTexturePitchAlignment, 0));
  EXPECT(alignment > 0 && (alignment & (alignment - 1)) == 0, "%d", alignment);
  const int count = 32;
  int *out;
  CUDA(cudaMalloc(&out, count * sizeof(int)));
  cudaTextureDesc description = describe();
  std::vector<int *> all;
  for (int turn = 0; turn < 40; ++turn) {
    std::vector<int> values(count + turn * 13);
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = int(turn * 1000 + i);
    all.push_back(upload(values));
    EXPECT(reinterpret_cast<uintptr_t>(all.back()) % alignment == 0, "turn %d", turn);
    cudaTextureObject_t texture = textureOf(resourceOf(all.back(), values.size()), description);
    fetch<<<1, count>>>(texture, out);
    std::vector<int> seen = download(out, count);
    EXPECT(std::equal(seen.begin(), seen.end(), values.begin()), "turn %d", turn);
    CUDA(cudaDestroyTextureObject(texture));
  }
  for (int *memory : all)
    CUDA(cudaFree(memory));
  int *memory;
  CUDA(cudaMalloc(&memory, 64 * alignment));
  CUDA(cudaMemset(memory, 1, 64 * alignment));
  cudaTextureObject_t texture = textureOf(resourceOf(memory + alignment / sizeof(int), count), description), refused;
  fetch<<<1, count>>>(texture, out);
  EXPECT(download(out, count)[5] == 0x01010101, "inside of an allocation");
  CUDA(cudaDestroyTextureObject(texture));
  cudaResourceDesc wrong = resourceOf(memory + 1, count);
  REFUSED(cudaCreateTextureObject(&refused, &wrong, &description, nullptr));
  wrong = resourceOf(memory, 8, 4, pitchAlignment * 2 + 1);
  REFUSED(cudaCreateTextureObject(&refused, &wrong, &description, nullptr));
  texture = textureOf(resourceOf(memory, 8, 4, pitchAlignment), description);
  CUDA(cudaDestroyTextureObject(texture));
  CUDA(cudaFree(memory));
  CUDA(cudaFree(out));
  puts("alignment");
}

int main() {
  testArrays();
  testObjects();
  testAlignment();
  EXPECT(cudaGetLastError() != cudaSuccess, "the refusals left no error");
  EXPECT(cudaGetLastError() == cudaSuccess, "the error stayed");
  return passed();
}
