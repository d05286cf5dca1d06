// With point filtering, tex1D and tex2D return the texel of the address mode: clamp, border with its colour, and, for
// normalised coordinates, wrap and mirror; on arrays and on pitched memory. With other coordinates, wrap and mirror
// mean clamp.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/sampling.h"

// Columns from -2 width to 3 width: texel numbers, each with an offset from the texel's middle.
__global__ void sampleRow(cudaTextureObject_t texture, int width, bool normalized, const float *offsets, float4 *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 5 * width)
    return;
  float x = i - 2 * width + 0.5f + offsets[i];
  out[i] = tex1D<float4>(texture, normalized ? x / width : x);
}

__global__ void samplePlane(cudaTextureObject_t texture, int width, int height, bool normalized, const float *offsets,
                            uchar4 *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
  if (i >= 5 * width)
    return;
  float x = i - 2 * width + 0.5f + offsets[i], y = j - 2 * height + 0.5f + offsets[j];
  out[j * 5 * width + i] = normalized ? tex2D<uchar4>(texture, x / width, y / height) : tex2D<uchar4>(texture, x, y);
}

struct Case {
  cudaTextureAddressMode mode;
  bool normalized;
  const char *name;
} cases[] = {{cudaAddressModeClamp, false, "clamp"},           {cudaAddressModeBorder, false, "border"},
             {cudaAddressModeWrap, false, "wrap as clamp"},    {cudaAddressModeMirror, false, "mirror as clamp"},
             {cudaAddressModeClamp, true, "normalised clamp"}, {cudaAddressModeBorder, true, "normalised border"},
             {cudaAddressModeWrap, true, "normalised wrap"},   {cudaAddressModeMirror, true, "normalised mirror"}};

cudaTextureAddressMode effective(const Case &c) {
  bool repeats = c.mode == cudaAddressModeWrap || c.mode == cudaAddressModeMirror;
  return repeats && !c.normalized ? cudaAddressModeClamp : c.mode;
}

std::vector<float> randomOffsets(int count) {
  Random random(5);
  std::vector<float> offsets(count);
  for (float &offset : offsets)
    offset = (random.unit() - 0.5f) * 0.75f;
  return offsets;
}

void testRow(const Case &c, int width) {
  std::vector<float4> values(width);
  for (int i = 0; i < width; ++i)
    values[i] = make_float4(i, -i, i * 0.25f, 1e30f + i);
  cudaArray_t array;
  cudaChannelFormatDesc channels = cudaCreateChannelDesc<float4>();
  CUDA(cudaMallocArray(&array, &channels, width));
  CUDA(cudaMemcpy2DToArray(array, 0, 0, values.data(), width * sizeof(float4), width * sizeof(float4), 1,
                           cudaMemcpyHostToDevice));
  cudaTextureDesc description = describe(cudaFilterModePoint, c.mode, c.normalized);
  const float4 border = make_float4(0.5f, -2, 7, 1024);
  memcpy(description.borderColor, &border, sizeof border);
  cudaTextureObject_t texture = textureOf(resourceOf(array), description);
  float *offsets = upload(randomOffsets(5 * width));
  float4 *out;
  CUDA(cudaMalloc(&out, 5 * width * sizeof(float4)));
  sampleRow<<<(5 * width + 63) / 64, 64>>>(texture, width, c.normalized, offsets, out);
  std::vector<float4> seen = download(out, 5 * width);
  for (int i = 0; i < 5 * width; ++i) {
    int texel = addressed(i - 2 * width, width, effective(c));
    float4 expected = texel < 0 ? border : values[texel];
    EXPECT(memcmp(&seen[i], &expected, sizeof expected) == 0, "%s, width %d, texel %d: %g, not %g", c.name, width,
           i - 2 * width, double(seen[i].x), double(expected.x));
  }
  printf("%s %d: %016llx\n", c.name, width, (unsigned long long)checksum(seen));
  CUDA(cudaDestroyTextureObject(texture));
  CUDA(cudaFreeArray(array));
  CUDA(cudaFree(offsets));
  CUDA(cudaFree(out));
}

void testPlane(const Case &c, int width, int height, bool pitched) {
  Random random(width * 100 + height);
  std::vector<uchar4> values(width * height);
  for (uchar4 &value : values)
    value = make_uchar4(random.next(), random.next(), random.next(), random.next());
  cudaArray_t array = nullptr;
  uchar4 *memory = nullptr;
  cudaResourceDesc resource;
  if (pitched) {
    size_t pitch;
    CUDA(cudaMallocPitch(&memory, &pitch, width * sizeof(uchar4), height));
    CUDA(cudaMemcpy2D(memory, pitch, values.data(), width * sizeof(uchar4), width * sizeof(uchar4), height,
                      cudaMemcpyHostToDevice));
    resource = resourceOf(memory, width, height, pitch);
  } else {
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<uchar4>();
    CUDA(cudaMallocArray(&array, &channels, width, height));
    CUDA(cudaMemcpy2DToArray(array, 0, 0, values.data(), width * sizeof(uchar4), width * sizeof(uchar4), height,
                             cudaMemcpyHostToDevice));
    resource = resourceOf(array);
  }
  cudaTextureObject_t texture = textureOf(resource, describe(cudaFilterModePoint, c.mode, c.normalized));
  float *offsets = upload(randomOffsets(5 * (width > height ? width : height)));
  uchar4 *out;
  CUDA(cudaMalloc(&out, 25 * width * height * sizeof(uchar4)));
  samplePlane<<<dim3((5 * width + 63) / 64, 5 * height), 64>>>(texture, width, height, c.normalized, offsets, out);
  std::vector<uchar4> seen = download(out, 25 * width * height);
  for (int j = 0; j < 5 * height; ++j)
    for (int i = 0; i < 5 * width; ++i) {
      int x = addressed(i - 2 * width, width, effective(c)), y = addressed(j - 2 * height, height, effective(c));
      uchar4 expected = x < 0 || y < 0 ? make_uchar4(0, 0, 0, 0) : values[y * width + x];
      EXPECT(memcmp(&seen[j * 5 * width + i], &expected, sizeof expected) == 0, "%s, %dx%d, texel %d %d", c.name, width,
             height, i - 2 * width, j - 2 * height);
    }
  printf("%s %dx%d %s: %016llx\n", c.name, width, height, pitched ? "pitched" : "array",
         (unsigned long long)checksum(seen));
  CUDA(cudaDestroyTextureObject(texture));
  if (array)
    CUDA(cudaFreeArray(array));
  CUDA(cudaFree(memory));
  CUDA(cudaFree(offsets));
  CUDA(cudaFree(out));
}

int main() {
  for (const Case &c : cases) {
    testRow(c, 1);
    testRow(c, 37);
    testPlane(c, 13, 7, false);
    testPlane(c, 32, 16, true);
  }
  return passed();
}
