/* libgasan_rt and cudaLimitStackSize, on a libcuda that runs nothing: the limit is raised for kernels of unknown stack
 * size, and not for others; the program sees the limit that it has set. Also the message when the device has stopped a
 * kernel. */
#define _GNU_SOURCE
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/abi.h"
#include "base/sites.h"
#include "greatest.h"

#define OK(call) ASSERT_EQ_FMT(0, (int)(call), "%d")
#define ASSERT_BYTES(bytes, value) ASSERT_EQ_FMT((size_t)(bytes), (size_t)(value), "%zu")

/* The image that the fake driver knows: two kernels, one of which recurses. */
static struct gasan_params params = {
    .window_mask_high = GASAN_PARAMS_UNSET_MASK_HIGH,
    .window_base_high = GASAN_PARAMS_UNSET_BASE_HIGH,
    .abi_version = GASAN_ABI_VERSION,
    .flags = GASAN_FLAG_UNKNOWN_STACK,
};
static struct image_sites {
  struct gasan_site_table header;
  struct gasan_kernel_entry kernels[2];
  char strings[16];
} image_sites = {
    .header = {.magic = GASAN_SITES_MAGIC,
               .abi_version = GASAN_ABI_VERSION,
               .total_size = sizeof image_sites,
               .shadow_scale = 7,
               .kernel_count = 2,
               .kernels_offset = offsetof(struct image_sites, kernels),
               .strings_size = sizeof image_sites.strings,
               .strings_offset = offsetof(struct image_sites, strings)},
    .kernels = {{1, 1, 0, 0}, {6, 6, 0, GASAN_KERNEL_UNKNOWN_STACK}},
    .strings = "\0flat\0deep",
};

__attribute__((visibility("default"))) void *fake_global(const char *name, size_t *size);
void *fake_global(const char *name, size_t *size) {
  bool of_sites = strcmp(name, GASAN_SITES_SYMBOL) == 0;
  if (!of_sites && strcmp(name, GASAN_PARAMS_SYMBOL) != 0)
    return NULL;
  *size = of_sites ? sizeof image_sites : sizeof params;
  return of_sites ? (void *)&image_sites : (void *)&params;
}

/* The error that the next waits return. */
__attribute__((visibility("default"))) int fake_error;

/* Returns the messages since the last call; standard error goes to a file. */
static int said_file;
static char everything[1 << 16];

static bool said(const char *text) {
  ssize_t size = pread(said_file, everything, sizeof everything - 1, 0);
  everything[size > 0 ? size : 0] = 0;
  return strstr(everything, text) != NULL;
}

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
int __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit, void *tid,
                           void *bid, void *block, void *grid, int *warp_size);

static char flat, deep; /* the kernels' host symbols */

static void register_image(void) {
  static char wrapper[64];
  void **handle = __cudaRegisterFatBinary(wrapper);
  __cudaRegisterFunction(handle, &flat, "flat", "flat", -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterFunction(handle, &deep, "deep", "deep", -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterFatBinaryEnd(handle);
}

static cudaError_t launch(const void *kernel) {
  return cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL);
}

/* The driver's own limit. */
static size_t real_limit(void) {
  CUresult (*get)(size_t *, CUlimit) =
      (CUresult (*)(size_t *, CUlimit))dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuCtxGetLimit");
  size_t value = 0;
  return get(&value, CU_LIMIT_STACK_SIZE) ? 0 : value;
}

static size_t programs_limit(void) {
  size_t value = 0, same = 0;
  bool ok = cudaDeviceGetLimit(&value, cudaLimitStackSize) == cudaSuccess &&
            cuCtxGetLimit(&same, CU_LIMIT_STACK_SIZE) == CUDA_SUCCESS;
  return ok && same == value ? value : 0;
}

TEST known_stacks_change_nothing(void) {
  OK(launch(&flat));
  ASSERT_BYTES(1024, real_limit());
  ASSERT_BYTES(1024, programs_limit());
  OK(cudaDeviceSetLimit(cudaLimitStackSize, 2048));
  ASSERT_BYTES(2048, real_limit());
  ASSERT_BYTES(2048, programs_limit());
  PASS();
}

TEST unknown_stacks_get_more(void) {
  OK(launch(&deep));
  ASSERT_BYTES(4 * 2048, real_limit());
  ASSERT_BYTES(2048, programs_limit());
  OK(launch(&deep));
  ASSERT_BYTES(4 * 2048, real_limit());
  OK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  ASSERT_BYTES(4 * 4096, real_limit());
  ASSERT_BYTES(4096, programs_limit());
  OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 1000));
  ASSERT_BYTES(4 * 1000, real_limit());
  ASSERT_BYTES(1000, programs_limit());
  PASS();
}

TEST as_much_as_there_is_memory_for(void) {
  OK(cudaDeviceSetLimit(cudaLimitStackSize, 16384));
  ASSERT_BYTES(2 * 16384, real_limit());
  ASSERT_BYTES(16384, programs_limit());
  OK(cudaDeviceSetLimit(cudaLimitStackSize, 300 << 10));
  ASSERT_BYTES(300 << 10, real_limit());
  ASSERT_BYTES(300 << 10, programs_limit());
  PASS();
}

TEST errors_are_the_drivers(void) {
  OK(cudaDeviceSetLimit(cudaLimitStackSize, 3000));
  ASSERT_EQ(cudaErrorInvalidValue, cudaDeviceSetLimit(cudaLimitStackSize, 600 << 10));
  ASSERT_EQ(cudaErrorInvalidValue, cudaGetLastError());
  ASSERT_BYTES(4 * 3000, real_limit());
  ASSERT_BYTES(3000, programs_limit());
  PASS();
}

TEST a_reset_forgets(void) {
  OK(cudaDeviceReset());
  ASSERT_BYTES(1024, real_limit());
  ASSERT_BYTES(1024, programs_limit());
  OK(launch(&flat));
  ASSERT_BYTES(1024, real_limit());
  OK(launch(&deep));
  ASSERT_BYTES(4 * 1024, real_limit());
  PASS();
}

/* The device's record of a pointer whose object is unknown. */
static void look_up_unknown(uint64_t address, uint32_t launches) {
  struct gasan_record *record = &((struct gasan_ring *)(uintptr_t)params.ring)->unknown[7];
  *record = (struct gasan_record){.module_id = params.module_id,
                                  .site = GASAN_SITE_UNKNOWN_WRITE,
                                  .address = address,
                                  .fault = address,
                                  .size = 1,
                                  .grid_id = launches,
                                  .thread = {3, 0, 0},
                                  .object = GASAN_OBJECT_UNKNOWN,
                                  .code = GASAN_CODE_BST,
                                  .block_dim = {1, 1, 1},
                                  .grid_dim = {1, 1, 1},
                                  .ready = 1};
}

TEST stopped_kernels_are_explained(void) {
  OK(cudaDeviceSynchronize());
  ASSERT_FALSE(said("gasan"));
  OK(launch(&deep));
  look_up_unknown(0x12345678a000, 6);
  OK(cudaDeviceSynchronize()); /* unknown, but memory: no message */
  ASSERT_FALSE(said("AddressSanitizer"));
  OK(launch(&deep));
  look_up_unknown(0x12345678b000, 7);
  fake_error = cudaErrorIllegalAddress;
  ASSERT_EQ(cudaErrorIllegalAddress, cudaDeviceSynchronize());
  ASSERT(said("ERROR: AddressSanitizer: wild-address on cuda device 0 address 0x12345678b000"));
  ASSERT(said("by device thread (3,0,0) block (0,0,0)"));
  ASSERT(said("the device has stopped the kernel (CUDA error 700)"));
  ASSERT(said("GASAN_OPTIONS=stack_scale=16"));
  PASS();
}

GREATEST_MAIN_DEFS();

/* The runtime reads options when the process starts, so the test restarts itself with them. */
int main(int argc, char **argv) {
  if (!getenv("GASAN_OPTIONS")) {
    setenv("GASAN_OPTIONS", "device=cuda:halt_on_error=0:exitcode=0:cudart=" GASAN_FAKE_CUDART, 1);
    execv("/proc/self/exe", argv);
    return 2;
  }
  char name[] = "/tmp/driver_stack_test.XXXXXX";
  said_file = mkstemp(name);
  unlink(name);
  GREATEST_MAIN_BEGIN();
  if (said_file < 0 || fcntl(said_file, F_SETFL, O_APPEND) || dup2(said_file, STDERR_FILENO) < 0)
    return 2;
  register_image();
  RUN_TEST(known_stacks_change_nothing);
  RUN_TEST(unknown_stacks_get_more);
  RUN_TEST(as_much_as_there_is_memory_for);
  RUN_TEST(errors_are_the_drivers);
  RUN_TEST(a_reset_forgets);
  RUN_TEST(stopped_kernels_are_explained);
  GREATEST_MAIN_END();
}
