/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A process that has not used CUDA forks and runs itself again; the child has the bug, and its exit code counts.
// BUG: ERROR: AddressSanitizer: heap-buffer-overflow
// BUG: WRITE of size 4004 at 0x\w+ by cuMemcpyHtoD
// BUG: the child ended with 1
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) {
  if (getenv("IS_CHILD")) {
    static char host[4004];
    char *memory;
    cudaMalloc(&memory, 4000);
    cudaMemcpy(memory, host, argc > 1 ? 4004 : 4000, cudaMemcpyHostToDevice);
    cudaFree(memory);
    return 0;
  }
  int status = 0;
  pid_t child = fork();
  if (!child) {
    setenv("IS_CHILD", "1", 1);
    execv("/proc/self/exe", argv);
    _exit(3);
  }
  waitpid(child, &status, 0);
  printf("the child ended with %d\n", WEXITSTATUS(status));
  return WEXITSTATUS(status);
}
