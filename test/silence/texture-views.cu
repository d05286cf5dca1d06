// Texture and surface objects on memory that kernels also access by pointer: linear, pitched, a part of a chunk.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../cpu/inputs/buffer.h"

__global__ void both(cudaTextureObject_t linear, cudaTextureObject_t pitched, const float *values, int count,
                     float *out) {
  int i = threadIdx.x;
  if (i < count)
    out[i] = tex1Dfetch<float>(linear, i) + values[count + i] + tex2D<float>(pitched, i + 0.5f, 1.5f);
}

__global__ void through_surface(cudaSurfaceObject_t surface, int width, float *out) {
  int i = threadIdx.x;
  if (i < width) {
    surf2Dwrite(float(i), surface, i * int(sizeof(float)), 0);
    out[width - 1 - i] = surf2Dread<float>(surface, i * int(sizeof(float)), 0);
  }
}

int main() {
  const int count = 128;
  std::vector<float> values(2 * count);
  for (int i = 0; i < 2 * count; ++i)
    values[i] = i;
  Buffer<float> data(values), out(count);
  float *rows;
  size_t pitch;
  CUDA(cudaMallocPitch(&rows, &pitch, count * sizeof(float), 2));
  CUDA(cudaMemcpy2D(rows, pitch, values.data(), count * sizeof(float), count * sizeof(float), 2,
                    cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  cudaTextureDesc texture = {};
  texture.readMode = cudaReadModeElementType;
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = data + count; // the second half
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = count * sizeof(float);
  cudaTextureObject_t linear, pitched;
  CUDA(cudaCreateTextureObject(&linear, &resource, &texture, nullptr));
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = rows;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  resource.res.pitch2D.width = count;
  resource.res.pitch2D.height = 2;
  resource.res.pitch2D.pitchInBytes = pitch;
  CUDA(cudaCreateTextureObject(&pitched, &resource, &texture, nullptr));
  both<<<1, 256>>>(linear, pitched, data, count, out);
  std::vector<float> got = out.host();
  EXPECT(got[0] == 3 * count && got[5] == 3 * (count + 5), "%g %g", got[0], got[5]);
  CUDA(cudaDestroyTextureObject(linear));
  CUDA(cudaDestroyTextureObject(pitched));
  CUDA(cudaFree(rows));

  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CUDA(cudaMallocArray(&array, &format, count, 1, cudaArraySurfaceLoadStore));
  cudaResourceDesc of_array = {};
  of_array.resType = cudaResourceTypeArray;
  of_array.res.array.array = array;
  cudaSurfaceObject_t surface;
  CUDA(cudaCreateSurfaceObject(&surface, &of_array));
  through_surface<<<1, count>>>(surface, count, out);
  EXPECT(out.host()[0] == count - 1, "%g", out.host()[0]);
  CUDA(cudaDestroySurfaceObject(surface));
  CUDA(cudaFreeArray(array));
  return passed();
}
