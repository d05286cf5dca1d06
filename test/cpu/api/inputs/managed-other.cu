// The other unit of managed-units.cu.
#include "managed-units.h"

__managed__ int shared_counter = 40;
__managed__ Record records[8] = {{1, 2.0f}, {3, 4.0f}};
static __managed__ int own = 1000; // each unit has its own

__device__ void addInOther(int value) {
  atomicAdd(&shared_counter, value);
  atomicAdd(&own, value);
}

int ownOfOther() {
  return own;
}
