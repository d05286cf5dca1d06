// Copies that leave an array, in x (in bytes), in y, or by a layer, face or mipmap level; copies between arrays; and
// copies of a freed array. Each copy is reported.
// RUN: %gasan -O2 -Wno-deprecated-declarations %s -o %t
// RUN: not %run %t wide 2>&1 >/dev/null | %golden | FileCheck %s --check-prefix=WIDE
// RUN: not %run %t high 2>&1 | FileCheck %s --check-prefix=HIGH
// RUN: not %run %t run 2>&1 | FileCheck %s --check-prefix=GOESON
// RUN: not %run %t from 2>&1 | FileCheck %s --check-prefix=FROM
// RUN: not %run %t between 2>&1 | FileCheck %s --check-prefix=BETWEEN
// RUN: not %run %t between-run 2>&1 | FileCheck %s --check-prefix=RUNBETWEEN
// RUN: not %run %t layer 2>&1 | FileCheck %s --check-prefix=LAYER
// RUN: not %run %t face 2>&1 | FileCheck %s --check-prefix=FACE
// RUN: not %run %t volume 2>&1 | FileCheck %s --check-prefix=VOLUME
// RUN: not %run %t level 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not %run %t freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: not %run %t level-freed 2>&1 | FileCheck %s --check-prefix=LEVELFREED
// RUN: not %run %t object 2>&1 | FileCheck %s --check-prefix=OBJECT
// RUN: %options=halt_on_error=0 not %run %t wide 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: %gasan -O2 -Wno-deprecated-declarations -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed wide 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed high 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed run 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed from 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed between 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed between-run 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed layer 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed face 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed volume 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed level 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed freed 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed level-freed 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed object 2>&1 >/dev/null | %silent
#include <cstring>

#ifdef FIXED
const int more = 0;
#else
const int more = 1;
#endif

static int host[64 * 64];
static const cudaMemcpyKind in = cudaMemcpyHostToDevice, out = cudaMemcpyDeviceToHost;

static cudaArray_t make(size_t width, size_t height, size_t depth, unsigned flags) {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t array = nullptr;
  // WIDE: heap-buffer-overflow on array 0x
  // WIDE-NEXT: WRITE of 64 bytes in each of 3 rows at x=4 y=2 by cudaMemcpy2DToArray called by host thread T0:
  // WIDE: x=64 is located 0 bytes after the 64 bytes of a row of a 16 x 16 array of 4-byte elements
  // WIDE: allocated by host thread T0 here:
  // WIDE-NEXT: in cudaMalloc3DArray
  // WIDE-NEXT: in make(unsigned long, unsigned long, unsigned long, unsigned int) {{.*}}array-extents.cu:[[#@LINE+1]]:
  cudaMalloc3DArray(&array, &format, make_cudaExtent(width, height, depth), flags);
  return array;
}

static cudaError_t copy(cudaArray_t array, size_t x, size_t y, size_t z, size_t width, size_t height, size_t depth) {
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(host, width * sizeof(int), width, height);
  copy.dstArray = array;
  copy.dstPos = make_cudaPos(x, y, z);
  copy.extent = make_cudaExtent(width, height, depth);
  copy.kind = in;
  // LAYER: heap-buffer-overflow on array 0x
  // LAYER-NEXT: WRITE of 64 bytes in each of 16 rows in each of 2 slices at x=0 y=0 layer=2 by cudaMemcpy3D
  // LAYER-SAME: {{^}} called by host thread T0:
  // LAYER: in copy(cudaArray*, unsigned long, unsigned long, unsigned long, unsigned long, unsigned long, unsigned
  // LAYER-SAME: {{^}} long) {{.*}}array-extents.cu:[[#@LINE+14]]:
  // LAYER: layer=3 is located 0 layers after the 3 layers of a 16 x 16 array with 3 layers of 4-byte elements
  // FACE: heap-buffer-overflow on array 0x
  // FACE-NEXT: WRITE of 32 bytes at x=0 y=7 face=6 by cudaMemcpy3D called by host thread T0:
  // FACE: in copy({{.*}}) {{.*}}array-extents.cu:[[#@LINE+10]]:
  // FACE: face=6 is located 0 faces after the 6 faces of a 8 x 8 array with 6 faces of 4-byte elements
  // VOLUME: heap-buffer-overflow on array 0x
  // VOLUME-NEXT: WRITE of 4 bytes in each of 2 rows in each of 2 slices at x=60 y=15 z=3 by cudaMemcpy3D
  // VOLUME-SAME: {{^}} called by host thread T0:
  // VOLUME: in copy({{.*}}) {{.*}}array-extents.cu:[[#@LINE+5]]:
  // VOLUME: y=16 is located 0 rows after the 16 rows of a 16 x 16 x 5 array of 4-byte elements
  // LEVEL: heap-buffer-overflow on array 0x
  // LEVEL-NEXT: WRITE of 32 bytes in each of 8 rows at x=4 y=0 by cudaMemcpy3D called by host thread T0:
  // LEVEL: in copy({{.*}}) {{.*}}array-extents.cu:[[#@LINE+1]]:
  return cudaMemcpy3D(&copy);
  // LEVEL: x=32 is located 0 bytes after the 32 bytes of a row of a 8 x 8 array of 4-byte elements
}

int main(int, char **arguments) {
  const char *wanted = arguments[1];
  cudaArray_t array = make(16, 16, 0, 0), other = make(16, 8, 0, 0);
  cudaError_t error = cudaSuccess;
  if (!strcmp(wanted, "wide")) {
    // WIDE: SUMMARY: AddressSanitizer: heap-buffer-overflow {{.*}}array-extents.cu:[[#@LINE+1]]:
    error = cudaMemcpy2DToArray(array, 4 * more, 2, host, 64, 64, 3, in);
  }
  if (!strcmp(wanted, "high")) {
    // HIGH: heap-buffer-overflow on array 0x
    // HIGH-NEXT: WRITE of 64 bytes in each of 3 rows at x=0 y=14 by cudaMemcpy2DToArrayAsync called by host thread T0:
    // HIGH: in main {{.*}}array-extents.cu:[[#@LINE+2]]:
    // HIGH: y=16 is located 0 rows after the 16 rows of a 16 x 16 array of 4-byte elements
    error = cudaMemcpy2DToArrayAsync(array, 0, 14, host, 64, 64, 2 + more, in, nullptr);
  }
  if (!strcmp(wanted, "run")) {
    // GOESON: heap-buffer-overflow on array 0x
    // GOESON-NEXT: WRITE of 64 bytes in each of 3 rows at x=0 y=14 by cudaMemcpyToArray called by host thread T0:
    // GOESON: in main {{.*}}array-extents.cu:[[#@LINE+1]]:
    error = cudaMemcpyToArray(array, 0, 14, host, 128 + more, in);
    // GOESON: y=16 is located 0 rows after
  }
  if (!strcmp(wanted, "from")) {
    // FROM: heap-buffer-overflow on array 0x
    // FROM-NEXT: READ of 32 bytes at x=32 y=16 by cudaMemcpy2DFromArray called by host thread T0:
    // FROM: in main {{.*}}array-extents.cu:[[#@LINE+1]]:
    error = cudaMemcpy2DFromArray(host, 64, array, 32, 15 + more, 32, 1, out);
    // FROM: y=16 is located 0 rows after
  }
  if (!strcmp(wanted, "between")) {
    // BETWEEN: heap-buffer-overflow on array 0x
    // BETWEEN-NEXT: READ of 64 bytes in each of 8 rows at x=0 y=1 by cudaMemcpy2DArrayToArray called by host thread T0:
    // BETWEEN: in main {{.*}}array-extents.cu:[[#@LINE+1]]:
    error = cudaMemcpy2DArrayToArray(array, 0, 8, other, 0, more, 64, 8);
    // BETWEEN: y=8 is located 0 rows after the 8 rows of a 16 x 8 array of 4-byte elements
  }
  if (!strcmp(wanted, "between-run")) {
    // RUNBETWEEN: heap-buffer-overflow on array 0x
    // RUNBETWEEN-NEXT: WRITE of 64 bytes in each of 9 rows at x=0 y=0 by cudaMemcpyArrayToArray
    // RUNBETWEEN-SAME: {{^}} called by host thread T0:
    // RUNBETWEEN: in main {{.*}}array-extents.cu:[[#@LINE+1]]:
    error = cudaMemcpyArrayToArray(other, 0, 0, array, 0, 0, 64 * (8 + more));
    // RUNBETWEEN: y=8 is located 0 rows after the 8 rows of a 16 x 8 array of 4-byte elements
  }
  if (!strcmp(wanted, "layer"))
    error = copy(make(16, 16, 3, cudaArrayLayered), 0, 0, 1 + more, 16, 16, 2);
  if (!strcmp(wanted, "face"))
    error = copy(make(8, 8, 6, cudaArrayCubemap), 0, 7, 5 + more, 8, 1, 1);
  if (!strcmp(wanted, "volume"))
    error = copy(make(16, 16, 5, 0), 15, 14 + more, 3, 1, 2, 2);
  if (!strcmp(wanted, "level") || !strcmp(wanted, "level-freed")) {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaMipmappedArray_t levels;
    cudaArray_t level;
    cudaMallocMipmappedArray(&levels, &format, make_cudaExtent(16, 16, 0), 3, 0);
    cudaGetMipmappedArrayLevel(&level, levels, 1);
    if (!strcmp(wanted, "level"))
      return copy(level, more, 0, 0, 8, 8, 1) != cudaSuccess;
    // LEVELFREED: heap-use-after-free on array 0x
    // LEVELFREED-NEXT: READ by cudaMemcpy2DFromArray called by host thread T0:
    // LEVELFREED: in main {{.*}}array-extents.cu:[[#@LINE+6]]:
    // LEVELFREED: freed by host thread T0 here:
    // LEVELFREED-NEXT: in cudaFreeMipmappedArray
    // LEVELFREED: previously allocated by host thread T0 here:
    if (more)
      cudaFreeMipmappedArray(levels);
    error = cudaMemcpy2DFromArray(host, 64, level, 0, 0, 32, 1, out);
  }
  if (!strcmp(wanted, "freed")) {
    // FREED: heap-use-after-free on array 0x
    // FREED-NEXT: WRITE by cudaMemcpy2DToArray called by host thread T0:
    // FREED: in main {{.*}}array-extents.cu:[[#@LINE+6]]:
    // FREED: freed by host thread T0 here:
    // FREED-NEXT: in cudaFreeArray
    // FREED-NEXT: in main {{.*}}array-extents.cu:[[#@LINE+2]]:
    if (more)
      cudaFreeArray(array);
    error = cudaMemcpy2DToArray(array, 0, 0, host, 64, 64, 16, in);
  }
  if (!strcmp(wanted, "object")) {
    cudaResourceDesc resource = {};
    cudaTextureDesc description = {};
    cudaTextureObject_t texture;
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    // OBJECT: heap-use-after-free on array 0x
    // OBJECT-NEXT: READ by cudaCreateTextureObject called by host thread T0:
    // OBJECT: in main {{.*}}array-extents.cu:[[#@LINE+4]]:
    // OBJECT: freed by host thread T0 here:
    if (more)
      cudaFreeArray(array);
    error = cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  }
  return error != cudaSuccess;
}
