// Two owners of one device buffer: a copied struct frees it a second time.
#include <cstdio>

struct Image {
  unsigned char *pixels;
  int width, height;
  Image(int width, int height) : width(width), height(height) { cudaMalloc(&pixels, width * height); }
  ~Image() { cudaFree(pixels); } // BUG: the implicit copy constructor shares `pixels`
};

__global__ void invert(unsigned char *pixels, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    pixels[i] = 255 - pixels[i];
}

void show(Image image) { // by value: a copy, destroyed at the end
  int count = image.width * image.height;
  invert<<<(count + 255) / 256, 256>>>(image.pixels, count);
  cudaDeviceSynchronize();
  printf("%d x %d pixels\n", image.width, image.height);
}

int main() {
  Image image(64, 48);
  cudaMemset(image.pixels, 0, image.width * image.height);
  show(image);
}
