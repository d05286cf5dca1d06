// cudaLaunchHostFunc and cudaStreamAddCallback: each function is called once with its data, in stream order with the
// work before and after it. A callback gets the stream and the status.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

__global__ void twice(int *values, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] *= 2;
}

struct Step {
  int *values;
  int count, number;
  long long sum;
};
static int calls;
static cudaStream_t callback_stream;
static cudaError_t callback_status;

static void addOne(void *data) { // sees the stream's earlier work; the stream sees its result
  Step *step = static_cast<Step *>(data);
  step->number = ++calls;
  step->sum = 0;
  for (int i = 0; i < step->count; ++i)
    step->sum += step->values[i]++;
}

static void callback(cudaStream_t stream, cudaError_t status, void *data) {
  callback_stream = stream;
  callback_status = status;
  addOne(data);
}

int main() {
  const int count = 1000, rounds = 8;
  int *values; // pinned memory, which host and device access
  CUDA(cudaHostAlloc(&values, count * sizeof(int), cudaHostAllocMapped));
  for (int i = 0; i < count; ++i)
    values[i] = i;
  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));
  Step steps[rounds];
  for (int r = 0; r < rounds; ++r) {
    steps[r] = {values, count, 0, 0};
    twice<<<8, 128, 0, stream>>>(values, count);
    if (r % 2)
      CUDA(cudaStreamAddCallback(stream, callback, &steps[r], 0));
    else
      CUDA(cudaLaunchHostFunc(stream, addOne, &steps[r]));
  }
  CUDA(cudaStreamSynchronize(stream));
  std::vector<int> expected(count);
  for (int i = 0; i < count; ++i)
    expected[i] = i;
  for (int r = 0; r < rounds; ++r) {
    long long sum = 0;
    for (int &value : expected) {
      sum += 2 * value;
      value = 2 * value + 1;
    }
    EXPECT(steps[r].number == r + 1, "step %d was call %d", r, steps[r].number);
    EXPECT(steps[r].sum == sum, "step %d: %lld, not %lld", r, steps[r].sum, sum);
  }
  EXPECT(!memcmp(values, expected.data(), count * sizeof(int)), "result");
  EXPECT(callback_stream == stream && callback_status == cudaSuccess, "the callback's stream and status");
  EXPECT(calls == rounds, "%d", calls);

  // In the default stream, and between two streams: the second waits for a host function of the first.
  cudaStream_t other;
  cudaEvent_t event;
  Step last = {values, count, 0, 0};
  CUDA(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  CUDA(cudaLaunchHostFunc(stream, addOne, &last));
  CUDA(cudaEventRecord(event, stream));
  CUDA(cudaStreamWaitEvent(other, event));
  twice<<<8, 128, 0, other>>>(values, count);
  CUDA(cudaStreamSynchronize(other));
  Step in_default = {values, count, 0, 0};
  CUDA(cudaLaunchHostFunc(nullptr, addOne, &in_default));
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < count; ++i)
    EXPECT(values[i] == 2 * (expected[i] + 1) + 1, "%d", i);
  EXPECT(in_default.number == rounds + 2, "%d", in_default.number);
  printf("%lld %lld\n", steps[rounds - 1].sum, in_default.sum);
  CUDA(cudaEventDestroy(event));
  CUDA(cudaStreamDestroy(stream));
  CUDA(cudaStreamDestroy(other));
  CUDA(cudaFreeHost(values));
  return passed();
}
