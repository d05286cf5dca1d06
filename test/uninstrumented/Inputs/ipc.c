/* Two processes share memory by cuIpcGetMemHandle. The argument names a bug. */
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void start(void) {
  CUcontext context;
  cuInit(0);
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
}

/* Opens the memory, and writes to it. Returns the process's exit code. */
static int use(int from, int to, const char *bug) {
  CUipcMemHandle handle;
  CUdeviceptr memory = 0, again = 0;
  char bytes[2000] = "written", end;
  size_t size = 0;
  start();
  if (read(from, &handle, sizeof handle) != sizeof handle)
    return 2;
  CUresult result = cuIpcOpenMemHandle_v2(&memory, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
  if (result != CUDA_SUCCESS) {
    printf("open: %d\n", result);
    return 0;
  }
  result = cuIpcOpenMemHandle_v2(&again, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
  cuMemcpyHtoD_v2(memory, bytes, !strcmp(bug, "copy") ? 1001 : 1000);
  if (!strcmp(bug, "store")) /* as a kernel would */
    ((volatile char *)memory)[1001] ^= 1;
  printf("opened: %d, the same address: %d\n", result, again == memory);
  result = cuIpcCloseMemHandle(memory);
  size = cuIpcCloseMemHandle(again);
  printf("closed: %d %zu, then %d\n", result, size, cuIpcCloseMemHandle(again));
  fflush(stdout);
  return write(to, &end, 1) != 1;
}

int main(int count, char **arguments) {
  const char *bug = count > 1 ? arguments[1] : "";
  int handles[2], ends[2], status;
  if (pipe(handles) || pipe(ends))
    return 2;
  const pid_t child = fork();
  if (!child) {
    close(ends[0]);
    return use(handles[0], ends[1], bug);
  }
  close(ends[1]);
  CUdeviceptr memory;
  CUipcMemHandle handle;
  char first[16] = "", end;
  start();
  cuMemAlloc_v2(&memory, 1000);
  CUresult result = cuIpcGetMemHandle(&handle, memory + 3);
  if (!strcmp(bug, "freed"))
    cuMemFree_v2(memory);
  if (write(handles[1], &handle, sizeof handle) != sizeof handle)
    return 2;
  if (read(ends[0], &end, 1) == 1) {
    cuMemcpyDtoH_v2(first, memory, sizeof first);
    cuMemFree_v2(memory);
  }
  waitpid(child, &status, 0);
  printf("%d %s, other process: %d, own handle: %d\n", result, first, WEXITSTATUS(status),
         cuIpcOpenMemHandle_v2(&memory, handle, 0));
}
