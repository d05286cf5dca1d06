/* Wrong uses of the CPU device's arrays, textures and surfaces. */
#include <unistd.h>

#include "base/abi.h"
#include "greatest.h"
#include "test/unit/cpu_program.h"

#include "device/cpu/texture.h"

#define ASSERT_CUDA(expected, call) ASSERT_STR_EQ(#expected, API(cudaGetErrorName)(call))
#define ASSERT_OK(call) ASSERT_CUDA(cudaSuccess, call)

static void k_fetch(void **arguments) {
  struct gasan_cpu_fetch fetch = {.dimensions = 2, .coordinates = {1.5f, 1.5f}};
  uint32_t result[4];
  gasan_cpu_texture_fetch(*(uint64_t *)arguments[0], &fetch, result);
  **(uint32_t **)arguments[1] = result[0];
}

static const uint32_t sizes[] = {8, 8};
static const struct gasan_cpu_kernel kernels[] = {
    {.name = "fetch", .thread = k_fetch, .parameter_sizes = sizes, .parameter_count = 2}};
static const struct gasan_cpu_image image = {.magic = GASAN_CPU_IMAGE_MAGIC,
                                             .abi_version = GASAN_ABI_VERSION,
                                             .arch = 80,
                                             .id = "texture-test",
                                             .kernel_count = 1,
                                             .kernels = kernels};
static char host_fetch;
static const struct cudaChannelFormatDesc ints = {32, 0, 0, 0, cudaChannelFormatKindSigned};

static cudaError_t fetch(cudaTextureObject_t texture, uint32_t *value) {
  void *arguments[] = {&texture, &value};
  cudaError_t error = API(cudaLaunchKernel)(&host_fetch, (dim3){1, 1, 1}, (dim3){1, 1, 1}, arguments, 0, NULL);
  return error ? error : API(cudaDeviceSynchronize)();
}

static struct cudaResourceDesc resource_of(cudaArray_t array) {
  return (struct cudaResourceDesc){.resType = cudaResourceTypeArray, .res.array.array = array};
}

static cudaArray_t array_of_ints(unsigned flags) {
  static const int values[16] = {0, 1, 2, 3, 4, 55};
  cudaArray_t array = NULL;
  if (API(cudaMallocArray)(&array, &ints, 4, 4, flags) != cudaSuccess ||
      API(cudaMemcpy2DToArray)(array, 0, 0, values, 16, 16, 4, cudaMemcpyHostToDevice) != cudaSuccess)
    abort();
  return array;
}

TEST handles(void) {
  char foreign[64] = {0};
  int data[16];
  cudaArray_t array = array_of_ints(0), freed = array_of_ints(0), level;
  cudaMipmappedArray_t mipmapped;
  ASSERT_OK(API(cudaFreeArray)(freed));
  ASSERT_CUDA(cudaErrorInvalidResourceHandle, API(cudaFreeArray)(freed));
  ASSERT_CUDA(cudaErrorInvalidResourceHandle, API(cudaFreeArray)((cudaArray_t)foreign));
  ASSERT_CUDA(cudaErrorInvalidResourceHandle, API(cudaArrayGetInfo)(NULL, NULL, NULL, freed));
  ASSERT_CUDA(cudaErrorInvalidResourceHandle,
              API(cudaMemcpy2DFromArray)(data, 16, freed, 0, 0, 16, 4, cudaMemcpyDeviceToHost));
  ASSERT_CUDA(cudaErrorInvalidResourceHandle,
              API(cudaMemcpy2DArrayToArray)(array, 0, 0, (cudaArray_t)foreign, 0, 0, 16, 4, cudaMemcpyDeviceToDevice));
  ASSERT_OK(API(cudaMallocMipmappedArray)(&mipmapped, &ints, (struct cudaExtent){8, 8, 0}, 99, 0));
  ASSERT_OK(API(cudaGetMipmappedArrayLevel)(&level, mipmapped, 3)); /* 8, 4, 2, 1: not 99 levels */
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaGetMipmappedArrayLevel)(&level, mipmapped, 4));
  ASSERT_CUDA(cudaErrorInvalidResourceHandle, API(cudaFreeArray)(level)); /* not its own */
  ASSERT_OK(API(cudaMemcpy2DFromArray)(data, 16, level, 0, 0, 4, 1, cudaMemcpyDeviceToHost));
  ASSERT_OK(API(cudaFreeMipmappedArray)(mipmapped));
  ASSERT_CUDA(cudaErrorInvalidResourceHandle, API(cudaFreeMipmappedArray)(mipmapped));
  ASSERT_CUDA(cudaErrorInvalidResourceHandle, API(cudaArrayGetInfo)(NULL, NULL, NULL, level));
  ASSERT_OK(API(cudaFreeArray)(array));
  PASS();
}

TEST refused_formats(void) {
  cudaArray_t array = NULL;
  struct cudaChannelFormatDesc compressed = {8, 8, 8, 8, cudaChannelFormatKindUnsignedBlockCompressed1},
                               none = {32, 0, 0, 0, cudaChannelFormatKindNone};
  ASSERT_CUDA(cudaErrorNotSupported, API(cudaMallocArray)(&array, &compressed, 16, 16, 0));
  ASSERT_CUDA(cudaErrorInvalidChannelDescriptor, API(cudaMallocArray)(&array, &none, 16, 16, 0));
  ASSERT_CUDA(cudaErrorNotSupported, API(cudaMallocArray)(&array, &ints, 16, 16, cudaArraySparse));
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaMallocArray)(&array, &ints, 16, 16, 1u << 20));
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaMallocArray)(NULL, &ints, 16, 16, 0));
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaMallocArray)(&array, NULL, 16, 16, 0));
  ASSERT_CUDA(cudaErrorMemoryAllocation,
              API(cudaMalloc3DArray)(&array, &ints, (struct cudaExtent){16384, 16384, 16384}, 0));
  PASS();
}

TEST objects(void) {
  cudaArray_t array = array_of_ints(cudaArraySurfaceLoadStore);
  struct cudaResourceDesc resource = resource_of(array);
  struct cudaTextureDesc description = {
      .addressMode = {cudaAddressModeClamp, cudaAddressModeClamp, cudaAddressModeClamp}};
  cudaTextureObject_t texture, other;
  cudaSurfaceObject_t surface;
  ASSERT_OK(API(cudaCreateTextureObject)(&texture, &resource, &description, NULL));
  ASSERT_OK(API(cudaCreateSurfaceObject)(&surface, &resource));
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaDestroyTextureObject)(surface)); /* of the other kind */
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaDestroyTextureObject)(texture + 8));
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaGetTextureObjectTextureDesc)(NULL, texture));
  ASSERT_OK(API(cudaDestroySurfaceObject)(surface));
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaDestroySurfaceObject)(surface));
  description.addressMode[1] = 9;
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaCreateTextureObject)(&other, &resource, &description, NULL));
  resource.resType = 77;
  ASSERT_CUDA(cudaErrorInvalidValue, API(cudaCreateTextureObject)(&other, &resource, &description, NULL));
  uint32_t value = 0;
  ASSERT_OK(fetch(texture, &value));
  ASSERT_EQ(55, value);
  ASSERT_OK(API(cudaDestroyTextureObject)(texture));
  /* The kernel's thread ends, and a line names the reason. */
  cudaError_t error;
  char *text = CAPTURE(stderr, error = fetch(texture, &value));
  ASSERT_CUDA(cudaErrorLaunchFailure, error);
  ASSERT(strstr(text, "no such texture object in kernel fetch, block (0,0,0), thread (0,0,0)"));
  ASSERT_OK(API(cudaDeviceReset)());
  text = CAPTURE(stderr, error = fetch(0, &value));
  ASSERT_CUDA(cudaErrorIllegalAddress, error);
  ASSERT_OK(API(cudaDeviceReset)());
  ASSERT_OK(API(cudaFreeArray)(array));
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  const char *why;
  if (!gasan_ok(gasan_device_cpu.start(&why))) {
    fprintf(stderr, "%s\n", why);
    return 1;
  }
  GREATEST_MAIN_BEGIN();
  gasan_cpu_register_image(&image);
  register_kernels(register_fat_binary("texture-test"), &image, &host_fetch);
  RUN_TEST(handles);
  RUN_TEST(refused_formats);
  RUN_TEST(objects);
  GREATEST_MAIN_END();
}
