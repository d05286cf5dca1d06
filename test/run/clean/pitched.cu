// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
// Copies to and from pitched memory by cudaMemcpy2D and cudaMemcpy3D.
#include <cstring>

__global__ void invert(unsigned char *image, size_t pitch, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    image[y * pitch + x] = 255 - image[y * pitch + x];
}

int main() {
  const int width = 100, height = 37;
  static unsigned char in[height][width], out[height][width], again[height][width];
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      in[y][x] = (unsigned char)(y * width + x);
  unsigned char *image;
  size_t pitch;
  if (cudaMallocPitch(&image, &pitch, width, height) != cudaSuccess || pitch < width)
    return 2;
  cudaMemset2D(image, pitch, 0, width, height);
  cudaMemcpy2D(image, pitch, in, width, width, height, cudaMemcpyHostToDevice);
  invert<<<dim3(7, 3), dim3(16, 16)>>>(image, pitch, width, height);
  cudaMemcpy2D(out, width, image, pitch, width, height, cudaMemcpyDeviceToHost);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      if (out[y][x] != 255 - in[y][x])
        return 1;

  cudaExtent extent = make_cudaExtent(width, height, 1);
  cudaPitchedPtr box;
  if (cudaMalloc3D(&box, extent) != cudaSuccess)
    return 3;
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(image, pitch, width, height);
  copy.dstPtr = box;
  copy.extent = extent;
  copy.kind = cudaMemcpyDeviceToDevice;
  if (cudaMemcpy3D(&copy) != cudaSuccess)
    return 4;
  cudaMemcpy2D(again, width, box.ptr, box.pitch, width, height, cudaMemcpyDeviceToHost);
  cudaFree(image);
  cudaFree(box.ptr);
  return memcmp(again, out, sizeof out) != 0;
}
