// Kernels of which the launch proof proves all accesses.

struct Costs {
  int same, other, gap;
};

// The parameter's members are loaded before the loop: it exists for certain.
__global__ void scores(const char *a, const char *b, int *to, int length, Costs costs) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= length)
    return;
  int score = 0;
  for (int i = 0; i < length; i++)
    score = max(score + (a[t] == b[i] ? costs.same : costs.other), costs.gap);
  to[t] = score;
}

// Nested loops, which a check's preparations would change.
__global__ void sums(const float *from, float *to, int width, int height, int radius) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= width || y >= height)
    return;
  float sum = 0;
  for (int row = max(y - radius, 0); row < min(y + radius + 1, height); row++)
    for (int column = max(x - radius, 0); column < min(x + radius + 1, width); column++)
      sum += from[row * width + column];
  to[y * width + x] = sum;
}

__global__ void reverse(float *values) {
  __shared__ float copy[256];
  copy[threadIdx.x] = values[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  values[blockIdx.x * 256 + threadIdx.x] = copy[255 - threadIdx.x];
}
