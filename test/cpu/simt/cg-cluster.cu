// Cooperative groups' cluster in a launch without clusters: it has one block, and its ranks, sizes, barrier and shared
// memory are the block's.
// RUN: %gasan -O2 --offload-arch=sm_90 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"
#define _CG_CLUSTER_INTRINSICS_AVAILABLE // clang has these intrinsics; the header does not know that
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void explore(unsigned *out) {
  __shared__ unsigned shared[64];
  cg::cluster_group cluster = cg::this_cluster();
  const unsigned t = threadIdx.x;
  shared[t] = t * 3 + blockIdx.x;
  cluster.sync();
  unsigned *mapped = cluster.map_shared_rank(shared, cluster.block_rank());
  unsigned value = mapped[63 - t];
  cluster.barrier_arrive();
  value += cluster.num_blocks() * 1000 + cluster.block_rank() * 10000 + cluster.num_threads() * 100000;
  cluster.barrier_wait();
  value += cluster.query_shared_rank(shared) * 7 + (cluster.thread_rank() == t ? 0 : 1);
  shared[t] = 0;
  out[blockIdx.x * 64 + t] = value;
}

int main() {
  unsigned *d, out[192];
  CUDA(cudaMalloc(&d, sizeof out));
  explore<<<3, 64>>>(d);
  CUDA(cudaGetLastError());
  CUDA(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
  for (unsigned i = 0; i < 192; ++i)
    EXPECT(out[i] == (63 - i % 64) * 3 + i / 64 + 1000 + 6400000, "%u: %u", i, out[i]);
  printf("%016llx\n", (unsigned long long)checksum(out, sizeof out));
  CUDA(cudaFree(d));
  return passed();
}
