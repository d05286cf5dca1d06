// cudaMemcpyBatchAsync and cudaMemcpy3DBatchAsync execute all copies of a batch, in stream order with other work.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

__global__ void addOne(unsigned *values, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    values[i] += 1;
}

int main() {
  const int count = 4096, parts = 16;
  Random random(9);
  unsigned *host, *back, *device;
  CUDA(cudaMallocHost(&host, count * sizeof(unsigned)));
  CUDA(cudaMallocHost(&back, count * sizeof(unsigned)));
  CUDA(cudaMalloc(&device, count * sizeof(unsigned)));
  for (int i = 0; i < count; ++i)
    host[i] = random.next();
  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));
  void *to[parts];
  const void *from[parts];
  size_t sizes[parts], first[2] = {0, 5};
  cudaMemcpyAttributes attributes[2];
  memset(attributes, 0, sizeof attributes);
  attributes[0].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  attributes[1].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  attributes[1].flags = cudaMemcpyFlagPreferOverlapWithCompute;
  const int part = count / parts;
  for (int p = 0; p < parts; ++p) { // to the device, in another order
    to[p] = device + (p * 7 % parts) * part;
    from[p] = host + p * part;
    sizes[p] = part * sizeof(unsigned);
  }
  CUDA(cudaMemcpyBatchAsync(to, from, sizes, parts, attributes, first, 2, stream));
  addOne<<<(count + 255) / 256, 256, 0, stream>>>(device, count);
  for (int p = 0; p < parts; ++p) { // back to the host
    to[p] = back + p * part;
    from[p] = device + (p * 7 % parts) * part;
  }
  CUDA(cudaMemcpyBatchAsync(to, from, sizes, parts, attributes, first, 1, stream));
  CUDA(cudaStreamSynchronize(stream));
  for (int i = 0; i < count; ++i)
    EXPECT(back[i] == host[i] + 1, "%d", i);

  // Boxes of 8 x 6 x 4 bytes, from rows of 16 bytes and layers of 8 rows; packed on the device; back to another place.
  memset(back, 0, count * sizeof(unsigned));
  unsigned char *bytes = (unsigned char *)host, *result = (unsigned char *)back;
  cudaMemcpy3DBatchOp op;
  memset(&op, 0, sizeof op);
  op.src.type = op.dst.type = cudaMemcpyOperandTypePointer;
  op.src.op.ptr.ptr = bytes;
  op.src.op.ptr.rowLength = 16;
  op.src.op.ptr.layerHeight = 8;
  op.dst.op.ptr.ptr = device;
  op.extent = make_cudaExtent(8, 6, 4);
  op.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  CUDA(cudaMemcpy3DBatchAsync(1, &op, 0, stream));
  op.src.op.ptr.ptr = device;
  op.src.op.ptr.rowLength = op.src.op.ptr.layerHeight = 0;
  op.dst.op.ptr.ptr = result;
  op.dst.op.ptr.rowLength = 10;
  op.dst.op.ptr.layerHeight = 6;
  CUDA(cudaMemcpy3DBatchAsync(1, &op, 0, stream));
  CUDA(cudaStreamSynchronize(stream));
  for (int z = 0; z < 4; ++z)
    for (int y = 0; y < 6; ++y)
      for (int x = 0; x < 10; ++x)
        EXPECT(result[(z * 6 + y) * 10 + x] == (x < 8 ? bytes[(z * 8 + y) * 16 + x] : 0), "%d %d %d", x, y, z);
  first[0] = 1;
  EXPECT(cudaMemcpyBatchAsync(to, from, sizes, parts, attributes, first, 1, stream) == cudaErrorInvalidValue,
         "first copy");
  cudaGetLastError();
  printf("%016llx\n", (unsigned long long)checksum(back, count * sizeof(unsigned)));
  CUDA(cudaFreeHost(host));
  CUDA(cudaFreeHost(back));
  CUDA(cudaFree(device));
  CUDA(cudaStreamDestroy(stream));
  return passed();
}
