// Copies to and from arrays, and kernels with textures and surfaces on the arrays, are captured into a graph. Each
// launch of the graph executes them again, with the current contents of memory.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/sampling.h"

const int width = 30, height = 20;

// Rotates by 180 degrees.
__global__ void turn(cudaTextureObject_t texture, cudaSurfaceObject_t surface) {
  int x = threadIdx.x, y = blockIdx.x;
  float2 value = tex2D<float2>(texture, width - 1 - x + 0.5f, height - 1 - y + 0.5f);
  surf2Dwrite(make_float2(value.y, value.x), surface, x * int(sizeof(float2)), y);
}

int main() {
  const size_t row = width * sizeof(float2);
  cudaChannelFormatDesc channels = cudaCreateChannelDesc<float2>();
  cudaArray_t from, to;
  CUDA(cudaMallocArray(&from, &channels, width, height));
  CUDA(cudaMallocArray(&to, &channels, width, height, cudaArraySurfaceLoadStore));
  cudaTextureObject_t texture = textureOf(resourceOf(from), describe());
  cudaSurfaceObject_t surface = surfaceOf(to);
  float2 *in, *out, *part;
  CUDA(cudaMallocHost(&in, row * height));
  CUDA(cudaMallocHost(&out, row * height));
  CUDA(cudaMallocHost(&part, 5 * sizeof(float2) * 4));
  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  CUDA(cudaMemcpy2DToArrayAsync(from, 0, 0, in, row, row, height, cudaMemcpyHostToDevice, stream));
  turn<<<height, width, 0, stream>>>(texture, surface);
  CUDA(cudaMemcpy2DFromArrayAsync(part, 5 * sizeof(float2), to, 3 * sizeof(float2), 7, 5 * sizeof(float2), 4,
                                  cudaMemcpyDeviceToHost, stream));
  cudaMemcpy3DParms copy = {};
  copy.srcArray = to;
  copy.dstPtr = make_cudaPitchedPtr(out, row, width, height);
  copy.extent = make_cudaExtent(width, height, 1);
  copy.kind = cudaMemcpyDeviceToHost;
  CUDA(cudaMemcpy3DAsync(&copy, stream));
  CUDA(cudaStreamEndCapture(stream, &graph));
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  Random random(1);
  for (int launch = 0; launch < 5; ++launch) {
    for (int i = 0; i < width * height; ++i)
      in[i] = make_float2(random.unit(), random.unit());
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    for (int i = 0; i < width * height; ++i) {
      float2 expected = in[width * height - 1 - i];
      EXPECT(out[i].x == expected.y && out[i].y == expected.x, "launch %d texel %d", launch, i);
    }
    for (int i = 0; i < 20; ++i)
      EXPECT(memcmp(&part[i], &out[(7 + i / 5) * width + 3 + i % 5], sizeof(float2)) == 0, "launch %d part %d", launch,
             i);
    printf("%d %016llx\n", launch, (unsigned long long)checksum(out, row * height));
  }
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaGraphDestroy(graph));
  CUDA(cudaStreamDestroy(stream));
  CUDA(cudaDestroyTextureObject(texture));
  CUDA(cudaDestroySurfaceObject(surface));
  CUDA(cudaFreeArray(from));
  CUDA(cudaFreeArray(to));
  CUDA(cudaFreeHost(in));
  CUDA(cudaFreeHost(out));
  CUDA(cudaFreeHost(part));
  return passed();
}
