// Device properties: cudaGetDeviceProperties and cudaDeviceGetAttribute agree, all limits are plausible, and a block of
// the maximal size runs.
// RUN: %gasan -O1 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

__global__ void countThreads(int *count) {
  atomicAdd(count, 1);
}

static int attribute(cudaDeviceAttr which) {
  int value = -12345;
  CUDA(cudaDeviceGetAttribute(&value, which, 0));
  return value;
}

int main() {
  int devices = 0, device = -1, runtime = 0, driver = 0;
  CUDA(cudaGetDeviceCount(&devices));
  CUDA(cudaGetDevice(&device));
  CUDA(cudaRuntimeGetVersion(&runtime));
  CUDA(cudaDriverGetVersion(&driver));
  EXPECT(devices >= 1 && device == 0, "%d %d", devices, device);
  EXPECT(runtime / 1000 == 13 && driver >= runtime, "%d %d", runtime, driver);
  cudaDeviceProp p;
  CUDA(cudaGetDeviceProperties(&p, 0));
  EXPECT(strlen(p.name) > 3, "%s", p.name);
  EXPECT(p.major * 10 + p.minor >= 75, "%d.%d", p.major, p.minor);

  struct {
    const char *name;
    long long property;
    cudaDeviceAttr attribute;
    long long least, most;
  } table[] = {
      {"warpSize", p.warpSize, cudaDevAttrWarpSize, 32, 32},
      {"maxThreadsPerBlock", p.maxThreadsPerBlock, cudaDevAttrMaxThreadsPerBlock, 1024, 1024},
      {"maxThreadsDim x", p.maxThreadsDim[0], cudaDevAttrMaxBlockDimX, 1024, 1024},
      {"maxThreadsDim y", p.maxThreadsDim[1], cudaDevAttrMaxBlockDimY, 1024, 1024},
      {"maxThreadsDim z", p.maxThreadsDim[2], cudaDevAttrMaxBlockDimZ, 64, 64},
      {"maxGridSize x", p.maxGridSize[0], cudaDevAttrMaxGridDimX, 2147483647, 2147483647},
      {"maxGridSize y", p.maxGridSize[1], cudaDevAttrMaxGridDimY, 65535, 65535},
      {"maxGridSize z", p.maxGridSize[2], cudaDevAttrMaxGridDimZ, 65535, 65535},
      {"sharedMemPerBlock", (long long)p.sharedMemPerBlock, cudaDevAttrMaxSharedMemoryPerBlock, 49152, 49152},
      {"sharedMemPerBlockOptin", (long long)p.sharedMemPerBlockOptin, cudaDevAttrMaxSharedMemoryPerBlockOptin, 49152,
       1 << 20},
      {"sharedMemPerMultiprocessor", (long long)p.sharedMemPerMultiprocessor,
       cudaDevAttrMaxSharedMemoryPerMultiprocessor, 49152, 1 << 20},
      {"reservedSharedMemPerBlock", (long long)p.reservedSharedMemPerBlock, cudaDevAttrReservedSharedMemoryPerBlock, 0,
       1024},
      {"totalConstMem", (long long)p.totalConstMem, cudaDevAttrTotalConstantMemory, 65536, 65536},
      {"regsPerBlock", p.regsPerBlock, cudaDevAttrMaxRegistersPerBlock, 32768, 65536},
      {"regsPerMultiprocessor", p.regsPerMultiprocessor, cudaDevAttrMaxRegistersPerMultiprocessor, 32768, 131072},
      {"multiProcessorCount", p.multiProcessorCount, cudaDevAttrMultiProcessorCount, 1, 4096},
      {"maxThreadsPerMultiProcessor", p.maxThreadsPerMultiProcessor, cudaDevAttrMaxThreadsPerMultiProcessor, 1024,
       4096},
      {"maxBlocksPerMultiProcessor", p.maxBlocksPerMultiProcessor, cudaDevAttrMaxBlocksPerMultiprocessor, 16, 64},
      {"major", p.major, cudaDevAttrComputeCapabilityMajor, 7, 99},
      {"minor", p.minor, cudaDevAttrComputeCapabilityMinor, 0, 9},
      {"memPitch", (long long)p.memPitch, cudaDevAttrMaxPitch, 1 << 20, 2147483647},
      {"textureAlignment", (long long)p.textureAlignment, cudaDevAttrTextureAlignment, 1, 4096},
      {"texturePitchAlignment", (long long)p.texturePitchAlignment, cudaDevAttrTexturePitchAlignment, 1, 4096},
      {"surfaceAlignment", (long long)p.surfaceAlignment, cudaDevAttrSurfaceAlignment, 1, 4096},
      {"memoryBusWidth", p.memoryBusWidth, cudaDevAttrGlobalMemoryBusWidth, 1, 1 << 20},
      {"l2CacheSize", p.l2CacheSize, cudaDevAttrL2CacheSize, 1, 1 << 30},
      {"maxTexture1D", p.maxTexture1D, cudaDevAttrMaxTexture1DWidth, 65536, 1 << 30},
      {"maxTexture2D x", p.maxTexture2D[0], cudaDevAttrMaxTexture2DWidth, 65536, 1 << 30},
      {"maxTexture2D y", p.maxTexture2D[1], cudaDevAttrMaxTexture2DHeight, 32768, 1 << 30},
      {"maxTexture3D z", p.maxTexture3D[2], cudaDevAttrMaxTexture3DDepth, 4096, 1 << 30},
      {"maxTexture2DLinear pitch", p.maxTexture2DLinear[2], cudaDevAttrMaxTexture2DLinearPitch, 65536, 1 << 30},
      {"maxTexture2DLayered layers", p.maxTexture2DLayered[2], cudaDevAttrMaxTexture2DLayeredLayers, 2048, 1 << 30},
      {"maxSurface2D y", p.maxSurface2D[1], cudaDevAttrMaxSurface2DHeight, 32768, 1 << 30},
      {"concurrentKernels", p.concurrentKernels, cudaDevAttrConcurrentKernels, 1, 1},
      {"asyncEngineCount", p.asyncEngineCount, cudaDevAttrAsyncEngineCount, 1, 64},
      {"unifiedAddressing", p.unifiedAddressing, cudaDevAttrUnifiedAddressing, 1, 1},
      {"canMapHostMemory", p.canMapHostMemory, cudaDevAttrCanMapHostMemory, 1, 1},
      {"managedMemory", p.managedMemory, cudaDevAttrManagedMemory, 1, 1},
      {"concurrentManagedAccess", p.concurrentManagedAccess, cudaDevAttrConcurrentManagedAccess, 0, 1},
      {"cooperativeLaunch", p.cooperativeLaunch, cudaDevAttrCooperativeLaunch, 1, 1},
      {"streamPrioritiesSupported", p.streamPrioritiesSupported, cudaDevAttrStreamPrioritiesSupported, 1, 1},
      {"memoryPoolsSupported", p.memoryPoolsSupported, cudaDevAttrMemoryPoolsSupported, 1, 1},
      {"hostRegisterSupported", p.hostRegisterSupported, cudaDevAttrHostRegisterSupported, 1, 1},
      {"integrated", p.integrated, cudaDevAttrIntegrated, 0, 1},
      {"ECCEnabled", p.ECCEnabled, cudaDevAttrEccEnabled, 0, 1},
      {"pciBusID", p.pciBusID, cudaDevAttrPciBusId, 0, 1 << 16},
      {"clusterLaunch", p.clusterLaunch, cudaDevAttrClusterLaunch, 0, 1},
  };
  for (auto &row : table) {
    int value = attribute(row.attribute);
    EXPECT(value == row.property, "%s: attribute %d, property %lld", row.name, value, row.property);
    EXPECT(row.property >= row.least && row.property <= row.most, "%s: %lld", row.name, row.property);
  }
  EXPECT(attribute(cudaDevAttrClockRate) > 0 && attribute(cudaDevAttrMemoryClockRate) > 0, "rates");
  EXPECT(p.sharedMemPerBlock <= p.sharedMemPerBlockOptin && p.sharedMemPerBlockOptin <= p.sharedMemPerMultiprocessor,
         "shared");

  size_t free_memory = 0, total = 0;
  CUDA(cudaMemGetInfo(&free_memory, &total));
  EXPECT(free_memory > 0 && free_memory <= total && total <= p.totalGlobalMem + (1ull << 32), "%zu %zu", free_memory,
         total);

  char id[32];
  int found = -1;
  CUDA(cudaDeviceGetPCIBusId(id, sizeof id, 0));
  CUDA(cudaDeviceGetByPCIBusId(&found, id));
  EXPECT(found == 0, "%d", found);

  int value;
  EXPECT(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, devices) == cudaErrorInvalidDevice, "no such device");
  EXPECT(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)100000, 0) == cudaErrorInvalidValue, "no such attribute");
  EXPECT(cudaGetDeviceProperties(&p, devices) == cudaErrorInvalidDevice, "no such device");
  EXPECT(cudaSetDevice(devices) == cudaErrorInvalidDevice, "no such device");
  cudaGetLastError();
  CUDA(cudaSetDevice(0));

  int *count;
  CUDA(cudaMallocManaged(&count, sizeof *count));
  *count = 0;
  countThreads<<<dim3(3, 2, 2), dim3(16, 1, 64)>>>(count);
  countThreads<<<1, p.maxThreadsPerBlock>>>(count);
  countThreads<<<dim3(1, p.maxGridSize[1]), 1>>>(count);
  countThreads<<<dim3(1, 1, p.maxGridSize[2]), 1>>>(count);
  CUDA(cudaDeviceSynchronize());
  printf("threads %d\n", *count);
  CUDA(cudaFree(count));
  return passed();
}
