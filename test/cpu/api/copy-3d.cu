// cudaMalloc3D and cudaMemcpy3D (Async, Peer): random boxes at random places in both directions, empty boxes, and peer
// copies of one device.
// RUN: %gasan -O2 %s -o %t
// RUN: %run %t 2>&1 | %same
#include "../inputs/self_check.h"

static const size_t width = 60, height = 12, depth = 9;
using Bytes = std::vector<unsigned char>;

static cudaPitchedPtr pitchedOf(void *memory, size_t pitch) {
  return make_cudaPitchedPtr(memory, pitch, width, height);
}

static void reference(Bytes &to, size_t to_pitch, cudaPos at, const Bytes &from, size_t from_pitch, cudaPos from_at,
                      cudaExtent box) {
  for (size_t z = 0; z < box.depth; ++z)
    for (size_t y = 0; y < box.height; ++y)
      for (size_t x = 0; x < box.width; ++x)
        to[((at.z + z) * height + at.y + y) * to_pitch + at.x + x] =
            from[((from_at.z + z) * height + from_at.y + y) * from_pitch + from_at.x + x];
}

int main() {
  Random random(6);
  cudaPitchedPtr device;
  CUDA(cudaMalloc3D(&device, make_cudaExtent(width, height, depth)));
  EXPECT(device.pitch >= width && device.xsize == width && device.ysize == height, "%zu", device.pitch);
  CUDA(cudaMemset3D(device, 0, make_cudaExtent(width, height, depth)));
  const size_t host_pitch = 67;
  Bytes mirror(width * height * depth), host(host_pitch * height * depth), expected, back(width * height * depth);
  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));
  for (int round = 0; round < 100; ++round) {
    cudaExtent box = make_cudaExtent(random.below(width + 1), random.below(height + 1), random.below(depth + 1));
    auto place = [&] {
      return make_cudaPos(random.below(unsigned(width - box.width) + 1),
                          random.below(unsigned(height - box.height) + 1),
                          random.below(unsigned(depth - box.depth) + 1));
    };
    cudaPos on_device = place(), on_host = place();
    cudaMemcpy3DParms parameters = {};
    bool up = random.below(2);
    for (unsigned char &byte : host)
      byte = (unsigned char)random.next();
    parameters.srcPtr = up ? pitchedOf(host.data(), host_pitch) : device;
    parameters.srcPos = up ? on_host : on_device;
    parameters.dstPtr = up ? device : pitchedOf(host.data(), host_pitch);
    parameters.dstPos = up ? on_device : on_host;
    parameters.extent = box;
    parameters.kind = random.below(2) ? cudaMemcpyDefault : up ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    expected = host;
    if (random.below(2)) {
      CUDA(cudaMemcpy3DAsync(&parameters, stream));
      CUDA(cudaStreamSynchronize(stream));
    } else {
      CUDA(cudaMemcpy3D(&parameters));
    }
    if (up)
      reference(mirror, width, on_device, host, host_pitch, on_host, box);
    else
      reference(expected, host_pitch, on_host, mirror, width, on_device, box);
    EXPECT(host == expected, "round %d: the host's side", round);
    CUDA(cudaMemcpy2D(back.data(), width, device.ptr, device.pitch, width, height * depth, cudaMemcpyDeviceToHost));
    EXPECT(back == mirror, "round %d: the device's side", round);
  }

  // One device is its own peer in a copy.
  cudaPitchedPtr other;
  CUDA(cudaMalloc3D(&other, make_cudaExtent(width, height, depth)));
  cudaMemcpy3DPeerParms peer = {};
  peer.srcPtr = device;
  peer.dstPtr = other;
  peer.extent = make_cudaExtent(width, height, depth);
  CUDA(cudaMemcpy3DPeer(&peer));
  CUDA(cudaMemcpy2D(back.data(), width, other.ptr, other.pitch, width, height * depth, cudaMemcpyDeviceToHost));
  EXPECT(back == mirror, "3D peer copy");
  unsigned char *line, *line2;
  CUDA(cudaMalloc(&line, 1000));
  CUDA(cudaMalloc(&line2, 1000));
  CUDA(cudaMemcpy(line, host.data(), 1000, cudaMemcpyHostToDevice));
  CUDA(cudaMemcpyPeer(line2, 0, line, 0, 600));
  CUDA(cudaMemcpyPeerAsync(line2 + 600, 0, line + 600, 0, 400, stream));
  CUDA(cudaStreamSynchronize(stream));
  CUDA(cudaMemcpy(back.data(), line2, 1000, cudaMemcpyDeviceToHost));
  EXPECT(!memcmp(back.data(), host.data(), 1000), "peer copies");
  printf("%016llx\n", (unsigned long long)checksum(mirror));
  for (void *memory : {device.ptr, other.ptr, (void *)line, (void *)line2})
    CUDA(cudaFree(memory));
  CUDA(cudaStreamDestroy(stream));
  return passed();
}
