// Surfaces read and write the bytes of an array, with x in bytes: every width of 1, 2 and 4 channels in 1D, 2D, 3D and
// layered arrays. Outside, mode zero reads zeros and drops writes, and mode clamp takes the nearest texel.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/sampling.h"

template <typename T>
__host__ __device__ T pattern(int x, int y, int z) {
  T value;
  unsigned char *bytes = reinterpret_cast<unsigned char *>(&value);
  for (unsigned i = 0; i < sizeof(T); ++i)
    bytes[i] = (unsigned char)(x * 3 + y * 50 + z * 91 + i * 17);
  return value;
}

template <typename T>
__global__ void write1(cudaSurfaceObject_t surface, int width) {
  int x = threadIdx.x;
  if (x < width)
    surf1Dwrite(pattern<T>(x, 0, 0), surface, x * sizeof(T));
}
template <typename T>
__global__ void read1(cudaSurfaceObject_t surface, int width, T *out) {
  int x = threadIdx.x;
  if (x < width)
    out[x] = surf1Dread<T>(surface, x * sizeof(T));
}
template <typename T>
__global__ void write2(cudaSurfaceObject_t surface, int width, int height) {
  int x = threadIdx.x, y = blockIdx.x;
  if (x < width)
    surf2Dwrite(pattern<T>(x, y, 0), surface, x * sizeof(T), y);
}
template <typename T>
__global__ void read2(cudaSurfaceObject_t surface, int width, int height, T *out) {
  int x = threadIdx.x, y = blockIdx.x;
  if (x < width)
    out[y * width + x] = surf2Dread<T>(surface, x * sizeof(T), y);
}
template <typename T>
__global__ void write3(cudaSurfaceObject_t surface, int width, int height, bool layered) {
  int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
  if (x >= width)
    return;
  if (layered)
    surf2DLayeredwrite(pattern<T>(x, y, z), surface, x * sizeof(T), y, z);
  else
    surf3Dwrite(pattern<T>(x, y, z), surface, x * sizeof(T), y, z);
}
template <typename T>
__global__ void read3(cudaSurfaceObject_t surface, int width, int height, bool layered, T *out) {
  int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
  if (x >= width)
    return;
  T *place = &out[(z * height + y) * width + x];
  if (layered)
    surf2DLayeredread(place, surface, x * sizeof(T), y, z);
  else
    surf3Dread(place, surface, x * sizeof(T), y, z);
}
template <typename T>
__global__ void writeRows(cudaSurfaceObject_t surface, int width) {
  int x = threadIdx.x, layer = blockIdx.x;
  if (x < width)
    surf1DLayeredwrite(pattern<T>(x, 0, layer), surface, x * sizeof(T), layer);
}
template <typename T>
__global__ void readRows(cudaSurfaceObject_t surface, int width, T *out) {
  int x = threadIdx.x, layer = blockIdx.x;
  if (x < width)
    surf1DLayeredread(&out[layer * width + x], surface, x * sizeof(T), layer);
}

template <typename T>
void expectPattern(const char *name, const std::vector<T> &seen, int width, int height) {
  for (int i = 0; i < int(seen.size()); ++i) {
    T expected = pattern<T>(i % width, i / width % height, i / (width * height));
    EXPECT(memcmp(&seen[i], &expected, sizeof expected) == 0, "%s texel %d", name, i);
  }
}

// The host reads a kernel's writes, and a kernel reads the host's.
template <typename T>
void testType(const char *name) {
  const int width = 45, height = 8, depth = 4;
  cudaChannelFormatDesc channels = cudaCreateChannelDesc<T>();
  std::vector<T> seen(width);
  T *out;
  CUDA(cudaMalloc(&out, width * height * depth * sizeof(T)));

  cudaArray_t array;
  CUDA(cudaMallocArray(&array, &channels, width, 0, cudaArraySurfaceLoadStore));
  cudaSurfaceObject_t surface = surfaceOf(array);
  write1<T><<<1, 64>>>(surface, width);
  read1<<<1, 64>>>(surface, width, out);
  expectPattern(name, download(out, width), width, 1);
  CUDA(
      cudaMemcpy2DFromArray(seen.data(), width * sizeof(T), array, 0, 0, width * sizeof(T), 1, cudaMemcpyDeviceToHost));
  expectPattern(name, seen, width, 1);
  CUDA(cudaDestroySurfaceObject(surface));
  CUDA(cudaFreeArray(array));

  CUDA(cudaMallocArray(&array, &channels, width, height, cudaArraySurfaceLoadStore));
  surface = surfaceOf(array);
  write2<T><<<height, 64>>>(surface, width, height);
  seen.resize(width * height);
  CUDA(cudaMemcpy2DFromArray(seen.data(), width * sizeof(T), array, 0, 0, width * sizeof(T), height,
                             cudaMemcpyDeviceToHost));
  expectPattern(name, seen, width, height);
  std::vector<T> swapped = seen;
  std::swap(swapped.front(), swapped.back());
  CUDA(cudaMemcpy2DToArray(array, 0, 0, swapped.data(), width * sizeof(T), width * sizeof(T), height,
                           cudaMemcpyHostToDevice));
  read2<<<height, 64>>>(surface, width, height, out);
  std::vector<T> got = download(out, width * height);
  EXPECT(memcmp(got.data(), swapped.data(), got.size() * sizeof(T)) == 0, "%s: what the host wrote", name);
  CUDA(cudaDestroySurfaceObject(surface));
  CUDA(cudaFreeArray(array));

  for (int layered = 0; layered < 2; ++layered) {
    CUDA(cudaMalloc3DArray(&array, &channels, make_cudaExtent(width, height, depth),
                           cudaArraySurfaceLoadStore | (layered ? cudaArrayLayered : 0)));
    surface = surfaceOf(array);
    write3<T><<<dim3(height, depth), 64>>>(surface, width, height, layered);
    read3<<<dim3(height, depth), 64>>>(surface, width, height, layered, out);
    expectPattern(name, download(out, width * height * depth), width, height);
    CUDA(cudaDestroySurfaceObject(surface));
    CUDA(cudaFreeArray(array));
  }

  CUDA(cudaMalloc3DArray(&array, &channels, make_cudaExtent(width, 0, depth),
                         cudaArraySurfaceLoadStore | cudaArrayLayered));
  surface = surfaceOf(array);
  writeRows<T><<<depth, 64>>>(surface, width);
  readRows<<<depth, 64>>>(surface, width, out);
  expectPattern(name, download(out, width * depth), width, 1);
  CUDA(cudaDestroySurfaceObject(surface));
  CUDA(cudaFreeArray(array));
  CUDA(cudaFree(out));
  printf("%s %016llx\n", name, (unsigned long long)checksum(seen));
}

// Reads from two texels outside on each side.
__global__ void readOutside(cudaSurfaceObject_t surface, int width, int height, uchar4 *zeros, uchar4 *clamped) {
  int x = int(threadIdx.x) - 2, y = int(blockIdx.x) - 2, place = blockIdx.x * blockDim.x + threadIdx.x;
  zeros[place] = surf2Dread<uchar4>(surface, x * int(sizeof(uchar4)), y, cudaBoundaryModeZero);
  clamped[place] = surf2Dread<uchar4>(surface, x * int(sizeof(uchar4)), y, cudaBoundaryModeClamp);
}
__global__ void writeOutside(cudaSurfaceObject_t surface, uchar4 value) {
  int x = int(threadIdx.x) - 2, y = int(blockIdx.x) - 2;
  surf2Dwrite(value, surface, x * int(sizeof(uchar4)), y, cudaBoundaryModeZero);
}
__global__ void writeClamped(cudaSurfaceObject_t surface, int x, int y, uchar4 value) {
  surf2Dwrite(value, surface, x * int(sizeof(uchar4)), y, cudaBoundaryModeClamp);
}

void testBounds() {
  const int width = 9, height = 5, count = (width + 4) * (height + 4);
  cudaChannelFormatDesc channels = cudaCreateChannelDesc<uchar4>();
  cudaArray_t array;
  CUDA(cudaMallocArray(&array, &channels, width, height, cudaArraySurfaceLoadStore));
  cudaSurfaceObject_t surface = surfaceOf(array);
  write2<uchar4><<<height, 64>>>(surface, width, height);
  uchar4 *zeros, *clamped;
  CUDA(cudaMalloc(&zeros, count * sizeof(uchar4)));
  CUDA(cudaMalloc(&clamped, count * sizeof(uchar4)));
  readOutside<<<height + 4, width + 4>>>(surface, width, height, zeros, clamped);
  std::vector<uchar4> z = download(zeros, count), c = download(clamped, count);
  for (int i = 0; i < count; ++i) {
    int x = i % (width + 4) - 2, y = i / (width + 4) - 2;
    int nearX = addressed(x, width, cudaAddressModeClamp), nearY = addressed(y, height, cudaAddressModeClamp);
    uchar4 nearest = pattern<uchar4>(nearX, nearY, 0), zero = make_uchar4(0, 0, 0, 0);
    bool inside = x == nearX && y == nearY;
    EXPECT(memcmp(&z[i], inside ? &nearest : &zero, sizeof zero) == 0, "zero %d %d", x, y);
    EXPECT(memcmp(&c[i], &nearest, sizeof zero) == 0, "clamp %d %d", x, y);
  }
  writeOutside<<<height + 4, width + 4>>>(surface, make_uchar4(1, 2, 3, 4));
  writeClamped<<<1, 1>>>(surface, -7, -7, make_uchar4(9, 9, 9, 9));
  writeClamped<<<1, 1>>>(surface, width + 7, height, make_uchar4(8, 8, 8, 8));
  std::vector<uchar4> seen(width * height), expected(width * height, make_uchar4(1, 2, 3, 4));
  expected.front() = make_uchar4(9, 9, 9, 9);
  expected.back() = make_uchar4(8, 8, 8, 8);
  CUDA(cudaMemcpy2DFromArray(seen.data(), width * sizeof(uchar4), array, 0, 0, width * sizeof(uchar4), height,
                             cudaMemcpyDeviceToHost));
  EXPECT(memcmp(seen.data(), expected.data(), seen.size() * sizeof(uchar4)) == 0, "writes outside");
  printf("bounds %016llx\n", (unsigned long long)checksum(z));
  CUDA(cudaDestroySurfaceObject(surface));
  CUDA(cudaFreeArray(array));
  CUDA(cudaFree(zeros));
  CUDA(cudaFree(clamped));
}

int main() {
  testType<unsigned char>("unsigned char");
  testType<char2>("char2");
  testType<uchar4>("uchar4");
  testType<short>("short");
  testType<ushort2>("ushort2");
  testType<short4>("short4");
  testType<int>("int");
  testType<uint2>("uint2");
  testType<int4>("int4");
  testType<float>("float");
  testType<float2>("float2");
  testType<float4>("float4");
  testBounds();
  return passed();
}
