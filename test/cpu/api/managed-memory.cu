// cudaMallocManaged: one pointer for host and device, advice, prefetching, and attributes of ranges.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

struct List {
  int value;
  List *next;
};

__global__ void sumList(const List *list, long long *sum) {
  long long total = 0;
  for (; list; list = list->next)
    total += list->value;
  *sum = total;
}

__global__ void square(int *values, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] *= values[i];
}

static int range(const void *pointer, size_t size, cudaMemRangeAttribute attribute) {
  int value = -77;
  CUDA(cudaMemRangeGetAttribute(&value, sizeof value, attribute, pointer, size));
  return value;
}

int main() {
  const int count = 10000;
  int *values;
  long long *sum;
  List *nodes;
  CUDA(cudaMallocManaged(&values, count * sizeof(int)));
  CUDA(cudaMallocManaged(&sum, sizeof *sum, cudaMemAttachGlobal));
  CUDA(cudaMallocManaged(&nodes, 100 * sizeof(List), cudaMemAttachHost));
  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));
  CUDA(cudaStreamAttachMemAsync(stream, nodes, 0, cudaMemAttachGlobal));
  CUDA(cudaStreamAttachMemAsync(stream, sum, 0, cudaMemAttachSingle));
  CUDA(cudaStreamSynchronize(stream));
  long long expected = 0;
  for (int i = 0; i < 100; ++i) { // a list in scattered order
    nodes[i * 37 % 100] = {i * i, i == 99 ? nullptr : &nodes[(i + 1) * 37 % 100]};
    expected += i * i;
  }
  sumList<<<1, 1, 0, stream>>>(nodes, sum);
  CUDA(cudaStreamSynchronize(stream));
  EXPECT(*sum == expected, "%lld, not %lld", *sum, expected);

  cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
  int concurrent = 0;
  size_t bytes = count * sizeof(int);
  CUDA(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, 0));
  for (int i = 0; i < count; ++i)
    values[i] = i % 1000 - 500;
  if (concurrent) {
    EXPECT(range(values, bytes, cudaMemRangeAttributeReadMostly) == 0, "not advised");
    EXPECT(range(values, bytes, cudaMemRangeAttributePreferredLocation) == cudaInvalidDeviceId, "no preference");
    CUDA(cudaMemAdvise(values, bytes, cudaMemAdviseSetReadMostly, device));
    EXPECT(range(values, bytes, cudaMemRangeAttributeReadMostly) == 1, "read mostly");
    CUDA(cudaMemAdvise(values, bytes, cudaMemAdviseUnsetReadMostly, device));
    EXPECT(range(values, bytes, cudaMemRangeAttributeReadMostly) == 0, "no more");
    CUDA(cudaMemAdvise(values, bytes, cudaMemAdviseSetPreferredLocation, device));
    EXPECT(range(values, bytes, cudaMemRangeAttributePreferredLocation) == 0, "prefers the device");
    CUDA(cudaMemAdvise(values, bytes, cudaMemAdviseSetPreferredLocation, host));
    EXPECT(range(values, bytes, cudaMemRangeAttributePreferredLocation) == cudaCpuDeviceId, "prefers the host");
    CUDA(cudaMemAdvise(values, bytes, cudaMemAdviseUnsetPreferredLocation, host));
    EXPECT(range(values, bytes, cudaMemRangeAttributePreferredLocation) == cudaInvalidDeviceId, "no preference again");
    CUDA(cudaMemAdvise(values, bytes, cudaMemAdviseSetAccessedBy, device));
    int accessors[3] = {-77, -77, -77};
    CUDA(cudaMemRangeGetAttribute(accessors, sizeof accessors, cudaMemRangeAttributeAccessedBy, values, bytes));
    EXPECT(accessors[0] == 0 && accessors[1] == cudaInvalidDeviceId, "%d %d", accessors[0], accessors[1]);
    CUDA(cudaMemPrefetchAsync(values, bytes, device, 0, stream));
    square<<<(count + 255) / 256, 256, 0, stream>>>(values, count);
    CUDA(cudaStreamSynchronize(stream));
    EXPECT(range(values, bytes, cudaMemRangeAttributeLastPrefetchLocation) == 0, "prefetched to the device");
    CUDA(cudaMemPrefetchAsync(values, bytes, host, 0, stream));
    CUDA(cudaStreamSynchronize(stream));
    int read_mostly = -1, last = -77;
    void *data[2] = {&read_mostly, &last};
    size_t sizes[2] = {sizeof(int), sizeof(int)};
    cudaMemRangeAttribute attributes[2] = {cudaMemRangeAttributeReadMostly, cudaMemRangeAttributeLastPrefetchLocation};
    CUDA(cudaMemRangeGetAttributes(data, sizes, attributes, 2, values, bytes));
    EXPECT(read_mostly == 0 && last == cudaCpuDeviceId, "%d %d", read_mostly, last);
  } else {
    square<<<(count + 255) / 256, 256, 0, stream>>>(values, count);
    CUDA(cudaStreamSynchronize(stream));
  }
  uint64_t total = checksum(values, bytes);
  for (int i = 0; i < count; ++i)
    EXPECT(values[i] == (i % 1000 - 500) * (i % 1000 - 500), "%d: %d", i, values[i]);
  CUDA(cudaFree(nodes));
  EXPECT(cudaMallocManaged(&nodes, 0) == cudaSuccess && !nodes, "no bytes");
  EXPECT(cudaMallocManaged(&nodes, 8, 77) == cudaErrorInvalidValue, "flags");
  cudaGetLastError();
  printf("%lld %016llx\n", *sum, (unsigned long long)total);
  CUDA(cudaStreamDestroy(stream));
  CUDA(cudaFree(values));
  CUDA(cudaFree(sum));
  return passed();
}
