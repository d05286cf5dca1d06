// Kernels use texture and surface objects that were destroyed, or whose array or linear memory was freed.
// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t array 2>&1 | FileCheck %s --check-prefix=ARRAY
// RUN: not %run %t levels 2>&1 | FileCheck %s --check-prefix=LEVELS
// RUN: not %run %t clamped 2>&1 | FileCheck %s --check-prefix=CLAMPED
// RUN: not %run %t linear 2>&1 | FileCheck %s --check-prefix=LINEAR
// RUN: not %run %t pitched 2>&1 | FileCheck %s --check-prefix=PITCHED
// RUN: not %run %t managed 2>&1 | FileCheck %s --check-prefix=MANAGED
// RUN: not %run %t texture 2>&1 | FileCheck %s --check-prefix=TEXTURE
// RUN: not %run %t surface 2>&1 | FileCheck %s --check-prefix=SURFACE
// RUN: not %run %t table 2>&1 | FileCheck %s --check-prefix=TABLE
// RUN: not %run %t graph 2>&1 | FileCheck %s --check-prefix=GRAPH
// RUN: %gasan -O0 %s -o %t.0
// RUN: not %run %t.0 linear 2>&1 | FileCheck %s --check-prefix=LINEAR
// RUN: not %run %t.0 surface 2>&1 | FileCheck %s --check-prefix=SURFACE
// RUN: %gasan -O2 -fsanitize-gpu-address-mode=shadow %s -o %t.shadow
// RUN: not %run %t.shadow array 2>&1 | FileCheck %s --check-prefix=ARRAY
// RUN: not %run %t.shadow linear 2>&1 | FileCheck %s --check-prefix=LINEAR
// RUN: %gasan -O2 -fsanitize-gpu-address-pool=handles -fsanitize-gpu-address-mode=shadow %s -o %t.handles
// RUN: %options=pool=handles not %run %t.handles linear 2>&1 | FileCheck %s --check-prefix=LINEAR
// RUN: %options=pool=handles not %run %t.handles surface 2>&1 | FileCheck %s --check-prefix=SURFACE
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed array 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed levels 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed clamped 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed linear 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed pitched 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed managed 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed texture 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed surface 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed table 2>&1 >/dev/null | %silent
// RUN: %run %t.fixed graph 2>&1 >/dev/null | %silent
#include <cstdio>
#include <cstring>

#ifdef FIXED
#define BUG(...)
#else
#define BUG(...) __VA_ARGS__
#endif

// ARRAY: heap-use-after-free on {{cpu|cuda}} device 0 texture object 0x
// ARRAY-NEXT: READ of size 4 by device thread (0,0,0) block (0,0,0) lane 0 (and 7 more threads of this kernel)
// ARRAY: #{{[0-9]+}} fetch2(unsigned long long, float*) {{.*}}dead.cu:[[#@LINE+6]]:
// ARRAY: The texture object is on a 16 x 4 array of 4-byte elements that has been freed
// PITCHED: READ of size 4 by device thread (0,0,0)
// PITCHED: #{{[0-9]+}} fetch2(unsigned long long, float*) {{.*}}dead.cu:[[#@LINE+3]]:
// PITCHED: The memory that the texture object reads has been freed:
__global__ void fetch2(cudaTextureObject_t texture, float *out) {
  out[threadIdx.x] = tex2D<float>(texture, threadIdx.x, 1.0f);
}

// LINEAR: heap-use-after-free on {{cpu|cuda}} device 0 texture object 0x
// LINEAR-NEXT: READ of size 4 by device thread (0,0,0) block (0,0,0) lane 0 (and 7 more threads of this kernel)
// LINEAR: #{{[0-9]+}} fetch1(unsigned long long, float*) {{.*}}dead.cu:[[#@LINE+12]]:
// LINEAR: The memory that the texture object reads has been freed:
// MANAGED: READ of size 4 by device thread (0,0,0)
// MANAGED: #{{[0-9]+}} fetch1(unsigned long long, float*) {{.*}}dead.cu:[[#@LINE+9]]:
// MANAGED: The memory that the texture object reads has been freed:
// TEXTURE: READ of size 4 by device thread (0,0,0)
// TEXTURE: #{{[0-9]+}} fetch1(unsigned long long, float*) {{.*}}dead.cu:[[#@LINE+6]]:
// TEXTURE: texture object destroyed by host thread T0 here:
// GRAPH: READ of size 4 by device thread (0,0,0)
// GRAPH: #{{[0-9]+}} fetch1(unsigned long long, float*) {{.*}}dead.cu:[[#@LINE+3]]:
// GRAPH: texture object destroyed by host thread T0 here:
__global__ void fetch1(cudaTextureObject_t texture, float *out) {
  out[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x);
}

// LEVELS: WRITE of size 4 at x=0 y=1 by device thread (0,0,0)
// LEVELS: #{{[0-9]+}} put(unsigned long long, int) {{.*}}dead.cu:[[#@LINE+9]]:
// LEVELS: The surface object is on a 8 x 2 array of 4-byte elements that has been freed
// CLAMPED: WRITE of size 4 at x=-4 y=1 by device thread (0,0,0)
// CLAMPED: #{{[0-9]+}} put(unsigned long long, int) {{.*}}dead.cu:[[#@LINE+6]]:
// CLAMPED: The surface object is on a 16 x 4 array of 4-byte elements that has been freed
// SURFACE: heap-use-after-free on {{cpu|cuda}} device 0 surface object 0x
// SURFACE-NEXT: WRITE of size 4 at x=0 y=1 by device thread (0,0,0)
// SURFACE: #{{[0-9]+}} put(unsigned long long, int) {{.*}}dead.cu:[[#@LINE+2]]:
__global__ void put(cudaSurfaceObject_t surface, int first) {
  surf2Dwrite(1.0f, surface, (first + int(threadIdx.x)) * int(sizeof(float)), 1, cudaBoundaryModeClamp);
}

// Only one object in the table is dead, and only the last threads use it.
// TABLE: READ of size 4 by device thread (2,0,0) block (0,0,0) lane 2 (and 2 more threads of this kernel)
// TABLE: #{{[0-9]+}} choose(unsigned long long const*, float*) {{.*}}dead.cu:[[#@LINE+2]]:
__global__ void choose(const cudaTextureObject_t *textures, float *out) {
  out[threadIdx.x] = tex1Dfetch<float>(textures[threadIdx.x % 3], 1);
}

static cudaTextureObject_t texture_on(const cudaResourceDesc &resource) {
  cudaTextureDesc description = {};
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  return texture;
}

static cudaTextureObject_t linear_texture(float *memory) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = memory;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = 256;
  // LINEAR: texture object created by host thread T0 here:
  // LINEAR-NEXT: in cudaCreateTextureObject
  return texture_on(resource);
}

static cudaArray_t make_array() {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr;
  cudaMallocArray(&array, &format, 16, 4, cudaArraySurfaceLoadStore);
  return array;
}

static cudaSurfaceObject_t surface_on(cudaArray_t array) {
  cudaResourceDesc resource = {};
  cudaSurfaceObject_t surface = 0;
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaCreateSurfaceObject(&surface, &resource);
  return surface;
}

int main(int, char **arguments) {
  const char *wanted = arguments[1];
  float *out, *memory;
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMalloc(&memory, 256);
  cudaMemset(memory, 0, 256);
  if (!strcmp(wanted, "array")) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = make_array();
    cudaTextureObject_t texture = texture_on(resource);
    fetch2<<<1, 8>>>(texture, out);
    // ARRAY: freed by host thread T0 here:
    // ARRAY-NEXT: in cudaFreeArray
    // ARRAY-NEXT: in main {{.*}}dead.cu:[[#@LINE+5]]:
    // ARRAY: previously allocated by host thread T0 here:
    // ARRAY-NEXT: in cudaMallocArray
    // ARRAY: SUMMARY: AddressSanitizer: heap-use-after-free {{.*}}dead.cu:{{[0-9]+}}:{{[0-9]+}} in fetch2(
    cudaDeviceSynchronize();
    BUG(cudaFreeArray(resource.res.array.array));
    fetch2<<<1, 8>>>(texture, out);
  }
  if (!strcmp(wanted, "levels")) {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t levels;
    cudaArray_t level;
    cudaMallocMipmappedArray(&levels, &format, make_cudaExtent(16, 4, 0), 3, cudaArraySurfaceLoadStore);
    cudaGetMipmappedArrayLevel(&level, levels, 1);
    cudaSurfaceObject_t surface = surface_on(level);
    // LEVELS: freed by host thread T0 here:
    // LEVELS-NEXT: in cudaFreeMipmappedArray
    // LEVELS: previously allocated by host thread T0 here:
    // LEVELS-NEXT: in cudaMallocMipmappedArray
    BUG(cudaFreeMipmappedArray(levels));
    put<<<1, 4>>>(surface, 0);
  }
  if (!strcmp(wanted, "clamped")) {
    cudaArray_t array = make_array();
    cudaSurfaceObject_t surface = surface_on(array);
    BUG(cudaFreeArray(array));
    put<<<1, 4>>>(surface, -1);
  }
  if (!strcmp(wanted, "linear")) {
    cudaTextureObject_t texture = linear_texture(memory);
    fetch1<<<1, 8>>>(texture, out);
    BUG(cudaFree(memory));
    fetch1<<<1, 8>>>(texture, out);
  }
  if (!strcmp(wanted, "pitched")) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = 16;
    resource.res.pitch2D.height = 4;
    cudaMallocPitch(&resource.res.pitch2D.devPtr, &resource.res.pitch2D.pitchInBytes, 64, 4);
    cudaTextureObject_t texture = texture_on(resource);
    // PITCHED: freed by host thread T0 here:
    BUG(cudaFree(resource.res.pitch2D.devPtr));
    fetch2<<<1, 8>>>(texture, out);
  }
  if (!strcmp(wanted, "managed")) {
    float *managed;
    cudaMallocManaged(&managed, 256);
    cudaTextureObject_t texture = linear_texture(managed);
    BUG(cudaFree(managed));
    fetch1<<<1, 8>>>(texture, out);
  }
  if (!strcmp(wanted, "texture")) {
    cudaTextureObject_t texture = linear_texture(memory);
    fetch1<<<1, 8>>>(texture, out);
    cudaDeviceSynchronize();
    // TEXTURE-NEXT: in cudaDestroyTextureObject
    // TEXTURE-NEXT: in main {{.*}}dead.cu:[[#@LINE+1]]:
    BUG(cudaDestroyTextureObject(texture));
    fetch1<<<1, 8>>>(texture, out);
  }
  if (!strcmp(wanted, "surface")) {
    cudaSurfaceObject_t surface = surface_on(make_array());
    put<<<1, 4>>>(surface, 0);
    cudaDeviceSynchronize();
    // SURFACE: surface object destroyed by host thread T0 here:
    BUG(cudaDestroySurfaceObject(surface));
    put<<<1, 4>>>(surface, 0);
  }
  if (!strcmp(wanted, "table")) {
    cudaTextureObject_t textures[3], *table;
    for (cudaTextureObject_t &texture : textures)
      texture = linear_texture(memory);
    cudaMalloc(&table, sizeof textures);
    cudaMemcpy(table, textures, sizeof textures, cudaMemcpyHostToDevice);
    BUG(cudaDestroyTextureObject(textures[2]));
    choose<<<1, 9>>>(table, out);
  }
  if (!strcmp(wanted, "graph")) {
    cudaTextureObject_t texture = linear_texture(memory);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    fetch1<<<1, 8, 0, stream>>>(texture, out);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, stream);
    cudaDeviceSynchronize();
    BUG(cudaDestroyTextureObject(texture));
    cudaGraphLaunch(exec, stream);
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
