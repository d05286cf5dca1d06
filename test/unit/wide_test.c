/* The variant of a kernel that a launch runs if registers decide, on a libcuda that runs nothing, but knows how many
 * threads a block of each kernel may have. */
#define _GNU_SOURCE
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/abi.h"
#include "base/export.h"
#include "base/proof_table.h"
#include "base/sites.h"
#include "greatest.h"

#define OK(call) ASSERT_EQ_FMT(0, (int)(call), "%d")

static struct gasan_params params = {
    .window_mask_high = GASAN_PARAMS_UNSET_MASK_HIGH,
    .window_base_high = GASAN_PARAMS_UNSET_BASE_HIGH,
    .abi_version = GASAN_ABI_VERSION,
    .code = GASAN_CODE_BST,
};
/* Of the kernel "proven" everything is proven in every launch. */
static struct image {
  struct gasan_site_table header;
  struct gasan_kernel_entry kernels[3];
  char strings[24];
} sites = {
    .header = {.magic = GASAN_SITES_MAGIC,
               .abi_version = GASAN_ABI_VERSION,
               .total_size = sizeof sites,
               .kernel_count = 3,
               .kernels_offset = offsetof(struct image, kernels),
               .strings_size = sizeof sites.strings,
               .strings_offset = offsetof(struct image, strings),
               .code = GASAN_CODE_BST},
    .kernels = {{1, 1, 0, 0}, {6, 6, 0, 0}, {13, 13, 0, 0}},
    .strings = "\0many\0proven\0few",
};
static struct proofs {
  struct gasan_proof_table header;
  struct gasan_proof_kernel kernel;
  char strings[8];
} proofs = {
    .header = {.magic = GASAN_PROOFS_MAGIC,
               .abi_version = GASAN_ABI_VERSION,
               .total_size = sizeof proofs,
               .kernel_count = 1,
               .kernels_offset = offsetof(struct proofs, kernel),
               .arguments_offset = offsetof(struct proofs, strings),
               .claims_offset = offsetof(struct proofs, strings),
               .nodes_offset = offsetof(struct proofs, strings),
               .hidden_offset = offsetof(struct proofs, strings),
               .strings_size = sizeof proofs.strings,
               .strings_offset = offsetof(struct proofs, strings)},
    .kernel = {.name = 1},
    .strings = "\0proven",
};

GASAN_EXPORT void *fake_global(const char *name, size_t *size);
void *fake_global(const char *name, size_t *size) {
  static const struct {
    const char *name;
    void *address;
    size_t size;
  } globals[] = {{GASAN_PARAMS_SYMBOL, &params, sizeof params},
                 {GASAN_SITES_SYMBOL, &sites, sizeof sites},
                 {GASAN_PROOFS_SYMBOL, &proofs, sizeof proofs}};
  for (size_t i = 0; i < sizeof globals / sizeof *globals; i++)
    if (strcmp(name, globals[i].name) == 0) {
      *size = globals[i].size;
      return globals[i].address;
    }
  return NULL;
}

/* The kernels that the program launches are their own handles. */
static char many, proven, few, wide_many, wide_proven, fast_proven, fitted_proven;
static const void *launched; /* the kernel, latest */
static const void *refused;  /* by the next cooperative launches */
static int attributes[2];    /* of many, and of its wide variant */
static int fitted_attribute;

GASAN_EXPORT void *fake_kernel(const char *name);
void *fake_kernel(const char *name) {
  return !strcmp(name, GASAN_WIDE_PREFIX "many")                           ? &wide_many
         : !strcmp(name, GASAN_WIDE_PREFIX "proven")                       ? &wide_proven
         : !strcmp(name, GASAN_PROVEN_PREFIX "proven")                     ? &fast_proven
         : !strcmp(name, GASAN_FITTED_PREFIX GASAN_PROVEN_PREFIX "proven") ? &fitted_proven
                                                                           : NULL;
}

GASAN_EXPORT int fake_most_threads(const void *kernel);
int fake_most_threads(const void *kernel) {
  return kernel == &wide_many       ? 384
         : kernel == &wide_proven   ? 512
         : kernel == &fast_proven   ? 768
         : kernel == &fitted_proven ? 896
                                    : 1024;
}

GASAN_EXPORT int fake_launch(const void *kernel, unsigned threads);
int fake_launch(const void *kernel, unsigned threads) {
  launched = kernel;
  return threads <= (unsigned)fake_most_threads(kernel) ? CUDA_SUCCESS : CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
}

GASAN_EXPORT int fake_cooperative_launch(const void *kernel, unsigned threads);
int fake_cooperative_launch(const void *kernel, unsigned threads) {
  return kernel == refused ? CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE : fake_launch(kernel, threads);
}

GASAN_EXPORT int fake_set_attribute(const void *kernel, int value);
int fake_set_attribute(const void *kernel, int value) {
  if (kernel == &fitted_proven)
    fitted_attribute = value;
  else
    attributes[kernel == &wide_many] = value;
  return CUDA_SUCCESS;
}

GASAN_EXPORT int fake_occupancy(const void *kernel);
int fake_occupancy(const void *kernel) {
  return kernel == &wide_many ? 1 : 2;
}

GASAN_EXPORT int fake_error;

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
int __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit, void *tid,
                           void *bid, void *block, void *grid, int *warp_size);

static void register_image(void) {
  static char wrapper[64];
  void **handle = __cudaRegisterFatBinary(wrapper);
  __cudaRegisterFunction(handle, &many, "many", "many", -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterFunction(handle, &proven, "proven", "proven", -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterFunction(handle, &few, "few", "few", -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterFatBinaryEnd(handle);
}

static cudaError_t launch(const void *kernel, unsigned x, unsigned y) {
  return cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){x, y, 1}, NULL, 0, NULL);
}

TEST the_wide_variant_runs_where_it_fits(void) {
  OK(launch(&many, 256, 1));
  ASSERT_EQ(&wide_many, launched);
  OK(launch(&many, 384, 1));
  ASSERT_EQ(&wide_many, launched);
  OK(launch(&many, 385, 1));
  ASSERT_EQ(&many, launched);
  OK(launch(&many, 32, 32));
  ASSERT_EQ(&many, launched);
  OK(cudaGetLastError());
  OK(launch(&few, 1024, 1));
  ASSERT_EQ(&few, launched);
  PASS();
}

TEST a_proven_launch_runs_what_fits(void) {
  OK(launch(&proven, 512, 1));
  ASSERT_EQ(&fast_proven, launched);
  OK(launch(&proven, 768, 1));
  ASSERT_EQ(&fast_proven, launched);
  OK(launch(&proven, 769, 1));
  ASSERT_EQ(&fitted_proven, launched);
  OK(launch(&proven, 896, 1));
  ASSERT_EQ(&fitted_proven, launched);
  OK(launch(&proven, 1024, 1));
  ASSERT_EQ(&proven, launched);
  PASS();
}

TEST what_a_cooperative_launch_has_no_room_for_runs_with_fewer_registers(void) {
  OK(cudaLaunchCooperativeKernel(&many, (dim3){9, 1, 1}, (dim3){256, 1, 1}, NULL, 0, NULL));
  ASSERT_EQ(&wide_many, launched);
  refused = &wide_many;
  OK(cudaLaunchCooperativeKernel(&many, (dim3){9, 1, 1}, (dim3){256, 1, 1}, NULL, 0, NULL));
  ASSERT_EQ(&many, launched);
  OK(cudaGetLastError());
  PASS();
}

TEST occupancy_is_that_of_what_runs(void) {
  int blocks;
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &many, 256, 0));
  ASSERT_EQ(1, blocks);
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &many, 1024, 0));
  ASSERT_EQ(2, blocks);
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &few, 256, 0));
  ASSERT_EQ(2, blocks);
  PASS();
}

TEST attributes_are_both_kernels(void) {
  OK(cudaFuncSetAttribute(&many, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
  ASSERT_EQ(100000, attributes[0]);
  ASSERT_EQ(100000, attributes[1]);
  OK(cudaFuncSetAttribute(&proven, cudaFuncAttributeMaxDynamicSharedMemorySize, 90000));
  ASSERT_EQ(90000, fitted_attribute);
  PASS();
}

TEST a_handle_is_the_kernels_own(void) {
  cudaKernel_t handle;
  int blocks;
  OK(cudaGetKernel(&handle, &many));
  ASSERT_EQ((void *)&many, (void *)handle);
  OK(launch(&many, 256, 1));
  ASSERT_EQ(&many, launched);
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &many, 256, 0));
  ASSERT_EQ(2, blocks);
  PASS();
}

GREATEST_MAIN_DEFS();

/* The runtime reads options when the process starts, so the test restarts itself with them. */
int main(int argc, char **argv) {
  if (!getenv("GASAN_OPTIONS")) {
    setenv("GASAN_OPTIONS", "device=cuda:cudart=" GASAN_FAKE_CUDART, 1);
    execv("/proc/self/exe", argv);
    return 2;
  }
  GREATEST_MAIN_BEGIN();
  register_image();
  RUN_TEST(the_wide_variant_runs_where_it_fits);
  RUN_TEST(a_proven_launch_runs_what_fits);
  RUN_TEST(what_a_cooperative_launch_has_no_room_for_runs_with_fewer_registers);
  RUN_TEST(occupancy_is_that_of_what_runs);
  RUN_TEST(attributes_are_both_kernels);
  RUN_TEST(a_handle_is_the_kernels_own);
  GREATEST_MAIN_END();
}
