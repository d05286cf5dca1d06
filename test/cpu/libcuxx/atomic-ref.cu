// cuda::atomic_ref: loads, stores, exchanges, and compare and exchange with every pair of orders, for types of one to
// eight bytes. Also accesses through annotated_ptr.
// RUN: %gasan -O2 -g0 %s -o %t
// RUN: %run %t 2>&1 | %same
#include <cuda/annotated_ptr>
#include <cuda/atomic>

#include "../inputs/buffer.h"

// A chain: each thread reads the current number and leaves its own, so that every number is read once.
template <typename T>
__device__ void exchangeAll(T *place, T *taken, int i, cuda::memory_order order) {
  taken[i] = cuda::atomic_ref<T, cuda::thread_scope_device>(*place).exchange(T(i + 1), order);
}

template <typename T>
__global__ void exchanges(T *place, T *taken, int n) {
  const cuda::memory_order orders[] = {cuda::memory_order_relaxed, cuda::memory_order_acquire,
                                       cuda::memory_order_release, cuda::memory_order_acq_rel,
                                       cuda::memory_order_seq_cst};
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    exchangeAll(place, taken, i, orders[i % 5]);
}

template <typename T>
__device__ void add(T *total, T value, cuda::memory_order success, cuda::memory_order failure, bool strong) {
  cuda::atomic_ref<T, cuda::thread_scope_block> block(*total);
  T old = block.load(failure);
  while (!(strong ? block.compare_exchange_strong(old, T(old + value), success, failure)
                  : block.compare_exchange_weak(old, T(old + value), success, failure)))
    ;
}

template <typename T>
__global__ void sums(T *out) {
  const cuda::memory_order success[] = {cuda::memory_order_relaxed, cuda::memory_order_acquire,
                                        cuda::memory_order_release, cuda::memory_order_acq_rel,
                                        cuda::memory_order_seq_cst};
  const cuda::memory_order failure[] = {cuda::memory_order_relaxed, cuda::memory_order_acquire,
                                        cuda::memory_order_seq_cst};
  __shared__ T totals[4]; // the neighbours must not change
  if (threadIdx.x < 3)
    cuda::atomic_ref<T, cuda::thread_scope_block>(totals[threadIdx.x])
        .store(T(threadIdx.x * 10), cuda::memory_order_release);
  __syncthreads();
  add(&totals[1], T(threadIdx.x), success[threadIdx.x % 5], failure[threadIdx.x / 5 % 3], threadIdx.x & 1);
  __syncthreads();
  if (threadIdx.x < 3)
    out[threadIdx.x] = totals[threadIdx.x];
}

template <typename T>
static void test(const char *name, int n) {
  // libcu++ updates small values through the aligned word that contains them.
  Buffer<T> place(std::vector<T>(4)), taken(n), dSums(3);
  exchanges<<<3, 64>>>(place.data, taken.data, n);
  std::vector<T> numbers = taken.host();
  numbers.push_back(place.host()[0]);
  std::sort(numbers.begin(), numbers.end());
  for (int i = 0; i <= n; i++)
    EXPECT(numbers[i] == T(i), "%s: %d", name, i);
  sums<<<1, 96>>>(dSums.data);
  std::vector<T> out = dSums.host();
  EXPECT(out[0] == T(0) && out[1] == T(10 + 95 * 48) && out[2] == T(20), "%s: %g %g %g", name, double(out[0]),
         double(out[1]), double(out[2]));
}

// The writer numbers its messages. A reader that sees a number must see the message.
__global__ void messages(int *flags, int *data, int *out) {
  const int i = threadIdx.x;
  if (blockIdx.x == 0) {
    data[i] = 3 * i;
    cuda::atomic_ref<int, cuda::thread_scope_device>(flags[i]).store(1, i % 2 ? cuda::memory_order_release
                                                                              : cuda::memory_order_seq_cst);
  } else {
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(flags[i]);
    while (flag.load(i % 3 ? cuda::memory_order_acquire : cuda::memory_order_seq_cst) == 0)
      ;
    out[i] = data[i];
  }
}

__global__ void annotated(int *in, int *out, int n) {
  cuda::annotated_ptr<const int, cuda::access_property::streaming> source(in);
  cuda::annotated_ptr<int, cuda::access_property::persisting> target(out);
  cuda::annotated_ptr<int, cuda::access_property::global> plain(out + n);
  __shared__ int tile[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 64 && i < n) {
    tile[threadIdx.x] = source[i];
    cuda::annotated_ptr<int, cuda::access_property::shared> own(tile);
    target[i] = own[threadIdx.x] + 1;
    plain[i] = source[n - 1 - i];
  }
  if (i == 0) {
    cuda::apply_access_property(in, 128, cuda::access_property::persisting{});
    cuda::discard_memory(out + 2 * n, 256);
  }
}

int main() {
  test<unsigned char>("unsigned char", 150);
  test<short>("short", 180);
  test<int>("int", 192);
  test<unsigned long long>("unsigned long long", 192);
  test<float>("float", 192);
  test<double>("double", 191);

  Buffer<int> flags(std::vector<int>(64)), data(64), seen(64);
  messages<<<2, 64>>>(flags, data, seen);
  std::vector<int> got = seen.host();
  for (int i = 0; i < 64; i++)
    EXPECT(got[i] == 3 * i, "message %d: %d", i, got[i]);

  Random random(79);
  for (int n : {1, 64, 1001}) {
    std::vector<int> in(n + 128);
    for (int &v : in)
      v = int(random.next() >> 1);
    Buffer<int> dIn(in), dOut(2 * n + 256);
    annotated<<<(n + 63) / 64, 64>>>(dIn, dOut, n);
    std::vector<int> out = dOut.host();
    for (int i = 0; i < n; i++)
      EXPECT(out[i] == in[i] + 1 && out[n + i] == in[n - 1 - i], "n %d: %d", n, i);
    printf("annotated %d: %016llx\n", n, (unsigned long long)checksum(out.data(), 2 * n * sizeof(int)));
  }
  return passed();
}
