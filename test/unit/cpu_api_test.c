/* The CUDA runtime API of the CPU device. */
#include <time.h>
#include <unistd.h>

#include "base/abi.h"
#include "greatest.h"
#include "test/unit/cpu_program.h"

#define ASSERT_CUDA(expected, call) ASSERT_STR_EQ(#expected, API(cudaGetErrorName)(call))
#define ASSERT_OK(call) ASSERT_CUDA(cudaSuccess, call)

static int counter = 5;
static int table[16];
static char host_counter, host_table, host_elsewhere;

static void k_add(void **arguments) {
  __atomic_fetch_add(&counter, *(int *)arguments[0], __ATOMIC_RELAXED);
}
static void k_trap(void **arguments) {
  gasan_cpu_trap(0);
}
static void k_shared(void **arguments) {
  gasan_cpu_thread.shared[gasan_cpu_thread.shared_size - 1] = 1;
}

enum { ADD, TRAP, SHARED, SMALL, KERNELS };
static char hosts[KERNELS + 1], hosts_without_image[KERNELS + 1], host_missing;
static const struct gasan_cpu_kernel kernels[KERNELS] = {
    {.name = "add", .thread = k_add},
    {.name = "trap", .thread = k_trap},
    {.name = "shared", .thread = k_shared, .static_shared = 4096, .dynamic_shared_offset = 4096},
    {.name = "small", .thread = k_add, .max_threads = 64},
};
static const struct gasan_cpu_variable variables[] = {{"counter", &counter, sizeof counter},
                                                      {"table", table, sizeof table}};
static const struct gasan_cpu_image image = {.magic = GASAN_CPU_IMAGE_MAGIC,
                                             .abi_version = GASAN_ABI_VERSION,
                                             .arch = 86,
                                             .id = "api-test",
                                             .kernel_count = KERNELS,
                                             .kernels = kernels,
                                             .variable_count = 2,
                                             .variables = variables};

static cudaError_t launch(const void *host, dim3 grid, dim3 block, size_t shared) {
  static int one = 1;
  void *arguments[] = {&one};
  return API(cudaLaunchKernel)(host, grid, block, arguments, shared, NULL);
}

static dim3 shape(unsigned x, unsigned y, unsigned z) {
  return (dim3){x, y, z};
}

TEST table_of_calls(void) {
  ASSERT_EQ((void *)API(cudaMemcpy3DPeer), gasan_device_cpu.api("cudaMemcpy3DPeer_ptds"));
  ASSERT_EQ((void *)gasan_cpu_captured_cudaLaunchKernel_ptsz, gasan_device_cpu.api("cudaLaunchKernel_ptsz"));
  ASSERT_EQ(NULL, gasan_device_cpu.api("cudaGraphAddExternalSemaphoresWaitNode"));
  ASSERT_EQ(NULL, gasan_device_cpu.api("cuda"));
  PASS();
}

TEST errors(void) {
  static const cudaError_t all[] = {
#define GASAN_CUDA_ERROR(name, text) name,
#include "device/cpu/errors.inc"
#undef GASAN_CUDA_ERROR
  };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    const char *name = API(cudaGetErrorName)(all[i]), *text = API(cudaGetErrorString)(all[i]);
    ASSERT(strncmp(name, "cuda", 4) == 0);
    ASSERT(strlen(text) > 5 && strncmp(text, "unrecognized", 12) != 0);
    for (size_t j = 0; j < i; j++)
      ASSERT(strcmp(text, API(cudaGetErrorString)(all[j])) != 0);
  }
  ASSERT_STR_EQ("cudaErrorIllegalAddress", API(cudaGetErrorName)(700));
  ASSERT_STR_EQ("unrecognized error code", API(cudaGetErrorName)(12345));
  PASS();
}

TEST last_error(void) {
  ASSERT_OK(API(cudaGetLastError)());
  ASSERT_CUDA(cudaErrorInvalidDevice, API(cudaSetDevice)(1));
  ASSERT_OK(API(cudaSetDevice)(0)); /* success does not clear it */
  ASSERT_CUDA(cudaErrorInvalidDevice, API(cudaPeekAtLastError)());
  ASSERT_CUDA(cudaErrorInvalidDevice, API(cudaGetLastError)());
  ASSERT_OK(API(cudaGetLastError)());
  PASS();
}

TEST sticky_error(void) {
  int value = 1;
  void *pointer;
  ASSERT_OK(launch(hosts + TRAP, shape(1, 1, 1), shape(1, 1, 1), 0));
  ASSERT_OK(API(cudaGetLastError)()); /* not noticed yet */
  counter = 0;
  ASSERT_OK(launch(hosts + ADD, shape(1, 1, 1), shape(1, 1, 1), 0));
  ASSERT_EQ(0, counter); /* work after a failed kernel does not run */
  ASSERT_EQ_FMT(GASAN_ERR_DEVICE, gasan_device_cpu.synchronize(NULL).code, "%d");
  ASSERT_CUDA(cudaErrorLaunchFailure, API(cudaMemcpy)(&value, &counter, sizeof value, cudaMemcpyDefault));
  ASSERT_CUDA(cudaErrorLaunchFailure, API(cudaGetLastError)());
  ASSERT_OK(API(cudaGetLastError)());
  ASSERT_CUDA(cudaErrorLaunchFailure, API(cudaDeviceSynchronize)()); /* sticky */
  ASSERT_CUDA(cudaErrorLaunchFailure, API(cudaGetLastError)());
  ASSERT_CUDA(cudaErrorLaunchFailure, API(cudaMalloc)(&pointer, 4));
  ASSERT_CUDA(cudaErrorLaunchFailure, launch(hosts + ADD, shape(1, 1, 1), shape(1, 1, 1), 0));
  ASSERT_OK(API(cudaDeviceReset)());
  ASSERT_OK(API(cudaDeviceSynchronize)());
  ASSERT_OK(launch(hosts + ADD, shape(1, 1, 1), shape(1, 1, 1), 0));
  ASSERT_EQ(1, counter);
  PASS();
}

TEST launches(void) {
  dim3 one = {1, 1, 1};
  static const struct {
    dim3 grid, block;
  } bad[] = {{{0, 1, 1}, {1, 1, 1}},     {{1, 1, 1}, {1, 0, 1}},       {{1, 1, 1}, {1025, 1, 1}},
             {{1, 1, 1}, {32, 33, 1}},   {{1, 1, 1}, {1, 1, 65}},      {{1, 65536, 1}, {1, 1, 1}},
             {{1, 1, 65536}, {1, 1, 1}}, {{1u << 31, 1, 1}, {1, 1, 1}}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    ASSERT_CUDA(cudaErrorInvalidValue, launch(hosts + ADD, bad[i].grid, bad[i].block, 0));
  counter = 0;
  ASSERT_OK(launch(hosts + ADD, shape(3, 5, 2), shape(8, 4, 2), 0));
  ASSERT_EQ(3 * 5 * 2 * 64, counter);
  ASSERT_CUDA(cudaErrorLaunchOutOfResources, launch(hosts + SMALL, one, shape(65, 1, 1), 0));
  ASSERT_OK(launch(hosts + SMALL, one, shape(64, 1, 1), 0));
  ASSERT_CUDA(cudaErrorInvalidResourceHandle, launch(&host_elsewhere, one, one, 0));
  cudaStream_t wrong = (cudaStream_t)&host_elsewhere;
  ASSERT_CUDA(cudaErrorInvalidResourceHandle, API(cudaLaunchKernel)(hosts + ADD, one, one, NULL, 0, wrong));
  int two = 2;
  void *arguments[] = {&two};
  cudaLaunchAttribute attributes[] = {{.id = cudaLaunchAttributeCooperative, .val.cooperative = 1}};
  cudaLaunchConfig_t config = {.gridDim = {2, 1, 1}, .blockDim = {4, 1, 1}, .attrs = attributes, .numAttrs = 1};
  counter = 0;
  ASSERT_OK(API(cudaLaunchKernelExC)(&config, hosts + ADD, arguments));
  cudaKernel_t kernel;
  ASSERT_OK(API(__cudaGetKernel)(&kernel, hosts + ADD));
  ASSERT_OK(API(__cudaLaunchKernel)(kernel, one, one, arguments, 0, NULL));
  ASSERT_EQ(18, counter);
  API(cudaGetLastError)();
  PASS();
}

TEST configurations(void) {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
  ASSERT_EQ(0, API(__cudaPushCallConfiguration)(shape(1, 2, 3), shape(4, 5, 6), 7, NULL));
  ASSERT_EQ(0, API(__cudaPushCallConfiguration)(shape(9, 1, 1), shape(8, 1, 1), 0, cudaStreamPerThread));
  ASSERT_OK(API(__cudaPopCallConfiguration)(&grid, &block, &shared, &stream));
  ASSERT(grid.x == 9 && block.x == 8 && shared == 0 && stream == cudaStreamPerThread);
  ASSERT_OK(API(__cudaPopCallConfiguration)(&grid, &block, &shared, &stream));
  ASSERT(grid.z == 3 && block.y == 5 && shared == 7 && stream == NULL);
  ASSERT_CUDA(cudaErrorMissingConfiguration, API(__cudaPopCallConfiguration)(&grid, &block, &shared, &stream));
  API(cudaGetLastError)();
  PASS();
}

TEST objects_without_image(void) {
  dim3 one = {1, 1, 1};
  cudaError_t error = cudaSuccess;
  const char *text = CAPTURE(stderr, error = launch(hosts_without_image + ADD, one, one, 0));
  ASSERT_CUDA(cudaErrorInvalidResourceHandle, error);
  ASSERT(strstr(text, "-fsanitize=gpu-address"));
  text = CAPTURE(stderr, error = launch(hosts_without_image + TRAP, one, one, 0));
  ASSERT_CUDA(cudaErrorInvalidResourceHandle, error);
  ASSERT_STR_EQ("", text); /* the message comes once */
  text = CAPTURE(stderr, error = launch(&host_missing, one, one, 0));
  ASSERT_CUDA(cudaErrorInvalidResourceHandle, error);
  ASSERT(strstr(text, "no_such_kernel"));
  API(cudaGetLastError)();
  PASS();
}

TEST unregister(void) {
  dim3 one = {1, 1, 1};
  static char own_hosts[KERNELS + 1];
  void **handle = register_fat_binary("api-test");
  register_kernels(handle, &image, own_hosts);
  ASSERT_OK(launch(own_hosts + ADD, one, one, 0));
  API(__cudaUnregisterFatBinary)(handle);
  ASSERT_CUDA(cudaErrorInvalidResourceHandle, launch(own_hosts + ADD, one, one, 0));
  ASSERT_OK(launch(hosts + ADD, one, one, 0));
  API(cudaGetLastError)();
  PASS();
}

TEST shared_memory(void) {
  dim3 one = {1, 1, 1};
  struct cudaFuncAttributes attributes;
  ASSERT_OK(API(cudaFuncGetAttributes)(&attributes, hosts + SHARED));
  ASSERT_EQ(4096, attributes.sharedSizeBytes);
  ASSERT_EQ(44 * 1024, attributes.maxDynamicSharedSizeBytes);
  ASSERT_EQ(86, attributes.binaryVersion);
  ASSERT_OK(launch(hosts + SHARED, one, one, 44 * 1024));
  ASSERT_CUDA(cudaErrorInvalidValue, launch(hosts + SHARED, one, one, 44 * 1024 + 1));
  enum cudaFuncAttribute most = cudaFuncAttributeMaxDynamicSharedMemorySize;
  ASSERT_OK(API(cudaFuncSetAttribute)(hosts + SHARED, most, 223 * 1024));
  ASSERT_OK(launch(hosts + SHARED, one, one, 223 * 1024));
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaFuncSetAttribute)(hosts + SHARED, most, 223 * 1024 + 1));
  ASSERT_OK(API(cudaDeviceSynchronize)());
  int blocks = 0;
  ASSERT_OK(API(cudaOccupancyMaxActiveBlocksPerMultiprocessor)(&blocks, hosts + ADD, 256, 0));
  ASSERT_EQ(8, blocks);
  ASSERT_OK(API(cudaOccupancyMaxActiveBlocksPerMultiprocessor)(&blocks, hosts + SHARED, 32, 100 * 1024));
  ASSERT_EQ(2, blocks);
  ASSERT_OK(API(cudaFuncGetAttributes)(&attributes, hosts + SMALL));
  ASSERT_EQ(64, attributes.maxThreadsPerBlock);
  ASSERT_CUDA(cudaErrorInvalidResourceHandle, API(cudaFuncGetAttributes)(&attributes, &host_elsewhere));
  API(cudaGetLastError)();
  PASS();
}

TEST device_attributes(void) {
  int value, count;
  struct cudaDeviceProp properties;
  ASSERT_OK(API(cudaGetDeviceCount)(&count));
  ASSERT_EQ(1, count);
  ASSERT_OK(API(cudaGetDeviceProperties)(&properties, 0));
  ASSERT_STR_EQ("gasan CPU device", properties.name);
  ASSERT_EQ(8, properties.major);
  ASSERT_EQ(6, properties.minor);
  ASSERT_EQ(32, properties.warpSize);
  ASSERT_EQ(65535, properties.maxGridSize[1]);
  ASSERT_EQ(64, properties.maxThreadsDim[2]);
  ASSERT(properties.totalGlobalMem > 0 && properties.multiProcessorCount > 0);
  ASSERT_OK(API(cudaDeviceGetAttribute)(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  ASSERT_EQ((int)properties.sharedMemPerBlockOptin, value);
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaDeviceGetAttribute)(&value, (enum cudaDeviceAttr)9999, 0));
  ASSERT_CUDA(cudaErrorInvalidDevice, API(cudaDeviceGetAttribute)(&value, cudaDevAttrWarpSize, 1));
  ASSERT_CUDA(cudaErrorInvalidDevice, API(cudaGetDeviceProperties)(&properties, -1));
  ASSERT_OK(API(cudaRuntimeGetVersion)(&value));
  ASSERT_EQ(13000, value);
  size_t limit;
  ASSERT_OK(API(cudaDeviceSetLimit)(cudaLimitMallocHeapSize, 1 << 25));
  ASSERT_OK(API(cudaDeviceGetLimit)(&limit, cudaLimitMallocHeapSize));
  ASSERT_EQ(1 << 25, limit);
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaDeviceGetLimit)(&limit, (enum cudaLimit)99));
  API(cudaGetLastError)();
  PASS();
}

TEST allocation(void) {
  void *pointer, *host, *managed;
  size_t free_before, free_now, total;
  struct cudaPointerAttributes attributes;
  ASSERT_OK(API(cudaMemGetInfo)(&free_before, &total));
  ASSERT_OK(API(cudaMalloc)(&pointer, 1 << 20));
  ASSERT_EQ(0, (uintptr_t)pointer % 256);
  ASSERT_OK(API(cudaMemGetInfo)(&free_now, &total));
  ASSERT_EQ(free_before - (1 << 20), free_now);
  ASSERT_OK(API(cudaPointerGetAttributes)(&attributes, (char *)pointer + 12345));
  ASSERT_EQ(cudaMemoryTypeDevice, attributes.type);
  ASSERT_EQ((char *)pointer + 12345, (char *)attributes.devicePointer);
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaFree)((char *)pointer + 256));
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaFreeHost)(pointer));
  ASSERT_OK(API(cudaFree)(pointer));
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaFree)(pointer));
  ASSERT_OK(API(cudaFree)(NULL));
  ASSERT_OK(API(cudaMalloc)(&pointer, 0));
  ASSERT_EQ(NULL, pointer);
  ASSERT_CUDA(cudaErrorMemoryAllocation, API(cudaMalloc)(&pointer, total * 2));
  ASSERT_OK(API(cudaHostAlloc)(&host, 100, cudaHostAllocMapped));
  ASSERT_OK(API(cudaPointerGetAttributes)(&attributes, host));
  ASSERT_EQ(cudaMemoryTypeHost, attributes.type);
  ASSERT_OK(API(cudaHostGetDevicePointer)(&pointer, host, 0));
  ASSERT_EQ(host, pointer);
  ASSERT_OK(API(cudaMallocManaged)(&managed, 100, cudaMemAttachGlobal));
  ASSERT_OK(API(cudaPointerGetAttributes)(&attributes, managed));
  ASSERT_EQ(cudaMemoryTypeManaged, attributes.type);
  ASSERT_OK(API(cudaPointerGetAttributes)(&attributes, &total));
  ASSERT_EQ(cudaMemoryTypeUnregistered, attributes.type);
  ASSERT_OK(API(cudaFreeHost)(host));
  ASSERT_OK(API(cudaFree)(managed));
  static char buffer[1000];
  ASSERT_OK(API(cudaHostRegister)(buffer, sizeof buffer, cudaHostRegisterDefault));
  ASSERT_CUDA(cudaErrorHostMemoryAlreadyRegistered, API(cudaHostRegister)(buffer, 10, cudaHostRegisterDefault));
  ASSERT_OK(API(cudaHostUnregister)(buffer));
  ASSERT_CUDA(cudaErrorHostMemoryNotRegistered, API(cudaHostUnregister)(buffer));
  ASSERT_OK(API(cudaMemGetInfo)(&free_now, &total));
  ASSERT_EQ(free_before, free_now);
  API(cudaGetLastError)();
  PASS();
}

TEST pools(void) {
  cudaMemPool_t standard, pool, current;
  struct cudaMemPoolProps properties = {.allocType = cudaMemAllocationTypePinned,
                                        .location = {cudaMemLocationTypeDevice, 0}};
  uint64_t used, high;
  void *pointer;
  ASSERT_OK(API(cudaDeviceGetDefaultMemPool)(&standard, 0));
  ASSERT_OK(API(cudaMemPoolCreate)(&pool, &properties));
  ASSERT_OK(API(cudaDeviceSetMemPool)(0, pool));
  ASSERT_OK(API(cudaMallocAsync)(&pointer, 1000, NULL));
  ASSERT_OK(API(cudaMemPoolGetAttribute)(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  ASSERT_EQ(1000, used);
  ASSERT_OK(API(cudaMemPoolDestroy)(pool)); /* it is no longer the current one; its allocation stays valid */
  ASSERT_OK(API(cudaDeviceGetMemPool)(&current, 0));
  ASSERT_EQ(standard, current);
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaMemPoolGetAttribute)(pool, cudaMemPoolAttrUsedMemHigh, &high));
  memset(pointer, 1, 1000);
  ASSERT_OK(API(cudaFreeAsync)(pointer, NULL));
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaFreeAsync)(pointer, NULL));
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaMemPoolDestroy)(standard));
  properties.location.id = 1;
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaMemPoolCreate)(&pool, &properties));
  API(cudaGetLastError)();
  PASS();
}

TEST copies(void) {
  char from[64], to[64];
  for (int i = 0; i < 64; i++)
    from[i] = (char)i;
  memset(to, 99, sizeof to);
  ASSERT_OK(API(cudaMemcpy)(to + 1, from, 62, cudaMemcpyHostToDevice));
  ASSERT(to[0] == 99 && to[63] == 99 && memcmp(to + 1, from, 62) == 0);
  ASSERT_OK(API(cudaMemcpyAsync)(to, from, 64, cudaMemcpyDefault, cudaStreamPerThread));
  ASSERT(memcmp(to, from, 64) == 0);
  ASSERT_OK(API(cudaMemcpy)(NULL, NULL, 0, cudaMemcpyDefault));
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaMemcpy)(to, NULL, 1, cudaMemcpyDefault));
  ASSERT_CUDA(cudaErrorInvalidMemcpyDirection, API(cudaMemcpy)(to, from, 1, (enum cudaMemcpyKind)7));
  ASSERT_CUDA(cudaErrorInvalidDevice, API(cudaMemcpyPeer)(to, 0, from, 1, 1));
  ASSERT_OK(API(cudaMemset)(to + 8, 0x5a, 8));
  ASSERT(to[7] == 7 && to[8] == 0x5a && to[15] == 0x5a && to[16] == 16);
  API(cudaGetLastError)();
  PASS();
}

TEST copies_2d_3d(void) {
  char from[64], to[64], *pitched;
  size_t pitch;
  for (int i = 0; i < 64; i++)
    from[i] = (char)i;
  memset(to, 99, sizeof to);
  ASSERT_OK(API(cudaMemcpy2D)(to, 10, from, 8, 5, 3, cudaMemcpyHostToDevice));
  for (int i = 0; i < 64; i++)
    ASSERT_EQ(i / 10 < 3 && i % 10 < 5 ? i / 10 * 8 + i % 10 : 99, to[i]);
  ASSERT_CUDA(cudaErrorInvalidPitchValue, API(cudaMemcpy2D)(to, 4, from, 8, 5, 3, cudaMemcpyHostToDevice));
  ASSERT_OK(API(cudaMemset2D)(to, 10, 1, 3, 2));
  ASSERT(to[2] == 1 && to[3] == 3 && to[10] == 1 && to[12] == 1 && to[13] == 11 && to[20] == 16);
  ASSERT_OK(API(cudaMallocPitch)((void **)&pitched, &pitch, 100, 7));
  ASSERT(pitch >= 100 && pitch % 512 == 0);
  ASSERT_OK(API(cudaFree)(pitched));

  /* 3 x 2 x 2 bytes out of a 4 x 4 x 4 cube at (1,2,1), to (0,1,0) of a cube with rows of 6 bytes, 3 rows a slice. */
  struct cudaMemcpy3DParms parameters = {.srcPtr = {from, 4, 4, 4},
                                         .srcPos = {1, 2, 1},
                                         .dstPtr = {to, 6, 6, 3},
                                         .dstPos = {0, 1, 0},
                                         .extent = {3, 2, 2},
                                         .kind = cudaMemcpyDefault};
  memset(to, 99, sizeof to);
  ASSERT_OK(API(cudaMemcpy3D)(&parameters));
  for (int z = 0; z < 2; z++)
    for (int y = 0; y < 3; y++)
      for (int x = 0; x < 6; x++)
        ASSERT_EQ(y >= 1 && x < 3 ? (z + 1) * 16 + (y + 1) * 4 + x + 1 : 99, to[(z * 3 + y) * 6 + x]);
  parameters.srcPos.x = 2;
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaMemcpy3D)(&parameters));
  struct cudaPitchedPtr cube;
  struct cudaExtent extent = {100, 5, 3};
  ASSERT_OK(API(cudaMalloc3D)(&cube, extent));
  ASSERT_OK(API(cudaMemset3D)(cube, 3, extent));
  ASSERT_EQ(3, ((char *)cube.ptr)[cube.pitch * 14 + 99]);
  ASSERT_OK(API(cudaFree)(cube.ptr));
  API(cudaGetLastError)();
  PASS();
}

TEST symbols(void) {
  int values[4] = {1, 2, 3, 4}, got[4];
  void *address;
  size_t size;
  struct cudaPointerAttributes attributes;
  ASSERT_OK(API(cudaGetSymbolAddress)(&address, &host_table));
  ASSERT_EQ((void *)table, address);
  ASSERT_OK(API(cudaGetSymbolSize)(&size, &host_table));
  ASSERT_EQ(sizeof table, size);
  ASSERT_OK(API(cudaMemcpyToSymbol)(&host_table, values, 16, 48, cudaMemcpyHostToDevice));
  ASSERT_EQ(4, table[15]);
  ASSERT_OK(API(cudaMemcpyFromSymbol)(got, &host_table, 16, 48, cudaMemcpyDeviceToHost));
  ASSERT(memcmp(got, values, 16) == 0);
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaMemcpyToSymbol)(&host_table, values, 16, 49, cudaMemcpyHostToDevice));
  ASSERT_CUDA(cudaErrorInvalidMemcpyDirection,
              API(cudaMemcpyToSymbol)(&host_table, values, 16, 0, cudaMemcpyDeviceToHost));
  ASSERT_CUDA(cudaErrorInvalidSymbol, API(cudaGetSymbolAddress)(&address, &host_elsewhere));
  ASSERT_OK(API(cudaPointerGetAttributes)(&attributes, table + 3));
  ASSERT_EQ(cudaMemoryTypeDevice, attributes.type);
  uint64_t device_address, device_size;
  ASSERT_EQ_FMT(GASAN_OK, gasan_device_cpu.symbol(NULL, hosts + ADD, "counter", &device_address, &device_size).code,
                "%d");
  ASSERT_EQ((uintptr_t)&counter, device_address);
  ASSERT_EQ(sizeof counter, device_size);
  ASSERT_EQ_FMT(GASAN_ERR_NOT_FOUND,
                gasan_device_cpu.symbol(NULL, hosts + ADD, "nothing", &device_address, &device_size).code, "%d");
  API(cudaGetLastError)();
  PASS();
}

static cudaError_t callback_status;
static void on_callback(cudaStream_t stream, cudaError_t status, void *data) {
  callback_status = status;
  ++*(int *)data;
}
static void on_host_function(void *data) {
  ++*(int *)data;
}

TEST streams(void) {
  cudaStream_t stream;
  int calls = 0, priority;
  unsigned flags;
  ASSERT_OK(API(cudaStreamCreateWithPriority)(&stream, cudaStreamNonBlocking, -2));
  ASSERT_OK(API(cudaStreamGetPriority)(stream, &priority));
  ASSERT_EQ(-2, priority);
  ASSERT_OK(API(cudaStreamGetFlags)(stream, &flags));
  ASSERT_EQ(cudaStreamNonBlocking, flags);
  ASSERT_OK(API(cudaLaunchHostFunc)(stream, on_host_function, &calls));
  ASSERT_OK(API(cudaStreamAddCallback)(stream, on_callback, &calls, 0));
  ASSERT_EQ(2, calls);
  ASSERT_EQ(cudaSuccess, callback_status);
  ASSERT_OK(API(cudaStreamQuery)(stream));
  ASSERT_OK(API(cudaStreamSynchronize)(stream));
  ASSERT_OK(API(cudaStreamDestroy)(stream));
  ASSERT_CUDA(cudaErrorInvalidResourceHandle, API(cudaStreamSynchronize)(stream));
  ASSERT_CUDA(cudaErrorInvalidResourceHandle, API(cudaStreamDestroy)(stream));
  ASSERT_OK(API(cudaStreamSynchronize)(cudaStreamLegacy));
  ASSERT_OK(launch(hosts + TRAP, shape(1, 1, 1), shape(1, 1, 1), 0));
  ASSERT_OK(API(cudaLaunchHostFunc)(NULL, on_host_function, &calls));
  ASSERT_EQ(2, calls); /* not after an error */
  ASSERT_OK(API(cudaStreamAddCallback)(NULL, on_callback, &calls, 0));
  ASSERT_EQ(cudaErrorLaunchFailure, callback_status);
  ASSERT_CUDA(cudaErrorLaunchFailure, API(cudaStreamQuery)(NULL));
  API(cudaDeviceReset)();
  PASS();
}

TEST events(void) {
  cudaEvent_t start, end, untimed;
  float milliseconds = -1;
  struct timespec pause = {0, 20000000};
  ASSERT_OK(API(cudaEventCreate)(&start));
  ASSERT_OK(API(cudaEventCreate)(&end));
  ASSERT_OK(API(cudaEventCreateWithFlags)(&untimed, cudaEventDisableTiming));
  ASSERT_OK(API(cudaEventQuery)(start)); /* an event that was not recorded has nothing to wait for */
  ASSERT_CUDA(cudaErrorInvalidResourceHandle, API(cudaEventElapsedTime)(&milliseconds, start, end));
  ASSERT_OK(API(cudaEventRecord)(start, NULL));
  nanosleep(&pause, NULL);
  ASSERT_OK(API(cudaEventRecord)(end, NULL));
  ASSERT_OK(API(cudaEventRecord)(untimed, NULL));
  ASSERT_OK(API(cudaEventSynchronize)(end));
  ASSERT_OK(API(cudaStreamWaitEvent)(NULL, end, 0));
  ASSERT_OK(API(cudaEventElapsedTime)(&milliseconds, start, end));
  ASSERT(milliseconds >= 20);
  ASSERT_CUDA(cudaErrorInvalidResourceHandle, API(cudaEventElapsedTime)(&milliseconds, start, untimed));
  ASSERT_OK(API(cudaEventDestroy)(start));
  ASSERT_CUDA(cudaErrorInvalidResourceHandle, API(cudaEventRecord)(start, NULL));
  ASSERT_OK(API(cudaEventDestroy)(end));
  ASSERT_OK(API(cudaEventDestroy)(untimed));
  API(cudaGetLastError)();
  PASS();
}

TEST memory_pools(void) {
  cudaMemPool_t pool;
  void *pointer;
  uint64_t threshold = 123, got = 0;
  ASSERT_OK(API(cudaDeviceGetDefaultMemPool)(&pool, 0));
  ASSERT_OK(API(cudaMemPoolSetAttribute)(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  ASSERT_OK(API(cudaMemPoolGetAttribute)(pool, cudaMemPoolAttrReleaseThreshold, &got));
  ASSERT_EQ(threshold, got);
  ASSERT_OK(API(cudaMallocFromPoolAsync)(&pointer, 100, pool, NULL));
  ASSERT_OK(API(cudaFreeAsync)(pointer, NULL));
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaFreeAsync)(pointer, NULL));
  API(cudaGetLastError)();
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  const char *why;
  if (!gasan_ok(gasan_device_cpu.start(&why))) {
    fprintf(stderr, "%s\n", why);
    return 1;
  }
  void **handle = register_fat_binary("api-test"); /* before the image, as when it is in another object */
  register_kernels(handle, &image, hosts);
  API(__cudaRegisterVar)(handle, &host_counter, NULL, "counter", 0, sizeof counter, 0, 0);
  API(__cudaRegisterVar)(handle, &host_table, NULL, "table", 0, sizeof table, 0, 0);
  gasan_cpu_register_image(&image);
  register_kernels(register_fat_binary(NULL), &image, hosts_without_image);
  void **other = register_fat_binary("api-test");
  API(__cudaRegisterFunction)(other, &host_missing, NULL, "no_such_kernel", -1, NULL, NULL, NULL, NULL, NULL);
  GREATEST_MAIN_BEGIN();
  RUN_TEST(table_of_calls);
  RUN_TEST(errors);
  RUN_TEST(last_error);
  RUN_TEST(sticky_error);
  RUN_TEST(launches);
  RUN_TEST(configurations);
  RUN_TEST(objects_without_image);
  RUN_TEST(unregister);
  RUN_TEST(shared_memory);
  RUN_TEST(device_attributes);
  RUN_TEST(allocation);
  RUN_TEST(pools);
  RUN_TEST(copies);
  RUN_TEST(copies_2d_3d);
  RUN_TEST(symbols);
  RUN_TEST(streams);
  RUN_TEST(events);
  RUN_TEST(memory_pools);
  GREATEST_MAIN_END();
}
