// Page-locked, managed, registered and plain host memory is allocated and freed at the same addresses, in sizes around
// the quarantine's limit. Nothing is reported, and the copies are right.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 >/dev/null | %silent
// RUN: %options=quarantine_size_mb=1 %run %t 2>&1 >/dev/null | %silent
// RUN: %options=quarantine_size_mb=0 %run %t 2>&1 >/dev/null | %silent
#include <cstdlib>
#include <cstring>

enum Kind { Pinned, Managed, Registered, Plain, Kinds };
struct Buffer {
  unsigned char *bytes;
  size_t size;
  Kind kind;
};

static bool make(Buffer &buffer, size_t size, Kind kind) {
  buffer.size = size;
  buffer.kind = kind;
  if (kind == Pinned)
    return cudaMallocHost((void **)&buffer.bytes, size) == cudaSuccess;
  if (kind == Managed)
    return cudaMallocManaged((void **)&buffer.bytes, size) == cudaSuccess;
  buffer.bytes = (unsigned char *)aligned_alloc(4096, (size + 8191) & ~size_t(4095));
  return kind == Plain || cudaHostRegister(buffer.bytes, size, cudaHostRegisterDefault) == cudaSuccess;
}

static bool release(Buffer &buffer) {
  if (buffer.kind == Pinned)
    return cudaFreeHost(buffer.bytes) == cudaSuccess;
  if (buffer.kind == Managed)
    return cudaFree(buffer.bytes) == cudaSuccess;
  bool right = buffer.kind == Plain || cudaHostUnregister(buffer.bytes) == cudaSuccess;
  free(buffer.bytes);
  return right;
}

int main() {
  const size_t most = 600000;
  unsigned char *device;
  if (cudaMalloc(&device, most) != cudaSuccess)
    return 1;
  Buffer buffers[8] = {};
  unsigned state = 7;
  for (int round = 0; round < 400; ++round) {
    state = state * 1664525u + 1013904223u;
    Buffer &buffer = buffers[state >> 28 & 7];
    if (buffer.bytes && !release(buffer))
      return 2;
    size_t size = 1 + (state >> 4) % (round % 5 ? 5000 : most);
    if (!make(buffer, size, Kind(round % Kinds)))
      return 3;
    memset(buffer.bytes, round & 255, size);
    unsigned char last = 0;
    if (cudaMemcpy(device, buffer.bytes, size, cudaMemcpyDefault) != cudaSuccess ||
        cudaMemset(device, 99, size - 1) != cudaSuccess ||
        cudaMemcpy(buffer.bytes, device, size, cudaMemcpyDefault) != cudaSuccess ||
        cudaMemcpy(&last, device + size - 1, 1, cudaMemcpyDeviceToHost) != cudaSuccess)
      return 4;
    if (last != (round & 255) || buffer.bytes[size - 1] != last || (size > 1 && buffer.bytes[0] != 99))
      return 5;
  }
  for (Buffer &buffer : buffers)
    if (buffer.bytes && !release(buffer))
      return 6;
  return cudaFree(device) != cudaSuccess;
}
