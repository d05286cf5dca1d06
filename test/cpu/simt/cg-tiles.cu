// Cooperative groups: thread_block, tiles of 1 to 32 threads, and tiles of tiles. Rank, size, shuffles, votes, matches
// and sync stay within a tile, in blocks of one to three dimensions, also if tiles take different branches.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

struct Facts {
  int rank, size, metaRank, metaSize, sum, up, down, swapped, broadcast, any, all, scan;
  unsigned ballot, match;
};

template <class Tile>
__device__ Facts explore(Tile tile, int value) {
  Facts f = {};
  f.rank = tile.thread_rank();
  f.size = tile.size();
  f.metaRank = tile.meta_group_rank();
  f.metaSize = tile.meta_group_size();
  f.sum = value;
  for (int i = tile.size() / 2; i; i /= 2)
    f.sum += tile.shfl_xor(f.sum, i);
  f.up = tile.shfl_up(value, 1);
  f.down = tile.shfl_down(value, 1);
  f.swapped = tile.shfl(value, tile.size() - 1 - tile.thread_rank());
  f.broadcast = tile.shfl(value, 0);
  f.any = tile.any(value % 5 == 0) != 0;
  f.all = tile.all(value % 2 == 0) != 0;
  f.ballot = tile.ballot(value % 3 == 0);
  f.match = tile.match_any(value % 4);
  f.scan = value;
  for (int i = 1; i < int(tile.size()); i *= 2) {
    int before = tile.shfl_up(f.scan, i);
    if (int(tile.thread_rank()) >= i)
      f.scan += before;
    tile.sync();
  }
  return f;
}

template <int Size>
__global__ void tiles(const int *in, Facts *out) {
  cg::thread_block block = cg::this_thread_block();
  const int t = block.thread_rank() + blockIdx.x * block.size();
  auto tile = cg::tiled_partition<Size>(block);
  if (tile.meta_group_rank() % 3 == 1) {
    tile.sync();
    out[t] = explore(tile, in[t] + 1);
  } else {
    out[t] = explore(tile, in[t]);
    tile.sync();
  }
}

// A tile of a tile: its meta group is the outer tile.
__global__ void nested(const int *in, Facts *out) {
  auto outer = cg::tiled_partition<16>(cg::this_thread_block());
  auto inner = cg::tiled_partition<4>(outer);
  const int t = cg::this_thread_block().thread_rank() + blockIdx.x * blockDim.x * blockDim.y * blockDim.z;
  out[t] = explore(inner, in[t]);
}

static Facts expect(const int *in, int t, int size, int add, int metaRank, int metaSize) {
  const int first = t / size * size, rank = t - first;
  auto value = [&](int i) { return in[first + i] + add; };
  Facts f = {};
  f.rank = rank;
  f.size = size;
  f.metaRank = metaRank;
  f.metaSize = metaSize;
  f.up = value(rank ? rank - 1 : 0);
  f.down = value(rank + 1 < size ? rank + 1 : rank);
  f.swapped = value(size - 1 - rank);
  f.broadcast = value(0);
  f.all = 1;
  for (int i = 0; i < size; ++i) {
    f.sum += value(i);
    f.any |= value(i) % 5 == 0;
    f.all &= value(i) % 2 == 0;
    f.ballot |= unsigned(value(i) % 3 == 0) << i;
    f.match |= unsigned(value(i) % 4 == value(rank) % 4) << i;
    f.scan += i <= rank ? value(i) : 0;
  }
  return f;
}

template <typename Kernel>
static void check(const char *name, Kernel kernel, dim3 shape, int size, bool isNested) {
  const int threads = shape.x * shape.y * shape.z, blocks = 5, n = threads * blocks;
  Random random(size);
  std::vector<int> in(n);
  for (int i = 0; i < n; ++i)
    in[i] = i % 7 == 0 ? 30 : random.below(1 + i % 60);
  int *dIn;
  Facts *dOut;
  CUDA(cudaMalloc(&dIn, n * sizeof(int)));
  CUDA(cudaMalloc(&dOut, n * sizeof(Facts)));
  CUDA(cudaMemcpy(dIn, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  kernel<<<blocks, shape>>>(dIn, dOut);
  CUDA(cudaGetLastError());
  std::vector<Facts> out(n);
  CUDA(cudaMemcpy(out.data(), dOut, n * sizeof(Facts), cudaMemcpyDeviceToHost));
  for (int t = 0; t < n; ++t) {
    const int meta = t % threads / size;
    Facts e = isNested ? expect(in.data(), t, size, 0, meta % 4, 4)
                       : expect(in.data(), t, size, meta % 3 == 1, meta, threads / size);
    EXPECT(memcmp(&e, &out[t], sizeof e) == 0, "%s thread %d: rank %d %d meta %d %d sum %d %d match %x %x scan %d %d",
           name, t, e.rank, out[t].rank, e.metaRank, out[t].metaRank, e.sum, out[t].sum, e.match, out[t].match, e.scan,
           out[t].scan);
  }
  printf("%s %016llx\n", name, (unsigned long long)checksum(out));
  CUDA(cudaFree(dIn));
  CUDA(cudaFree(dOut));
}

// The block as a group: indices, ranks, sync.
__global__ void block(unsigned *out) {
  extern __shared__ unsigned ranks[];
  cg::thread_block group = cg::this_thread_block();
  ranks[group.thread_rank()] = group.thread_index().x + 10 * group.thread_index().y + 100 * group.thread_index().z +
                               1000 * group.group_index().x;
  group.sync();
  out[group.group_index().x * group.num_threads() + group.thread_rank()] =
      ranks[group.num_threads() - 1 - group.thread_rank()] + 100000 * group.group_dim().y;
  cg::sync(group);
}

int main() {
  check("1", tiles<1>, dim3(96), 1, false);
  check("2", tiles<2>, dim3(96), 2, false);
  check("4", tiles<4>, dim3(16, 6), 4, false);
  check("8", tiles<8>, dim3(8, 4, 3), 8, false);
  check("16", tiles<16>, dim3(160), 16, false);
  check("32", tiles<32>, dim3(192), 32, false);
  check("4 of 16", nested, dim3(32, 3), 4, true);
  const dim3 shape(5, 4, 3);
  unsigned *d, out[180];
  CUDA(cudaMalloc(&d, sizeof out));
  block<<<3, shape, 60 * sizeof(unsigned)>>>(d);
  CUDA(cudaGetLastError());
  CUDA(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
  for (unsigned i = 0; i < 180; ++i) {
    const unsigned t = 59 - i % 60;
    EXPECT(out[i] == t % 5 + 10 * (t / 5 % 4) + 100 * (t / 20) + 1000 * (i / 60) + 400000, "%u: %u", i, out[i]);
  }
  CUDA(cudaFree(d));
  return passed();
}
