// Correct uses of texture and surface objects: places outside of the array if the boundary or address mode defines the
// result, and otherwise the first and last places; handles that CUDA reuses for other arrays; objects destroyed while
// the last kernel that uses them may run; memory freed while unused objects on it exist.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../cpu/inputs/sampling.h"

// Offsets of corners and of places far outside.
__device__ const int offsets[] = {0, -1, 1, -1000000, 1000000, -100000000, 100000000};
const int count = sizeof offsets / sizeof *offsets;

template <typename T>
__device__ T outside(T size, int i) {
  return i & 1 ? T(offsets[i / 2 % count]) : size + T(offsets[i / 2 % count]);
}

template <typename T>
__global__ void clampPlane(cudaSurfaceObject_t surface, int width, int height, int *out) {
  int x = outside(width, threadIdx.x) * int(sizeof(T)), y = outside(height, threadIdx.y);
  T value = surf2Dread<T>(surface, x, y, cudaBoundaryModeClamp);
  surf2Dwrite(value, surface, x, y, cudaBoundaryModeZero);
  surf2Dwrite(value, surface, x, y, cudaBoundaryModeClamp);
  value = surf2Dread<T>(surface, x, y, cudaBoundaryModeZero);
  atomicAdd(out, int(*reinterpret_cast<const unsigned char *>(&value)));
}

__global__ void clampOthers(cudaSurfaceObject_t line, cudaSurfaceObject_t volume, cudaSurfaceObject_t layers,
                            cudaSurfaceObject_t lines, cudaSurfaceObject_t cube, int *out) {
  int x = outside(16, threadIdx.x) * 4, y = outside(16, threadIdx.y), z = outside(6, threadIdx.x + threadIdx.y);
  int sum = surf1Dread<int>(line, x, cudaBoundaryModeClamp) + surf1Dread<int>(line, x, cudaBoundaryModeZero) +
            surf3Dread<int>(volume, x, y, z, cudaBoundaryModeClamp) +
            surf3Dread<int>(volume, x, y, z, cudaBoundaryModeZero) +
            surf2DLayeredread<int>(layers, x, y, 2, cudaBoundaryModeClamp) +
            surf1DLayeredread<int>(lines, x, 5, cudaBoundaryModeZero) +
            surfCubemapread<int>(cube, x, y, 5, cudaBoundaryModeClamp);
  surf3Dwrite(sum, volume, x, y, z, cudaBoundaryModeZero);
  atomicAdd(out, sum);
}

// The first and the last place of each shape, also for accesses of other widths than the elements'.
__global__ void edges(cudaSurfaceObject_t line, cudaSurfaceObject_t volume, cudaSurfaceObject_t layers,
                      cudaSurfaceObject_t lines, cudaSurfaceObject_t cube, int *out) {
  int sum = surf1Dread<int>(line, 0) + surf1Dread<int>(line, 60) + surf1Dread<unsigned char>(line, 63) +
            surf1Dread<short>(line, 62) + int(surf1Dread<long long>(line, 56)) + surf1Dread<int4>(line, 48).w;
  surf3Dwrite(make_int2(1, 2), volume, 56, 15, 5);
  surf2DLayeredwrite(1, layers, 60, 15, 5);
  surf1DLayeredwrite(1, lines, 60, 5);
  surfCubemapwrite(make_uchar4(1, 2, 3, 4), cube, 60, 15, 5);
  sum += surf3Dread<int>(volume, 0, 0, 0) + surf2DLayeredread<int>(layers, 0, 0, 0) +
         surf1DLayeredread<int>(lines, 0, 0) + surfCubemapread<int>(cube, 0, 0, 0);
  atomicAdd(out, sum);
}

__global__ void edgesOfLine(cudaSurfaceObject_t line, int *out) {
  *out = surf1Dread<int>(line, 60);
}

__global__ void sample(cudaTextureObject_t texture, bool linear, int size, int *out) {
  float x = outside(float(size), threadIdx.x), y = outside(float(size), threadIdx.y);
  float value = linear ? tex1Dfetch<float>(texture, outside(size, threadIdx.x)) : tex2D<float>(texture, x, y);
  atomicAdd(out, value > 1e30f);
}

__global__ void store(cudaSurfaceObject_t surface, int width, int rounds) {
  for (int round = 0; round < rounds; ++round)
    surf2Dwrite(threadIdx.x, surface, int(threadIdx.x) % width * 4, round % 2);
}

cudaArray_t arrayOf(const cudaChannelFormatDesc &format, size_t width, size_t height, size_t depth, unsigned flags) {
  cudaArray_t array;
  CUDA(cudaMalloc3DArray(&array, &format, make_cudaExtent(width, height, depth), flags | cudaArraySurfaceLoadStore));
  return array;
}

template <typename T>
void clampIn(int width, int height, int *out) {
  cudaArray_t array = arrayOf(cudaCreateChannelDesc<T>(), width, height, 0, 0);
  std::vector<T> zeros(width * height);
  CUDA(cudaMemcpy2DToArray(array, 0, 0, zeros.data(), width * sizeof(T), width * sizeof(T), height,
                           cudaMemcpyHostToDevice));
  cudaSurfaceObject_t surface = surfaceOf(array);
  clampPlane<T><<<1, dim3(2 * count, 2 * count)>>>(surface, width, height, out);
  CUDA(cudaDestroySurfaceObject(surface));
  CUDA(cudaFreeArray(array));
}

int main() {
  int *out;
  CUDA(cudaMalloc(&out, sizeof(int)));
  CUDA(cudaMemset(out, 0, sizeof(int)));
  clampIn<unsigned char>(33, 5, out);
  clampIn<short2>(7, 9, out);
  clampIn<int4>(3, 2, out);
  clampIn<float>(1, 1, out);

  cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t arrays[] = {arrayOf(format, 16, 0, 0, 0), arrayOf(format, 16, 16, 6, 0),
                          arrayOf(format, 16, 16, 6, cudaArrayLayered), arrayOf(format, 16, 0, 6, cudaArrayLayered),
                          arrayOf(format, 16, 16, 6, cudaArrayCubemap)};
  cudaSurfaceObject_t surfaces[5];
  for (int i = 0; i < 5; ++i)
    surfaces[i] = surfaceOf(arrays[i]);
  clampOthers<<<1, dim3(2 * count, 2 * count)>>>(surfaces[0], surfaces[1], surfaces[2], surfaces[3], surfaces[4], out);
  edges<<<1, 32>>>(surfaces[0], surfaces[1], surfaces[2], surfaces[3], surfaces[4], out);

  // A texture on each kind of memory, in each address mode.
  float *memory, *rows;
  size_t pitch;
  CUDA(cudaMalloc(&memory, 64 * sizeof(float)));
  CUDA(cudaMallocPitch(&rows, &pitch, 64 * sizeof(float), 64));
  cudaArray_t image = arrayOf(cudaCreateChannelDesc<float>(), 64, 64, 0, 0);
  for (int mode = cudaAddressModeWrap; mode <= cudaAddressModeBorder; ++mode) {
    cudaTextureDesc how = describe(cudaFilterModePoint, cudaTextureAddressMode(mode), mode < cudaAddressModeClamp);
    cudaTextureObject_t texture = textureOf(resourceOf(image), how);
    sample<<<1, dim3(2 * count, 2 * count)>>>(texture, false, 64, out);
    CUDA(cudaDestroyTextureObject(texture)); // the kernel may still run
    texture = textureOf(resourceOf(rows, 64, 64, pitch), how);
    sample<<<1, dim3(2 * count, 2 * count)>>>(texture, false, 64, out);
    CUDA(cudaDestroyTextureObject(texture));
    texture = textureOf(resourceOf(memory, 64), describe());
    sample<<<1, dim3(2 * count, 2 * count)>>>(texture, true, 64, out);
    CUDA(cudaDestroyTextureObject(texture));
  }

  // CUDA reuses handles while kernels with the old ones may run: a smaller array takes the place of a larger one.
  for (int turn = 0; turn < 40; ++turn) {
    int width = turn % 2 ? 8 : 32;
    cudaArray_t array = arrayOf(format, width, 2, 0, 0);
    cudaSurfaceObject_t surface = surfaceOf(array);
    store<<<1, 32>>>(surface, width, 2000);
    if (turn % 4 == 3)
      CUDA(cudaDeviceSynchronize());
    CUDA(cudaDestroySurfaceObject(surface));
    if (turn % 8 == 7)
      CUDA(cudaFreeArray(array)); // the other arrays stay allocated, without objects
  }

  // Unused objects outlive their memory. A new texture is made on newly allocated memory.
  cudaTextureObject_t stale = textureOf(resourceOf(memory, 64), describe());
  sample<<<1, dim3(2 * count, 1)>>>(stale, true, 64, out);
  CUDA(cudaFree(memory));
  CUDA(cudaMalloc(&memory, 64 * sizeof(float)));
  cudaTextureObject_t fresh = textureOf(resourceOf(memory, 64), describe());
  sample<<<1, dim3(2 * count, 1)>>>(fresh, true, 64, out);
  CUDA(cudaDestroyTextureObject(stale));
  sample<<<1, dim3(2 * count, 1)>>>(fresh, true, 64, out);
  for (int i = 1; i < 5; ++i)
    CUDA(cudaFreeArray(arrays[i]));
  edgesOfLine<<<1, 1>>>(surfaces[0], out);
  CUDA(cudaDeviceSynchronize());
  return passed();
}
