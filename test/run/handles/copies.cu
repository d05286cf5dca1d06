// Copies and sets of parts of chunks, in one, two and three dimensions and in all directions; attributes of interior
// pointers; copies with arrays, symbols, streams and graph nodes. The values are right, and nothing is reported.
//
// RUN: %gasan -O2 %s -fsanitize-gpu-address-pool=handles -o %t
// RUN: %options=pool=handles %run %t 2>&1 >/dev/null | %silent
// RUN: %run %t 2>&1 >/dev/null | %silent
#include "../../cpu/inputs/self_check.h"

static const size_t kWidth = 100, kHeight = 20, kDepth = 5;
__device__ unsigned char variable[64];

static std::vector<unsigned char> read(const void *from, size_t size) {
  std::vector<unsigned char> bytes(size);
  CUDA(cudaMemcpy(bytes.data(), from, size, cudaMemcpyDeviceToHost));
  return bytes;
}

static void test_linear() {
  unsigned char *a, *b, host[256];
  CUDA(cudaMalloc(&a, 256));
  CUDA(cudaMalloc(&b, 256));
  for (int i = 0; i < 256; ++i)
    host[i] = (unsigned char)i;
  CUDA(cudaMemcpy(a + 100, host + 100, 156, cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy(a, host, 100, cudaMemcpyDefault));
  CUDA(cudaMemset(b, 7, 256));
  CUDA(cudaMemcpyAsync(b + 10, a + 20, 30, cudaMemcpyDeviceToDevice));
  CUDA(cudaMemsetAsync(b + 200, 9, 56));
  CUDA(cudaMemcpy(b + 256, a + 256, 0, cudaMemcpyDeviceToDevice)); // copies no bytes, from and to the chunks' ends
  CUDA(cudaMemcpyToSymbol(variable, a + 5, 20, 3, cudaMemcpyDeviceToDevice));
  CUDA(cudaMemcpyFromSymbol(b + 100, variable, 20, 3, cudaMemcpyDeviceToDevice));
  std::vector<unsigned char> bytes = read(b, 256);
  for (int i = 0; i < 256; ++i) {
    int expected = i >= 10 && i < 40 ? i + 10 : i >= 100 && i < 120 ? i - 95 : i >= 200 ? 9 : 7;
    EXPECT(bytes[i] == expected, "%d: %d, not %d", i, bytes[i], expected);
  }
  cudaPointerAttributes attributes;
  CUDA(cudaPointerGetAttributes(&attributes, a + 17));
  EXPECT(attributes.type == cudaMemoryTypeDevice && attributes.devicePointer == a + 17 && attributes.device == 0,
         "attributes");
  CUDA(cudaPointerGetAttributes(&attributes, host));
  EXPECT(attributes.type == cudaMemoryTypeUnregistered, "attributes of host memory");
  CUDA(cudaFree(a));
  CUDA(cudaFree(b));
}

static void test_rows() {
  unsigned char *device;
  size_t pitch;
  CUDA(cudaMallocPitch(&device, &pitch, kWidth, kHeight));
  std::vector<unsigned char> host(kWidth * kHeight), back(kWidth * kHeight);
  Random random(5);
  for (unsigned char &byte : host)
    byte = (unsigned char)random.next();
  CUDA(cudaMemcpy2D(device, pitch, host.data(), kWidth, kWidth, kHeight, cudaMemcpyHostToDevice));
  CUDA(cudaMemset2D(device + 2 * pitch + 30, pitch, 77, 40, 5));
  CUDA(cudaMemcpy2D(back.data(), kWidth, device, pitch, kWidth, kHeight, cudaMemcpyDeviceToHost));
  for (size_t y = 0; y < kHeight; ++y)
    for (size_t x = 0; x < kWidth; ++x) {
      int expected = y >= 2 && y < 7 && x >= 30 && x < 70 ? 77 : host[y * kWidth + x];
      EXPECT(back[y * kWidth + x] == expected, "%zu %zu", x, y);
    }
  cudaArray_t array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
  CUDA(cudaMallocArray(&array, &format, kWidth, kHeight));
  CUDA(cudaMemcpy2DToArray(array, 0, 0, device, pitch, kWidth, kHeight, cudaMemcpyDeviceToDevice));
  CUDA(cudaMemset2D(device, pitch, 0, kWidth, kHeight));
  CUDA(cudaMemcpy2DFromArray(device + pitch, pitch, array, 0, 0, kWidth, kHeight - 1, cudaMemcpyDeviceToDevice));
  CUDA(cudaMemcpy2D(host.data(), kWidth, device, pitch, kWidth, kHeight, cudaMemcpyDeviceToHost));
  EXPECT(std::equal(back.begin(), back.end() - kWidth, host.begin() + kWidth), "through an array");
  CUDA(cudaFreeArray(array));
  CUDA(cudaFree(device));
}

static void test_boxes() {
  cudaExtent extent = make_cudaExtent(kWidth, kHeight, kDepth);
  cudaPitchedPtr from, to;
  CUDA(cudaMalloc3D(&from, extent));
  CUDA(cudaMalloc3D(&to, extent));
  CUDA(cudaMemset3D(to, 1, extent));
  CUDA(cudaMemset3D(from, 2, extent));
  cudaMemcpy3DParms parameters = {};
  parameters.srcPtr = from;
  parameters.dstPtr = to;
  parameters.srcPos = make_cudaPos(10, 3, 1);
  parameters.dstPos = make_cudaPos(20, 5, 2);
  parameters.extent = make_cudaExtent(30, 4, 2);
  parameters.kind = cudaMemcpyDeviceToDevice;
  CUDA(cudaMemcpy3D(&parameters));
  EXPECT(parameters.srcPtr.ptr == from.ptr && parameters.dstPtr.ptr == to.ptr, "the program's own struct has changed");
  std::vector<unsigned char> bytes(to.pitch * kHeight * kDepth);
  CUDA(cudaMemcpy(bytes.data(), to.ptr, bytes.size(), cudaMemcpyDeviceToHost));
  for (size_t z = 0; z < kDepth; ++z)
    for (size_t y = 0; y < kHeight; ++y)
      for (size_t x = 0; x < kWidth; ++x) {
        bool inside = x >= 20 && x < 50 && y >= 5 && y < 9 && z >= 2 && z < 4;
        EXPECT(bytes[(z * kHeight + y) * to.pitch + x] == (inside ? 2 : 1), "%zu %zu %zu", x, y, z);
      }
  CUDA(cudaFree(from.ptr));
  CUDA(cudaFree(to.ptr));
}

__global__ void increment(int *values) {
  values[threadIdx.x] += 1;
}

static void test_graph() {
  int *a, *b, host[32], back[32];
  CUDA(cudaMalloc(&a, sizeof host));
  CUDA(cudaMalloc(&b, 2 * sizeof host));
  for (int i = 0; i < 32; ++i)
    host[i] = i;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t up, kernel, across, set;
  CUDA(cudaGraphCreate(&graph, 0));
  CUDA(cudaGraphAddMemcpyNode1D(&up, graph, nullptr, 0, a, host, sizeof host, cudaMemcpyHostToDevice));
  cudaKernelNodeParams launch = {};
  void *arguments[] = {&a};
  launch.func = (void *)increment;
  launch.gridDim = dim3(1);
  launch.blockDim = dim3(32);
  launch.kernelParams = arguments;
  CUDA(cudaGraphAddKernelNode(&kernel, graph, &up, 1, &launch));
  CUDA(cudaGraphAddMemcpyNode1D(&across, graph, &kernel, 1, b + 32, a, sizeof host, cudaMemcpyDeviceToDevice));
  cudaMemsetParams zero = {};
  zero.dst = b;
  zero.elementSize = 4;
  zero.width = 32;
  zero.height = 1;
  CUDA(cudaGraphAddMemsetNode(&set, graph, &kernel, 1, &zero));
  CUDA(cudaGraphMemsetNodeGetParams(set, &zero));
  EXPECT(zero.dst == b, "the node's memory is not the program's");
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  int *filler;
  CUDA(cudaMalloc(&filler, 64 << 20)); // the pool grows; the nodes must still find their memory
  for (int round = 0; round < 2; ++round)
    CUDA(cudaGraphLaunch(exec, 0));
  CUDA(cudaDeviceSynchronize());
  CUDA(cudaMemcpy(back, b + 32, sizeof back, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; ++i)
    EXPECT(back[i] == i + 1, "%d: %d", i, back[i]);
  CUDA(cudaMemcpy(back, b, sizeof back, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; ++i)
    EXPECT(back[i] == 0, "%d: %d", i, back[i]);
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaGraphDestroy(graph));
  CUDA(cudaFree(filler));
  CUDA(cudaFree(a));
  CUDA(cudaFree(b));
}

int main() {
  test_linear();
  test_rows();
  test_boxes();
  test_graph();
  return passed();
}
