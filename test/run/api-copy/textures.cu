// A texture on linear memory that is longer or higher than its allocation, or on freed memory. Fetches have no checks,
// so the report is of the call that makes the texture.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t linear 2>&1 | FileCheck %s --check-prefix=LINEAR
// RUN: not %run %t offset 2>&1 | FileCheck %s --check-prefix=OFFSET
// RUN: not %run %t freed 2>&1 | FileCheck %s --check-prefix=FREED
// RUN: not %run %t managed 2>&1 | FileCheck %s --check-prefix=MANAGED
// RUN: not %run %t rows 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not %run %t pitch 2>&1 | FileCheck %s --check-prefix=PITCH
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed linear 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed offset 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed freed 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed managed 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed rows 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed pitch 2>&1 >/dev/null | %silent
#include <cstring>

#ifdef FIXED
const int more = 0;
#else
const int more = 1;
#endif

static cudaTextureObject_t create(const cudaResourceDesc &resource) {
  cudaTextureDesc description = {};
  cudaTextureObject_t texture = 0;
  // LINEAR: ERROR: AddressSanitizer: heap-buffer-overflow
  // LINEAR-NEXT: READ of size 4016 at {{0x[0-9a-f]+}} by cudaCreateTextureObject called by host thread T0:
  // LINEAR: in create(cudaResourceDesc const&) {{.*}}textures.cu:[[#@LINE+18]]:
  // LINEAR: is located 0 bytes after 4000-byte region
  // OFFSET: ERROR: AddressSanitizer: heap-buffer-overflow
  // OFFSET-NEXT: READ of size 3504 at {{0x[0-9a-f]+}} by cudaCreateTextureObject called by host thread T0:
  // OFFSET: in create(cudaResourceDesc const&) {{.*}}textures.cu:[[#@LINE+14]]:
  // OFFSET: is located 0 bytes after 4000-byte region
  // FREED: ERROR: AddressSanitizer: heap-use-after-free
  // FREED-NEXT: READ of size 4000 at {{0x[0-9a-f]+}} by cudaCreateTextureObject called by host thread T0:
  // FREED: in create(cudaResourceDesc const&) {{.*}}textures.cu:[[#@LINE+10]]:
  // MANAGED: ERROR: AddressSanitizer: heap-buffer-overflow
  // MANAGED-NEXT: READ of size 2016 at {{0x[0-9a-f]+}} by cudaCreateTextureObject called by host thread T0:
  // MANAGED: in create(cudaResourceDesc const&) {{.*}}textures.cu:[[#@LINE+7]]:
  // ROWS: ERROR: AddressSanitizer: heap-buffer-overflow
  // ROWS-NEXT: READ of size 400 at {{0x[0-9a-f]+}} by cudaCreateTextureObject called by host thread T0:
  // ROWS: in create(cudaResourceDesc const&) {{.*}}textures.cu:[[#@LINE+4]]:
  // PITCH: ERROR: AddressSanitizer: heap-buffer-overflow
  // PITCH-NEXT: READ of size 400 at {{0x[0-9a-f]+}} by cudaCreateTextureObject called by host thread T0:
  // PITCH: in create(cudaResourceDesc const&) {{.*}}textures.cu:[[#@LINE+1]]:
  cudaError_t error = cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  return error == cudaSuccess ? texture : 0;
}

static cudaTextureObject_t linear(void *memory, size_t size) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = memory;
  resource.res.linear.desc = cudaCreateChannelDesc<float4>();
  resource.res.linear.sizeInBytes = size;
  return create(resource);
}

static cudaTextureObject_t pitched(void *memory, size_t width, size_t height, size_t pitch) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = memory;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  resource.res.pitch2D.width = width;
  resource.res.pitch2D.height = height;
  resource.res.pitch2D.pitchInBytes = pitch;
  return create(resource);
}

int main(int, char **arguments) {
  const char *wanted = arguments[1];
  char *memory, *managed, *image;
  size_t pitch;
  cudaMalloc(&memory, 4000);
  cudaMallocManaged(&managed, 2000);
  // ROWS: is byte 0 of row 32 (counted from 0)
  // ROWS: is located 0 bytes after 16384-byte region
  // PITCH: is byte 0 of row 16 (counted from 0)
  cudaMallocPitch(&image, &pitch, 400, 32); // 32 rows of 512 bytes
  cudaTextureObject_t texture = 0;
  if (!strcmp(wanted, "linear"))
    texture = linear(memory, 4000 + 16 * more);
  if (!strcmp(wanted, "offset"))
    texture = linear(memory + 512, 3488 + 16 * more);
  if (!strcmp(wanted, "freed") && more) {
    cudaFree(memory);
    // FREED: freed by host thread T0 here:
    // FREED: in main {{.*}}textures.cu:[[#@LINE-2]]:
    texture = linear(memory, 4000);
  } else if (!strcmp(wanted, "freed")) {
    texture = linear(memory, 4000);
    cudaFree(memory);
  }
  if (!strcmp(wanted, "managed"))
    texture = linear(managed, 2000 + 16 * more);
  if (!strcmp(wanted, "rows"))
    texture = pitched(image, 100, 32 + more, pitch);
  if (!strcmp(wanted, "pitch"))
    texture = pitched(image, 100, 32, more ? 1024 : pitch);
  return !texture || cudaDestroyTextureObject(texture) != cudaSuccess;
}
