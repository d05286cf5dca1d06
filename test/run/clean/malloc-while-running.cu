// Memory that is allocated while a kernel runs is accessible to this kernel at once.
// RUN: %gasan -O2 %s -o %t -lpthread
// RUN: %run %t 2>&1 >/dev/null | %silent
#include <cstdio>
#include <thread>

struct Mailbox {
  int *volatile values;
  volatile int ready;
};

__global__ void wait_and_write(Mailbox *mailbox) {
  while (!mailbox->ready)
    __threadfence_system();
  mailbox->values[24] = 7;
}

int main() {
  Mailbox *mailbox, *on_device;
  cudaHostAlloc(&mailbox, sizeof *mailbox, cudaHostAllocMapped);
  cudaHostGetDevicePointer(&on_device, mailbox, 0);
  mailbox->ready = 0;
  // On the CPU device a launch returns when the kernel has ended, so a host thread of its own launches.
  cudaError_t error = cudaErrorUnknown;
  std::thread launcher([&] {
    wait_and_write<<<1, 1>>>(on_device);
    error = cudaDeviceSynchronize();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100)); // then the kernel has probably begun
  int *values;
  cudaMalloc(&values, 25 * sizeof(int));
  mailbox->values = values;
  __sync_synchronize();
  mailbox->ready = 1;
  launcher.join();
  int result = 0;
  cudaMemcpy(&result, values + 24, sizeof result, cudaMemcpyDeviceToHost);
  return error == cudaSuccess && result == 7 ? 0 : 1;
}
