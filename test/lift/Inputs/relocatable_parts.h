// What the two files of relocatable.cu share.
struct Pair {
  signed char first;
  int second;
};

extern __shared__ int shared[];
extern __device__ int total;
extern __constant__ int factor[2];
__device__ Pair make_pair(bool is_wanted, signed char first, float second);
__device__ Pair mirror(Pair pair, int n);
__device__ void put(int *to, int at, Pair pair);
int show_callee();
