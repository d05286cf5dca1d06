// Linear filtering blends the 2 or 4 nearest texels by the distance of their middles, in every address mode, for
// floats, halves and normalised integers, in arrays and in pitched memory. CUDA's weights have 8 fractional bits: the
// tolerance is 1/256 of the range of values for each dimension (and 2e-6 for the arithmetic).
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/sampling.h"

#include <cuda_fp16.h>

__global__ void sample1(cudaTextureObject_t texture, const float2 *where, int count, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    out[i] = tex1D<float>(texture, where[i].x);
}

template <typename T>
__global__ void sample2(cudaTextureObject_t texture, const float2 *where, int count, T *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    out[i] = tex2D<T>(texture, where[i].x, where[i].y);
}

// The texture's contents, as the floats that a fetch returns.
struct Plane {
  int width, height;
  std::vector<float> values;
  cudaTextureAddressMode mode;
  float at(int x, int y) const {
    x = addressed(x, width, mode), y = addressed(y, height, mode);
    return x < 0 || y < 0 ? 0 : values[y * width + x];
  }
  double filtered(double x, double y) const {
    double left = std::floor(x - 0.5), top = std::floor(y - 0.5), a = x - 0.5 - left, b = y - 0.5 - top;
    int i = int(left), j = int(top);
    if (height == 1)
      return (1 - a) * at(i, 0) + a * at(i + 1, 0);
    return (1 - b) * ((1 - a) * at(i, j) + a * at(i + 1, j)) + b * ((1 - a) * at(i, j + 1) + a * at(i + 1, j + 1));
  }
};

// Coordinates from -1.5 to 2.5 sizes, and the middles of texels, where nothing is blended.
std::vector<float2> places(const Plane &plane, int count) {
  Random random(9);
  std::vector<float2> where(count);
  for (int i = 0; i < count; ++i) {
    where[i].x = (random.unit() * 4 - 1.5f) * plane.width;
    where[i].y = (random.unit() * 4 - 1.5f) * plane.height;
    if (i % 5 == 0)
      where[i] = make_float2(random.below(plane.width) + 0.5f, random.below(plane.height) + 0.5f);
  }
  return where;
}

void compare(const char *name, const Plane &plane, const std::vector<float2> &where, const std::vector<float> &seen,
             double range, bool normalized) {
  double tolerance = range * (plane.height == 1 ? 1 : 2) / 256 + range * 2e-6;
  int wrong = 0;
  for (size_t i = 0; i < where.size(); ++i) {
    double expected = plane.filtered(where[i].x, where[i].y);
    EXPECT(std::fabs(seen[i] - expected) <= tolerance, "%s at %g %g: %g, not %g", name, double(where[i].x),
           double(where[i].y), double(seen[i]), expected);
    // In the middle of a texel the value is the texel's (normalised coordinates do not hit the middle exactly).
    if (i % 5 == 0 && !normalized)
      wrong += std::fabs(seen[i] - expected) > range * 2e-6;
  }
  EXPECT(wrong == 0, "%s: %d texels are not exact", name, wrong);
}

std::vector<float2> scaled(const std::vector<float2> &where, const Plane &plane) {
  std::vector<float2> result = where;
  for (float2 &place : result)
    place = make_float2(place.x / plane.width, place.y / plane.height);
  return result;
}

// T: the type of the stored elements. A fetch gives value(i, T's bits).
template <typename T>
void test(const char *name, Plane plane, cudaChannelFormatDesc channels, const std::vector<T> &stored, double range,
          bool pitched, bool normalized, cudaTextureReadMode read) {
  cudaArray_t array = nullptr;
  T *memory = nullptr;
  cudaResourceDesc resource;
  size_t row = plane.width * sizeof(T), pitch;
  if (pitched) {
    CUDA(cudaMallocPitch(&memory, &pitch, row, plane.height));
    CUDA(cudaMemcpy2D(memory, pitch, stored.data(), row, row, plane.height, cudaMemcpyHostToDevice));
    resource = resourceOf(reinterpret_cast<unsigned char *>(memory), plane.width, plane.height, pitch);
    resource.res.pitch2D.desc = channels;
  } else {
    CUDA(cudaMallocArray(&array, &channels, plane.width, plane.height == 1 ? 0 : plane.height));
    CUDA(cudaMemcpy2DToArray(array, 0, 0, stored.data(), row, row, plane.height, cudaMemcpyHostToDevice));
    resource = resourceOf(array);
  }
  cudaTextureDesc description = describe(cudaFilterModeLinear, plane.mode, normalized, read);
  if (plane.height == 1) // a GPU blends a line with the border above and below too
    description.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t texture = textureOf(resource, description);
  const int count = 2000;
  std::vector<float2> where = places(plane, count);
  float2 *places = upload(normalized ? scaled(where, plane) : where);
  float *out;
  CUDA(cudaMalloc(&out, count * sizeof(float)));
  if (plane.height == 1)
    sample1<<<(count + 127) / 128, 128>>>(texture, places, count, out);
  else
    sample2<<<(count + 127) / 128, 128>>>(texture, places, count, out);
  compare(name, plane, where, download(out, count), range, normalized);
  CUDA(cudaDestroyTextureObject(texture));
  if (array)
    CUDA(cudaFreeArray(array));
  CUDA(cudaFree(memory));
  CUDA(cudaFree(places));
  CUDA(cudaFree(out));
}

template <typename T, typename Make, typename Value>
void testFormat(const char *name, cudaChannelFormatDesc channels, double range, cudaTextureReadMode read, Make make,
                Value value) {
  struct {
    cudaTextureAddressMode mode;
    bool normalized;
  } modes[] = {{cudaAddressModeClamp, false}, {cudaAddressModeBorder, false}, {cudaAddressModeClamp, true},
               {cudaAddressModeBorder, true}, {cudaAddressModeWrap, true},    {cudaAddressModeMirror, true}};
  for (auto &m : modes)
    for (int shape = 0; shape < 3; ++shape) {
      Plane plane{shape == 1 ? 64 : 21, shape == 0 ? 1 : shape == 1 ? 32 : 17, {}, m.mode};
      Random random(shape + 1);
      std::vector<T> stored(plane.width * plane.height);
      for (T &texel : stored) {
        texel = make(random);
        plane.values.push_back(value(texel));
      }
      test(name, plane, channels, stored, range, shape == 1, m.normalized, read);
    }
  printf("%s\n", name);
}

// Each channel is filtered separately.
void testChannels() {
  const int width = 16, height = 16;
  std::vector<float4> values(width * height);
  for (int i = 0; i < width * height; ++i)
    values[i] = make_float4(i % width, i / width, 100 - i % width, 5);
  cudaArray_t array;
  cudaChannelFormatDesc channels = cudaCreateChannelDesc<float4>();
  CUDA(cudaMallocArray(&array, &channels, width, height));
  CUDA(cudaMemcpy2DToArray(array, 0, 0, values.data(), width * sizeof(float4), width * sizeof(float4), height,
                           cudaMemcpyHostToDevice));
  cudaTextureObject_t texture = textureOf(resourceOf(array), describe(cudaFilterModeLinear));
  const int count = 500;
  std::vector<float2> where(count);
  Random random(3);
  for (float2 &place : where)
    place = make_float2(0.5f + random.unit() * (width - 1), 0.5f + random.unit() * (height - 1));
  float2 *places = upload(where);
  float4 *out;
  CUDA(cudaMalloc(&out, count * sizeof(float4)));
  sample2<<<(count + 127) / 128, 128>>>(texture, places, count, out);
  std::vector<float4> seen = download(out, count);
  for (int i = 0; i < count; ++i) {
    double x = where[i].x - 0.5, y = where[i].y - 0.5, tolerance = 1.5 / 256; // neighbours differ by one
    EXPECT(std::fabs(seen[i].x - x) < tolerance, "%g, not %g", double(seen[i].x), x);
    EXPECT(std::fabs(seen[i].y - y) < tolerance, "%g, not %g", double(seen[i].y), y);
    EXPECT(std::fabs(seen[i].z - (100 - x)) < tolerance, "%g, not %g", double(seen[i].z), 100 - x);
    EXPECT(std::fabs(seen[i].w - 5) < 1e-5, "%g, not 5", double(seen[i].w));
  }
  CUDA(cudaDestroyTextureObject(texture));
  CUDA(cudaFreeArray(array));
  CUDA(cudaFree(places));
  CUDA(cudaFree(out));
}

int main() {
  testFormat<float>(
      "float", cudaCreateChannelDesc<float>(), 2000, cudaReadModeElementType,
      [](Random &random) { return (random.unit() - 0.5f) * 2000; }, [](float value) { return value; });
  testFormat<__half>(
      "half", cudaCreateChannelDescHalf(), 2, cudaReadModeElementType,
      [](Random &random) { return __float2half(random.unit() * 2 - 1); },
      [](__half value) { return __half2float(value); });
  testFormat<unsigned char>(
      "unsigned char", cudaCreateChannelDesc<unsigned char>(), 1, cudaReadModeNormalizedFloat,
      [](Random &random) { return (unsigned char)random.next(); }, [](unsigned char value) { return value / 255.0f; });
  testFormat<short>(
      "short", cudaCreateChannelDesc<short>(), 2, cudaReadModeNormalizedFloat,
      [](Random &random) { return short(random.next()); },
      [](short value) { return value == -32768 ? -1.0f : value / 32767.0f; });
  testChannels();
  return passed();
}
