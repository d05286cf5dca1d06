/* A program that finds the driver as libcudart does, or is linked with it (LINKED). Its argument names a bug. On the
 * fake driver, device memory is the host's, so the program itself writes what its kernel would write, and the kernel's
 * log and the core dump that a GPU would give. */
#define _GNU_SOURCE
#define __CUDA_API_VERSION_INTERNAL /* declares functions under their symbols */
#include <cuda.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int fake_shares_managed = 1;
int fake_error;                                          /* the fake driver returns it for queries of streams */
static volatile char *written, *also_written;            /* the kernel `fill` writes this byte */
int fake_launch(const void *function, unsigned threads); /* the fake driver calls it for a launch */
int fake_launch(const void *function, unsigned threads) {
  if (written && !strcmp(function, "fill"))
    *written ^= 1;
  if (also_written && !strcmp(function, "fill"))
    *also_written ^= 1;
  return CUDA_SUCCESS;
}

static __typeof__(&cuGetProcAddress_v2) entry_point;

static void *find(const char *name, const char *symbol, int version) {
  void *function = NULL;
  if (entry_point && entry_point(name, &function, version, 0, NULL) == CUDA_SUCCESS)
    return function;
  return dlsym(dlopen("libcuda.so.1", RTLD_NOW), symbol);
}

static int kernel_log = -1; /* in place of /dev/kmsg; a write at its end does not move the reader's place */

static void write_log(int pid, unsigned long long address, const char *access) {
  char name[16], line[512];
  prctl(PR_GET_NAME, name);
  int size = snprintf(line, sizeof line,
                      "4,17,2510,-;NVRM: Xid (PCI:0000:00:06): 31, pid=%d, name=%s, channel 0x0000000a, intr 00000000. "
                      "MMU Fault: ENGINE GRAPHICS GPC1 GPCCLIENT_T1_8 faulted @ 0x%llx_%08llx. Fault is of type "
                      "FAULT_PDE ACCESS_TYPE_VIRT_%s\n",
                      pid, name, address >> 32, address & 0xfffff000u, access);
  if (kernel_log >= 0 && pwrite(kernel_log, line, size, lseek(kernel_log, 0, SEEK_END)) != size)
    abort();
}

/* Stands in for libc's. */
int open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  int mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
  va_end(arguments);
  if (strcmp(path, "/dev/kmsg"))
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
  if (getenv("NO_KERNEL_LOG"))
    return -1;
  char self[64];
  kernel_log = memfd_create("kmsg", 0);
  write_log(getpid(), 0x5000, "READ"); /* of an earlier process */
  snprintf(self, sizeof self, "/proc/self/fd/%d", kernel_log);
  return (int)syscall(SYS_openat, AT_FDCWD, self, flags, 0);
}

/* Writes the core dump of core_dump_test where the driver would. The registers of its load lead to `address`. */
static void write_dump(const char *from, unsigned long long address) {
  static unsigned long long words[1 << 16];
  FILE *file = fopen(from, "rb");
  size_t size = file ? fread(words, 1, sizeof words, file) : 0;
  for (size_t i = 0; i < size / 8; i++)
    if (words[i] - 0x1122334455667788 < 128)
      words[i] += address - 0x1122334455667788;
  const char *name = getenv("CUDA_COREDUMP_FILE"), *number = name ? strstr(name, "%p") : NULL;
  char expanded[4096] = "";
  if (number)
    snprintf(expanded, sizeof expanded, "%.*s%d", (int)(number - name), name, (int)getpid());
  int out = name ? open(number ? expanded : name, O_WRONLY | O_CREAT, 0600) : -1;
  if (out < 0 || write(out, words, size) != (ssize_t)size)
    fprintf(stderr, "no core dump is wanted\n");
}

#ifdef LINKED
#define DRIVER(name, symbol, version) symbol
#else
#define DRIVER(name, symbol, version) ((__typeof__(&symbol))find(name, #symbol, version))
#endif

int main(int count, char **arguments) {
  const char *bug = count > 1 ? arguments[1] : "";
  if (!strcmp(bug, "by-version"))
    entry_point = (__typeof__(entry_point))dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuGetProcAddress_v2");
  char host[2000] = {0};
  CUcontext context;
  CUdeviceptr memory = 0, base = 0;
  size_t size = 0;
  fake_shares_managed = !!strcmp(bug, "unguarded");
  DRIVER("cuInit", cuInit, 2000)(0);
  DRIVER("cuDevicePrimaryCtxRetain", cuDevicePrimaryCtxRetain, 7000)(&context, 0);
  DRIVER("cuCtxSetCurrent", cuCtxSetCurrent, 4000)(context);
  CUresult result = DRIVER("cuMemAlloc", cuMemAlloc_v2, 3020)(&memory, 1000);
  DRIVER("cuMemsetD8", cuMemsetD8_v2, 3020)(memory, 3, !strcmp(bug, "set") ? 1001 : 1000);
  DRIVER("cuMemcpyHtoD", cuMemcpyHtoD_v2, 3020)(memory, host,
                                                !strcmp(bug, "copy") || !strcmp(bug, "by-version") ? 1004 : 1000);
  CUDA_MEMCPY2D rows = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = host,
                        .srcPitch = 100,
                        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                        .dstDevice = memory,
                        .dstPitch = 100,
                        .WidthInBytes = 50,
                        .Height = !strcmp(bug, "rows") ? 11 : 10};
  DRIVER("cuMemcpy2D", cuMemcpy2D_v2, 3020)(&rows);
  DRIVER("cuMemGetAddressRange", cuMemGetAddressRange_v2, 3020)(&base, &size, memory + 10);
  for (int i = 0; i < 10 && !strcmp(bug, "unguarded"); i++) {
    CUdeviceptr kept;
    DRIVER("cuMemAlloc", cuMemAlloc_v2, 3020)(&kept, 1000);
    DRIVER("cuMemAllocManaged", cuMemAllocManaged, 6000)(&kept, 1000, CU_MEM_ATTACH_GLOBAL);
  }
  if (!strncmp(bug, "managed", 7)) {
    CUdeviceptr managed = 0;
    size_t managed_size = 0;
    DRIVER("cuMemAllocManaged", cuMemAllocManaged, 6000)(&managed, 500, CU_MEM_ATTACH_GLOBAL);
    DRIVER("cuMemGetAddressRange", cuMemGetAddressRange_v2, 3020)(NULL, &managed_size, managed + 3);
    written = (char *)managed + (strstr(bug, "-ok") ? 499 : 501);
    DRIVER("cuLaunchKernel", cuLaunchKernel, 4000)((CUfunction) "fill", 7, 1, 1, 64, 1, 1, 0, NULL,
                                                   (void *[]){&managed, &managed}, NULL);
    printf("managed %zu\n", managed_size);
    if (!strstr(bug, "-late"))
      DRIVER("cuMemFree", cuMemFree_v2, 3020)(managed);
  }
  if (!strncmp(bug, "locked", 6)) { /* page-locked memory, which the host writes */
    char *locked = NULL;
    DRIVER("cuMemHostAlloc", cuMemHostAlloc, 2020)((void **)&locked, 500, 0);
    locked[strstr(bug, "-ok") ? 499 : 500] ^= 1;
    DRIVER("cuMemFreeHost", cuMemFreeHost, 2000)(locked);
  }
  if (!strcmp(bug, "behind") || !strcmp(bug, "late"))
    ((volatile char *)memory)[1000] ^= 1; /* one byte in 256 equals the canary's */
  if (!strcmp(bug, "before"))
    ((volatile char *)memory)[-3] ^= 1;
  if (!strcmp(bug, "kernel") || !strcmp(bug, "kernel-ok")) {
    static const char *const names[] = {"clear", "fill", "sort"};
    written = (char *)memory + (strcmp(bug, "kernel") ? 999 : 1002);
    for (int i = 0; i < 3; i++)
      DRIVER("cuLaunchKernel", cuLaunchKernel, 4000)((CUfunction)names[i], 7, 1, 1, 64, 1, 1, 0, NULL,
                                                     (void *[]){&memory, &memory}, NULL);
    DRIVER("cuCtxSynchronize", cuCtxSynchronize, 2000)();
    printf("synchronised\n");
    fflush(stdout);
  }
  if (!strcmp(bug, "two")) { /* one kernel damages two allocations; others follow */
    static const char *const names[] = {"fill", "clear", "sort"};
    CUdeviceptr other = 0;
    DRIVER("cuMemAlloc", cuMemAlloc_v2, 3020)(&other, 1000);
    written = (char *)memory + 1001;
    also_written = (char *)other + 1001;
    for (int i = 0; i < 3; i++)
      DRIVER("cuLaunchKernel", cuLaunchKernel, 4000)((CUfunction)names[i], 7, 1, 1, 64, 1, 1, 0, NULL,
                                                     (void *[]){&memory, &memory}, NULL);
    DRIVER("cuMemFree", cuMemFree_v2, 3020)(other);
  }
  if (!strcmp(bug, "many-launches")) {
    written = (char *)memory + 1001;
    for (int i = 0; i < 9000; i++)
      DRIVER("cuLaunchKernel", cuLaunchKernel, 4000)((CUfunction)(i ? "sort" : "fill"), 7, 1, 1, 64, 1, 1, 0, NULL,
                                                     (void *[]){&memory, &memory}, NULL);
  }
  if (!strncmp(bug, "tensor", 6)) { /* 5 rows of 50 floats, 200 bytes apart; one more with "-long" */
    CUtensorMap map;
    const cuuint64_t sizes[] = {50, !strcmp(bug, "tensor-long") ? 6 : 5}, strides[] = {200};
    const cuuint32_t box[] = {10, 5}, steps[] = {1, 1};
    result |= DRIVER("cuTensorMapEncodeTiled", cuTensorMapEncodeTiled,
                     12000)(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void *)memory, sizes, strides, box, steps,
                            CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                            CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  }
  if (!strcmp(bug, "beside")) { /* a kernel that runs long */
    DRIVER("cuLaunchKernel", cuLaunchKernel, 4000)((CUfunction) "run_long", 7, 1, 1, 64, 1, 1, 0, NULL,
                                                   (void *[]){&memory, &memory}, NULL);
    fake_error = CUDA_ERROR_NOT_READY;
    ((volatile char *)memory)[1001] ^= 1;
    sleep(20);
  }
  if (!strncmp(bug, "stopped", 7)) {
    CUdeviceptr large = 0, end;
    DRIVER("cuMemAlloc", cuMemAlloc_v2, 3020)(&large, 4 << 20);
    end = large + (4 << 20);
    if (strstr(bug, "-freed"))
      DRIVER("cuMemFree", cuMemFree_v2, 3020)(large);
    DRIVER("cuLaunchKernel", cuLaunchKernel, 4000)((CUfunction) "fill", 7, 1, 1, 64, 4, 1, 0, NULL,
                                                   (void *[]){&memory, &memory}, NULL);
    if (strstr(bug, "-two"))
      DRIVER("cuLaunchKernel", cuLaunchKernel, 4000)((CUfunction) "other", 1, 1, 1, 32, 1, 1, 0, NULL,
                                                     (void *[]){&memory, &memory}, NULL);
    if (strstr(bug, "-twice"))
      DRIVER("cuLaunchKernel", cuLaunchKernel, 4000)((CUfunction) "fill", 8, 1, 1, 64, 4, 1, 0, NULL,
                                                     (void *[]){&memory, &memory}, NULL);
    if (count > 2)
      write_dump(arguments[2], large + (strstr(bug, "-freed") ? 400 : 4 << 20) - 0x190);
    if (strstr(bug, "-behind"))
      write_log(getpid(), end, "WRITE");
    if (strstr(bug, "-freed"))
      write_log(getpid(), large, "READ");
    if (strstr(bug, "-before"))
      write_log(getpid(), large - 8192, "ATOMIC_STRONG");
    if (strstr(bug, "-null"))
      write_log(getpid(), 0, "READ");
    if (strstr(bug, "-wild"))
      write_log(getpid(), 0x123456789000, "READ");
    fake_error = CUDA_ERROR_ILLEGAL_ADDRESS;
    DRIVER("cuStreamQuery", cuStreamQuery, 2000)(NULL);
  }
  printf("%d %d %zu\n", result, base == memory, size);
  fflush(stdout);
  if (!strcmp(bug, "late"))
    return 0;
  result = DRIVER("cuMemFree", cuMemFree_v2, 3020)(!strcmp(bug, "inside") ? memory + 16 : memory);
  if (!strcmp(bug, "twice"))
    DRIVER("cuMemFree", cuMemFree_v2, 3020)(memory);
  return result;
}
