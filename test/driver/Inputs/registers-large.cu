// The kernels of registers-proof.cu in a file whose PTX is large, because the tables' bytes are written as text.
#include "registers-proof.cu"

struct Table {
  unsigned char bytes[1 << 18];
  constexpr Table() : bytes() {
    for (int i = 0; i < 1 << 18; i++)
      bytes[i] = 100;
  }
};
__device__ Table table, other;
