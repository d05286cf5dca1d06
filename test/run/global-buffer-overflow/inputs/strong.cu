// The definition that the link takes of weak.cu's variable.
__device__ int counts[16] = {1};
