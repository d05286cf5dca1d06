// A kernel with a hand-written proven variant and table of proofs: to[i] = from.values[i] + more for i < from.count.
// The proven variant adds 1000000, so that a test sees which variant ran, or 2000000 if its hidden arguments are
// wrong.
#pragma once
#include "base/proof_table.h"

struct From {
  int count;
  const int *values;
};

extern "C" __global__ void scale(int *to, From from, int more) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < from.count)
    to[i] = (from.values ? from.values[i] : 0) + more;
}

#define PROVEN 1000000
#define WRONG 2000000

static __device__ bool holds(uint64_t base, uint64_t size, const void *pointer) {
  return uint64_t(pointer) - base < size || (!pointer && !base && !size);
}

extern "C" __attribute__((no_sanitize("address"))) __global__ void
__gasan_proven_scale(int *to, From from, int more, uint64_t toBase, uint64_t toSize, uint64_t fromBase,
                     uint64_t fromSize) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool right = holds(toBase, toSize, to) && holds(fromBase, fromSize, from.values);
  if (i < from.count)
    to[i] = (from.values ? from.values[i] : 0) + more + (right ? PROVEN : WRONG);
}

enum { Block, Dim, Start, Thread, Index, Count, Guarded, Long, Four, Offset, Pointer, Zero, NotNull, If, Nodes };

struct Table {
  gasan_proof_table header;
  gasan_proof_kernel kernel;
  gasan_proof_argument arguments[3];
  gasan_hidden hidden[2];
  gasan_claim claims[2];
  gasan_proof_node nodes[Nodes];
  char strings[16];
};

#define AT(member) uint32_t(__builtin_offsetof(Table, member))

extern "C" __attribute__((used)) __device__ const Table __gasan_proofs = {
    {GASAN_PROOFS_MAGIC, GASAN_ABI_VERSION, sizeof(Table), 1, AT(kernel), 3, AT(arguments), 2, AT(claims), Nodes,
     AT(nodes), 2, AT(hidden), 16, AT(strings), 0},
    {1, 0, 3, 0, 2, 0, Nodes, 0, 2, 0},
    {{0, 8}, {8, 16}, {24, 4}},
    {{0, 0}, {1, 8}},
    {{GASAN_ROOT_ARGUMENT, 0, 4, 0, 0, Offset, 4, 0, 0}, {GASAN_ROOT_ARGUMENT, 0, 4, 1, 8, If, 4, 0, 0}},
    {{GASAN_PROOF_BLOCK_INDEX, 32},
     {GASAN_PROOF_BLOCK_DIM, 32},
     {GASAN_PROOF_MUL, 32, 0, Block, Dim},
     {GASAN_PROOF_THREAD_INDEX, 32},
     {GASAN_PROOF_ADD, 32, 0, Start, Thread},
     {GASAN_PROOF_ARGUMENT, 32, 0, 1},
     {GASAN_PROOF_WHERE_SLT, 32, 0, Index, Count},
     {GASAN_PROOF_SEXT, 64, 0, Guarded},
     {GASAN_PROOF_CONSTANT, 64, 0, 0, 0, 0, 4},
     {GASAN_PROOF_MUL, 64, 0, Long, Four},
     {GASAN_PROOF_ARGUMENT, 64, 0, 1, 0, 0, 8},
     {GASAN_PROOF_CONSTANT, 64},
     {GASAN_PROOF_WHERE_NE, 64, 0, Pointer, Zero},
     {GASAN_PROOF_IF, 64, 0, Offset, NotNull}},
    "\0scale"};
