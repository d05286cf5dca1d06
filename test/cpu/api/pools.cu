// Memory pools: creation, the device's current and default pool, counters, access, and invalid calls.
// RUN: %gasan -O1 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

__global__ void fill(unsigned *values, int count, unsigned salt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] = i * 3 + salt;
}

static uint64_t get(cudaMemPool_t pool, cudaMemPoolAttr attribute) {
  uint64_t value = ~0ull;
  CUDA(cudaMemPoolGetAttribute(pool, attribute, &value));
  return value;
}

static cudaMemPool_t make() {
  cudaMemPool_t pool;
  cudaMemPoolProps props;
  memset(&props, 0, sizeof props);
  props.allocType = cudaMemAllocationTypePinned;
  props.handleTypes = cudaMemHandleTypeNone;
  props.location.type = cudaMemLocationTypeDevice;
  CUDA(cudaMemPoolCreate(&pool, &props));
  return pool;
}

int main() {
  cudaMemPool_t standard, current, own = make();
  CUDA(cudaDeviceGetDefaultMemPool(&standard, 0));
  CUDA(cudaDeviceGetMemPool(&current, 0));
  EXPECT(standard == current && own != standard, "the default pool is the current one at first");

  int reuse = -1;
  for (auto attribute : {cudaMemPoolReuseFollowEventDependencies, cudaMemPoolReuseAllowOpportunistic,
                         cudaMemPoolReuseAllowInternalDependencies}) {
    CUDA(cudaMemPoolGetAttribute(own, attribute, &reuse));
    EXPECT(reuse == 1, "attribute %d: %d", (int)attribute, reuse);
    int off = 0;
    CUDA(cudaMemPoolSetAttribute(own, attribute, &off));
    CUDA(cudaMemPoolGetAttribute(own, attribute, &reuse));
    EXPECT(reuse == 0, "attribute %d: %d", (int)attribute, reuse);
    CUDA(cudaMemPoolGetAttribute(standard, attribute, &reuse));
    EXPECT(reuse == 1, "the other pool's attribute %d: %d", (int)attribute, reuse);
  }
  EXPECT(get(own, cudaMemPoolAttrReleaseThreshold) == 0, "threshold");
  uint64_t threshold = 1ull << 30;
  CUDA(cudaMemPoolSetAttribute(own, cudaMemPoolAttrReleaseThreshold, &threshold));
  EXPECT(get(own, cudaMemPoolAttrReleaseThreshold) == threshold, "threshold");

  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));
  EXPECT(get(own, cudaMemPoolAttrUsedMemCurrent) == 0, "nothing is used");
  const int count = 100000;
  unsigned *first, *second;
  CUDA(cudaMallocFromPoolAsync(&first, count * sizeof(unsigned), own, stream));
  CUDA(cudaMallocFromPoolAsync(&second, 2 * count * sizeof(unsigned), own, stream));
  uint64_t used = get(own, cudaMemPoolAttrUsedMemCurrent);
  EXPECT(used >= 3 * count * sizeof(unsigned), "%llu", (unsigned long long)used);
  EXPECT(get(own, cudaMemPoolAttrReservedMemCurrent) >= used, "reserved");
  EXPECT(get(own, cudaMemPoolAttrUsedMemHigh) >= used, "high");
  fill<<<400, 256, 0, stream>>>(first, count, 1);
  fill<<<800, 256, 0, stream>>>(second, 2 * count, 2);
  std::vector<unsigned> got(3 * count);
  CUDA(cudaMemcpyAsync(got.data(), first, count * sizeof(unsigned), cudaMemcpyDeviceToHost, stream));
  CUDA(cudaMemcpyAsync(got.data() + count, second, 2 * count * sizeof(unsigned), cudaMemcpyDeviceToHost, stream));
  CUDA(cudaFreeAsync(second, stream));
  CUDA(cudaStreamSynchronize(stream));
  for (int i = 0; i < 3 * count; ++i)
    EXPECT(got[i] == (i < count ? i * 3u + 1 : (i - count) * 3u + 2), "%d", i);
  uint64_t less = get(own, cudaMemPoolAttrUsedMemCurrent);
  EXPECT(less >= count * sizeof(unsigned) && less < used, "%llu", (unsigned long long)less);
  EXPECT(get(own, cudaMemPoolAttrUsedMemHigh) >= used, "the high mark stays");
  uint64_t zero = 0;
  CUDA(cudaMemPoolSetAttribute(own, cudaMemPoolAttrUsedMemHigh, &zero));
  EXPECT(get(own, cudaMemPoolAttrUsedMemHigh) < used, "the high mark is set back");
  CUDA(cudaMemPoolTrimTo(own, 0));
  EXPECT(get(own, cudaMemPoolAttrUsedMemCurrent) == less, "trimming takes nothing that is used");

  // As the device's current pool, the pool serves cudaMallocAsync.
  CUDA(cudaDeviceSetMemPool(0, own));
  CUDA(cudaDeviceGetMemPool(&current, 0));
  EXPECT(current == own, "current pool");
  CUDA(cudaMallocAsync(&second, 1 << 20, stream));
  EXPECT(get(own, cudaMemPoolAttrUsedMemCurrent) >= less + (1 << 20), "from the current pool");
  cudaMemAccessFlags access = cudaMemAccessFlagsProtNone;
  cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
  CUDA(cudaMemPoolGetAccess(&access, own, &here));
  EXPECT(access == cudaMemAccessFlagsProtReadWrite, "access %d", (int)access);

  // A destroyed pool is no longer the current pool. Its allocations stay valid.
  CUDA(cudaMemPoolDestroy(own));
  CUDA(cudaDeviceGetMemPool(&current, 0));
  EXPECT(current == standard, "the default pool again");
  fill<<<400, 256, 0, stream>>>(first, count, 9);
  CUDA(cudaMemcpyAsync(got.data(), first, count * sizeof(unsigned), cudaMemcpyDeviceToHost, stream));
  CUDA(cudaStreamSynchronize(stream));
  EXPECT(got[count - 1] == (count - 1) * 3u + 9, "%u", got[count - 1]);
  CUDA(cudaFreeAsync(first, stream));
  CUDA(cudaFree(second)); // cudaFree also frees stream-ordered memory
  CUDA(cudaStreamSynchronize(stream));
  EXPECT(cudaMemPoolDestroy(standard) != cudaSuccess, "the default pool cannot be destroyed");
  EXPECT(cudaMemPoolGetAttribute(standard, (cudaMemPoolAttr)999, &zero) == cudaErrorInvalidValue, "no such attribute");
  cudaGetLastError();
  printf("%016llx\n", (unsigned long long)checksum(got));
  CUDA(cudaStreamDestroy(stream));
  return passed();
}
