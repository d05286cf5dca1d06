// 3D arrays: cudaMemcpy3D copies boxes between the host, pitched device memory and arrays. tex3D reads texels (point
// filtering) and blends the 8 nearest ones (linear filtering with 8-bit weights in each of 3 dimensions; tolerance
// 3/256 of the range).
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/sampling.h"

__global__ void samplePoints(cudaTextureObject_t texture, int width, int height, int depth, short2 *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < width * height * depth)
    out[i] = tex3D<short2>(texture, i % width + 0.4f, i / width % height + 0.6f, i / (width * height) + 0.5f);
}

__global__ void sampleOutside(cudaTextureObject_t texture, int width, int height, int depth, short2 *out) {
  int i = threadIdx.x - 2, j = threadIdx.y - 2, k = blockIdx.x - 2;
  out[(blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x] =
      tex3D<short2>(texture, (i + 0.5f) / width, (j + 0.5f) / height, (k + 0.5f) / depth);
}

__global__ void blend(cudaTextureObject_t texture, const float3 *where, int count, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    out[i] = tex3D<float>(texture, where[i].x, where[i].y, where[i].z);
}

template <typename T>
cudaArray_t volume(const std::vector<T> &values, cudaExtent extent) {
  cudaArray_t array;
  cudaChannelFormatDesc channels = cudaCreateChannelDesc<T>();
  CUDA(cudaMalloc3DArray(&array, &channels, extent));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr =
      make_cudaPitchedPtr(const_cast<T *>(values.data()), extent.width * sizeof(T), extent.width, extent.height);
  copy.dstArray = array;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  CUDA(cudaMemcpy3D(&copy));
  return array;
}

void testTexels() {
  const int width = 19, height = 11, depth = 7, count = width * height * depth;
  Random random(1);
  std::vector<short2> values(count);
  for (short2 &value : values)
    value = make_short2(random.next(), random.next());
  cudaArray_t array = volume(values, make_cudaExtent(width, height, depth));
  short2 *out;
  CUDA(cudaMalloc(&out, count * sizeof(short2)));
  cudaTextureObject_t texture = textureOf(resourceOf(array), describe());
  samplePoints<<<(count + 127) / 128, 128>>>(texture, width, height, depth, out);
  std::vector<short2> seen = download(out, count);
  EXPECT(memcmp(seen.data(), values.data(), count * sizeof(short2)) == 0, "texels differ");
  CUDA(cudaDestroyTextureObject(texture));

  cudaTextureAddressMode modes[] = {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror,
                                    cudaAddressModeBorder};
  cudaTextureDesc description = describe(cudaFilterModePoint, cudaAddressModeClamp, true);
  const int all = (width + 4) * (height + 4) * (depth + 4);
  short2 *outside;
  CUDA(cudaMalloc(&outside, all * sizeof(short2)));
  for (int turn = 0; turn < 4; ++turn) {
    for (int axis = 0; axis < 3; ++axis)
      description.addressMode[axis] = modes[(turn + axis) % 4];
    cudaTextureObject_t object = textureOf(resourceOf(array), description);
    sampleOutside<<<depth + 4, dim3(width + 4, height + 4)>>>(object, width, height, depth, outside);
    std::vector<short2> got = download(outside, all);
    for (int i = 0; i < all; ++i) {
      int x = addressed(i % (width + 4) - 2, width, description.addressMode[0]),
          y = addressed(i / (width + 4) % (height + 4) - 2, height, description.addressMode[1]),
          z = addressed(i / ((width + 4) * (height + 4)) - 2, depth, description.addressMode[2]);
      short2 expected = x < 0 || y < 0 || z < 0 ? make_short2(0, 0) : values[(z * height + y) * width + x];
      EXPECT(got[i].x == expected.x && got[i].y == expected.y, "turn %d, texel %d %d %d", turn, x, y, z);
    }
    printf("modes %d: %016llx\n", turn, (unsigned long long)checksum(got));
    CUDA(cudaDestroyTextureObject(object));
  }
  CUDA(cudaFree(outside));
  CUDA(cudaFree(out));
  CUDA(cudaFreeArray(array));
}

// Linear filtering reproduces a function that is linear in each coordinate.
void testBlend() {
  const int width = 8, height = 9, depth = 10, count = 3000;
  auto value = [](double x, double y, double z) { return 3 * x - 2 * y + z + x * y * z / 16; };
  std::vector<float> values;
  for (int z = 0; z < depth; ++z)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        values.push_back(float(value(x, y, z)));
  cudaArray_t array = volume(values, make_cudaExtent(width, height, depth));
  cudaTextureObject_t texture = textureOf(resourceOf(array), describe(cudaFilterModeLinear));
  Random random(2);
  std::vector<float3> where(count);
  for (float3 &place : where)
    place = make_float3(0.5f + random.unit() * (width - 1), 0.5f + random.unit() * (height - 1),
                        0.5f + random.unit() * (depth - 1));
  float3 *places = upload(where);
  float *out;
  CUDA(cudaMalloc(&out, count * sizeof(float)));
  blend<<<(count + 127) / 128, 128>>>(texture, places, count, out);
  std::vector<float> seen = download(out, count);
  const double step = 3 + 8 * 9 / 16.0, tolerance = 3 * step / 256; // neighbours differ by at most `step`
  for (int i = 0; i < count; ++i) {
    double expected = value(where[i].x - 0.5, where[i].y - 0.5, where[i].z - 0.5);
    EXPECT(std::fabs(seen[i] - expected) < tolerance, "%g, not %g", double(seen[i]), expected);
  }
  CUDA(cudaDestroyTextureObject(texture));
  CUDA(cudaFreeArray(array));
  CUDA(cudaFree(places));
  CUDA(cudaFree(out));
}

// Random boxes go host -> array -> other array -> device memory -> host.
void testBoxes() {
  const int width = 23, height = 12, depth = 9, count = width * height * depth;
  const cudaExtent whole = make_cudaExtent(width, height, depth);
  std::vector<int> zeros(count, 0), model(count, 0);
  cudaArray_t first = volume(zeros, whole), second = volume(zeros, whole);
  cudaPitchedPtr memory;
  CUDA(cudaMalloc3D(&memory, make_cudaExtent(width * sizeof(int), height, depth)));
  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));
  Random random(4);
  for (int turn = 0; turn < 40; ++turn) {
    int w = 1 + random.below(width), h = 1 + random.below(height), d = 1 + random.below(depth);
    int x = random.below(width - w + 1), y = random.below(height - h + 1), z = random.below(depth - d + 1);
    std::vector<int> box(w * h * d);
    for (int &value : box)
      value = random.next();
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(box.data(), w * sizeof(int), w, h);
    copy.dstArray = first;
    copy.dstPos = make_cudaPos(x, y, z);
    copy.extent = make_cudaExtent(w, h, d);
    copy.kind = cudaMemcpyHostToDevice;
    CUDA(turn % 2 ? cudaMemcpy3DAsync(&copy, stream) : cudaMemcpy3D(&copy));
    CUDA(cudaStreamSynchronize(stream));
    cudaMemcpy3DParms across = {};
    across.srcArray = first;
    across.srcPos = make_cudaPos(x, y, z);
    across.dstArray = second;
    across.dstPos = make_cudaPos(x, y, z);
    across.extent = make_cudaExtent(w, h, d);
    across.kind = cudaMemcpyDeviceToDevice;
    CUDA(cudaMemcpy3D(&across));
    for (int i = 0; i < w * h * d; ++i)
      model[((z + i / (w * h)) * height + y + i / w % h) * width + x + i % w] = box[i];
  }
  cudaMemcpy3DParms down = {};
  down.srcArray = second;
  down.dstPtr = memory;
  down.extent = whole;
  down.kind = cudaMemcpyDeviceToDevice;
  CUDA(cudaMemcpy3D(&down));
  std::vector<int> seen(count);
  cudaMemcpy3DParms back = {};
  back.srcPtr = memory;
  back.dstPtr = make_cudaPitchedPtr(seen.data(), width * sizeof(int), width, height);
  back.extent = make_cudaExtent(width * sizeof(int), height, depth); // in bytes, since no array takes part
  back.kind = cudaMemcpyDeviceToHost;
  CUDA(cudaMemcpy3D(&back));
  EXPECT(seen == model, "boxes differ");
  printf("boxes: %016llx\n", (unsigned long long)checksum(seen));
  CUDA(cudaStreamDestroy(stream));
  CUDA(cudaFree(memory.ptr));
  CUDA(cudaFreeArray(first));
  CUDA(cudaFreeArray(second));
}

int main() {
  testTexels();
  testBlend();
  testBoxes();
  return passed();
}
