// Shared by the two units of constant-units.cu.
struct Scale {
  char name[8];
  int factor;
};
const int tableSize = 16;
extern __constant__ int table[tableSize];
extern __constant__ Scale scale;
extern __device__ int calls;
__device__ int fromOther(int i);
