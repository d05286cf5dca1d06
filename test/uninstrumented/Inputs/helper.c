/* C code beside a Python program: threads that no interpreter knows, and what the fake driver asks for. */
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <dlfcn.h>
#include <pthread.h>

int fake_error;
int fake_launch(const void *function, unsigned threads);
int fake_launch(const void *function, unsigned threads) {
  return CUDA_SUCCESS;
}

static void *overflow(void *unused) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  CUdeviceptr memory = 0;
  ((__typeof__(&cuMemAlloc_v2))dlsym(driver, "cuMemAlloc_v2"))(&memory, 1000);
  ((__typeof__(&cuMemsetD8_v2))dlsym(driver, "cuMemsetD8_v2"))(memory, 0, 1001);
  return unused;
}

static void *call(void *function) {
  ((void (*)(void))function)();
  return NULL;
}

static void run(void *(*start)(void *), void *argument) {
  pthread_t thread;
  pthread_create(&thread, NULL, start, argument);
  pthread_join(thread, NULL);
}

void run_in_thread(void);
void run_in_thread(void) {
  run(overflow, NULL);
}

void call_in_thread(void (*function)(void));
void call_in_thread(void (*function)(void)) {
  run(call, (void *)function);
}

/* Not a tail call, so that each call has a frame. */
int fill_nested(CUdeviceptr memory, int depth);
int fill_nested(CUdeviceptr memory, int depth) {
  int result =
      depth ? fill_nested(memory, depth - 1)
            : ((__typeof__(&cuMemsetD8_v2))dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuMemsetD8_v2"))(memory, 0, 1001);
  __asm__ volatile("" : "+r"(result));
  return result;
}
