/* A late write (device.h: write_later) is visible to work that is ordered after it, in any stream, and to no earlier
 * work. The test runs the cuda device on a fake libcuda that works as late as it may. */
#include <cuda.h>
#include <stdio.h>

#include "device/cuda/cuda.h"
#include "device/device.h"
#include "greatest.h"

#define OK(call) ASSERT_EQ_FMT(GASAN_OK, (call).code, "%d")
#define CUDA_OK(call) ASSERT_EQ_FMT(0, (int)(call), "%d")

__attribute__((visibility("default"))) int fake_late;

static const struct gasan_device_kind *const kind = &gasan_device_cuda;
static struct gasan_device *device;
static uint64_t base;
static CUstream first, second;

static void start_again(void *unused) {
  (void)unused;
  uint8_t zero = 0;
  cuCtxSynchronize();
  if (!gasan_ok(kind->write(device, base, &zero, 1)))
    abort();
  cuCtxSynchronize();
}

static struct gasan_status write_later(uint8_t byte) {
  struct gasan_status status = kind->write_later(device, base, &byte, 1);
  byte = 99; /* it may be changed at once */
  return status;
}

/* A kernel that reads the byte. */
static CUresult launch(CUstream stream, uint8_t *seen) {
  *seen = 77;
  return cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, stream, (void *[]){&base, &seen}, NULL);
}

TEST without_order_it_comes_late(void) {
  uint8_t seen;
  OK(write_later(1));
  CUDA_OK(launch(first, &seen));
  ASSERT_EQ(77, seen);
  CUDA_OK(cuStreamSynchronize(first));
  ASSERT_EQ(0, seen);
  PASS();
}

TEST the_stream_waits(void) {
  uint8_t seen;
  OK(write_later(1));
  OK(write_later(2));
  OK(kind->order(device, first));
  CUDA_OK(launch(first, &seen));
  CUDA_OK(cuStreamSynchronize(first));
  ASSERT_EQ(2, seen);
  PASS();
}

/* Ordered by an event of the program, after the ordered launch. */
TEST ordered_by_the_program(void) {
  uint8_t seen, then;
  CUevent event;
  CUDA_OK(cuEventCreate(&event, 0));
  OK(write_later(3));
  OK(kind->order(device, first));
  CUDA_OK(launch(first, &seen));
  CUDA_OK(cuEventRecord(event, first));
  CUDA_OK(cuStreamWaitEvent(second, event, 0));
  CUDA_OK(launch(second, &then));
  CUDA_OK(cuStreamSynchronize(second));
  ASSERT_EQ(3, then);
  ASSERT_EQ(3, seen);
  PASS();
}

/* No write in between, and no order of the streams: the second one also waits until the write is complete.
 */
TEST every_stream_waits(void) {
  uint8_t seen, then;
  OK(write_later(4));
  OK(kind->order(device, first));
  CUDA_OK(launch(first, &seen));
  OK(kind->order(device, second));
  CUDA_OK(launch(second, &then));
  CUDA_OK(cuStreamSynchronize(second));
  ASSERT_EQ(4, then);
  ASSERT_EQ(77, seen); /* a kernel that nothing waited for has not run */
  PASS();
}

TEST the_next_write_counts(void) {
  uint8_t seen;
  OK(write_later(5));
  OK(kind->order(device, first));
  CUDA_OK(cuStreamSynchronize(first));
  OK(kind->order(device, second)); /* complete, which is known from now on */
  OK(kind->order(device, second));
  OK(write_later(6));
  OK(kind->order(device, second));
  CUDA_OK(launch(second, &seen));
  CUDA_OK(cuStreamSynchronize(second));
  ASSERT_EQ(6, seen);
  PASS();
}

/* A write between two launches: the earlier order does not cover the second one. */
TEST a_write_in_between(void) {
  uint8_t seen, then;
  OK(write_later(7));
  OK(kind->order(device, first));
  CUDA_OK(launch(first, &seen));
  OK(write_later(8));
  OK(kind->order(device, second));
  CUDA_OK(launch(second, &then));
  CUDA_OK(cuStreamSynchronize(second));
  ASSERT_EQ(8, then);
  PASS();
}

TEST no_such_stream(void) {
  uint8_t seen;
  OK(write_later(9));
  ASSERT_FALSE(gasan_ok(kind->order(device, (void *)-1)));
  OK(kind->finish_writes(device));
  CUDA_OK(launch(second, &seen));
  CUDA_OK(cuStreamSynchronize(second));
  ASSERT_EQ(9, seen);
  PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
  const char *why = "";
  gasan_cuda_set_runtime(GASAN_FAKE_CUDART);
  if (!gasan_ok(kind->start(&why)) || !gasan_ok(kind->open(0, &device)) ||
      !gasan_ok(kind->device_alloc(device, 1, &base)) || cuStreamCreate(&first, 0) || cuStreamCreate(&second, 0)) {
    printf("no fake GPU: %s\n", why);
    return 1;
  }
  GREATEST_MAIN_BEGIN();
  GREATEST_SET_SETUP_CB(start_again, NULL);
  RUN_TEST(without_order_it_comes_late);
  RUN_TEST(the_stream_waits);
  RUN_TEST(ordered_by_the_program);
  RUN_TEST(every_stream_waits);
  RUN_TEST(the_next_write_counts);
  RUN_TEST(a_write_in_between);
  RUN_TEST(no_such_stream);
  GREATEST_MAIN_END();
}
