// The link takes this definition of weak.cu's variable.
__device__ int counts[16] = {1};
