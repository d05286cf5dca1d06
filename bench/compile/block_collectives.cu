/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Imitates hand-written kernels on CUB's block-level collectives, as in deep-learning libraries. Slow because each
// combination of block size and type instantiates all collectives again.
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>

constexpr int kPerThread = 4;

// Replaces each row by its running sums. One block handles one row, tile after tile.
template <typename T, int Threads>
__global__ void __launch_bounds__(Threads) scan_rows(T *rows, int columns) {
  using Load = cub::BlockLoad<T, Threads, kPerThread, cub::BLOCK_LOAD_TRANSPOSE>;
  using Scan = cub::BlockScan<T, Threads, cub::BLOCK_SCAN_WARP_SCANS>;
  using Store = cub::BlockStore<T, Threads, kPerThread, cub::BLOCK_STORE_TRANSPOSE>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Scan::TempStorage scan;
    typename Store::TempStorage store;
  } shared;

  T *row = rows + size_t(blockIdx.x) * columns;
  T carried = T(0);
  for (int begin = 0; begin < columns; begin += Threads * kPerThread) {
    const int valid = min(columns - begin, Threads * kPerThread);
    T items[kPerThread], total;
    Load(shared.load).Load(row + begin, items, valid, T(0));
    __syncthreads();
    Scan(shared.scan).InclusiveSum(items, items, total);
    __syncthreads();
    for (T &item : items)
      item += carried;
    carried += total;
    Store(shared.store).Store(row + begin, items, valid);
    __syncthreads();
  }
}

// Divides each row by its sum.
template <typename T, int Threads>
__global__ void __launch_bounds__(Threads) normalize_rows(T *rows, int columns) {
  using Reduce = cub::BlockReduce<T, Threads>;
  __shared__ typename Reduce::TempStorage shared;
  __shared__ T divisor;
  T *row = rows + size_t(blockIdx.x) * columns;
  T sum = T(0);
  for (int i = threadIdx.x; i < columns; i += Threads)
    sum += row[i];
  sum = Reduce(shared).Sum(sum);
  if (threadIdx.x == 0)
    divisor = sum == T(0) ? T(1) : sum;
  __syncthreads();
  for (int i = threadIdx.x; i < columns; i += Threads)
    row[i] /= divisor;
}

// Changes whole tiles of vectors from array of structures to structure of arrays.
template <typename T, int Threads>
__global__ void __launch_bounds__(Threads) separate_components(const T *vectors, T *components) {
  using Exchange = cub::BlockExchange<T, Threads, kPerThread>;
  __shared__ typename Exchange::TempStorage shared;
  const size_t tile = size_t(blockIdx.x) * Threads * kPerThread;
  T items[kPerThread];
  cub::LoadDirectStriped<Threads>(threadIdx.x, vectors + tile, items);
  Exchange(shared).StripedToBlocked(items, items);
  cub::StoreDirectStriped<Threads>(threadIdx.x, components + tile, items);
}

template <typename T, int Threads>
static cudaError_t process_rows(T *rows, T *components, int row_count, int columns, cudaStream_t stream) {
  const size_t tiles = size_t(row_count) * columns / (Threads * kPerThread);
  scan_rows<T, Threads><<<row_count, Threads, 0, stream>>>(rows, columns);
  normalize_rows<T, Threads><<<row_count, Threads, 0, stream>>>(rows, columns);
  if (tiles > 0)
    separate_components<T, Threads><<<unsigned(tiles), Threads, 0, stream>>>(rows, components);
  return cudaGetLastError();
}

template <typename T>
static cudaError_t dispatch(T *rows, T *components, int row_count, int columns, int block_size, cudaStream_t stream) {
  switch (block_size) {
  case 128:
    return process_rows<T, 128>(rows, components, row_count, columns, stream);
  case 256:
    return process_rows<T, 256>(rows, components, row_count, columns, stream);
  case 512:
    return process_rows<T, 512>(rows, components, row_count, columns, stream);
  }
  return cudaErrorInvalidValue;
}

cudaError_t process_floats(float *rows, float *components, int count, int columns, int block, cudaStream_t stream) {
  return dispatch(rows, components, count, columns, block, stream);
}

cudaError_t process_doubles(double *rows, double *components, int count, int columns, int block, cudaStream_t stream) {
  return dispatch(rows, components, count, columns, block, stream);
}
