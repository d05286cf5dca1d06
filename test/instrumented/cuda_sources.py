# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in CUDA C for CuPy's RawKernel and for NVRTC. `// BUG` marks the line of the wrong access."""
SOURCES = {
    "scale": r"""extern "C" __global__ void scale(float *to, const float *from, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    to[i] = 2 * from[i]; // BUG
}
""",
    "stencil": r"""extern "C" __global__ void stencil(float *to, const float *from, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 1 || i >= count - 1)
    return;
  to[i] = (from[i - 1] + from[i] + from[i + 1]) / 3; // BUG
}
""",
    "sum": r"""extern "C" __global__ void sum(float *to, const float *from, int count) {
  __shared__ float part[256];
  float mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    mine += from[i]; // BUG
  part[threadIdx.x] = mine;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half)
      part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    to[blockIdx.x] = part[0];
}
""",
    "permute": r"""extern "C" __global__ void permute(float *to, const float *from, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  long at = (long)i * 7919 % count;
  to[at] = from[i]; // BUG
}
""",
    "window": r"""__device__ float best(const float *from, int first, int last) {
  float most = from[first];
  for (int i = first + 1; i < last; i++)
    most = fmaxf(most, from[i]); // BUG
  return most;
}
extern "C" __global__ void window(float *to, const float *from, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count - 8)
    to[i] = best(from, i, i + 8);
}
""",
}
COUNT = 1 << 20


def grid_of(name, count):
    return 256 if name == "sum" else (count + 255) // 256


def line_of(name):
    """Returns the number of the line with the bug."""
    return next(i for i, line in enumerate(SOURCES[name].splitlines(), 1) if line.endswith("// BUG"))
