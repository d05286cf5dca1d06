// Surface accesses of all shapes and widths at all places around an array's corners. In CUDA's default boundary mode
// those that trap must be stopped, and misaligned ones; in other modes misaligned ones only. The reports are
// suppressed, but the threads end.
// RUN: %gasan -O2 %s -o %t
// RUN: %options=suppressions=%S/inputs/place.supp %run %t 2>&1 >/dev/null | %silent
// RUN: %gasan -O0 -fsanitize-gpu-address-mode=shadow %s -o %t.shadow
// RUN: %options=suppressions=%S/inputs/place.supp %run %t.shadow 2>&1 >/dev/null | %silent
#include "../../cpu/inputs/sampling.h"

enum Shape { LINE, PLANE, VOLUME, LINES, PLANES, CUBE };

struct Size {
  int x, y, z; // elements; 0: the shape has no such side
};

template <typename T, Shape shape>
__device__ void access(cudaSurfaceObject_t surface, int x, int y, int z, cudaSurfaceBoundaryMode mode, T *value) {
  if (shape == LINE)
    surf1Dread(value, surface, x, mode);
  else if (shape == PLANE)
    surf2Dwrite(*value, surface, x, y, mode);
  else if (shape == VOLUME)
    surf3Dread(value, surface, x, y, z, mode);
  else if (shape == LINES)
    surf1DLayeredwrite(*value, surface, x, z, mode);
  else if (shape == PLANES)
    surf2DLayeredread(value, surface, x, y, z, mode);
  else
    surfCubemapwrite(*value, surface, x, y, z, mode);
}

// A thread for each place: x counts bytes from 20 before the row, y and z from 2 before.
template <typename T, Shape shape>
__global__ void place(cudaSurfaceObject_t surface, int mode, unsigned char *passed, int *sum) {
  int i = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  int x = int(blockIdx.x) - 20, y = gridDim.y > 1 ? int(blockIdx.y) - 2 : 0,
      z = gridDim.z > 1 ? int(blockIdx.z) - 2 : 0;
  T value = {};
  if (mode == 0)
    access<T, shape>(surface, x, y, z, cudaBoundaryModeTrap, &value);
  else if (mode == 1)
    access<T, shape>(surface, x, y, z, cudaBoundaryModeClamp, &value);
  else
    access<T, shape>(surface, x, y, z, cudaBoundaryModeZero, &value);
  *sum = *reinterpret_cast<const unsigned char *>(&value);
  passed[i] = 1;
}

static bool within(int first, int count, int size) {
  return first >= 0 && first + count <= size;
}

template <typename Element, typename T, Shape shape>
void compare(Size size, unsigned flags) {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<Element>();
  cudaArray_t array;
  CUDA(cudaMalloc3DArray(&array, &format, make_cudaExtent(size.x, size.y, size.z), flags | cudaArraySurfaceLoadStore));
  cudaSurfaceObject_t surface = surfaceOf(array);
  const int row = size.x * int(sizeof(Element)), width = sizeof(T);
  dim3 grid(row + 40, size.y ? size.y + 4 : 1, size.z ? size.z + 4 : 1);
  std::vector<unsigned char> passed(grid.x * grid.y * grid.z);
  unsigned char *device = upload(passed);
  int *sum;
  CUDA(cudaMalloc(&sum, sizeof *sum));
  for (int mode = 0; mode < 3; ++mode) {
    CUDA(cudaMemset(device, 0, passed.size()));
    place<T, shape><<<grid, 1>>>(surface, mode, device, sum);
    CUDA(cudaMemcpy(passed.data(), device, passed.size(), cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < passed.size(); ++i) {
      int x = int(i % grid.x) - 20, y = size.y ? int(i / grid.x % grid.y) - 2 : 0,
          z = size.z ? int(i / grid.x / grid.y) - 2 : 0;
      bool inside = within(x, width, row) && within(y, 1, size.y ? size.y : 1) && within(z, 1, size.z ? size.z : 1);
      bool good = x % width == 0 && (inside || mode);
      EXPECT(passed[i] == good, "shape %d, element %zu, width %d, mode %d: (%d,%d,%d) %s", shape, sizeof(Element),
             width, mode, x, y, z, good ? "stopped" : "passed");
    }
  }
  CUDA(cudaDestroySurfaceObject(surface));
  CUDA(cudaFreeArray(array));
  CUDA(cudaFree(device));
  CUDA(cudaFree(sum));
}

int main() {
  compare<unsigned char, unsigned char, LINE>({5, 0, 0}, 0);
  compare<short, short, PLANE>({7, 3, 0}, 0);
  compare<uchar4, int, PLANE>({3, 2, 0}, 0);
  compare<float, int4, LINE>({9, 0, 0}, 0); // no access of 16 bytes contains the last element
  compare<float, unsigned char, VOLUME>({2, 3, 2}, 0);
  compare<float, long long, LINES>({5, 0, 3}, cudaArrayLayered);
  compare<int2, int2, PLANES>({3, 2, 4}, cudaArrayLayered);
  compare<float4, float4, PLANE>({2, 3, 0}, 0);
  compare<short, int, CUBE>({3, 3, 6}, cudaArrayCubemap);
  compare<unsigned char, int4, PLANE>({7, 2, 0}, 0); // no place is wide enough
  return passed();
}
