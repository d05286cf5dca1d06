// The second translation unit of constant-units.cu.
#include "constant-units.h"

static __constant__ int own[4] = {100, 101, 102, 103};
__constant__ int table[tableSize] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225};
__constant__ Scale scale = {"scale", 7};
__device__ int calls = 5;

__device__ int fromOther(int i) {
  return table[(i + 1) % tableSize] - own[i % 4];
}
