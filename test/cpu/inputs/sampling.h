// Shared by the programs of test/cpu/textures: descriptors in one line, and CUDA's rules for sampling, implemented for
// the host.
#ifndef GASAN_TEST_CPU_SAMPLING_H
#define GASAN_TEST_CPU_SAMPLING_H

#include "self_check.h"

static inline cudaTextureDesc describe(cudaTextureFilterMode filter = cudaFilterModePoint,
                                       cudaTextureAddressMode address = cudaAddressModeClamp, bool normalized = false,
                                       cudaTextureReadMode read = cudaReadModeElementType) {
  cudaTextureDesc texture;
  memset(&texture, 0, sizeof texture);
  texture.addressMode[0] = texture.addressMode[1] = texture.addressMode[2] = address;
  texture.filterMode = filter;
  texture.normalizedCoords = normalized;
  texture.readMode = read;
  return texture;
}

static inline cudaResourceDesc resourceOf(cudaArray_t array) {
  cudaResourceDesc resource;
  memset(&resource, 0, sizeof resource);
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

template <typename T>
cudaResourceDesc resourceOf(T *memory, size_t count) {
  cudaResourceDesc resource;
  memset(&resource, 0, sizeof resource);
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = memory;
  resource.res.linear.desc = cudaCreateChannelDesc<T>();
  resource.res.linear.sizeInBytes = count * sizeof(T);
  return resource;
}

template <typename T>
cudaResourceDesc resourceOf(T *memory, size_t width, size_t height, size_t pitch) {
  cudaResourceDesc resource;
  memset(&resource, 0, sizeof resource);
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = memory;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<T>();
  resource.res.pitch2D.width = width;
  resource.res.pitch2D.height = height;
  resource.res.pitch2D.pitchInBytes = pitch;
  return resource;
}

static inline cudaTextureObject_t textureOf(const cudaResourceDesc &resource, const cudaTextureDesc &texture) {
  cudaTextureObject_t object;
  CUDA(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
  return object;
}

static inline cudaSurfaceObject_t surfaceOf(cudaArray_t array) {
  cudaResourceDesc resource = resourceOf(array);
  cudaSurfaceObject_t object;
  CUDA(cudaCreateSurfaceObject(&object, &resource));
  return object;
}

// Returns the texel for an index; -1 is the border.
static inline int addressed(int i, int size, cudaTextureAddressMode mode) {
  switch (mode) {
  case cudaAddressModeWrap:
    return (i % size + size) % size;
  case cudaAddressModeMirror:
    i = (i % (2 * size) + 2 * size) % (2 * size);
    return i < size ? i : 2 * size - 1 - i;
  case cudaAddressModeBorder:
    return i < 0 || i >= size ? -1 : i;
  default:
    return i < 0 ? 0 : i >= size ? size - 1 : i;
  }
}

template <typename T>
T *upload(const std::vector<T> &values) {
  T *device;
  CUDA(cudaMalloc(&device, values.size() * sizeof(T)));
  CUDA(cudaMemcpy(device, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}

template <typename T>
std::vector<T> download(const T *device, size_t count) {
  std::vector<T> values(count);
  CUDA(cudaMemcpy(values.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

#endif
