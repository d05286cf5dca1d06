// Surface accesses outside of the array, in every shape: in CUDA's default boundary mode they stop the kernel. x counts
// bytes.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t row 2>&1 >/dev/null | %golden | FileCheck %s --check-prefix=ROW
// RUN: not %run %t wide 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not %run %t before 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: not %run %t high 2>&1 | FileCheck %s --check-prefix=HIGH
// RUN: not %run %t line 2>&1 | FileCheck %s --check-prefix=LINE
// RUN: not %run %t volume 2>&1 | FileCheck %s --check-prefix=VOLUME
// RUN: not %run %t layer 2>&1 | FileCheck %s --check-prefix=LAYER
// RUN: not %run %t lines 2>&1 | FileCheck %s --check-prefix=LINES
// RUN: not %run %t face 2>&1 | FileCheck %s --check-prefix=FACE
// RUN: not %run %t faces 2>&1 | FileCheck %s --check-prefix=FACES
// RUN: not %run %t level 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: %gasan -O0 %s -o %t.0
// RUN: not %run %t.0 row 2>&1 | FileCheck %s --check-prefix=ROW
// RUN: not %run %t.0 faces 2>&1 | FileCheck %s --check-prefix=FACES
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=shadow %s -o %t.shadow
// RUN: not %run %t.shadow wide 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not %run %t.shadow layer 2>&1 | FileCheck %s --check-prefix=LAYER
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed row 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed wide 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed before 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed high 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed line 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed volume 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed layer 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed lines 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed face 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed faces 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed level 2>&1 >/dev/null | %silent
#include <cstring>

#ifdef FIXED
const int more = 0;
#else
const int more = 1;
#endif

// ROW: heap-buffer-overflow on {{cpu|cuda}} device 0 surface object 0x
// ROW-NEXT: READ of size 4 at x=64 y=3 by device thread (16,0,0) block (0,0,0) lane 16
// ROW: #{{[0-9]+}} read2(unsigned long long, int, float*) {{.*}}outside.cu:[[#@LINE+3]]:
// ROW: x=64 is located 0 bytes after the 64 bytes of a row of a 16 x 4 array of 4-byte elements
__global__ void read2(cudaSurfaceObject_t surface, int y, float *out) {
  out[threadIdx.x] = surf2Dread<float>(surface, threadIdx.x * sizeof(float), y);
}

// WIDE: WRITE of size 16 at x=64 y=1 by device thread (4,0,0)
// WIDE: #{{[0-9]+}} write2(unsigned long long, int, int) {{.*}}outside.cu:[[#@LINE+12]]:
// WIDE: x=64 is located 0 bytes after the 64 bytes of a row of a 16 x 4 array of 4-byte elements
// BEFORE: WRITE of size 16 at x=-16 y=1 by device thread (0,0,0)
// BEFORE: #{{[0-9]+}} write2(unsigned long long, int, int) {{.*}}outside.cu:[[#@LINE+9]]:
// BEFORE: x=-16 is located 16 bytes before the 64 bytes of a row of a 16 x 4 array of 4-byte elements
// HIGH: WRITE of size 16 at x=0 y=4 by device thread (0,0,0) block (0,0,0) lane 0 (and 3 more threads of this kernel)
// HIGH: #{{[0-9]+}} write2(unsigned long long, int, int) {{.*}}outside.cu:[[#@LINE+6]]:
// HIGH: y=4 is located 0 rows after the 4 rows of a 16 x 4 array of 4-byte elements
// LEVEL: WRITE of size 16 at x=32 y=1 by device thread (2,0,0) block (0,0,0) lane 2 (and 1 more thread of this kernel)
// LEVEL: #{{[0-9]+}} write2(unsigned long long, int, int) {{.*}}outside.cu:[[#@LINE+3]]:
// LEVEL: x=32 is located 0 bytes after the 32 bytes of a row of a 8 x 2 array of 4-byte elements
__global__ void write2(cudaSurfaceObject_t surface, int first, int y) {
  surf2Dwrite(make_float4(1, 2, 3, 4), surface, (first + int(threadIdx.x)) * int(sizeof(float4)), y);
}

// LINE: READ of size 1 at x=100 by device thread (0,0,0)
// LINE: #{{[0-9]+}} read1(unsigned long long, int, float*) {{.*}}outside.cu:[[#@LINE+3]]:
// LINE: x=100 is located 0 bytes after the 100 bytes of a row of a 100-element array of 1-byte elements
__global__ void read1(cudaSurfaceObject_t surface, int x, float *out) {
  *out = surf1Dread<unsigned char>(surface, x);
}

// VOLUME: WRITE of size 2 at x=2 y=3 z=5 by device thread (0,0,0)
// VOLUME: #{{[0-9]+}} write3(unsigned long long, int) {{.*}}outside.cu:[[#@LINE+3]]:
// VOLUME: z=5 is located 0 slices after the 5 slices of a 16 x 4 x 5 array of 2-byte elements
__global__ void write3(cudaSurfaceObject_t surface, int z) {
  surf3Dwrite(short(7), surface, 2, 3, z);
}

// LAYER: READ of size 8 at x=8 y=2 layer=-1 by device thread (0,0,0)
// LAYER: #{{[0-9]+}} layer2(unsigned long long, int, float*) {{.*}}outside.cu:[[#@LINE+3]]:
// LAYER: layer=-1 is located 1 layers before the 3 layers of a 16 x 4 array with 3 layers of 8-byte elements
__global__ void layer2(cudaSurfaceObject_t surface, int layer, float *out) {
  *out = surf2DLayeredread<float2>(surface, 8, 2, layer).x;
}

// LINES: WRITE of size 8 at x=8 layer=3 by device thread (0,0,0)
// LINES: #{{[0-9]+}} layer1(unsigned long long, int) {{.*}}outside.cu:[[#@LINE+3]]:
// LINES: layer=3 is located 0 layers after the 3 layers of a 16-element array with 3 layers of 8-byte elements
__global__ void layer1(cudaSurfaceObject_t surface, int layer) {
  surf1DLayeredwrite(make_float2(1, 2), surface, 8, layer);
}

// FACE: WRITE of size 4 at x=4 y=2 face=6 by device thread (0,0,0)
// FACE: #{{[0-9]+}} face(unsigned long long, int) {{.*}}outside.cu:[[#@LINE+3]]:
// FACE: face=6 is located 0 faces after the 6 faces of a 8 x 8 array with 6 faces of 4-byte elements
__global__ void face(cudaSurfaceObject_t surface, int face) {
  surfCubemapwrite(1.0f, surface, 4, 2, face);
}

// FACES: READ of size 4 at x=4 y=2 face=12 by device thread (0,0,0)
// FACES: #{{[0-9]+}} faces(unsigned long long, int, float*) {{.*}}outside.cu:[[#@LINE+3]]:
// FACES: face=12 is located 0 faces after the 12 faces of a 8 x 8 array with 12 faces of 4-byte elements
__global__ void faces(cudaSurfaceObject_t surface, int face, float *out) {
  *out = surfCubemapLayeredread<float>(surface, 4, 2, face);
}

template <typename T>
cudaSurfaceObject_t make(size_t width, size_t height, size_t depth, unsigned flags = 0) {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  cudaResourceDesc resource = {};
  cudaSurfaceObject_t surface = 0;
  resource.resType = cudaResourceTypeArray;
  // ROW: allocated by host thread T0 here:
  // ROW-NEXT: in cudaMalloc3DArray
  // ROW-NEXT: {{.*}}outside.cu:[[#@LINE+1]]:
  cudaMalloc3DArray(&resource.res.array.array, &format, make_cudaExtent(width, height, depth),
                    flags | cudaArraySurfaceLoadStore);
  // ROW: surface object created by host thread T0 here:
  // ROW-NEXT: in cudaCreateSurfaceObject
  // ROW-NEXT: {{.*}}outside.cu:[[#@LINE+1]]:
  cudaCreateSurfaceObject(&surface, &resource);
  // ROW: SUMMARY: AddressSanitizer: heap-buffer-overflow {{.*}}outside.cu:{{[0-9]+}}:{{[0-9]+}} in read2(
  return surface;
}

static cudaSurfaceObject_t second_level() {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t levels;
  cudaResourceDesc resource = {};
  cudaSurfaceObject_t surface = 0;
  resource.resType = cudaResourceTypeArray;
  cudaMallocMipmappedArray(&levels, &format, make_cudaExtent(16, 4, 0), 3, cudaArraySurfaceLoadStore);
  cudaGetMipmappedArrayLevel(&resource.res.array.array, levels, 1);
  cudaCreateSurfaceObject(&surface, &resource);
  return surface;
}

int main(int, char **arguments) {
  const char *wanted = arguments[1];
  float *out;
  cudaMalloc(&out, 64 * sizeof(float));
  if (!strcmp(wanted, "row"))
    read2<<<1, 16 + more>>>(make<float>(16, 4, 0), 3, out);
  if (!strcmp(wanted, "wide"))
    write2<<<1, 4 + more>>>(make<float>(16, 4, 0), 0, 1);
  if (!strcmp(wanted, "before"))
    write2<<<1, 4>>>(make<float>(16, 4, 0), -more, 1);
  if (!strcmp(wanted, "high"))
    write2<<<1, 4>>>(make<float>(16, 4, 0), 0, 3 + more);
  if (!strcmp(wanted, "line"))
    read1<<<1, 1>>>(make<unsigned char>(100, 0, 0), 99 + more, out);
  if (!strcmp(wanted, "volume"))
    write3<<<1, 1>>>(make<short>(16, 4, 5), 4 + more);
  if (!strcmp(wanted, "layer"))
    layer2<<<1, 1>>>(make<float2>(16, 4, 3, cudaArrayLayered), -more, out);
  if (!strcmp(wanted, "lines"))
    layer1<<<1, 1>>>(make<float2>(16, 0, 3, cudaArrayLayered), 2 + more);
  if (!strcmp(wanted, "face"))
    face<<<1, 1>>>(make<float>(8, 8, 6, cudaArrayCubemap), 5 + more);
  if (!strcmp(wanted, "faces"))
    faces<<<1, 1>>>(make<float>(8, 8, 12, cudaArrayCubemap | cudaArrayLayered), 11 + more, out);
  if (!strcmp(wanted, "level"))
    write2<<<1, more ? 4 : 2>>>(second_level(), 0, 1);
  return cudaDeviceSynchronize() != cudaSuccess;
}
