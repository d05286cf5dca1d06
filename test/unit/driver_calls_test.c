/* libgasan_rt between a program that uses the driver API and a (fake) libcuda: gasan knows the memory that the program
 * allocates and frees there, with stacks, and reports wrong uses. */
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "greatest.h"

#define OK(call) ASSERT_EQ_FMT(0, (int)(call), "%d")

/* Returns the reports since the last call; standard error goes to a file. */
static int report_file;
static char reported[1 << 16];

static bool said(const char *text) {
  ssize_t size = pread(report_file, reported, sizeof reported - 1, 0);
  reported[size > 0 ? size : 0] = 0;
  return strstr(reported, text) != NULL;
}

static bool silent(void) {
  return !said("AddressSanitizer");
}

static void forget(void) {
  if (ftruncate(report_file, 0))
    abort();
}

TEST device_memory(void) {
  CUdeviceptr pointer = 0, pitched = 0, managed = 0;
  size_t pitch = 0;
  static char host[3000];
  forget();
  OK(cuMemAlloc(&pointer, 1000));
  OK(cuMemAllocPitch(&pitched, &pitch, 100, 4, 4));
  OK(cuMemAllocManaged(&managed, 3000, CU_MEM_ATTACH_GLOBAL));
  OK(cudaMemcpy(host, (void *)pointer, 1000, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(host, (void *)pitched, 4 * pitch, cudaMemcpyDeviceToHost));
  ASSERT(silent());
  cudaMemcpy(host, (void *)pointer, 1001, cudaMemcpyDeviceToHost);
  ASSERT(said("heap-buffer-overflow"));
  ASSERT(said("located 0 bytes after 1000-byte region"));
  ASSERT(said(" in cuMemAlloc"));
  ASSERT(said("driver_calls_test.c"));
  forget();
  OK(cuMemFree(pointer));
  OK(cuMemFree(pitched));
  OK(cudaFree((void *)managed)); /* each API frees the memory of both */
  OK(cuMemFree(0));
  ASSERT(silent());
  ASSERT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemFree(pointer));
  ASSERT(said("attempting double-free"));
  ASSERT(said(" in cuMemFree"));
  ASSERT(said(" in cuMemAlloc"));
  forget();
  OK(cuMemAlloc(&pointer, 1000));
  ASSERT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemFree(pointer + 8));
  ASSERT(said("attempting free on address which was not malloc()-ed"));
  ASSERT(said("located 8 bytes inside of 1000-byte region"));
  forget();
  ASSERT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost((void *)pointer));
  ASSERT(said("alloc-dealloc-mismatch (cuMemAlloc vs cuMemFreeHost)"));
  OK(cuMemFree(pointer));
  PASS();
}

TEST the_pools_memory(void) {
  void *chunk = NULL;
  forget();
  cudaGetLastError();
  OK(cudaMalloc(&chunk, 500));
  OK(cuMemFree((CUdeviceptr)chunk));
  ASSERT(silent());
  ASSERT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemFree((CUdeviceptr)chunk));
  ASSERT(said("attempting double-free"));
  ASSERT(said(" in cuMemFree"));
  OK(cudaGetLastError()); /* that was no call of the runtime */
  PASS();
}

TEST host_memory(void) {
  void *pinned[2] = {NULL};
  char *own = aligned_alloc(4096, 8192);
  static char to[8192];
  forget();
  OK(cuMemAllocHost(&pinned[0], 100));
  OK(cuMemHostAlloc(&pinned[1], 100, 0));
  OK(cuMemFreeHost(pinned[0]));
  OK(cudaFreeHost(pinned[1]));
  OK(cuMemHostRegister(own, 8192, 0));
  OK(cudaMemcpy(to, own, 8192, cudaMemcpyDefault));
  ASSERT(silent());
  ASSERT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost(pinned[1]));
  ASSERT(said("attempting double-free"));
  ASSERT(said(" in cuMemHostAlloc"));
  forget();
  /* Under the device's address, too. */
  ASSERT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemFree((CUdeviceptr)own + (1ull << 40)));
  ASSERT(said("alloc-dealloc-mismatch (cuMemHostRegister vs cuMemFree)"));
  forget();
  OK(cuMemHostUnregister(own));
  ASSERT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemFree((CUdeviceptr)own + (1ull << 40)));
  ASSERT(said("attempting free on address which was not malloc()-ed"));
  ASSERT_FALSE(said("cuMemHostRegister"));
  free(own);
  PASS();
}

TEST stream_ordered_memory(void) {
  CUdeviceptr pointer = 0, pooled = 0;
  forget();
  OK(cuMemAllocAsync(&pointer, 700, NULL));
  OK(cuMemAllocFromPoolAsync(&pooled, 700, NULL, NULL));
  OK(cuMemFreeAsync(pointer, NULL));
  OK(cuMemFreeAsync(pooled, NULL));
  ASSERT(silent());
  ASSERT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(pooled, NULL));
  ASSERT(said("attempting double-free"));
  ASSERT(said(" in cuMemFreeAsync"));
  ASSERT(said(" in cuMemAllocFromPoolAsync"));
  PASS();
}

TEST mapped_memory(void) {
  CUmemGenericAllocationHandle handle = 0;
  CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                    .location.type = CU_MEM_LOCATION_TYPE_DEVICE};
  CUdeviceptr base = 0;
  size_t page = 2 << 20;
  static char host[3 << 20];
  forget();
  OK(cuMemAddressReserve(&base, 4 * page, 0, 0, 0));
  OK(cuMemCreate(&handle, page, &properties, 0));
  OK(cuMemMap(base, page, 0, handle, 0));
  OK(cuMemMap(base + page, page, 0, handle, 0));
  OK(cudaMemcpy(host, (void *)base, sizeof host, cudaMemcpyDeviceToHost)); /* across the two */
  ASSERT(silent());
  ASSERT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemFree(base));
  ASSERT(said("alloc-dealloc-mismatch (cuMemMap vs cuMemFree)"));
  forget();
  OK(cuMemUnmap(base, 2 * page));
  ASSERT(silent());
  ASSERT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemUnmap(base + page, page));
  ASSERT(said("attempting double-free"));
  ASSERT(said(" in cuMemUnmap"));
  ASSERT(said(" in cuMemMap"));
  OK(cuMemAddressFree(base, 4 * page));
  PASS();
}

/* A program that asks for a function gets gasan's, by each call, in the form that it asked for. */
TEST entry_points(void) {
  CUresult (*allocate)(CUdeviceptr *, size_t) = NULL, (*allocate_async)(CUdeviceptr *, size_t, CUstream) = NULL;
  CUresult (*release)(CUdeviceptr) = NULL;
  __typeof__(&cuGetProcAddress) find = NULL;
  CUdeviceptr pointer = 0;
  void *other = NULL;
  forget();
  OK(cuGetProcAddress("cuMemAlloc", (void **)&allocate, 12000, CU_GET_PROC_ADDRESS_DEFAULT, NULL));
  OK(cuGetProcAddress("cuGetProcAddress", (void **)&find, 12000, CU_GET_PROC_ADDRESS_DEFAULT, NULL));
  OK(find("cuMemFree", (void **)&release, 12000, CU_GET_PROC_ADDRESS_DEFAULT, NULL));
  ASSERT(allocate == cuMemAlloc && release == cuMemFree);
  release = NULL;
  OK(cudaGetDriverEntryPointByVersion("cuMemFree", (void **)&release, 12000, cudaEnableDefault, NULL));
  ASSERT(release == cuMemFree);
  OK(cuGetProcAddress("cuMemAllocAsync", (void **)&allocate_async, 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
                      NULL));
  ASSERT(allocate_async && allocate_async != cuMemAllocAsync);
  OK(allocate_async(&pointer, 10, NULL));
  OK(cuMemFreeAsync(pointer, NULL));
  ASSERT(silent());
  cuMemFreeAsync(pointer, NULL);
  ASSERT(said(" in cuMemAllocAsync"));
  OK(cuGetProcAddress("cuInit", &other, 12000, CU_GET_PROC_ADDRESS_DEFAULT, NULL));
  ASSERT(other == (void *)cuInit);
  OK(cuGetProcAddress("cuMemAlloc", (void **)&allocate, 2000, CU_GET_PROC_ADDRESS_DEFAULT,
                      NULL)); /* sizes of 32 bits then */
  ASSERT(allocate != cuMemAlloc);
  OK(cuGetProcAddress("cuGraphExecUpdate", &other, 12000, CU_GET_PROC_ADDRESS_DEFAULT, NULL));
  ASSERT(other == (void *)cuGraphExecUpdate);
  OK(cuGetProcAddress("cuGraphExecUpdate", &other, 11080, CU_GET_PROC_ADDRESS_DEFAULT,
                      NULL)); /* with other parameters then */
  ASSERT(other != (void *)cuGraphExecUpdate);
  ASSERT_EQ(CUDA_ERROR_NOT_FOUND, cuGetProcAddress("cuNoSuch", &other, 12000, CU_GET_PROC_ADDRESS_DEFAULT, NULL));
  PASS();
}

/* A pointer to the end of one range is no pointer into the next one, for any placement by the driver; all bytes but the
 * gap may be used. */
TEST neighbours(void) {
  char *before = NULL, *after = NULL, *ends[3];
  forget();
  OK(cudaMallocManaged((void **)&before, 512, cudaMemAttachGlobal));
  ends[0] = before + 512;
  OK(cudaMallocHost((void **)&before, 512));
  ASSERT(before > ends[0]);
  ends[1] = before + 512;
  OK(cudaHostAlloc((void **)&before, 512, cudaHostAllocDefault));
  ASSERT(before > ends[1]);
  ends[2] = before + 512;
  OK(cudaMallocManaged((void **)&after, 512, cudaMemAttachGlobal));
  ASSERT(after > ends[2]);
  OK(cudaMemcpy(before, after, 512, cudaMemcpyDefault));
  ASSERT(silent());
  cudaMemcpy(before, after, 513, cudaMemcpyDefault);
  ASSERT(said("512-byte region"));
  PASS();
}

GREATEST_MAIN_DEFS();

/* The runtime reads options when the process starts, so the test restarts itself with them. */
int main(int argc, char **argv) {
  char options[4200];
  if (!getenv("GASAN_OPTIONS")) {
    snprintf(options, sizeof options, "device=cuda:halt_on_error=0:exitcode=0:cudart=%s", GASAN_FAKE_CUDART);
    setenv("GASAN_OPTIONS", options, 1);
    execv("/proc/self/exe", argv);
    return 2;
  }
  char name[] = "/tmp/driver_calls_test.XXXXXX";
  report_file = mkstemp(name);
  unlink(name);
  GREATEST_MAIN_BEGIN();
  if (report_file < 0 || fcntl(report_file, F_SETFL, O_APPEND) || dup2(report_file, STDERR_FILENO) < 0)
    return 2;
  RUN_TEST(device_memory);
  RUN_TEST(the_pools_memory);
  RUN_TEST(host_memory);
  RUN_TEST(stream_ordered_memory);
  RUN_TEST(mapped_memory);
  RUN_TEST(entry_points);
  RUN_TEST(neighbours);
  GREATEST_MAIN_END();
}
