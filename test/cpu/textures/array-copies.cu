// Copies of parts of arrays to, from and between arrays, synchronous or in a stream, from pageable, pinned and device
// memory; also the deprecated calls, whose copies continue in the next row. Other parts of the arrays do not change.
// RUN: %gasan -O2 -Wno-deprecated-declarations %s -o %t
// RUN: %options=suppressions=%S/inputs/refused.supp %run %t 2>&1 | %same
#include "../inputs/sampling.h"

typedef std::vector<ushort2> Image;
const int width = 40, height = 24;

ushort2 next(Random &random) {
  return make_ushort2(random.next(), random.next());
}

Image randomImage(uint64_t seed) {
  Random random(seed);
  Image image(width * height);
  for (ushort2 &texel : image)
    texel = next(random);
  return image;
}

cudaArray_t create(const Image &image) {
  cudaArray_t array;
  cudaChannelFormatDesc channels = cudaCreateChannelDesc<ushort2>();
  CUDA(cudaMallocArray(&array, &channels, width, height));
  CUDA(cudaMemcpy2DToArray(array, 0, 0, image.data(), width * sizeof(ushort2), width * sizeof(ushort2), height,
                           cudaMemcpyHostToDevice));
  return array;
}

Image contents(cudaArray_t array) {
  Image image(width * height);
  CUDA(cudaMemcpy2DFromArray(image.data(), width * sizeof(ushort2), array, 0, 0, width * sizeof(ushort2), height,
                             cudaMemcpyDeviceToHost));
  return image;
}

bool same(const Image &a, const Image &b) {
  return a.size() == b.size() && memcmp(a.data(), b.data(), a.size() * sizeof(ushort2)) == 0;
}

void paste(Image &to, int x, int y, const Image &from, int fromX, int fromY, int w, int h) {
  for (int j = 0; j < h; ++j)
    for (int i = 0; i < w; ++i)
      to[(y + j) * width + x + i] = from[(fromY + j) * width + fromX + i];
}

// A suppression removes gasan's report, so that CUDA itself must return the error.
__attribute__((noinline)) bool refused(cudaArray_t array, size_t x, size_t y, const Image &image, size_t rows) {
  const size_t row = width * sizeof(ushort2);
  return cudaMemcpy2DToArray(array, x, y, image.data(), row, row, rows, cudaMemcpyHostToDevice) != cudaSuccess;
}

int main() {
  const size_t texel = sizeof(ushort2), row = width * texel;
  Image model = randomImage(1), other = randomImage(2);
  cudaArray_t array = create(model), second = create(other);
  EXPECT(same(contents(array), model), "whole image");

  ushort2 *pinned, *device;
  size_t pitch;
  CUDA(cudaMallocHost(&pinned, row * height));
  CUDA(cudaMallocPitch(&device, &pitch, row, height));
  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));
  Random random(3);
  for (int turn = 0; turn < 120; ++turn) {
    int w = 1 + random.below(width), h = 1 + random.below(height);
    int x = random.below(width - w + 1), y = random.below(height - h + 1);
    int fromX = random.below(width - w + 1), fromY = random.below(height - h + 1);
    Image image = randomImage(100 + turn);
    ushort2 *hostPart = image.data() + fromY * width + fromX;
    switch (turn % 6) {
    case 0: // from the host
      CUDA(cudaMemcpy2DToArray(array, x * texel, y, hostPart, row, w * texel, h, cudaMemcpyHostToDevice));
      paste(model, x, y, image, fromX, fromY, w, h);
      break;
    case 1: // from pinned memory, in a stream
      memcpy(pinned, image.data(), row * height);
      CUDA(cudaMemcpy2DToArrayAsync(array, x * texel, y, pinned + fromY * width + fromX, row, w * texel, h,
                                    cudaMemcpyHostToDevice, stream));
      CUDA(cudaStreamSynchronize(stream));
      paste(model, x, y, image, fromX, fromY, w, h);
      break;
    case 2: // from device memory
      CUDA(cudaMemcpy2D(device, pitch, image.data(), row, row, height, cudaMemcpyHostToDevice));
      CUDA(cudaMemcpy2DToArray(array, x * texel, y, reinterpret_cast<char *>(device) + fromY * pitch + fromX * texel,
                               pitch, w * texel, h, cudaMemcpyDefault));
      paste(model, x, y, image, fromX, fromY, w, h);
      break;
    case 3: // between arrays
      CUDA(cudaMemcpy2DArrayToArray(array, x * texel, y, second, fromX * texel, fromY, w * texel, h));
      paste(model, x, y, other, fromX, fromY, w, h);
      break;
    case 4: // a part, to the host
      CUDA(cudaMemcpy2DFromArray(hostPart, row, array, x * texel, y, w * texel, h, cudaMemcpyDeviceToHost));
      for (int j = 0; j < h; ++j)
        EXPECT(memcmp(&image[(fromY + j) * width + fromX], &model[(y + j) * width + x], w * texel) == 0,
               "turn %d row %d", turn, j);
      break;
    case 5: // to device memory in a stream, then to the host
      CUDA(cudaMemcpy2DFromArrayAsync(device, pitch, array, 0, 0, row, height, cudaMemcpyDeviceToDevice, stream));
      CUDA(cudaMemcpy2DAsync(pinned, row, device, pitch, row, height, cudaMemcpyDeviceToHost, stream));
      CUDA(cudaStreamSynchronize(stream));
      EXPECT(same(Image(pinned, pinned + width * height), model), "turn %d", turn);
      break;
    }
  }
  EXPECT(same(contents(array), model), "after all turns");
  EXPECT(same(contents(second), other), "the source changed");
  printf("parts %016llx\n", (unsigned long long)checksum(model));

  // Whole rows from the second row on: the same result for every reading of "continues in the next row".
  Image image = randomImage(7);
  CUDA(cudaMemcpyToArray(array, 0, 1, image.data(), 3 * row, cudaMemcpyHostToDevice));
  paste(model, 0, 1, image, 0, 0, width, 3);
  EXPECT(same(contents(array), model), "cudaMemcpyToArray");
  CUDA(cudaMemcpyFromArray(image.data(), array, 0, 2, 2 * row, cudaMemcpyDeviceToHost));
  EXPECT(memcmp(image.data(), &model[2 * width], 2 * row) == 0, "cudaMemcpyFromArray");
  CUDA(cudaMemcpyArrayToArray(second, 0, 5, array, 0, 1, 2 * row));
  paste(other, 0, 5, model, 0, 1, width, 2);
  EXPECT(same(contents(second), other), "cudaMemcpyArrayToArray");
  printf("runs %016llx\n", (unsigned long long)checksum(other));

  // Parts outside of the array.
  EXPECT(refused(array, texel, 0, image, 1), "too wide");
  EXPECT(refused(array, 0, 1, image, height), "too high");
  EXPECT(cudaMemcpy2DFromArray(image.data(), row - texel, array, 0, 0, row, 2, cudaMemcpyDeviceToHost) != cudaSuccess,
         "rows overlap");
  EXPECT(cudaGetLastError() != cudaSuccess && cudaGetLastError() == cudaSuccess, "the error is not the last one");
  EXPECT(same(contents(array), model), "a refused copy copied");

  CUDA(cudaStreamDestroy(stream));
  CUDA(cudaFreeHost(pinned));
  CUDA(cudaFree(device));
  CUDA(cudaFreeArray(array));
  CUDA(cudaFreeArray(second));
  CUDA(cudaFreeArray(nullptr));
  return passed();
}
