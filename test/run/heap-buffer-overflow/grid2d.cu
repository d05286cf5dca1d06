// RUN: %gasan -O2 %s -o %t
// RUN: not %run %t 2>&1 | FileCheck %s
// RUN: %gasan -O2 -DFIXED %s -o %t.fixed
// RUN: %run %t.fixed 2>&1 >/dev/null | %silent
// Rows and columns are swapped in a 24 x 16 image, so that some threads are far outside.
__global__ void invert(unsigned char *image, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
#ifdef FIXED
  if (x < width && y < height)
#else
  if (y < width && x < height)
#endif
    // CHECK: ERROR: AddressSanitizer: heap-buffer-overflow
    // CHECK-NEXT: READ of size 1 {{.*}} by device thread (0,0,0) block (0,2,0) lane 0
    // CHECK-SAME: {{^}} (and 127 more threads of this kernel)
    // CHECK-NEXT: #0 invert(unsigned char*, int, int) {{.*}}grid2d.cu:[[#@LINE+1]]:
    image[y * width + x] = 255 - image[y * width + x];
}

int main() {
  unsigned char *image;
  cudaMalloc(&image, 24 * 16);
  cudaMemset(image, 0, 24 * 16);
  invert<<<dim3(3, 3), dim3(8, 8)>>>(image, 24, 16);
  // CHECK-NEXT: #1 invert(unsigned char*, int, int)<<<(3,3,1), (8,8,1)>>> launched here
  // CHECK: is located 0 bytes after 384-byte region
  unsigned char first = 0;
  cudaMemcpy(&first, image, 1, cudaMemcpyDeviceToHost);
  cudaFree(image);
  return first != 255;
}
